"""A chat that was left alone for longer than the store's ttl starts again by itself."""

from __future__ import annotations

from collections.abc import Iterator
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.testing.maintenance.expired_threads import HOUR, aged
from tests.adapters.langgraph.driver import new_id


class Chat(TypedDict, total=False):
    lines: Annotated[list[str], add]


@pytest.fixture
def store() -> Iterator[holdfast.Store]:
    with holdfast.open("memory:", ttl=HOUR, refresh=True) as opened:
        yield opened


@pytest.fixture
def graph(store: holdfast.Store) -> Any:
    built = StateGraph(Chat)
    built.add_node("echo", lambda state: {"lines": [f"heard {state['lines'][-1]}"]})
    built.add_edge(START, "echo")
    return built.compile(HoldfastSaver(store))


CONFIG: Any = {"configurable": {"thread_id": "t"}}


def test_it_starts_again(store: holdfast.Store, graph: Any) -> None:
    graph.invoke({"lines": ["one"]}, CONFIG)
    aged(store, "t", HOUR / 2)
    assert graph.invoke({"lines": ["two"]}, CONFIG)["lines"] == ["one", "heard one", "two", "heard two"]
    aged(store, "t", HOUR + 1)
    assert (graph.get_state(CONFIG).values, list(graph.get_state_history(CONFIG))) == ({}, [])
    assert graph.invoke({"lines": ["three"]}, CONFIG)["lines"] == ["three", "heard three"]
    assert store.verify().ok


def test_what_was_on_its_way_comes_too_late(store: holdfast.Store, graph: Any) -> None:
    graph.invoke({"lines": ["one"]}, CONFIG)
    config = graph.get_state(CONFIG).config
    aged(store, "t", HOUR + 1)
    saver = HoldfastSaver(store)
    with pytest.raises(holdfast.Deleted):
        saver.put_writes(config, [("lines", ["late"])], "task")
    assert saver.get_tuple(CONFIG) is None


def test_writes_may_come_before_their_checkpoint(store: holdfast.Store, graph: Any) -> None:
    graph.invoke({"lines": ["one"]}, CONFIG)
    aged(store, "t", HOUR + 1)
    config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": new_id()}}
    HoldfastSaver(store).put_writes(config, [("lines", ["early"])], "task")
    assert store.threads() == []
    assert store.expire().expired == 0  # the old life made room for it
