"""Pruning removes finished calls of subgraphs with the checkpoint that they started from, and no others."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Side, Twin, config, ids, put
from tests.adapters.langgraph.test_graphs_subgraphs import Log, around, ask, count, inner, note


def namespaces(side: Side) -> list[str]:
    """Those with checkpoints, each by its node."""
    found = {one.config["configurable"]["checkpoint_ns"] for one in side.calls.list(config())}
    return sorted("|".join(part.split(":")[0] for part in name.split("|")) for name in found)


def test_finished_calls_go_with_the_checkpoint_they_started_from(side: Side) -> None:
    graph = side.graph(around(inner(note, count)))
    for n in range(5):
        graph.invoke({"lines": [f"given {n}"]}, config())
    expected = graph.get_state(config())
    side.calls.prune(["t"], strategy="keep_latest")
    assert ids(side.calls.list(config())) == [expected.config["configurable"]["checkpoint_id"]]
    assert graph.get_state(config()).values == expected.values
    assert graph.invoke({"lines": ["more"]}, config())["lines"][-1] == "after"


def test_calls_within_calls_go_too(side: Side) -> None:
    graph = side.graph(around(around(inner(note)).compile()))
    for n in range(3):
        graph.invoke({"lines": [f"given {n}"]}, config())
    assert namespaces(side) == ["", "child", "child", "child", "child|child", "child|child", "child|child"]
    side.calls.prune(["t"])
    assert namespaces(side) == [""]


def test_a_subgraph_with_a_memory_keeps_its_latest_checkpoint(side: Side) -> None:
    graph = side.graph(around(inner(note, count, checkpointer=True)))
    for n in range(3):
        graph.invoke({"lines": [f"given {n}"]}, config())
    side.calls.prune(["t"])
    assert namespaces(side) == ["", "child"]
    assert len(side.calls.list(config())) == 2
    assert graph.invoke({"lines": ["more"]}, config())["lines"][-1] == "after"


@pytest.mark.parametrize("levels", [1, 2])
def test_an_interrupted_call_can_be_answered(side: Side, levels: int) -> None:
    """Calls of earlier turns go; the one that waits stays, with those around it."""
    child = inner(note, ask, count)
    graph = side.graph(around(child if levels == 1 else around(child).compile()))
    graph.invoke({"lines": ["first"]}, config())
    graph.invoke(Command(resume="yes"), config())
    graph.invoke({"lines": ["second"]}, config())
    side.calls.prune(["t"])
    assert namespaces(side) == ["", "child", "child|child"][: levels + 1]
    assert "said no" in graph.invoke(Command(resume="no"), config())["lines"]


def test_a_call_whose_enclosing_checkpoint_is_not_saved_yet_stays(calls: Twin) -> None:
    """LangGraph saves in the background, and a call may be first."""
    first = put(calls, {"a": 1})
    second = put(calls, {"a": 2}, parent=first, versions={"a": 2})
    said: Any = {"source": "loop", "step": 0, "parents": {"": "1f000000-0000-6000-8000-000000000000"}}
    call = put(calls, {"a": 1}, ns="child:1", metadata=said)
    put(calls, {"a": 1}, ns="child:2", metadata={**said, "parents": {"": first}})
    latest = put(calls, {"a": 1}, ns="child:3", metadata={**said, "parents": {"": second}})
    calls.prune(["t"])
    assert sorted(ids(calls.list(config()))) == sorted([second, call, latest])


def test_a_fork_keeps_the_calls_that_it_saw(saver: HoldfastSaver) -> None:
    graph = around(inner(note)).compile(checkpointer=saver)
    for n in range(2):
        graph.invoke({"lines": [f"given {n}"]}, config())
    before = len(list(saver.list(config())))
    saver.copy_thread("t", "copy")
    saver.prune(["t"])
    saver.store.collect()
    assert (len(list(saver.list(config()))), len(list(saver.list(config("copy"))))) == (1, before)
    assert saver.store.verify().ok


def test_turns_do_not_add_up(saver: HoldfastSaver) -> None:
    builder = StateGraph(Log)
    builder.add_node("child", inner(note, count))
    builder.add_edge(START, "child")
    graph = builder.compile(checkpointer=saver)
    sizes = []
    for n in range(6):
        graph.invoke({"lines": [f"given {n}"]}, config())
        saver.prune(["t"])
        saver.store.collect()
        sizes.append(saver.store.stats().checkpoints)
    assert sizes == [1] * 6
