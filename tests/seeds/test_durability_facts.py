"""tinyagents' facts about durability: when a boundary is written, and what a failure leaves (21 and 22)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import holdfast
from tests.runs.driver import failing_saves, states
from tests.support.urls import URLS


@pytest.fixture(params=list(URLS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    with holdfast.open(URLS[request.param](tmp_path)) as store:
        yield store


def boundaries(thread: Any, durability: str, count: int = 4) -> None:
    with thread.run(input={"n": 0}, durability=durability) as run:
        for n in range(1, count):
            run.save({"n": n})
        run.finish({"n": count})


def test_21_sync_writes_one_checkpoint_a_boundary_with_chained_parents(store):
    thread = store.thread("graph")
    boundaries(thread, "sync")
    history = list(reversed(thread.history()))
    assert states(thread) == [{"n": n} for n in range(5)]
    assert [info.parent_id for info in history] == [None, *(info.id for info in history[:-1])]


def test_21_exit_writes_exactly_one_for_a_run_that_ends_well(store):
    thread = store.thread("graph")
    boundaries(thread, "exit")
    assert states(thread) == [{"n": 4}]


def test_22_async_starts_the_next_step_before_the_write_ends(store):
    thread, saves = store.thread("graph"), failing_saves(store)
    with thread.run(input={"n": 0}, durability="async") as run:
        saves.go.clear()
        run.save({"n": 1})
        began = run.step("next", lambda: not saves.go.is_set())
        saves.go.set()
    assert began
    assert not saves.stalled


def test_22_async_writes_land_in_order(store):
    thread = store.thread("graph")
    boundaries(thread, "async", 40)
    assert [state["n"] for state in states(thread)] == list(range(41))


def test_22_async_a_failure_surfaces_at_the_next_boundary_and_nothing_behind_it_is_written(store):
    thread, saves = store.thread("graph"), failing_saves(store)
    with pytest.raises(holdfast.WriteLost), thread.run(input={"n": 0}, durability="async") as run:
        run.save({"n": 1})
        thread.history()
        saves.go.clear()
        saves.failing = True
        run.save({"n": 2})
        run.save({"n": 3})
        threading.Timer(0.1, saves.go.set).start()
        thread.history()
        saves.failing = False
        run.save({"n": 4})
    assert states(thread) == [{"n": 0}, {"n": 1}]


def test_22_async_stopping_drains(store):
    thread = store.thread("graph")
    with pytest.raises(KeyboardInterrupt), thread.run(input={"n": 0}, durability="async") as run:
        for n in range(1, 30):
            run.save({"n": n})
        raise KeyboardInterrupt
    assert [state["n"] for state in states(thread)] == list(range(30))
