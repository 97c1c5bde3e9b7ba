"""A thread that was deleted stays so: what a run still had on its way is refused, and a fresh start is not.

LangGraph's savers take every late write, and the thread is back with the rest of a run in it (langgraph#7206).
"""

from __future__ import annotations

from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

import holdfast
from tests.adapters.langgraph.driver import Side, Twin, chain, config, new_id, put, values


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]


def is_gone(calls: Twin, thread_id: str = "t") -> bool:
    return (calls.get_tuple(config(thread_id)), calls.list(config(thread_id))) == (None, [])


@pytest.fixture
def deleted(calls: Twin) -> dict[str, str]:
    """The ids of a thread that was: a root with a child, and a checkpoint of a subgraph."""
    root = put(calls, {"a": 1})
    inner = put(calls, {"a": 1}, ns="node:1", metadata={"parents": {"": root}})
    head = put(calls, {"a": 2}, parent=root, versions={"a": 2})
    calls.delete_thread("t")
    assert is_gone(calls)
    return {"root": root, "head": head, "inner": inner}


@pytest.mark.parametrize("which", ["root", "head"])
def test_a_checkpoint_under_a_deleted_one_is_late(calls: Twin, deleted: dict[str, str], which: str) -> None:
    with pytest.raises(holdfast.Deleted):
        put(calls, {"a": 3}, parent=deleted[which], versions={"a": 3})
    assert is_gone(calls)


def test_a_deleted_checkpoint_put_again_is_late(calls: Twin, deleted: dict[str, str]) -> None:
    with pytest.raises(holdfast.Deleted):
        put(calls, {"a": 1}, id=deleted["root"])
    assert is_gone(calls)


@pytest.mark.parametrize(("which", "ns"), [("root", ""), ("head", ""), ("inner", "node:1")])
def test_a_write_to_a_deleted_checkpoint_is_late(calls: Twin, deleted: dict[str, str], which: str, ns: str) -> None:
    with pytest.raises(holdfast.Deleted):
        calls.put_writes(config("t", deleted[which], ns), [("a", 3)], "task")
    assert is_gone(calls)


def test_a_subgraphs_next_checkpoint_is_late(calls: Twin, deleted: dict[str, str]) -> None:
    with pytest.raises(holdfast.Deleted):
        put(calls, {"a": 2}, ns="node:1", parent=deleted["inner"], versions={"a": 2})
    assert is_gone(calls)


def test_a_subgraphs_first_checkpoint_is_late_if_it_was_called_by_a_deleted_one(
    calls: Twin, deleted: dict[str, str]
) -> None:
    """It has no parent of its own; metadata.parents says where it was called."""
    with pytest.raises(holdfast.Deleted):
        put(calls, {"a": 0}, ns="node:2", metadata={"source": "input", "step": -1, "parents": {"": deleted["head"]}})
    assert is_gone(calls)


def test_a_late_subgraph_two_levels_down(calls: Twin, deleted: dict[str, str]) -> None:
    parents = {"": new_id(), "node:1": deleted["inner"]}
    with pytest.raises(holdfast.Deleted):
        put(calls, {"a": 0}, ns="node:1|deep:2", metadata={"parents": parents})
    assert is_gone(calls)


def test_a_fresh_start_is_fine(calls: Twin, deleted: dict[str, str]) -> None:
    first = put(calls, {"a": "new"})
    calls.put_writes(config("t", first, ""), [("a", 1)], "task")
    second = put(calls, {"a": "newer"}, parent=first, versions={"a": 2})
    put(calls, {"a": "inner"}, ns="node:3", metadata={"parents": {"": second}})
    assert [one.checkpoint["id"] for one in calls.list(config(ns=""))] == [second, first]
    assert values(calls, first) == {"a": "new"}


def test_what_is_late_stays_late_after_a_fresh_start(calls: Twin, deleted: dict[str, str]) -> None:
    fresh = put(calls, {"a": "new"})
    with pytest.raises(holdfast.Deleted):
        put(calls, {"a": 3}, parent=deleted["head"], versions={"a": 3})
    with pytest.raises(holdfast.Deleted):
        calls.put_writes(config("t", deleted["head"], ""), [("a", 3)], "task")
    assert [one.checkpoint["id"] for one in calls.list(config())] == [fresh]
    assert calls.get_tuple(config()).pending_writes == []


def test_after_two_deletions_both_lives_are_late(calls: Twin, deleted: dict[str, str]) -> None:
    second = put(calls, {"a": "second life"})
    calls.delete_thread("t")
    for parent in (deleted["head"], second):
        with pytest.raises(holdfast.Deleted):
            put(calls, {"a": 3}, parent=parent, versions={"a": 3})
    put(calls, {"a": "third life"})
    assert values(calls) == {"a": "third life"}


def test_a_value_of_the_life_before_does_not_shine_through(calls: Twin, deleted: dict[str, str]) -> None:
    """The versions start again at one, and stand for other values now."""
    put(calls, {"a": "new", "b": "b"})
    put(calls, {"b": "b"}, versions={"a": 2, "b": 1}, new={"a": 2})
    assert values(calls) == {"b": "b"}


