"""How a run's block may end, and what each way leaves behind."""

from __future__ import annotations

import asyncio

import pytest

import holdfast
from tests.runs.driver import Calls, failing_saves, kinds, statuses

EXITS = [SystemExit, KeyboardInterrupt, asyncio.CancelledError, GeneratorExit]


def test_an_exception_is_raised_again_and_saved(thread):
    error = ValueError("no such order")
    with pytest.raises(ValueError, match="no such order") as caught, thread.run(input={"n": 0}) as run:
        run.save({"n": 1})
        raise error
    assert caught.value is error
    head = thread.latest()
    assert (head.status, head.state, head.run_id, head.is_terminal) == ("failed", {"n": 1}, run.id, True)
    assert head.metadata["error"]["type"] == "ValueError"
    assert head.metadata["error"]["text"] == "no such order"


class Odd(Exception):
    def __str__(self):
        return "odd \ud800 \0"


def test_any_text_of_an_exception_is_kept(thread):
    with pytest.raises(Odd), thread.run(input={}):
        raise Odd
    assert thread.latest().metadata["error"]["text"] == "odd \ud800 \0"


def test_a_failure_covers_no_more_of_the_journal_than_the_last_save(thread):
    with pytest.raises(ValueError, match="no"), thread.run(input={"n": 0}) as run:
        run.step("a", lambda: 1)
        run.save({"n": 1})
        run.step("b", lambda: 1)
        raise ValueError("no")
    assert thread.latest().journal_seq == 2


def test_a_failed_run_keeps_its_results(thread):
    calls = Calls("paid")
    with pytest.raises(ValueError, match="no"), thread.run(input={"n": 0}) as run:
        run.step("pay", calls)
        raise ValueError("no")
    with thread.run() as run:
        assert run.step("pay", calls) == "paid"
    assert calls.count == 1


@pytest.mark.parametrize("kind", EXITS, ids=lambda kind: kind.__name__)
def test_an_exit_leaves_the_run_unfinished_and_free(thread, store, kind):
    with pytest.raises(kind), thread.run(input={"n": 0}) as run:
        run.step("a", lambda: 1)
        raise kind
    assert statuses(thread) == ["running"]
    assert thread.info().lease is None
    assert [info.id for info in store.resumable()] == ["main"]
    with thread.run() as again:
        assert (again.id, again.resumed) == (run.id, True)
        assert again.step("a", Calls()) == 1


@pytest.mark.parametrize("kind", EXITS[:2], ids=lambda kind: kind.__name__)
def test_an_exit_inside_a_step_leaves_the_step_unfinished(thread, kind):
    with pytest.raises(kind), thread.run(input={"n": 0}) as run:
        if hasattr(run, "_loop"):
            raise kind  # an event loop ends with these; what they do inside one is shown in test_async_runs
        run.step("a", Calls(kind()))
    assert statuses(thread) == ["running"]
    assert set(kinds(thread)) <= {"holdfast.intent"}


def test_an_exception_after_finish_changes_nothing(thread):
    with pytest.raises(ValueError, match="late"), thread.run(input={"n": 0}) as run:
        run.finish({"n": 1})
        raise ValueError("late")
    assert statuses(thread) == ["running", "completed"]
    assert thread.info().lease is None


def test_an_error_of_the_library_ends_a_run_like_any_other(thread):
    with pytest.raises(holdfast.EncodeError), thread.run(input={"n": 0}) as run:
        run.save({"f": print})
    assert statuses(thread) == ["running", "failed"]
    assert thread.latest().metadata["error"]["type"] == "EncodeError"


def test_a_failure_that_cannot_be_recorded_does_not_hide_the_error(store, thread, clock):
    saves = failing_saves(store)
    with pytest.raises(ValueError, match="no") as caught, thread.run(input={"n": 0}):
        saves.failing = True
        raise ValueError("no")
    assert any("could not record" in note for note in caught.value.__notes__)
    assert statuses(thread) == ["running"]


def test_a_failure_that_cannot_be_recorded_leaves_the_thread_to_be_picked_up(store, thread, clock):
    saves = failing_saves(store)
    with pytest.raises(ValueError, match="no"), thread.run(input={"n": 0}):
        saves.failing = True
        raise ValueError("no")
    saves.failing = False
    clock.move(60)
    assert [info.id for info in store.resumable()] == ["main"]


def test_an_end_that_cannot_be_stored_is_raised(store, thread):
    saves = failing_saves(store)
    with pytest.raises(holdfast.StorageFailed), thread.run(input={"n": 0}):
        saves.failing = True
    saves.failing = False
    assert statuses(thread) == ["running"]
    with thread.run(wait=0) as run:
        assert run.resumed


def test_an_end_that_cannot_be_stored_leaves_the_thread_to_be_picked_up(store, thread, clock):
    saves = failing_saves(store)
    with pytest.raises(holdfast.StorageFailed), thread.run(input={"n": 0}):
        saves.failing = True
    saves.failing = False
    clock.move(60)
    assert [info.id for info in store.resumable()] == ["main"]


def test_a_run_inside_a_function_may_return(thread):
    def work():
        with thread.run(input={"n": 0}) as run:
            run.save({"n": 1})
            return "value"

    assert work() == "value"
    assert thread.latest().status == "completed"
