"""What each durability writes, when, and what it may lose."""

from __future__ import annotations

import threading
import time

import pytest

import holdfast
from tests.runs.driver import Calls, Killed, die, died, entered, failing_saves, kinds, states, statuses

ALL = ["sync", "async", "exit"]


def work(thread, durability, count=3, **options):
    """An agent of some steps, each with a save, that ends well."""
    with thread.run(input={"n": 0}, durability=durability, **options) as run:
        for n in range(1, count + 1):
            run.step("model", lambda n=n: n)
            run.save({"n": n})
        run.finish({"n": count, "done": True})
    return run


@pytest.mark.parametrize("durability", ALL)
def test_every_run_ends_with_the_same_state(thread, durability):
    run = work(thread, durability)
    head = thread.latest()
    assert (head.state, head.status, head.run_id) == ({"n": 3, "done": True}, "completed", run.id)


@pytest.mark.parametrize("durability", ALL)
def test_steps_are_journalled_at_once(thread, other, durability):
    with thread.run(input={}, durability=durability) as run:
        assert run.step("look", kinds, other)[-1] == "holdfast.intent"
        assert kinds(other)[-1] == "holdfast.result"


@pytest.mark.parametrize("durability", ALL)
def test_the_store_may_say_it_for_all_runs(world, durability):
    thread = world.open(durability=durability).thread("t")
    with thread.run(input={"n": 0}) as run:
        info = run.save({"n": 1})
    assert (info is not None) == (durability == "sync")
    assert len(thread.history()) == (2 if durability == "exit" else 3) - (durability == "exit")


def test_a_run_may_differ_from_its_store(world):
    thread = world.open(durability="exit").thread("t")
    with thread.run(input={"n": 0}, durability="sync") as run:
        assert run.save({"n": 1}) is not None


def test_a_plain_save_is_always_on_disk(world):
    thread = world.open(durability="exit").thread("t")
    assert thread.save({"n": 1}).seq == 1
    assert thread.latest().state == {"n": 1}


# ------------------------------------------------------------------------------------------------ sync


def test_sync_writes_one_checkpoint_a_boundary(thread):
    work(thread, "sync")
    assert states(thread) == [{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}, {"n": 3, "done": True}]


def test_sync_chains_the_parents(thread):
    work(thread, "sync")
    history = list(reversed(thread.history()))
    assert [one.parent_id for one in history] == [None, *(one.id for one in history[:-1])]
    assert [one.step for one in history] == list(range(5))


def test_sync_has_written_when_it_returns(thread, other):
    with thread.run(input={"n": 0}) as run:
        saved = run.save({"n": 1})
        assert other.latest().id == saved.id


def test_sync_says_at_once_that_a_save_failed(store, thread):
    saves = failing_saves(store)
    with pytest.raises(holdfast.StorageFailed), thread.run(input={"n": 0}) as run:
        saves.failing = True
        run.save({"n": 1})


# ------------------------------------------------------------------------------------------------ async


def test_async_writes_what_sync_writes(thread):
    work(thread, "async")
    assert states(thread) == [{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}, {"n": 3, "done": True}]
    history = list(reversed(thread.history()))
    assert [one.parent_id for one in history] == [None, *(one.id for one in history[:-1])]
    assert [one.journal_seq for one in history] == [0, 2, 4, 6, 6]


def test_async_continues_before_the_write_ends(store, thread):
    saves = failing_saves(store)
    with thread.run(input={"n": 0}, durability="async") as run:
        saves.go.clear()
        assert run.save({"n": 1}) is None
        assert run.step("next", lambda: "began") == "began"
        saves.go.set()
    assert not saves.stalled, "the step waited for the write"
    assert states(thread)[:2] == [{"n": 0}, {"n": 1}]


def test_async_keeps_the_order(store, thread):
    with thread.run(input={"n": -1}, durability="async") as run:
        for n in range(50):
            if n % 7 == 0:
                run.step("tool", lambda: None)
            run.save({"n": n})
    assert [one["n"] for one in states(thread)] == [*range(-1, 50), 49]


def test_async_stores_the_state_as_it_was_when_saved(store, thread):
    saves = failing_saves(store)
    state = {"list": [1]}
    with thread.run(input={}, durability="async") as run:
        saves.go.clear()
        run.save(state)
        state["list"].append(2)
        saves.go.set()
    assert states(thread)[1] == {"list": [1]}


