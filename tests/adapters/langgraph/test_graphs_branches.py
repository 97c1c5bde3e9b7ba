"""Branches side by side: Send, joins, one that fails while the others are done, retries. As in memory."""

from __future__ import annotations

from collections import Counter
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.errors import GraphRecursionError, NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Overwrite, RetryPolicy, Send

from tests.adapters.langgraph.driver import Side, Stored, config


class Work(TypedDict, total=False):
    items: list[str]
    item: str
    done: Annotated[list[str], add]
    total: int


class Failure(Exception):
    """Raised by nodes that are meant to fail."""


def shared_out(worker: Any, **options: Any) -> Any:
    builder = StateGraph(Work)
    builder.add_node("plan", lambda state: {"items": [f"item {n}" for n in range(4)]})
    builder.add_node("work", worker, **options)
    builder.add_node("gather", lambda state: {"total": len(state["done"])})
    builder.add_edge(START, "plan")
    builder.add_conditional_edges(
        "plan", lambda state: [Send("work", {"item": one}) for one in state["items"]], ["work"]
    )
    builder.add_edge("work", "gather")
    return builder


def sends(side: Side) -> Any:
    graph = side.graph(shared_out(lambda state: {"done": [state["item"] + " done"]}))
    result = [graph.invoke({}, config()) for _ in range(2)]
    assert [one["total"] for one in result] == [4, 8]
    return result, side.seen(graph)


def sends_of_one_step_that_fail(side: Side) -> Any:
    """One of four fails when the others' writes are in. Going on calls only that one again."""
    stored = Stored(side.saver)
    called: Counter[str] = Counter()

    def work(state: Work) -> Any:
        called[state["item"]] += 1
        if state["item"] == "item 2" and called["item 2"] == 1:
            stored.wait(["item 0"], ["item 1"], ["item 3"])
            raise Failure("not yet")
        return {"done": [state["item"]]}

    graph = side.graph(shared_out(work))
    with pytest.raises(Failure):
        graph.invoke({}, config())
    failed = side.seen(graph)
    assert [task.error is not None for task in failed["state"].tasks] == [False, False, True, False]
    result = graph.invoke(None, config())
    assert called == {"item 0": 1, "item 1": 1, "item 2": 2, "item 3": 1}
    assert result["done"] == ["item 0", "item 1", "item 2", "item 3"]
    return failed, result, side.seen(graph)


def diamond(left: Any, right: Any, **options: Any) -> Any:
    """To be run with durability "sync": a join keeps filling the set that it handed out to be saved."""
    builder = StateGraph(Work)
    builder.add_node("start", lambda state: {"done": ["start"]})
    builder.add_node("left", left, **options)
    builder.add_node("right", right)
    builder.add_node("right again", lambda state: {"done": ["right again"]})
    builder.add_node("join", lambda state: {"total": len(state["done"])})
    builder.add_edge(START, "start")
    builder.add_edge("start", "left")
    builder.add_edge("start", "right")
    builder.add_edge("right", "right again")
    builder.add_edge(["left", "right again"], "join")
    return builder


def join_of_branches(side: Side) -> Any:
    """The join waits for branches of different lengths; what it has seen so far is a channel of its own."""
    graph = side.graph(diamond(lambda state: {"done": ["left"]}, lambda state: {"done": ["right"]}))
    result = graph.invoke({}, config(), durability="sync")
    assert result == {"done": ["start", "left", "right", "right again"], "total": 4}
    return result, side.seen(graph)


def branch_that_fails_and_is_resumed(side: Side) -> Any:
    stored = Stored(side.saver)
    called: Counter[str] = Counter()

    def left(state: Work) -> Any:
        called["left"] += 1
        if called["left"] < 3:
            stored.wait(["right"])
            raise Failure(f"attempt {called['left']}")
        return {"done": ["left"]}

    def right(state: Work) -> Any:
        called["right"] += 1
        return {"done": ["right"]}

    graph = side.graph(diamond(left, right))
    with pytest.raises(Failure):
        graph.invoke({}, config(), durability="sync")
    first = side.seen(graph)
    with pytest.raises(Failure):
        graph.invoke(None, config(), durability="sync")
    second = side.seen(graph)
    assert first["state"].next == second["state"].next == ("left",)
    result = graph.invoke(None, config(), durability="sync")
    assert (called["left"], called["right"], result["total"]) == (3, 1, 4)
    return first, second, result, side.seen(graph)


