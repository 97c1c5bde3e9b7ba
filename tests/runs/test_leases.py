"""Leases: one live worker a thread. Who has to wait, for how long, and who may take over."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

import holdfast
from tests.runs.driver import backend, die, died, entered, killed_in


def moment(clock, seconds):
    return datetime.fromtimestamp(clock.time / 1_000_000, UTC) + timedelta(seconds=seconds)


@pytest.fixture
def held(thread, clock):
    """The thread, as another worker sees it while it is held for 30 seconds."""
    run = entered(thread.run(input={"n": 0}, worker="one", ttl=30))
    yield run
    die(run)


WRITES = {
    "save": lambda thread: thread.save({"n": 1}),
    "update": lambda thread: thread.update({"n": 1}),
    "put_writes": lambda thread: thread.put_writes(thread.latest().id, [("n", 1)], task_id="task"),
    "run": lambda thread: thread.run(input={"n": 1}).__enter__(),
}


@pytest.mark.parametrize("write", WRITES)
def test_a_write_without_the_token_is_refused_with_the_time(held, other, clock, write):
    before = other.latest()
    with pytest.raises(holdfast.ThreadBusy, match="one") as caught:
        WRITES[write](other)
    assert caught.value.until == moment(clock, 30)
    assert other.latest() == before


@pytest.mark.parametrize("write", WRITES)
def test_the_holders_own_thread_handle_has_no_token_either(held, thread, write):
    with pytest.raises(holdfast.ThreadBusy):
        WRITES[write](thread)


def test_an_inner_namespace_is_held_with_the_thread(held, store):
    with pytest.raises(holdfast.ThreadBusy):
        store.thread("main", "inner").save({})


def test_reads_pass(held, other):
    head = other.latest()
    assert (head.state, other.load(head.id).state, other.at(step=0).state) == ({"n": 0},) * 3
    assert len(other.history()) == len(other.lineage(head.id)) == 1
    assert other.journal.read() == []


def test_forks_pass_and_are_free(held, other):
    fork = other.fork(to="fork")
    assert fork.info().lease is None
    fork.save({"n": "mine"})


def test_a_fork_does_not_disturb_the_holder(held, other):
    other.fork()
    assert held.save({"n": 1}) is not None


def test_copies_pass_and_are_free(held, world):
    store = world.open()
    assert store.copy_thread("main", "copy")
    assert store.thread("copy").info().lease is None
    store.thread("copy").save({"n": "mine"})


def test_labels_pass(held, other):
    other.label(other.latest().id, "seen")
    assert other.latest().label == "seen"
    assert held.save({"n": 1}) is not None


def test_appends_pass(held, other):
    assert other.journal.append("event", "from outside") == 1
    assert held.step("a", lambda: "a") == "a"
    held.save({"n": 1})


def test_another_thread_of_the_store_is_free(held, store):
    store.thread("another").save({})


def test_the_lease_is_in_the_threads_info(held, other, clock):
    lease = other.info().lease
    assert (lease.worker, lease.epoch, lease.until, lease.expired) == ("one", 1, moment(clock, 30), False)


def test_every_write_of_the_holder_renews(held, other, clock):
    for work in (
        lambda: held.save({"n": 1}),
        lambda: held.step("a", lambda: None),
        lambda: held.save({"n": 2}),
    ):
        clock.move(20)
        work()
        assert other.info().lease.until == moment(clock, 30)
        assert not other.info().lease.expired


def test_what_others_write_does_not_renew(held, other, clock):
    until = other.info().lease.until
    clock.move(20)
    other.journal.append("event", 1)
    other.label(other.latest().id, "seen")
    assert other.info().lease.until == until


# ------------------------------------------------------------------------------------------------ releasing


@pytest.mark.parametrize("way", ["finish", "interrupt", "error", "exit"])
def test_leaving_releases(thread, other, way):
    def work(run):
        if way == "finish":
            run.finish({"n": 1})
        elif way == "interrupt":
            run.interrupt("?")
        elif way == "error":
            raise ValueError("no")
        else:
            raise SystemExit

    try:
        with thread.run(input={"n": 0}) as run:
            work(run)
    except (ValueError, SystemExit):
        pass
    assert other.info().lease is None
    other.save({"n": 2})


def test_a_run_that_cannot_start_releases(thread, other):
    thread.save({"n": 0}, status="completed")
    with pytest.raises(holdfast.InvalidArgument):
        entered(thread.run())
    assert other.info().lease is None


def test_a_run_that_cannot_start_on_a_new_thread_leaves_nothing(store, thread):
    with pytest.raises(holdfast.InvalidArgument):
        entered(thread.run())
    assert store.threads() == []
    assert thread.info() is None


# ------------------------------------------------------------------------------------------------ taking over


def test_a_lease_that_ran_out_may_be_taken(thread, other, clock):
    died(thread, input={"n": 0})
    with pytest.raises(holdfast.ThreadBusy):
        entered(other.run())
    clock.move(5)
    with other.run() as run:
        assert run.resumed


def test_a_lease_that_ran_out_holds_no_caller_back(thread, other, clock):
    died(thread, input={"n": 0})
    clock.move(5)
    assert other.save({"n": 1}).seq == 2


def test_a_lease_lives_for_its_whole_ttl(thread, other, clock):
    died(thread, input={"n": 0}, ttl=5)
    clock.move(4.999)
    with pytest.raises(holdfast.ThreadBusy):
        other.save({"n": 1})
    assert not other.info().lease.expired
    clock.move(0.001)
    assert other.info().lease.expired


def test_epochs_grow_with_every_worker(thread, other, clock):
    epochs = []
    for n in range(3):
        died((thread, other)[n % 2], input={"n": 0})
        epochs.append(other.info().lease.epoch)
        clock.move(6)
    with thread.run():
        epochs.append(other.info().lease.epoch)
    with other.run(input={"n": 1}):
        epochs.append(other.info().lease.epoch)
    assert epochs == [1, 2, 3, 4, 5]


def test_a_takeover_resumes_the_same_run(thread, other, clock):
    first = died(thread, lambda run: run.save({"n": 1}), input={"n": 0})
    clock.move(6)
    with other.run() as run:
        assert (run.id, run.resumed, run.state) == (first.id, True, {"n": 1})


@pytest.mark.parametrize("back", [1, 4, 6, 3600, 10 * 365 * 86400])
def test_a_clock_that_steps_back_does_not_lock_a_thread_for_good(thread, other, clock, back):
    died(thread, input={"n": 0}, ttl=5)
    clock.move(-back)
    assert any(taken(other, clock) for _ in range(2 * 5 + 1)), "it is locked for longer than twice its ttl"


def taken(thread, clock):
    """Whether the thread can be taken now; a second later it may be tried again."""
    try:
        die(entered(thread.run()))
    except holdfast.ThreadBusy:
        clock.move(1)
        return False
    return True


def test_a_holder_continues_when_the_clock_steps_back(thread, clock):
    with thread.run(input={"n": 0}, ttl=5) as run:
        clock.move(-3600)
        run.save({"n": 1})
        run.step("a", lambda: None)
    assert thread.latest().status == "completed"


def test_a_holder_whose_lease_ran_out_continues_until_another_takes_it(thread, clock):
    with thread.run(input={"n": 0}, ttl=5) as run:
        clock.move(60)
        assert run.save({"n": 1}).seq == 2
    assert thread.latest().status == "completed"


def test_of_many_takers_one_gets_it(thread, other, clock):
    died(thread, input={"n": 0})
    clock.move(6)

    def take(n):
        try:
            run = entered((thread, other)[n % 2].run(worker=str(n)))
        except holdfast.ThreadBusy:
            return None
        die(run)
        return run

    with ThreadPoolExecutor(6) as pool:
        assert len([run for run in pool.map(take, range(6)) if run is not None]) == 1
    assert other.info().lease.epoch == 2


# ------------------------------------------------------------------------------------------------ waiting


def test_waiting_gets_it_when_it_is_released(thread, other):
    run = entered(thread.run(input={"n": 0}))
    threading.Timer(0.3, lambda: run.__exit__(None, None, None)).start()
    with other.run(input={"n": 1}, wait=20) as second:
        assert not second.resumed


def test_waiting_gets_it_when_it_runs_out(thread, other):
    died(thread, input={"n": 0}, ttl=0.5)
    with other.run(wait=20) as run:
        assert run.resumed


def test_waiting_ends(held, other):
    start = time.monotonic()
    with pytest.raises(holdfast.ThreadBusy) as caught:
        entered(other.run(input={"n": 1}, wait=0.3))
    assert 0.25 < time.monotonic() - start < 10
    assert caught.value.until is not None


def test_without_waiting_it_is_said_at_once(held, other):
    start = time.monotonic()
    with pytest.raises(holdfast.ThreadBusy):
        entered(other.run(input={"n": 1}))
    assert time.monotonic() - start < 5


# ------------------------------------------------------------------------------------------------ the heartbeat


def test_a_heartbeat_renews_while_a_step_takes_long(thread, other):
    def long():
        time.sleep(1.2)
        return other.info().lease

    with thread.run(input={"n": 0}, ttl=0.4) as run:
        assert not run.step("long", long).expired


def test_no_heartbeat_renews_after_the_run_was_left(thread, other):
    with thread.run(input={"n": 0}, ttl=0.3) as run:
        run.finish({"n": 1})
    time.sleep(0.4)
    assert other.info().lease is None


def test_a_renewal_that_fails_once_is_tried_again(store, thread, other):
    commit = backend(store).commit
    failures: list[object] = []

    async def fails_once(batch):
        if not failures:
            failures.append(batch)
            raise holdfast.Busy("another process holds the database")
        return await commit(batch)

    with thread.run(input={"n": 0}, ttl=0.6):
        backend(store).commit = fails_once  # type: ignore[method-assign]
        time.sleep(1.8)
        assert failures
        assert not other.info().lease.expired


# ------------------------------------------------------------------------------------------------ lists


def test_threads_are_listed_by_their_lease(store, thread, other, clock):
    died(store.thread("dead"), input={}, ttl=5)
    store.thread("free").save({})
    clock.move(6)
    live = entered(store.thread("live").run(input={}, ttl=5))
    assert [info.id for info in store.threads(where={"lease": "expired"})] == ["dead"]
    assert [info.id for info in store.threads(where={"lease": "live"})] == ["live"]
    assert len(store.threads()) == 3
    die(live)


def test_the_lease_is_one_condition_among_others(store, clock):
    for name, team in (("a", 1), ("b", 2), ("c", 1)):
        died(store.thread(name, metadata={"team": team}), input={}, ttl=5)
    clock.move(6)
    assert [one.id for one in store.threads(where={"lease": "expired", "team": 1})] == ["a", "c"]
    assert [one.id for one in store.threads(prefix="b", where={"lease": "expired"})] == ["b"]
    assert [one.id for one in store.threads(where={"lease": "expired"}, limit=2)] == ["a", "b"]
    assert [one.id for one in store.threads(where={"lease": "expired"}, after="a")] == ["b", "c"]


@pytest.mark.parametrize("value", ["", "dead", True, 7])
def test_a_lease_is_expired_or_live(store, value):
    with pytest.raises(holdfast.InvalidArgument, match="lease"):
        store.threads(where={"lease": value})


def test_metadata_called_run_is_not_a_lease(store):
    store.thread("a", metadata={"run": "held", "lease": "expired"}).save({})
    assert store.threads(where={"lease": "expired"}) == []


# ------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize("ttl", [0, -1, -0.001, float("nan"), float("inf")])
def test_a_ttl_is_above_zero(thread, ttl):
    with pytest.raises(holdfast.InvalidArgument, match="ttl"):
        entered(thread.run(input={}, ttl=ttl))
    assert thread.latest() is None


def test_a_worker_may_be_left_unnamed(thread, other):
    with thread.run(input={}, worker=None):
        assert other.info().lease.worker
    with thread.run(input={}):
        assert other.info().lease.worker


def test_a_thread_can_be_deleted_while_a_worker_is_gone(thread, other, clock):
    died(thread, killed_in("a"), input={"n": 0})
    clock.move(6)
    other.delete()
    assert other.latest() is None
