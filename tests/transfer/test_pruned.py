"""Threads that were pruned, in the source or since the last time: what is left moves, and nothing is mixed up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import START, StateGraph

import holdfast
from holdfast import Conflict, InvalidArgument, Retention, Store
from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import config
from tests.support.urls import URLS

LINES = ["question 0", "answer", "question 1", "answer", "question 2", "answer"]


def extended(state: list[str], writes: list[list[str]]) -> list[str]:
    return [*state, *(line for write in writes for line in write)]


class Log(TypedDict, total=False):
    lines: Annotated[list[str], DeltaChannel(extended)]


def graph(store: Store) -> Any:
    builder = StateGraph(Log)
    builder.add_node("answer", lambda state: {"lines": ["answer"]})
    builder.add_edge(START, "answer")
    return builder.compile(checkpointer=HoldfastSaver(store))


def lines(store: Store, thread: str = "t") -> list[str]:
    found: list[str] = graph(store).get_state(config(thread)).values["lines"]
    return found


@pytest.fixture
def deltas() -> Store:
    """A thread whose only visible checkpoint is made of removed ones."""
    store = holdfast.open("memory:")
    for number in range(3):
        graph(store).invoke({"lines": [f"question {number}"]}, config("t"))
    store.prune(Retention(keep_last=1))
    assert (lines(store), len(store.thread("t").history())) == (LINES, 1)
    return store


@pytest.mark.parametrize("target", URLS)
def test_what_an_open_channel_is_made_of_comes_along_and_stays_removed(deltas: Store, tmp_path: Path, target: str):
    with holdfast.open(URLS[target](tmp_path)) as other:
        for _ in range(2):
            holdfast.copy(deltas, other)
            assert lines(other) == LINES
            assert [one.id for one in other.thread("t").history()] == [one.id for one in deltas.thread("t").history()]
            assert [one.checkpoints for one in other.threads()] == [1]
            assert other.verify().faults == ()
            other.collect()
        graph(other).invoke({"lines": ["question 3"]}, config("t"))
        assert holdfast.copy(other, deltas).threads == 1
        assert lines(deltas) == lines(other) == [*LINES, "question 3", "answer"]
        assert deltas.verify().faults == ()


def test_the_same_through_a_bundle_and_for_a_fork(deltas: Store, tmp_path: Path):
    deltas.thread("t").fork(to="f")
    graph(deltas).invoke({"lines": ["apart"]}, config("f"))
    deltas.export(None, tmp_path / "all.bundle")
    deltas.export(None, tmp_path / "all.jsonl", json=True)
    assert (tmp_path / "all.jsonl").read_text().count('"kind": "checkpoint"') == 1 + len(deltas.thread("f").history())
    with holdfast.open("memory:") as other:
        other.import_(tmp_path / "all.bundle")
        other.collect()
        assert (lines(other), lines(other, "f")) == (LINES, [*LINES, "apart", "answer"])
        assert len(other.thread("f").history()) == len(deltas.thread("f").history())
        assert other.verify().faults == ()
        other.thread("t").delete()
        other.collect()
        assert lines(other, "f") == [*LINES, "apart", "answer"]


def test_a_fork_without_history_would_lose_them(deltas: Store):
    with pytest.raises(InvalidArgument, match="lines are made of what was written"):
        deltas.thread("t").fork(to="f", history=False)
    assert [one.id for one in deltas.threads()] == ["t"]


def test_a_bundle_of_a_fork_that_was_pruned_of_all_it_inherited(tmp_path: Path):
    with holdfast.open("memory:") as store, holdfast.open("memory:") as other:
        thread = store.thread("t")
        thread.journal.append("asked", {"q": 1})
        thread.save({"n": 0})
        fork = thread.fork(to="f")
        fork.save({"n": 1})
        fork.prune(Retention(keep_last=1))
        store.export(None, tmp_path / "all.bundle")
        other.import_(tmp_path / "all.bundle")
        assert [entry.kind for entry in other.thread("f").journal.read()] == ["asked"]
        assert [one.state for one in (other.thread("f").latest(),) if one is not None] == [{"n": 1}]


def test_following_a_thread_whose_calls_are_pruned():
    with holdfast.open("memory:") as store, holdfast.open("memory:") as other:
        thread = store.thread("t")
        for n in range(5):
            thread.save({"n": n})
            store.thread("t", f"tool:{n}").save({"x": n})
        holdfast.copy(store, other)
        thread.prune(Retention(keep_last=3))
        thread.save({"n": 9})
        assert holdfast.copy(store, other).checkpoints == 1
        assert [one.state for one in (other.thread("t").latest(),) if one is not None] == [{"n": 9}]
        assert len(other.thread("t", "tool:1").history()) == 1  # what the target has, it keeps


def test_one_that_continued_in_a_call_is_no_longer_a_copy():
    with holdfast.open("memory:") as store, holdfast.open("memory:") as other:
        store.thread("t").save({"n": 0})
        store.thread("t", "tool:0").save({"x": 0})
        holdfast.copy(store, other)
        other.thread("t", "tool:0").save({"x": 1})
        store.thread("t").save({"n": 1})
        with pytest.raises(Conflict, match="tool:0"):
            holdfast.copy(store, other)
