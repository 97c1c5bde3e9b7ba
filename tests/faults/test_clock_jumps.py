"""The clock of the PostgreSQL server jumps, which is the store's clock: order, leases and lifetimes stay right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint

import holdfast
from holdfast import CheckpointInfo, Deleted, Fenced, Store, ThreadBusy
from holdfast._drive import run
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.backends.rows import NO_LIMIT, EarlyWriteRow
from tests.faults.conftest import new_database
from tests.runs.driver import die, entered
from tests.servers.clock import Clock
from tests.servers.postgres import Server

HOUR = 3600.0
DAY = 24 * HOUR
JUMPS = {"an hour on": HOUR, "400 days on": 400 * DAY, "an hour back": -HOUR, "400 days back": -400 * DAY}
TTL = 30.0  # of a lease
A_BIT = TTL / 3


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Clock]]:
    """A server, and its clock."""
    folder = tmp_path_factory.mktemp("clock")
    folder.chmod(0o755)
    clock = Clock(folder)
    server = clock.server(folder / "server")
    server.start()
    yield server, clock
    server.kill()


@pytest.fixture
def clock(moved: tuple[Server, Clock]) -> Iterator[Clock]:
    """Right at the start of a test, and again at its end."""
    yield moved[1]
    moved[1].set_right()


@pytest.fixture
def stores(moved: tuple[Server, Clock], clock: Clock) -> Iterator[tuple[Store, Store]]:
    """Two clients of one store, each with a memory of its own."""
    url = moved[0].url(new_database(moved[0]))
    with ExitStack() as stack:
        yield (stack.enter_context(holdfast.open(url)), stack.enter_context(holdfast.open(url)))


@pytest.fixture(params=JUMPS)
def jump(request: pytest.FixtureRequest) -> float:
    return JUMPS[request.param]


def server_time(server: Server) -> float:
    return float(server.run("SELECT extract(epoch FROM clock_timestamp())")[0][0])


def test_the_clock_of_every_session_jumps(moved: tuple[Server, Clock], clock: Clock, jump: float) -> None:
    before = server_time(moved[0])
    clock.move(jump)
    assert before + jump <= server_time(moved[0]) < before + jump + 600


# ------------------------------------------------------------------------------------------------ order


def test_ids_and_times_stay_in_order(stores: tuple[Store, Store], clock: Clock, jump: float) -> None:
    made: list[CheckpointInfo] = []
    for by in (0, jump, -jump, jump / 2):
        clock.move(by)
        for store in (*stores, *stores):
            info = store.thread("t", ttl=1000 * DAY).update({"n": len(made)})
            store.thread("t").journal.append("note", len(made))
            made.append(info)
    assert all(one.id < two.id and one.created_at <= two.created_at for one, two in pairwise(made))
    for store in stores:
        history = store.thread("t").history(limit=None)
        assert [(info.id, info.seq, info.step) for info in reversed(history)] == [
            (info.id, number + 1, number) for number, info in enumerate(made)
        ]
        entries = store.thread("t").journal.read(limit=None)
        assert [(entry.seq, entry.data) for entry in entries] == [(n + 1, n) for n in range(len(made))]
        assert all(one.created_at <= two.created_at for one, two in pairwise(entries))
        newest = store.thread("t").at(time=made[-1].created_at)
        assert newest is not None
        assert newest.state == {"n": len(made) - 1}
        assert store.verify().faults == ()


# ------------------------------------------------------------------------------------------------ leases


@pytest.fixture
def held(stores: tuple[Store, Store]) -> Any:
    """A worker that renews its lease only by writing."""
    run = entered(stores[0].thread("t").run(input={"n": 0}, worker="one", ttl=TTL))
    die(run)
    return run


@pytest.mark.parametrize("by", [A_BIT, -A_BIT])
def test_a_lease_outlives_a_jump_that_is_shorter(
    stores: tuple[Store, Store], held: Any, clock: Clock, by: float
) -> None:
    clock.move(by)
    with pytest.raises(ThreadBusy):
        stores[1].thread("t").save({"n": 9})
    with pytest.raises(ThreadBusy):
        entered(stores[1].thread("t").run(worker="two"))
    held.save({"n": 1})


def test_a_holder_that_writes_after_the_jump_keeps_its_thread(
    moved: tuple[Server, Clock], stores: tuple[Store, Store], held: Any, clock: Clock, jump: float
) -> None:
    clock.move(jump)
    held.save({"n": 1})
    with pytest.raises(ThreadBusy) as refused:
        entered(stores[1].thread("t").run(worker="two"))
    assert refused.value.until is not None
    assert 0 < refused.value.until.timestamp() - server_time(moved[0]) <= TTL
    held.finish({"n": 2})
    head = stores[1].thread("t").latest()
    assert head is not None
    assert (head.state, head.status) == ({"n": 2}, "completed")


def test_a_worker_that_takes_over_after_the_jump_fences_the_first(
    stores: tuple[Store, Store], held: Any, clock: Clock, jump: float
) -> None:
    clock.move(jump)
    assert [one.id for one in stores[1].resumable()] == ["t"]
    with stores[1].thread("t").run(worker="two", ttl=TTL) as run:
        assert run.resumed
        for write in (held.save, held.finish):
            with pytest.raises(Fenced):
                write({"n": "of the first"})
        with pytest.raises(Fenced):
            held.step("late", lambda: "late")
        clock.move(-jump)  # which ends no more than the right to exclude others
        run.save({"n": 1})
        with pytest.raises(ThreadBusy):
            entered(stores[0].thread("t").run(worker="three"))
        run.finish({"n": 2})
    states = [stores[0].thread("t").load(info.id) for info in stores[0].thread("t").history(limit=None)]
    assert [one.state["n"] for one in states if one is not None] == [2, 1, 0]
    assert stores[0].verify().faults == ()


def test_epochs_grow_whatever_the_clock_does(stores: tuple[Store, Store], clock: Clock, jump: float) -> None:
    epochs = []
    for turn, by in enumerate((0, jump, -jump, jump)):
        clock.move(by)
        die(entered(stores[turn % 2].thread("t").run(input={"n": 0}, worker=f"w{turn}", ttl=TTL)))
        info = stores[0].thread("t").info()
        assert info is not None
        assert info.lease is not None
        epochs.append((info.lease.worker, info.lease.epoch))
    assert epochs == [(f"w{turn}", turn + 1) for turn in range(4)]


# ------------------------------------------------------------------------------------------------ lifetimes


def test_a_thread_expires_by_the_jump(stores: tuple[Store, Store], clock: Clock) -> None:
    stores[0].thread("t", ttl=2 * HOUR).save({"n": 1})
    clock.move(HOUR)
    assert stores[1].thread("t").latest() is not None
    clock.move(HOUR + 60)
    assert stores[1].expire(dry_run=True).thread_ids == ("t",)
    assert stores[1].thread("t").latest() is None
    assert stores[1].expire().thread_ids == ("t",)
    assert stores[0].thread("t").latest() is None


@pytest.mark.parametrize("namespace", ["", "inner"])
def test_a_use_after_the_jump_counts_from_there(stores: tuple[Store, Store], clock: Clock, namespace: str) -> None:
    """Also for a client that asked for the time just before: what it was told is wrong from the jump on."""
    thread = stores[0].thread("t", namespace, ttl=2 * HOUR)
    thread.save({"n": 1})
    clock.move(1.5 * HOUR)
    thread.save({"n": 2})
    clock.move(1.5 * HOUR)
    assert stores[1].expire().expired == 0
    head = stores[1].thread("t", namespace).latest()
    assert head is not None
    assert head.state == {"n": 2}


def test_a_thread_that_a_slow_client_starts_lives_by_the_clock_of_the_store(
    stores: tuple[Store, Store], clock: Clock
) -> None:
    """By the client's clock each of them would have ended before it began."""
    clock.move(2 * HOUR)
    thread = stores[0].thread("t", ttl=HOUR)
    thread.save({"n": 1})
    stores[0].thread("inside", "inner", ttl=HOUR).save({"n": 1})
    thread.fork(to="fork")
    thread.fork(to="edited", edits={"n": 1})
    stores[0].copy_thread("t", "copy")
    for name, namespace in (("t", ""), ("inside", "inner"), ("fork", ""), ("edited", ""), ("copy", "")):
        head = stores[1].thread(name, namespace).latest()
        assert head is not None, name
        assert head.state == {"n": 1}
    assert stores[1].expire().expired == 0