def test_async_refuses_at_once_what_cannot_be_stored(thread):
    with pytest.raises(holdfast.EncodeError, match="state"), thread.run(input={}, durability="async") as run:
        run.save({"f": print})


def test_async_reads_flush_first(thread):
    with thread.run(input={"n": 0}, durability="async") as run:
        for n in range(1, 20):
            run.save({"n": n})
            assert thread.latest().state == {"n": n}
        assert len(thread.history(limit=None)) == 20


def test_async_other_threads_are_read_without_waiting(store, thread):
    store.thread("another").save({"n": 7})
    saves = failing_saves(store)
    with thread.run(input={"n": 0}, durability="async") as run:
        saves.go.clear()
        run.save({"n": 1})
        assert store.thread("another").latest().state == {"n": 7}
        saves.go.set()
    assert not saves.stalled


def test_async_waits_when_the_backlog_is_full(store, thread):
    saves = failing_saves(store)
    done = []

    def many(run):
        for n in range(1000):
            run.save({"n": n})
            done.append(n)

    with thread.run(input={"n": 0}, durability="async") as run:
        saves.go.clear()
        worker = threading.Thread(target=many, args=(run,), daemon=True)
        worker.start()
        time.sleep(1.0)
        stuck = len(done)
        saves.go.set()
        worker.join(60)
    assert 1 <= stuck < 200
    assert len(thread.history(limit=None)) == 1002


def test_async_says_at_the_next_boundary_what_was_lost(store, thread):
    saves = failing_saves(store)
    run = entered(thread.run(input={"n": 0}, durability="async"))
    saves.failing = True
    run.save({"n": 1})
    thread.history()  # waits for it
    lost = saves.seen[-1].id
    for late in (lambda: run.save({"n": 2}), lambda: run.save({"n": 3}), lambda: run.finish({"n": 4})):
        with pytest.raises(holdfast.WriteLost, match=lost) as caught:
            late()
        assert caught.value.first == lost
    die(run)


def test_async_starts_no_step_after_a_loss(store, thread):
    saves = failing_saves(store)
    calls = Calls()
    run = entered(thread.run(input={"n": 0}, durability="async"))
    saves.failing = True
    run.save({"n": 1})
    thread.history()
    with pytest.raises(holdfast.WriteLost):
        run.step("pay", calls)
    assert calls.count == 0
    die(run)


def test_async_writes_nothing_behind_what_was_lost(store, thread):
    saves = failing_saves(store)
    with pytest.raises(holdfast.WriteLost), thread.run(input={"n": 0}, durability="async") as run:
        run.save({"n": 1})
        thread.history()
        saves.go.clear()
        saves.failing = True
        for n in range(2, 6):
            run.save({"n": n})
        threading.Timer(0.2, saves.go.set).start()
        thread.history()
        saves.failing = False
        run.save({"n": 6})
    assert states(thread) == [{"n": 0}, {"n": 1}]


def test_async_a_loss_at_the_end_is_raised_by_leaving(store, thread):
    saves = failing_saves(store)
    with pytest.raises(holdfast.WriteLost), thread.run(input={"n": 0}, durability="async") as run:
        saves.failing = True
        run.save({"n": 1})
    assert states(thread) == [{"n": 0}]


def test_async_a_run_that_lost_a_write_can_be_picked_up(store, thread):
    saves = failing_saves(store)
    with pytest.raises(holdfast.WriteLost), thread.run(input={"n": 0}, durability="async", ttl=0.2) as run:
        saves.failing = True
        run.save({"n": 1})
        thread.history()
        run.save({"n": 2})
    saves.failing = False
    time.sleep(0.3)
    assert [info.id for info in store.resumable()] == ["main"]
    with thread.run(durability="async") as run:
        assert run.state == {"n": 0}
        run.save({"n": 1})
    assert states(thread) == [{"n": 0}, {"n": 1}, {"n": 1}]


@pytest.mark.parametrize("way", ["interrupt", "error", "exit"])
def test_async_leaving_drains(thread, way):
    def leave(run):
        if way == "interrupt":
            run.interrupt()
        raise ValueError if way == "error" else SystemExit

    try:
        with thread.run(input={"n": 0}, durability="async") as run:
            for n in range(1, 10):
                run.save({"n": n})
            leave(run)
    except (ValueError, SystemExit):
        pass
    assert [one["n"] for one in states(thread)][:10] == list(range(10))