def branch_that_is_retried(side: Side) -> Any:
    """A retry policy within one step: what the failed attempts wrote is not kept."""
    called: Counter[str] = Counter()

    def left(state: Work) -> Any:
        called["left"] += 1
        if called["left"] < 3:
            raise Failure
        return {"done": [f"left at attempt {called['left']}"]}

    patient = RetryPolicy(initial_interval=0, jitter=False, retry_on=Failure)
    graph = side.graph(diamond(left, lambda state: {"done": ["right"]}, retry_policy=patient))
    result = graph.invoke({}, config(), durability="sync")
    assert result["done"] == ["start", "left at attempt 3", "right", "right again"]
    return result, side.seen(graph)


def error_handler(side: Side) -> Any:
    """A node that fails for good hands over to its handler, within the same step."""

    def left(state: Work) -> Any:
        raise Failure("for good")

    def handle(state: Work, error: NodeError) -> Any:
        return {"done": [f"{error.node} failed: {error.error}"]}

    builder = StateGraph(Work)
    builder.add_node("left", left, error_handler=handle)
    builder.add_node("after", lambda state: {"total": len(state["done"])})
    builder.add_edge(START, "left")
    builder.add_edge("left", "after")
    graph = side.graph(builder)
    result = graph.invoke({"done": []}, config())
    assert result["done"] == ["left failed: for good"]
    return result, side.seen(graph)


def commands(side: Side) -> Any:
    """Nodes that say themselves what comes next, also with a Send."""

    def first(state: Work) -> Any:
        return Command(update={"done": ["first"]}, goto=["second", Send("third", {"item": "sent"})])

    def third(state: Work) -> Any:
        return Command(update={"done": [f"third got {state.get('item')}"]}, goto=END)

    builder = StateGraph(Work)
    builder.add_node("first", first, destinations=("second", "third"))
    builder.add_node(
        "second", lambda state: Command(update={"done": ["second"]}, goto="third"), destinations=("third",)
    )
    builder.add_node("third", third)
    builder.add_edge(START, "first")
    graph = side.graph(builder)
    result = graph.invoke({}, config())
    assert result["done"] == ["first", "second", "third got sent", "third got None"]
    return result, side.seen(graph)


def command_from_outside(side: Side) -> Any:
    """invoke(Command(update, goto)) on a thread that has ended."""
    graph = side.graph(diamond(lambda state: {"done": ["left"]}, lambda state: {"done": ["right"]}))
    graph.invoke({}, config(), durability="sync")
    result = graph.invoke(Command(update={"done": ["by hand"]}, goto="right"), config(), durability="sync")
    assert result["done"][4:] == ["by hand", "right", "right again"]
    return result, side.seen(graph)


def overwritten(side: Side) -> Any:
    """A reducer is passed over, and the list is short again."""
    builder = StateGraph(Work)
    builder.add_node("grow", lambda state: {"done": ["a", "b"]})
    builder.add_node("reset", lambda state: {"done": Overwrite(["only this"])})
    builder.add_edge(START, "grow")
    builder.add_edge("grow", "reset")
    graph = side.graph(builder)
    result = [graph.invoke({"done": ["given"]}, config()) for _ in range(2)]
    assert [one["done"] for one in result] == [["only this"], ["only this"]]
    return result, side.seen(graph)


def out_of_steps(side: Side) -> Any:
    """A loop that hits the limit stays where it stopped, and continues from there."""
    builder = StateGraph(Work)
    builder.add_node("again", lambda state: {"done": ["again"]})
    builder.add_edge(START, "again")
    builder.add_conditional_edges("again", lambda state: END if len(state["done"]) == 7 else "again", ["again", END])
    graph = side.graph(builder)
    with pytest.raises(GraphRecursionError):
        graph.invoke({}, {**config(), "recursion_limit": 4})
    stopped = side.seen(graph)
    result = graph.invoke(None, config())
    assert len(result["done"]) == 7
    return stopped, result, side.seen(graph)


def deferred(side: Side) -> Any:
    """A deferred node runs when nothing else is left to run."""
    builder = StateGraph(Work)
    for name in ("a", "b", "c"):
        builder.add_node(name, lambda state, name=name: {"done": [name]})
    builder.add_node("last", lambda state: {"total": len(state["done"])}, defer=True)
    builder.add_edge(START, "a")
    builder.add_edge(START, "last")
    builder.add_edge("a", "b")
    builder.add_edge("b", "c")
    graph = side.graph(builder)
    result = graph.invoke({}, config())
    assert result == {"done": ["a", "b", "c"], "total": 3}
    return result, side.seen(graph)


@pytest.mark.parametrize(
    "scenario",
    [
        sends,
        sends_of_one_step_that_fail,
        join_of_branches,
        branch_that_fails_and_is_resumed,
        branch_that_is_retried,
        error_handler,
        commands,
        command_from_outside,
        overwritten,
        out_of_steps,
        deferred,
    ],
    ids=lambda one: one.__name__,
)
def test_as_in_memory(same, scenario) -> None:
    same(scenario)
