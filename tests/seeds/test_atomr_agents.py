"""atomr-agents: snapshots by (workflow, run, super-step), with a label; a fork starts a new run with edits.

A run is the thread ``workflow/run``, with the workflow in its metadata.
"""

from __future__ import annotations

import pytest

from holdfast import NotFound, Store


def run_of(store: Store, workflow: str, run: str):
    return store.thread(f"{workflow}/{run}", metadata={"workflow": workflow})


def test_save_and_latest(store):
    run = run_of(store, "wf", "r")
    run.save({"messages": []}, step=0, label="init")
    run.save({"messages": [{"id": "m1"}]}, step=2, label="after")
    latest = run.latest()
    assert (latest.step, latest.label, latest.state["messages"][0]["id"]) == (2, "after", "m1")


def test_load_by_super_step(store):
    run = run_of(store, "wf", "r")
    for step in (0, 1, 2, 3):
        run.save({"n": step}, step=step)
    assert [run.at(step=step).state["n"] for step in (3, 0, 2)] == [3, 0, 2]


def test_list_is_in_the_order_of_saving(store):
    run = run_of(store, "wf", "r")
    for step in (0, 1, 2, 3):
        run.save({}, step=step, label="step")
    assert [info.step for info in reversed(run.history())] == [0, 1, 2, 3]


def test_an_unknown_run_or_step_has_nothing(store):
    run = run_of(store, "wf", "r")
    assert (run.latest(), run.at(step=0), run.history()) == (None, None, [])
    run.save({}, step=5)
    assert run.at(step=4) is None


def test_runs_and_workflows_are_kept_apart(store):
    for workflow, run in (("wf", "r"), ("wf", "R"), ("WF", "r"), ("w", "f/r"), ("wf/r", "x")):
        run_of(store, workflow, run).save({"who": [workflow, run]}, step=1)
    assert run_of(store, "wf", "r").latest().state == {"who": ["wf", "r"]}
    assert len(store.threads()) == 5
    assert {info.id for info in store.threads(where={"workflow": "wf"})} == {"wf/r", "wf/R"}


def test_the_same_step_twice_is_two_snapshots_and_the_later_one_counts(store):
    run = run_of(store, "wf", "r")
    run.save({"n": "before the pause"}, step=1)
    run.save({"n": "after the pause"}, step=1)
    assert run.at(step=1).state == run.latest().state == {"n": "after the pause"}
    assert len(run.history()) == 2


def test_a_fork_is_a_new_run_with_edits(store):
    main = run_of(store, "wf", "main")
    point = main.save({"a": 1, "b": 2}, step=1, label="before-fork")
    fork = main.fork(main.at(step=1).id, edits={"a": 99}, history=False)
    latest = fork.latest()
    assert latest.state == {"a": 99, "b": 2}
    assert (latest.step, latest.source, len(fork.history())) == (1, "fork", 1)
    assert (latest.parent_thread_id, latest.parent_id) == ("wf/main", point.id)
    assert (fork.info().forked_from.thread_id, fork.info().metadata["workflow"]) == ("wf/main", "wf")


def test_a_fork_changes_only_the_fork(store):
    main = run_of(store, "wf", "main")
    main.save({"a": 1}, step=1)
    fork = main.fork(edits={"a": 99}, history=False)
    fork.save({"a": 100})
    main.save({"a": 2})
    assert ([info.step for info in main.history()], main.latest().state) == ([2, 1], {"a": 2})
    assert [fork.load(info.id).state["a"] for info in fork.history()] == [100, 99]


def test_a_fork_of_an_unknown_snapshot_is_an_error(store):
    with pytest.raises(NotFound):
        run_of(store, "wf", "main").fork("x", edits={"a": 1})


def test_a_fork_may_be_named_for_its_run(store):
    main = run_of(store, "wf", "main")
    main.save({"a": 1})
    assert main.fork(to="wf/second", history=False).id == "wf/second"
    assert run_of(store, "wf", "second").latest().state == {"a": 1}
