"""Sync, async and exit: what is stored when a graph ends, fails, or waits. As with the saver in memory."""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt

from tests.adapters.langgraph.driver import Side, chain, config

MODES = ["sync", "async", "exit"]


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]
    last: str


def a(state: Log) -> Any:
    return {"lines": ["a"], "last": "a"}


def b(state: Log) -> Any:
    return {"lines": [f"b after {state['last']}"], "last": "b"}


def ask(state: Log) -> Any:
    return {"lines": [interrupt("go on?")], "last": "ask"}


def ends(side: Side, mode: str) -> Any:
    graph = side.graph(chain(Log, a, b))
    result = [graph.invoke({"lines": [f"turn {n}"]}, config(), durability=mode) for n in range(3)]
    assert len(result[-1]["lines"]) == 9
    seen = side.seen(graph)
    assert len(seen["stored"]) == (3 if mode == "exit" else 12)
    return result, seen


def fails(side: Side, mode: str) -> Any:
    """The state as it was before the node that failed is there, and the thread continues from it."""
    failures = iter([RuntimeError("first"), RuntimeError("second"), None])

    def shaky(state: Log) -> Any:
        if error := next(failures):
            raise error
        return {"lines": ["shaky"]}

    graph = side.graph(chain(Log, a, shaky, b))
    with pytest.raises(RuntimeError, match="first"):
        graph.invoke({"lines": ["given"]}, config(), durability=mode)
    first = side.seen(graph)
    with pytest.raises(RuntimeError, match="second"):
        graph.invoke(None, config(), durability=mode)
    assert first["state"].next == ("shaky",)
    assert first["state"].values["lines"] == ["given", "a"]
    result = graph.invoke(None, config(), durability=mode)
    assert result["lines"] == ["given", "a", "shaky", "b after a"]
    return first, result, side.seen(graph)


def fails_at_once(side: Side, mode: str) -> Any:
    """In the first node of the first run: the input is not lost."""
    failures = iter([RuntimeError("at once"), None])

    def shaky(state: Log) -> Any:
        if error := next(failures):
            raise error
        return {"lines": ["shaky"]}

    graph = side.graph(chain(Log, shaky))
    with pytest.raises(RuntimeError, match="at once"):
        graph.invoke({"lines": ["given"]}, config(), durability=mode)
    failed = side.seen(graph)
    result = graph.invoke(None, config(), durability=mode)
    assert result["lines"] == ["given", "shaky"]
    return failed, result, side.seen(graph)


def waits(side: Side, mode: str) -> Any:
    graph = side.graph(chain(Log, a, ask, b))
    graph.invoke({"lines": ["given"]}, config(), durability=mode)
    waiting = side.seen(graph)
    assert waiting["state"].next == ("ask",)
    result = graph.invoke(Command(resume="yes"), config(), durability=mode)
    assert result["lines"] == ["given", "a", "yes", "b after ask"]
    return waiting, result, side.seen(graph)


def waits_inside(side: Side, mode: str) -> Any:
    """An inner graph that waits; in exit mode its checkpoints are put when the outer one leaves."""
    outer = StateGraph(Log)
    outer.add_node("a", a)
    outer.add_node("inner", chain(Log, a, ask, b).compile())
    outer.add_edge(START, "a")
    outer.add_edge("a", "inner")
    graph = side.graph(outer)
    graph.invoke({"lines": ["given"]}, config(), durability=mode)
    waiting = side.seen(graph)
    assert waiting["state"].tasks[0].state.next == ("ask",)
    result = graph.invoke(Command(resume="yes"), config(), durability=mode)
    assert result["lines"][-2:] == ["yes", "b after ask"]
    return waiting, result, side.seen(graph)


def sends(side: Side, mode: str) -> Any:
    builder = chain(Log, a)
    builder.add_node("work", lambda state: {"lines": [f"work {state['last']}"]})
    builder.add_conditional_edges("a", lambda state: [Send("work", {"last": str(n)}) for n in range(3)], ["work"])
    graph = side.graph(builder)
    result = graph.invoke({}, config(), durability=mode)
    assert result["lines"] == ["a", "work 0", "work 1", "work 2"]
    return result, side.seen(graph)


def mixed(side: Side, mode: str) -> Any:
    """One thread under all modes, one after the other."""
    graph = side.graph(chain(Log, a, b))
    result = [graph.invoke({"lines": [one]}, config(), durability=one) for one in (mode, *MODES, mode)]
    assert len(result[-1]["lines"]) == 15
    return result, side.seen(graph)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "scenario", [ends, fails, fails_at_once, waits, waits_inside, sends, mixed], ids=lambda one: one.__name__
)
def test_as_in_memory(same, scenario: Callable[[Side, str], Any], mode: str) -> None:
    same(scenario, mode)