def test_async_closing_the_store_drains(world, store, thread):
    with pytest.raises(holdfast.Closed), thread.run(input={"n": 0}, durability="async") as run:
        for n in range(1, 10):
            run.save({"n": n})
        if not world.name.startswith("memory"):
            store.close()
            assert [one["n"] for one in states(world.open().thread("main"))] == list(range(10))
        raise holdfast.Closed("as after a close")


def test_async_a_crash_gives_each_step_its_own_result_again(world, store, thread, other, clock):
    """Steps are journalled before the saves between them are written: those saves may be lost, and not the steps."""
    saves = failing_saves(store)
    run = entered(thread.run(input={"n": 0}, durability="async", ttl=5))
    saves.go.clear()
    first = run.step("model", lambda: "first")
    run.save({"n": 1, "said": [first]})
    second = run.step("model", lambda: "second")
    run.save({"n": 2, "said": [first, second]})
    die(run)
    saves.failing = True  # the process is gone before they reach the disk
    saves.go.set()
    thread.history()
    saves.failing = False
    store._calls.engine.backlogs.clear()
    clock.move(6)

    calls = Calls("called again")
    with other.run() as again:
        assert again.state == {"n": 0}
        assert again.step("model", calls) == "first"
        again.save({"n": 1, "said": ["first"]})
        assert again.step("model", calls) == "second"
        again.save({"n": 2, "said": ["first", "second"]})
    assert calls.count == 0


def test_async_a_fenced_worker_writes_nothing_more(store, thread, other, clock):
    run = died(thread, input={"n": 0}, durability="async")
    clock.move(6)
    with pytest.raises(SystemExit), other.run():
        raise SystemExit
    with pytest.raises(holdfast.HoldfastError) as caught:  # whichever boundary says it
        run.save({"n": 1})
        thread.history()
        run.save({"n": 2})
    assert isinstance(caught.value, holdfast.Fenced | holdfast.WriteLost)
    assert states(other) == [{"n": 0}]


# ------------------------------------------------------------------------------------------------ exit


def test_exit_writes_exactly_one_checkpoint_for_a_run_that_ends_well(thread):
    run = work(thread, "exit")
    (only,) = thread.history()
    assert (only.status, only.parent_id, only.run_id, only.step) == ("completed", None, run.id, 0)


def test_exit_writes_one_without_finish_too(thread):
    with thread.run(input={"n": 0}, durability="exit") as run:
        run.save({"n": 1})
    assert states(thread) == [{"n": 1}]


def test_exit_chains_run_after_run(thread):
    work(thread, "exit")
    work(thread, "exit")
    second, first = thread.history()
    assert (second.parent_id, second.step) == (first.id, 1)


def test_exit_saves_no_input_and_no_save(thread):
    with thread.run(input={"n": 0}, durability="exit") as run:
        assert thread.latest() is None
        assert run.save({"n": 1}) is None
        assert thread.latest() is None
        assert run.state == {"n": 1}


def test_exit_refuses_at_once_what_cannot_be_stored(thread):
    with pytest.raises(holdfast.EncodeError, match="state"), thread.run(input={"n": 0}, durability="exit") as run:
        run.save({"f": print})
    assert states(thread) == [{"n": 0}]


def test_exit_saves_a_failure(thread):
    with pytest.raises(ValueError, match="no"), thread.run(input={"n": 0}, durability="exit") as run:
        run.save({"n": 1})
        raise ValueError("no")
    assert (statuses(thread), states(thread)) == (["failed"], [{"n": 1}])


def test_exit_saves_an_interrupt_and_resumes_from_there(thread):
    calls = Calls("paid")

    def turn(**options):
        with thread.run(durability="exit", **options) as run:
            if run.state["n"] == 0:
                run.step("a", lambda: 1)
                run.save({"n": 1})
            run.step("pay", calls)
            run.finish({"n": 2, "said": run.interrupt("ok?")})

    turn(input={"n": 0})
    assert (statuses(thread), states(thread)) == (["interrupted"], [{"n": 1}])
    turn(resume="yes")
    assert states(thread) == [{"n": 1}, {"n": 2, "said": "yes"}]
    assert calls.count == 1


