"""What a retention keeps: waiting runs, and memories that belong to no single call; and what it removes in the end."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph

import holdfast
from holdfast import Retention, Store
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.engine.maintenance import auto_prune
from tests.adapters.langgraph.driver import config


@pytest.mark.parametrize("keep", [Retention(keep_terminal=True), Retention(keep_last=1, keep_terminal=True)])
def test_a_run_that_waits_does_nothing_twice_after_a_prune(keep: Retention):
    paid: list[str] = []

    def work(run: Any) -> None:
        if run.state.get("step") is None:
            run.save({"step": "priced"})
        run.step("pay", lambda: paid.append("paid"))
        run.finish({"answer": run.interrupt("send a receipt?")})

    with holdfast.open("memory:") as store:
        thread = store.thread("order")
        with thread.run(input={"order": 1}) as run:
            run.finish({"done": 1})
        with thread.run(input={"order": 2}) as run:
            work(run)
        thread.prune(keep)
        with thread.run(resume="yes") as run:
            work(run)
        latest = thread.latest()
        assert latest is not None
        assert (paid, latest.status, latest.state) == (["paid"], "completed", {"answer": "yes"})


class Inner(TypedDict, total=False):
    memory: Annotated[list[str], operator.add]
    question: str


class Outer(TypedDict, total=False):
    question: str
    answer: list[str]


def helper(store: Store) -> Any:
    """A graph with a subgraph that remembers from one turn to the next."""
    remembering = StateGraph(Inner)
    remembering.add_node("note", lambda state: {"memory": [state["question"]]})
    remembering.add_edge(START, "note")
    inner = remembering.compile(checkpointer=True)
    outer = StateGraph(Outer)
    outer.add_node("helper", lambda state: {"answer": inner.invoke({"question": state["question"]})["memory"]})
    outer.add_edge(START, "helper")
    return outer.compile(checkpointer=HoldfastSaver(store))


@pytest.mark.parametrize("as_written", [False, True])
def test_what_a_subgraph_remembers_stays(as_written: bool):
    with holdfast.open("memory:", retention=Retention(keep_last=2) if as_written else None) as store:
        for n in range(12):
            found = helper(store).invoke({"question": str(n)}, config("t"))
            if not as_written:
                store.prune(Retention(keep_last=1))
        assert found["answer"] == [str(n) for n in range(12)]


def test_a_window_of_the_root_is_the_roots():
    with holdfast.open("memory:") as store:
        for n in range(6):
            for namespace in ("", "tools", "tools:1", "tools|inner"):
                store.thread("t", namespace).save({"n": n})
        store.prune(Retention(keep_last=5, keep_last_in={"": 2}))
        left = {name: len(store.thread("t", name).history()) for name in ("", "tools", "tools:1", "tools|inner")}
        assert left == {"": 2, "tools": 5, "tools:1": 5, "tools|inner": 5}


def test_a_thread_whose_oldest_all_stay_is_pruned_behind_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(auto_prune, "_AT_ONCE", 32)
    keep = Retention(keep_last=4)
    with holdfast.open("memory:", retention=keep) as store:
        thread = store.thread("t")
        for n in range(400):
            thread.save({"n": n}, label="x" if n < 100 else "")
        assert len(thread.history(limit=None)) <= 100 + 4 + 8
        assert len(thread.prune(keep, dry_run=True).removed) <= 8
