"""A worker whose thread was taken over can store nothing more, whatever it tries."""

from __future__ import annotations

import pytest

import holdfast
from holdfast import AsyncThread, Thread
from holdfast.testing.driver import Blocking
from tests.runs.driver import died, entered, killed_in, kinds


@pytest.fixture
def fenced(thread, other, clock):
    """The old holder of a thread that another worker has taken, and holds."""
    old = died(thread, input={"n": 0})
    clock.move(6)
    new = entered(other.run(ttl=1000))
    yield old
    new.finish({"n": "new"})
    new.__exit__(None, None, None)
    assert other.latest().state == {"n": "new"}


def with_token(run):
    """A handle on the thread that writes as the run's worker."""
    calls = run._calls.thread
    return Blocking(AsyncThread(calls), run._loop) if isinstance(run, Blocking) else Thread(calls)


def newest(run):
    return with_token(run).history()[0].id


LATE = {
    "save": lambda run: run.save({"n": 1}),
    "finish": lambda run: run.finish({"n": 1}),
    "step": lambda run: run.step("a", lambda: pytest.fail("it was called")),
    "interrupt": lambda run: run.interrupt("?"),
    "thread.save": lambda run: with_token(run).save({"n": 1}),
    "thread.save inside": lambda run: with_token(run).save({"n": 1}, id="mine"),
    "thread.update": lambda run: with_token(run).update({"n": 1}),
    "thread.put_writes": lambda run: with_token(run).put_writes(newest(run), [("n", 1)], task_id="task"),
    "journal.append": lambda run: with_token(run).journal.append("event", 1),
}


@pytest.mark.parametrize("late", LATE)
def test_a_late_write_is_fenced_and_nothing_of_it_is_stored(fenced, other, late):
    before = (other.history(), other.latest().pending_writes, kinds(other))
    with pytest.raises(holdfast.Fenced):
        LATE[late](fenced)
    assert (other.history(), other.latest().pending_writes, kinds(other)) == before


def test_a_token_lets_its_holder_write(thread):
    with thread.run(input={"n": 0}) as run:
        holder = with_token(run)
        holder.put_writes(newest(run), [("n", 1)], task_id="task")
        assert holder.journal.append("event", 1) == 1
        assert [one.value for one in thread.latest().pending_writes] == [1]
        run.save({"n": 2})
    assert thread.latest().state == {"n": 2}


def test_the_result_of_a_step_that_was_under_way_is_fenced(thread, other, clock):
    def overtaken():
        clock.move(6)
        other.run().__enter__().__exit__(SystemExit, SystemExit(), None)
        return "result"

    run = entered(thread.run(input={"n": 0}, ttl=5))
    with pytest.raises(holdfast.Fenced):
        run.step("a", overtaken)
    assert kinds(other) == ["holdfast.intent"]


def test_leaving_after_a_takeover_ends_nothing(world, thread, other, clock):
    def overtaken(run):
        clock.move(6)
        other.run().__enter__().__exit__(SystemExit, SystemExit(), None)
        run.save({"n": 1})

    with pytest.raises(holdfast.Fenced), thread.run(input={"n": 0}, ttl=5) as run:
        overtaken(run)
    assert (other.latest().status, other.latest().state) == ("running", {"n": 0})
    assert [info.id for info in world.open().resumable()] == ["main"]


def test_leaving_cleanly_after_a_takeover_is_fenced(fenced):
    with pytest.raises(holdfast.Fenced):
        fenced.__exit__(None, None, None)


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_ended_the_old_worker_is_not_hidden_by_the_fence(thread, other, clock, kind):
    def overtaken_and_out():
        clock.move(6)
        other.run().__enter__().__exit__(SystemExit, SystemExit(), None)
        raise kind("what really happened")

    with pytest.raises(kind, match="really"), thread.run(input={"n": 0}, ttl=5):
        overtaken_and_out()
    assert other.latest().status == "running"


def test_the_old_worker_does_not_release_the_new_ones_lease(fenced, other):
    with pytest.raises(holdfast.Fenced):
        fenced.__exit__(holdfast.Fenced, None, None)
    assert other.info().lease.epoch == 2


def test_a_deleted_thread_fences_its_worker(thread, other, clock):
    run = died(thread, killed_in("a"), input={"n": 0})
    clock.move(6)
    other.delete()
    with pytest.raises((holdfast.Fenced, holdfast.Deleted)):
        run.save({"n": 1})
    with pytest.raises((holdfast.Fenced, holdfast.Deleted)):
        run.step("b", lambda: None)
    assert other.latest() is None


def test_a_released_lease_is_not_the_old_holders_either(thread, other, clock):
    run = died(thread, input={"n": 0})
    clock.move(6)
    with pytest.raises(SystemExit), other.run():
        raise SystemExit
    with pytest.raises(holdfast.Fenced):
        run.save({"n": 1})
