"""States of every make: classes of the user's own, channels that are emptied, odd values. As with the saver in memory.

Where LangGraph's serializer loses something itself (a tuple becomes a list, a model nested in another a dict), the
scenarios keep clear of it: `test_safety` says what has to come back then.
"""

from __future__ import annotations

import dataclasses
import enum
from collections import deque
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from operator import add, or_
from typing import Annotated, Any, TypedDict
from uuid import UUID

import pydantic
import pytest
from langgraph.channels import EphemeralValue, Topic, UntrackedValue
from langgraph.graph import END, START, StateGraph

from tests.adapters.langgraph.driver import Side, config


class Mood(enum.Enum):
    CALM = "calm"
    CROSS = "cross"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Step:
    tool: str
    mood: Mood = Mood.CALM


class Customer(pydantic.BaseModel):
    name: str
    orders: list[int] = []
    level: Level = Level.LOW


@dataclasses.dataclass
class Plan:
    goal: str = ""
    steps: Annotated[list[Step], add] = dataclasses.field(default_factory=list)
    customer: Customer | None = None


class Form(pydantic.BaseModel):
    goal: str
    steps: Annotated[list[Step], add] = []
    customer: Customer | None = None


def dataclass_state(side: Side) -> Any:
    builder = StateGraph(Plan)
    builder.add_node("plan", lambda state: {"steps": [Step("search"), Step("pay", Mood.CROSS)]})
    builder.add_node("who", lambda state: {"customer": Customer(name=state.goal, level=Level.HIGH)})
    builder.add_edge(START, "plan")
    builder.add_edge("plan", "who")
    graph = side.graph(builder)
    result = graph.invoke(Plan("refund", [Step("ask")]), config())
    assert result["steps"] == [Step("ask"), Step("search"), Step("pay", Mood.CROSS)]
    found = graph.get_state(config()).values
    assert type(found["customer"]) is Customer
    assert found["steps"][2].mood is Mood.CROSS
    return result, side.seen(graph)


def pydantic_state(side: Side) -> Any:
    builder = StateGraph(Form)
    builder.add_node("plan", lambda state: {"steps": [Step(state.goal)]})
    builder.add_node("who", lambda state: {"customer": Customer(name="Ada", orders=[1, 2])})
    builder.add_edge(START, "plan")
    builder.add_edge("plan", "who")
    graph = side.graph(builder)
    result = [graph.invoke({"goal": goal}, config()) for goal in ("refund", "exchange")]
    assert [one.tool for one in result[1]["steps"]] == ["refund", "exchange"]
    return result, side.seen(graph)


class Odd(TypedDict, total=False):
    texts: list[str]
    number: Any
    counts: Annotated[dict[str, int], or_]
    seen: set[Any]
    recent: deque[int]
    raw: bytes
    when: list[Any]
    nothing: None
    deep: Any


def plain_values(side: Side) -> Any:
    values = Odd(
        texts=["", "é 日本 🙂", "a\0b", "line\nline", "'; drop table checkpoints; --", "x" * 10_000],
        number=[0, -1, 2**53, 2**63, -(2**63), 1.5, -0.0, 1e300, float("inf"), True, False],
        counts={"a": 1, "": 0, "a.b": 2, "$.c": 3, '"': 4},
        seen={1, "a", 2.5, None},
        recent=deque([1, 2, 3]),
        raw=bytes(range(256)),
        when=[
            datetime(2020, 2, 29, 1, 2, 3, 4, UTC),
            date(1, 1, 1),
            timedelta(days=-1, microseconds=1),
            UUID(int=7),
            frozenset({1}),
        ],
        nothing=None,
        deep={"a": [{"b": [[], {}, [None, {"c": [[[1]]]}]]}], 1: "number key", 2.5: Decimal("1.10")},
    )
    builder = StateGraph(Odd)
    builder.add_node("change", lambda state: {"counts": {"b": 2}, "nothing": None, "raw": state["raw"] * 2})
    builder.add_edge(START, "change")
    graph = side.graph(builder)
    result = graph.invoke(values, config())
    assert result == {**values, "counts": {**values["counts"], "b": 2}, "raw": bytes(range(256)) * 2}
    assert graph.get_state(config()).values == result
    return result, side.seen(graph)