def test_exit_a_failed_run_is_resumed(thread):
    calls = Calls("paid")

    def turn(fail, **options):
        with thread.run(durability="exit", **options) as run:
            run.step("pay", calls)
            if fail:
                raise ValueError("no")
            run.save({"n": 1})

    with pytest.raises(ValueError, match="no"):
        turn(True, input={"n": 0})
    turn(False)
    assert (statuses(thread), calls.count) == (["failed", "completed"], 1)


def test_exit_a_crashed_run_is_continued_by_giving_the_input_again(thread, other, clock):
    first = died(thread, lambda run: run.step("pay", lambda: "paid"), input={"n": 0}, durability="exit")
    clock.move(6)
    calls = Calls()
    with other.run(input={"n": 0}, durability="exit") as run:
        assert (run.id, run.resumed, run.state) == (first.id, True, {"n": 0})
        assert run.step("pay", calls) == "paid"
    assert calls.count == 0
    assert statuses(thread) == ["completed"]


def test_exit_a_crashed_run_asks_for_its_input(thread, other, clock):
    died(thread, lambda run: run.step("pay", lambda: "paid"), input={"n": 0}, durability="exit")
    clock.move(6)
    with pytest.raises(holdfast.InvalidArgument, match="input"):
        entered(other.run(durability="exit"))
    with other.run(input={"n": 0}, durability="exit") as run:
        assert run.step("pay", Calls()) == "paid"


def test_exit_a_crashed_run_gives_each_step_its_own_result_again(thread, other, clock):
    def some(run):
        for n in range(3):
            run.step("model", lambda n=n: f"reply {n}")
            run.save({"n": n})

    died(thread, some, input={"n": -1}, durability="exit")
    clock.move(6)
    calls = Calls("called again")
    said = []
    with other.run(input={"n": -1}, durability="exit") as run:
        for n in range(3):
            said.append(run.step("model", calls))
            run.save({"n": n})
    assert (said, calls.count) == (["reply 0", "reply 1", "reply 2"], 0)


def test_exit_a_crashed_run_that_went_on_from_an_interrupt(thread, other, clock):
    def some(run):
        run.interrupt("ok?")
        for n in range(3):
            run.step("model", lambda n=n: f"reply {n}")
            run.save({"n": n})

    with thread.run(input={"n": -1}, durability="exit") as run:
        run.interrupt("ok?")
    died(thread, some, resume="yes", durability="exit")
    clock.move(6)
    calls = Calls("called again")
    said = []
    with other.run(durability="exit") as run:
        assert (run.state, run.interrupt("ok?")) == ({"n": -1}, "yes")
        for n in range(3):
            said.append(run.step("model", calls))
            run.save({"n": n})
    assert (said, calls.count) == (["reply 0", "reply 1", "reply 2"], 0)


@pytest.mark.parametrize("durability", ALL)
def test_each_interrupt_asks_for_itself_though_saves_lie_between(thread, durability):
    def turn(**options):
        with thread.run(durability=durability, **options) as run:
            if "a" not in run.state:
                run.save({"a": run.interrupt("a?")})
            run.finish({**run.state, "b": run.interrupt("b?")})
        return run

    turn(input={})
    assert turn(resume=1).payload == "b?"
    turn(resume=2)
    assert thread.latest().state == {"a": 1, "b": 2}


def test_exit_a_crashed_run_is_resumable(store, thread, clock):
    died(thread, lambda run: run.step("pay", lambda: "paid"), input={"n": 0}, durability="exit")
    clock.move(6)
    assert [info.id for info in store.resumable()] == ["main"]


def test_exit_a_run_that_was_left_is_resumable(store, thread):
    with pytest.raises(SystemExit), thread.run(input={"n": 0}, durability="exit"):
        raise SystemExit
    assert [info.id for info in store.resumable()] == ["main"]


def test_exit_recover_knows_of_the_run(thread, other, clock):
    died(thread, lambda run: run.step("pay", lambda: "paid"), input={"n": 0}, durability="exit")
    clock.move(6)
    found = other.recover()
    assert (found.checkpoint, [one.name for one in found.finished]) == (None, ["pay"])


def test_exit_an_unsafe_step_is_refused_after_a_crash(thread, other, clock):
    def killed(run):
        with pytest.raises(Killed):
            run.step("pay", Calls(Killed()))

    died(thread, killed, input={"n": 0}, durability="exit")
    clock.move(6)
    with pytest.raises(holdfast.UnsafeEffect), other.run(input={"n": 0}, durability="exit") as run:
        run.step("pay", Calls())