def test_no_write_is_acknowledged_into_a_thread_that_the_jump_has_ended(
    stores: tuple[Store, Store], clock: Clock
) -> None:
    thread = stores[0].thread("t", ttl=HOUR)
    thread.save({"n": 1}, id="c")
    clock.move(2 * HOUR)
    for write in (
        lambda: thread.save({"n": 2}),
        lambda: thread.update({"n": 2}),
        lambda: thread.put_writes("c", [("n", 2)], task_id="task"),
        lambda: stores[0].thread("t", "inner").save({"n": 2}),
    ):
        with pytest.raises(Deleted, match="has expired"):
            write()


def test_nothing_expires_early_when_the_clock_goes_back(stores: tuple[Store, Store], clock: Clock) -> None:
    thread = stores[0].thread("t", ttl=2 * HOUR)
    thread.save({"n": 1})
    for by in (-DAY, HOUR, HOUR + 60):
        clock.move(by)
        assert stores[1].expire().expired == 0
        thread.save({"n": 2})
    clock.set_right()
    assert stores[1].expire().expired == 0
    clock.move(2 * HOUR + 60)
    assert stores[1].expire().thread_ids == ("t",)


def test_a_held_thread_does_not_expire_by_a_jump(stores: tuple[Store, Store], clock: Clock) -> None:
    run = entered(stores[0].thread("t", ttl=HOUR).run(input={"n": 0}, worker="one", ttl=2 * HOUR))
    die(run)
    clock.move(1.5 * HOUR)
    assert (stores[1].expire().expired, stores[1].expire().held) == (0, 1)
    run.finish({"n": 1})
    head = stores[1].thread("t").latest()
    assert head is not None
    assert head.state == {"n": 1}


def test_writes_that_wait_for_their_checkpoint_are_not_taken_for_old(stores: tuple[Store, Store], clock: Clock) -> None:
    """A day after they came they are dropped: by the clock that they came by."""
    savers = [HoldfastSaver(store) for store in stores]
    ids = [empty_checkpoint()["id"] for _ in range(4)]
    config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    for number, by in enumerate((0, 400 * DAY, HOUR, -400 * DAY)):
        clock.move(by)
        task = {"configurable": {**config["configurable"], "checkpoint_id": ids[number]}}
        savers[0].put_writes(task, [("channel", number)], "task")  # type: ignore[arg-type]
        stores[1].collect()
    waiting = run(stores[0]._calls.engine.backend.scan, EarlyWriteRow, None, (), NO_LIMIT)
    assert {row.checkpoint for row in waiting} == {*ids[1:]}