def test_an_unknown_parent_after_a_deletion_is_not_late(calls: Twin, deleted: dict[str, str]) -> None:
    """It names nothing that was deleted."""
    id = put(calls, {"a": 1}, parent=new_id())
    assert values(calls, id) == {"a": 1}


def test_the_same_ids_in_another_thread_are_not_late(calls: Twin, deleted: dict[str, str]) -> None:
    put(calls, {"a": 1}, thread_id="other", id=deleted["root"])
    put(calls, {"a": 2}, thread_id="other", id=deleted["head"], parent=deleted["root"], versions={"a": 2})
    assert values(calls, thread_id="other") == {"a": 2}


def test_a_copy_outlives_its_source(calls: Twin) -> None:
    first = put(calls, {"a": 1})
    calls.copy_thread("t", "copy")
    calls.delete_thread("t")
    put(calls, {"a": 2}, thread_id="copy", parent=first, versions={"a": 2})
    assert values(calls, thread_id="copy") == {"a": 2}


def test_writes_that_waited_go_with_the_thread(calls: Twin) -> None:
    put(calls, {"a": 1})
    waiting = new_id()
    calls.put_writes(config("t", waiting, ""), [("a", 1)], "task")
    calls.delete_thread("t")
    fresh = put(calls, {"a": 2})
    assert calls.get_tuple(config("t", fresh, "")).pending_writes == []
    assert calls.get_tuple(config("t", waiting, "")) is None


def test_another_savers_late_write_is_refused_too(opened) -> None:
    """It read the thread before it was deleted, in another process perhaps."""
    with Side(opened(), "sync") as one, Side(opened(), "async") as other:
        first = put(one.calls, {"a": 1})
        assert values(other.calls) == {"a": 1}
        one.calls.delete_thread("t")
        with pytest.raises(holdfast.Deleted):
            put(other.calls, {"a": 2}, parent=first, versions={"a": 2})
        with pytest.raises(holdfast.Deleted):
            other.calls.put_writes(config("t", first, ""), [("a", 2)], "task")
        assert is_gone(one.calls)


def test_it_is_still_late_when_the_store_was_opened_again(opened) -> None:
    saver = opened()
    with Side(saver, "sync") as side:
        first = put(side.calls, {"a": 1})
        side.calls.delete_thread("t")
    saver.close()
    with Side(opened(), "sync") as side:
        with pytest.raises(holdfast.Deleted):
            put(side.calls, {"a": 2}, parent=first, versions={"a": 2})
        put(side.calls, {"a": "fresh"})
        assert values(side.calls) == {"a": "fresh"}


# ------------------------------------------------------------------------------------------------ graphs


def test_a_chat_is_cleared_and_continues_under_its_id(side: Side) -> None:
    def say(state: Log) -> Any:
        return {"lines": [f"answer {len(state['lines'])}"]}

    graph = side.graph(chain(Log, say))
    for turn in range(3):
        for n in range(2):
            result = graph.invoke({"lines": [f"turn {turn}.{n}"]}, config())
        assert result["lines"] == [f"turn {turn}.0", "answer 1", f"turn {turn}.1", "answer 3"]
        side.calls.delete_thread("t")
        assert is_gone(side.calls)


def test_a_run_whose_thread_is_deleted_under_it_ends_there(side: Side) -> None:
    ran = []

    def first(state: Log) -> Any:
        side.saver.delete_thread("t")
        return {"lines": ["first"]}

    def second(state: Log) -> Any:
        ran.append("second")
        return {"lines": ["second"]}

    def third(state: Log) -> Any:
        ran.append("third")
        return {"lines": ["third"]}

    graph = side.graph(chain(Log, first, second, third))
    with pytest.raises(holdfast.Deleted):
        graph.invoke({"lines": ["given"]}, config(), durability="sync")
    assert is_gone(side.calls)
    assert "third" not in ran


def test_a_subgraph_whose_thread_is_deleted_under_it_ends_there(side: Side) -> None:
    def inside(state: Log) -> Any:
        side.saver.delete_thread("t")
        return {"lines": ["inside"]}

    def after(state: Log) -> Any:
        return {"lines": ["after"]}

    builder = StateGraph(Log)
    builder.add_node("inner", chain(Log, inside, after).compile())
    builder.add_edge(START, "inner")
    graph = side.graph(builder)
    with pytest.raises(holdfast.Deleted):
        graph.invoke({"lines": ["given"]}, config(), durability="sync")
    assert is_gone(side.calls)


def test_an_answer_to_a_deleted_question_starts_again(side: Side) -> None:
    """LangGraph takes it for a first run without input, and asks again; nothing of the life before is there."""

    def ask(state: Log) -> Any:
        return {"lines": [interrupt("?")]}

    graph = side.graph(chain(Log, ask))
    graph.invoke({"lines": ["given"]}, config())
    side.calls.delete_thread("t")
    result = graph.invoke(Command(resume="late"), config())
    assert (result["lines"], len(result["__interrupt__"])) == ([], 1)
    assert graph.invoke(Command(resume="new"), config())["lines"] == ["new"]