class Channels(TypedDict, total=False):
    count: int
    brief: Annotated[Any, EphemeralValue]
    secret: Annotated[Any, UntrackedValue]
    news: Annotated[list[str], Topic(str, accumulate=True)]
    flash: Annotated[list[str], Topic(str)]


def channels_that_are_emptied(side: Side) -> Any:
    """A value of one step only, one that is never stored, and topics: absent is not None, and not the value before.

    Durability is sync: a topic keeps filling the list that it handed out to be saved.
    """

    def step(state: Channels) -> Any:
        count = state.get("count", 0) + 1
        result: Any = {"count": count, "news": [f"news {count}"], "secret": object()}
        return result | ({"brief": f"brief {count}", "flash": [f"flash {count}"]} if count % 2 else {})

    builder = StateGraph(Channels)
    builder.add_node("step", step)
    builder.add_edge(START, "step")
    builder.add_conditional_edges("step", lambda state: END if state["count"] >= 5 else "step", ["step", END])
    graph = side.graph(builder)
    graph.invoke({"brief": "given"}, config(), durability="sync")
    found = graph.get_state_history(config())
    assert [one.values.get("brief") for one in found] == ["brief 5", None, "brief 3", None, "brief 1", "given", None]
    assert ["secret" in one.values for one in found] == [False] * 7
    return side.seen(graph)


def values_that_shrink_and_change_kind(side: Side) -> Any:
    """One channel, a different kind of value at every step: nothing of the one before shines through."""
    kinds: list[Any] = [
        [1, 2, 3],
        [1, 2],
        [],
        {},
        {"a": [1]},
        {"a": [1, 2]},
        {"b": None},
        "text",
        "",
        0,
        False,
        None,
        [None],
    ]
    left = iter(kinds)

    class Any_(TypedDict, total=False):
        value: Any
        left: int

    builder = StateGraph(Any_)
    builder.add_node("step", lambda state: {"value": next(left), "left": state["left"] - 1})
    builder.add_edge(START, "step")
    builder.add_conditional_edges("step", lambda state: "step" if state["left"] else END, ["step", END])
    graph = side.graph(builder)
    graph.invoke({"left": len(kinds)}, config())
    found = [one.values["value"] for one in graph.get_state_history(config()) if "value" in one.values]
    assert list(map(repr, reversed(found))) == list(map(repr, kinds))
    return side.seen(graph)


def a_graph_that_changed(side: Side) -> Any:
    """A channel and a node that are gone, others that are new: the thread continues."""

    class Now(TypedDict, total=False):
        lines: Annotated[list[str], add]
        added: int

    class Then(TypedDict, total=False):
        lines: Annotated[list[str], add]
        removed: dict[str, int]

    then = StateGraph(Then)
    then.add_node("old", lambda state: {"lines": ["old"], "removed": {"n": 1}})
    then.add_edge(START, "old")
    now = StateGraph(Now)
    now.add_node("new", lambda state: {"lines": ["new"], "added": 1})
    now.add_edge(START, "new")
    first = side.graph(then).invoke({"lines": []}, config())
    graph = side.graph(now)
    second = graph.invoke({"lines": []}, config())
    assert second == {"lines": ["old", "new"], "added": 1}
    third = side.graph(then).invoke({"lines": []}, config())
    return first, second, third, side.seen(graph)


@pytest.mark.parametrize(
    "scenario",
    [
        dataclass_state,
        pydantic_state,
        plain_values,
        channels_that_are_emptied,
        values_that_shrink_and_change_kind,
        a_graph_that_changed,
    ],
    ids=lambda one: one.__name__,
)
def test_as_in_memory(same, scenario) -> None:
    same(scenario)
