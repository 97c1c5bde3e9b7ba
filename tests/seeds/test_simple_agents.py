"""SimpleAgents: one checkpoint a run, with the next node and the scope; save, load, delete."""

from __future__ import annotations

import pytest

from holdfast import Deleted

SCOPE = {"input": {"k": "v"}, "steps": [{"node": "start", "output": None}]}


def saved_run(store, run="run-1"):
    thread = store.thread(run, metadata={"workflow": "wf"})
    thread.save({"scope": SCOPE}, step=3, next=("tool",), run_id=run)
    return thread


def test_a_checkpoint_makes_the_round_trip(store):
    saved_run(store)
    found = store.thread("run-1").latest()
    assert (found.run_id, found.step, found.next, found.state["scope"]) == ("run-1", 3, ("tool",), SCOPE)
    assert store.thread("run-1").info().metadata == {"workflow": "wf"}


def test_an_unknown_run_is_none(store):
    assert store.thread("run-1").latest() is None


def test_delete(store):
    thread = saved_run(store)
    thread.delete()
    assert thread.latest() is None
    assert store.thread("run-1").latest() is None


def test_deleting_an_unknown_run_is_a_no_op(store):
    saved_run(store)
    store.thread("run-2").delete()
    assert store.thread("run-1").latest() is not None


def test_saving_again_makes_the_new_one_the_latest_and_keeps_the_old(store):
    thread = saved_run(store)
    thread.save({"scope": {**SCOPE, "more": 1}}, step=4, next=("end",))
    assert (thread.latest().step, thread.latest().next) == (4, ("end",))
    assert thread.at(step=3).state["scope"] == SCOPE


def test_a_run_that_was_deleted_is_not_resumed_by_a_late_save(store):
    thread = saved_run(store)
    store.thread("run-1").delete()
    with pytest.raises(Deleted):
        thread.save({"scope": {}}, step=4)
    fresh = store.thread("run-1", reuse=True)
    fresh.save({"scope": {}}, step=0)
    assert len(fresh.history()) == 1


def test_a_run_id_with_a_path_in_it_is_only_a_name(store, tmp_path):
    outside = tmp_path.parent
    before = set(outside.iterdir())
    for run in ("../run", "/tmp/run", "a/../../b", "..", "run.json"):  # noqa: S108  # a name, never a path
        saved_run(store, run)
    assert [info.id for info in store.threads()] == sorted(["../run", "/tmp/run", "a/../../b", "..", "run.json"])  # noqa: S108
    assert set(outside.iterdir()) == before


def test_a_run_is_resumed_by_a_new_handle(opened):
    first = opened()
    saved_run(first)
    first.close()
    thread = opened().thread("run-1")
    found = thread.latest()
    assert (found.next, found.state["scope"]) == (("tool",), SCOPE)
    assert thread.save({"scope": found.state["scope"]}, next=("end",)).step == 4


def test_runs_are_listed_by_workflow(store):
    for run in ("run-1", "run-2"):
        saved_run(store, run)
    store.thread("other").save({})
    assert [info.id for info in store.threads(where={"workflow": "wf"})] == ["run-1", "run-2"]
