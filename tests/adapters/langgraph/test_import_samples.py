"""The threads that the tests import: written by real graphs, with all that LangGraph stores.

The other tests of the importer use them. The tests of this file check that they are complete.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict, cast
from uuid import UUID

import numpy as np
import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel

Saver = BaseCheckpointSaver[Any]


class Level(Enum):
    LOW = 1
    HIGH = "high"


class Place(NamedTuple):
    row: int
    column: int


@dataclass
class Order:
    number: int
    level: Level
    paid: Decimal


class Customer(BaseModel):
    name: str
    since: datetime
    orders: list[int] = []


class Values(TypedDict, total=False):
    things: list[Any]
    array: Any
    raw: bytes
    number: float
    nothing: None
    by_id: dict[int, str]


class Items(TypedDict):
    items: Annotated[list[Any], operator.add]


def _joined(log: list[str], batches: Sequence[list[str]]) -> list[str]:
    return [*log, *chain.from_iterable(batches)]


class Deltas(TypedDict):
    log: Annotated[list[str], DeltaChannel(_joined, snapshot_frequency=2)]


def at(thread: str, **more: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, **more}}


# ---------------------------------------------------------------- graphs


def chat(saver: Saver) -> Any:
    def model(state: MessagesState) -> dict[str, Any]:
        call = {"name": "look", "args": {"n": len(state["messages"])}, "id": "c1", "type": "tool_call"}
        return {"messages": [AIMessage(f"answer {len(state['messages'])}", tool_calls=[call])]}

    def tool(state: MessagesState) -> dict[str, Any]:
        return {"messages": [ToolMessage("found", tool_call_id="c1")]}

    builder = StateGraph(MessagesState)
    builder.add_sequence([("model", model), ("tool", tool)])
    builder.add_edge(START, "model")
    return builder.compile(checkpointer=saver)


def crowd(saver: Saver) -> Any:
    """Sends, a question asked twice by the same task, and an end."""

    def ask(state: Items) -> dict[str, Any]:
        return {"items": [interrupt("first?"), interrupt({"second": "?"})]}

    builder = StateGraph(Items)
    builder.add_node("work", lambda sent: {"items": [sent["n"]]})
    builder.add_node("ask", ask)
    builder.add_conditional_edges(START, lambda state: [Send("work", {"n": n}) for n in range(3)], ["work"])
    builder.add_edge("work", "ask")
    return builder.compile(checkpointer=saver)


def nested(saver: Saver) -> Any:
    """A graph in a graph in a graph, which waits in the innermost."""

    def wait(state: Items) -> dict[str, Any]:
        return {"items": ["inner", interrupt("inside?")]}

    inner: Any = StateGraph(Items)
    inner.add_sequence([("before", lambda state: {"items": ["before"]}), ("wait", wait)])
    inner.add_edge(START, "before")
    middle: Any = StateGraph(Items)
    middle.add_sequence([("inner", inner.compile()), ("after", lambda state: {"items": ["after"]})])
    middle.add_edge(START, "inner")
    outer = StateGraph(Items)
    outer.add_node("middle", middle.compile())
    outer.add_edge(START, "middle")
    return outer.compile(checkpointer=saver)


def failing(saver: Saver) -> Any:
    def fail(state: Items) -> dict[str, Any]:
        raise RuntimeError("no luck")

    builder = StateGraph(Items)
    builder.add_node("fine", lambda state: {"items": ["fine"]})
    builder.add_node("fail", fail)
    builder.add_edge(START, "fine")
    builder.add_edge(START, "fail")
    return builder.compile(checkpointer=saver)


def valuable(saver: Saver) -> Any:
    things = [
        Order(1, Level.HIGH, Decimal("9.50")),
        Customer(name="Ann", since=datetime(2020, 1, 1, tzinfo=UTC), orders=[1, 2]),
        Place(2, 3),
        {1, 2, 3},
        UUID(int=7),
        Path("a/b"),
        float("nan"),
        [True, 1, 1.0, "ä\x00", None],
    ]
    values = {
        "things": things,
        "array": np.arange(6).reshape(2, 3),
        "raw": b"\x00\xff",
        "number": 1.0,
        "by_id": {1: "a"},
    }
    builder = StateGraph(Values)
    builder.add_sequence([("fill", lambda state: values), ("clear", lambda state: {"things": [], "nothing": None})])
    builder.add_edge(START, "fill")
    return builder.compile(checkpointer=saver)


def logging(saver: Saver) -> Any:
    builder = StateGraph(Deltas)
    builder.add_node("add", lambda state: {"log": [f"entry {len(state['log'])}"]})
    builder.add_edge(START, "add")
    return builder.compile(checkpointer=saver)


# ---------------------------------------------------------------- threads


def fill(saver: Saver) -> None:
    """Leave a thread of each kind behind."""
    for turn in range(3):
        chat(saver).invoke({"messages": [HumanMessage(f"question {turn}")]}, at("chat/ä b", user="ann", metadata=1))
    _fill_crowd(saver)
    nested(saver).invoke({"items": []}, at("nested"))
    nested(saver).invoke({"items": ["x"]}, at("nested done"))
    nested(saver).invoke(Command(resume="yes"), at("nested done"))
    with pytest.raises(RuntimeError):
        failing(saver).invoke({"items": []}, at("failed"))
    valuable(saver).invoke({"number": 0.5}, at("values"))
    for turn in range(5):
        logging(saver).invoke({"log": [f"turn {turn}"]}, at("log"))


def _fill_crowd(saver: Saver) -> None:
    """Interrupted, resumed twice, edited by hand, then continued from the past: two branches."""
    graph = crowd(saver)
    graph.invoke({"items": ["start"]}, at("crowd"))
    for answer in ("yes", ["no"]):
        graph.invoke(Command(resume=answer), at("crowd"))
    graph.update_state(at("crowd"), {"items": ["by hand"]}, as_node="work")
    past = [snapshot.config for snapshot in graph.get_state_history(at("crowd")) if snapshot.next == ("ask",)]
    graph.invoke(None, past[-1])
    graph.update_state(past[-1], {"items": ["another branch"]})


def everything(saver: Saver) -> list[CheckpointTuple]:
    """All that a saver has, in an order that every saver can be held against."""
    return sorted(saver.list(None), key=place)


def place(found: CheckpointTuple) -> tuple[str, str, str]:
    configurable = found.config["configurable"]
    return configurable["thread_id"], configurable["checkpoint_id"], configurable["checkpoint_ns"]


def plain(value: Any) -> Any:
    """A value that == compares exactly: arrays and not-a-number are equal to themselves, and 1 is not True."""
    if isinstance(value, dict):
        return {plain(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, list | tuple):
        return (type(value).__name__, [plain(one) for one in value])
    return (type(value).__name__, repr(value) if isinstance(value, float) else value)


def assert_same(target: Saver, source: Saver) -> None:
    found, wanted = everything(target), everything(source)
    assert [place(one) for one in found] == [place(one) for one in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert plain(_without_repeated_snapshots(one, other)) == plain(other)


def _without_repeated_snapshots(one: CheckpointTuple, other: CheckpointTuple) -> CheckpointTuple:
    """Savers that keep values by version find the snapshot of a delta channel again while its version is the same."""
    known = other.checkpoint["channel_values"]
    values = {
        channel: value
        for channel, value in one.checkpoint["channel_values"].items()
        if channel in known or not isinstance(value, _DeltaSnapshot)
    }
    return one._replace(checkpoint={**one.checkpoint, "channel_values": values})


# ---------------------------------------------------------------- targets


@contextmanager
def in_memory(folder: Path) -> Iterator[Saver]:
    yield InMemorySaver()


@contextmanager
def official_file(folder: Path) -> Iterator[Saver]:
    with SqliteSaver.from_conn_string(str(folder / "target.sqlite")) as saver:
        yield saver


@contextmanager
def holdfast_file(folder: Path) -> Iterator[Saver]:
    from holdfast.adapters.langgraph import HoldfastSaver

    with HoldfastSaver.from_url(str(folder / "target.db")) as saver:
        yield saver


LASTING = {"sqlite": official_file, "holdfast": holdfast_file}
TARGETS = {"memory": in_memory, **LASTING}


# ---------------------------------------------------------------- what they have


@pytest.fixture(scope="module")
def stored() -> list[CheckpointTuple]:
    saver = InMemorySaver()
    fill(saver)
    return everything(saver)


def channels(stored: Iterable[CheckpointTuple]) -> set[str]:
    return {channel for one in stored for _, channel, _ in one.pending_writes or ()}


def test_samples_have_several_threads_and_namespaces_in_namespaces(stored):
    threads, _, namespaces = zip(*map(place, stored), strict=True)
    assert len(set(threads)) == 7
    assert {namespace.count("|") for namespace in namespaces if namespace} == {0, 1}


def test_samples_have_interrupts_resumes_sends_and_errors(stored):
    assert {"__interrupt__", "__resume__", "__pregel_tasks", "__error__"} <= channels(stored)


def test_samples_have_branches_and_edits(stored):
    sources = {one.metadata["source"] for one in stored}
    assert {"input", "loop", "update"} <= sources
    parents = [str(one.parent_config) for one in stored if one.parent_config]
    assert len(set(parents)) < len(parents)


def test_samples_have_snapshots_of_deltas(stored):
    values = [cast("dict[str, Any]", one.checkpoint["channel_values"]).get("log") for one in stored]
    assert any(isinstance(value, _DeltaSnapshot) for value in values)
