"""`single_writer=True` for one writer alone: replays and copies continue as in memory, and no answer is lost."""

from __future__ import annotations

from collections.abc import Iterator
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import SIDES, Side, chain, config, ids, open_saver, put
from tests.adapters.langgraph.plain import check_as_in_memory


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]


@pytest.fixture(params=SIDES)
def alone(request: pytest.FixtureRequest, url: str) -> Iterator[Side]:
    with open_saver(url, single_writer=True) as saver, Side(saver, request.param) as side:
        yield side


def say(state: Log) -> Any:
    return {"lines": [f"said after {len(state['lines'])}"]}


def ask(state: Log) -> Any:
    return {"lines": [f"human:{interrupt('?')}"]}


def around(*nodes: Any) -> Any:
    """A graph whose middle node is a graph that remembers what it said, from one turn to the next."""
    builder = StateGraph(Log)
    builder.add_node("before", lambda state: {"lines": ["before"]})
    builder.add_node("sub", chain(Log, *nodes).compile(checkpointer=True))
    builder.add_edge(START, "before")
    builder.add_edge("before", "sub")
    return builder


def replayed(side: Side, mode: str) -> Any:
    """From every checkpoint: the subgraph starts where it was then, or with nothing."""
    graph = side.graph(around(say))
    for n in range(2):
        graph.invoke({"lines": [f"turn {n}"]}, config(), durability=mode)
    result = [graph.invoke(None, one.config, durability=mode) for one in graph.get_state_history(config())]
    return result, side.seen(graph)


def answered_again(side: Side, mode: str) -> Any:
    """The second answer counts, though the first is in the history."""
    graph = side.graph(around(ask))
    graph.invoke({"lines": ["given"]}, config(), durability=mode)
    start = graph.get_state_history(config())[-1].config
    old = graph.invoke(Command(resume="old"), config(), durability=mode)
    graph.invoke(None, start, durability=mode)
    new = graph.invoke(Command(resume="new"), config(), durability=mode)
    assert (old["lines"][-1], new["lines"][-1]) == ("human:old", "human:new")
    return old, new, side.seen(graph)


def copied(side: Side, mode: str) -> Any:
    """The first checkpoint, which has no parent; then the latest."""
    graph = side.graph(chain(Log, say, ask))
    graph.invoke({"lines": ["given"]}, config(), durability=mode)
    first = graph.get_state_history(config())[-1].config
    graph.update_state(first, None, as_node="__copy__")
    graph.update_state(config(), None, as_node="__copy__")
    return graph.invoke(None, config(), durability=mode), side.seen(graph)


@pytest.mark.parametrize("mode", ["sync", "async", "exit"])
@pytest.mark.parametrize("scenario", [replayed, answered_again, copied], ids=lambda one: one.__name__)
def test_one_writer_alone_continues_as_in_memory(alone: Side, scenario: Any, mode: str) -> None:
    check_as_in_memory(alone, scenario, mode)


def test_what_a_list_of_one_returned_may_be_branched_from(alone: Side) -> None:
    root = put(alone.calls, {"a": 1}, ns="sub")
    head = put(alone.calls, {"a": 2}, parent=root, versions={"a": 2}, ns="sub")
    with open_again(alone) as other:
        with pytest.raises(holdfast.Conflict):
            put(other.calls, {"a": "late"}, parent=root, versions={"a": "l"}, ns="sub")
        assert ids(other.calls.list(config(ns="sub"), before=config(checkpoint_id=head), limit=1)) == [root]
        branch = put(other.calls, {"a": "branch"}, parent=root, versions={"a": "b"}, ns="sub")
        assert ids(other.calls.list(config(ns="sub"))) == [branch, head, root]


def test_an_empty_list_of_one_allows_one_put_without_a_parent(alone: Side) -> None:
    root = put(alone.calls, {"a": 1}, ns="sub")
    with open_again(alone) as other:
        assert other.calls.list(config(ns="sub"), before=config(checkpoint_id=root), limit=1) == []
        branch = put(other.calls, {"a": "branch"}, versions={"a": "b"}, ns="sub")
        with pytest.raises(holdfast.Conflict):
            put(other.calls, {"a": "late"}, versions={"a": "l"}, ns="sub")
        assert ids(other.calls.list(config(ns="sub"))) == [branch, root]


def test_a_list_of_the_history_allows_nothing(alone: Side) -> None:
    """A page that shows the history does not go back to any of it."""
    root = put(alone.calls, {"a": 1})
    head = put(alone.calls, {"a": 2}, parent=root, versions={"a": 2})
    with open_again(alone) as other:
        assert ids(other.calls.list(config(), before=config(checkpoint_id=head), limit=10)) == [root]
        assert ids(other.calls.list(config(), limit=1)) == [head]
        with pytest.raises(holdfast.Conflict):
            put(other.calls, {"a": "late"}, parent=root, versions={"a": "l"})


def open_again(side: Side) -> Side:
    """Another saver on the same store, which was not asked for anything yet."""
    assert isinstance(side.saver, HoldfastSaver)
    return Side(HoldfastSaver(side.saver.store, single_writer=True), side.name)
