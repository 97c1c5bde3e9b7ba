"""Expiry: a thread whose ttl has run out is invisible at once, and is removed later."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Deleted, NotFound, Retention, Store
from holdfast.backends.base import Batch, DropRow
from holdfast.backends.rows import LineRow, ThreadRow, with_checksum
from holdfast.engine.context import Engine
from holdfast.testing.driver import Opener, StoreTests, everything, grown, head, save_chain

HOUR = 3600.0


def aged(store: Store, thread_id: str, seconds: float) -> None:
    """Move everything that happened to the thread back in time by `seconds`."""
    asyncio.run(_age(store._calls.engine, thread_id, int(seconds * 1_000_000)))


async def _age(engine: Engine, thread_id: str, by: int) -> None:
    found = await engine.backend.find(thread_id, "", b"")
    assert found.thread is not None
    lines = await engine.backend.namespaces(found.thread.tree, found.thread.line)
    thread = with_checksum(found.thread._replace(created_at=found.thread.created_at - by))
    moved = [
        with_checksum(
            one._replace(version=one.version + 1, updated_at=one.updated_at - by, lease_at=max(one.lease_at - by, 0))
        )
        for one in lines
    ]
    drops = [DropRow(ThreadRow, (thread.id,)), *(DropRow(LineRow, one[:2]) for one in moved)]
    assert await engine.backend.commit(Batch([], [thread, *moved], drops, is_repair=True))


def stored(store: Store, thread_id: str) -> bool:
    """Whether the thread's row is stored, even if readers do not see it."""
    backend = store._calls.engine.backend
    return asyncio.run(backend.find(thread_id, "", b"")).thread is not None


class ExpiredThreads(StoreTests):
    def test_a_thread_without_ttl_never_expires(self, store: Store) -> None:
        store.thread("t").save({"n": 1})
        aged(store, "t", 10**9)
        assert head(store.thread("t")).state == {"n": 1}
        assert (store.expire().expired, store.expire().seen) == (0, 0)

    def test_it_is_invisible_at_once(self, store: Store) -> None:
        thread = store.thread("t", ttl=HOUR, metadata={"team": "red"})
        saved = save_chain(thread, 3, status="failed", run_id="r")
        store.thread("t", "inner").save({})
        thread.journal.append("note", 1)
        aged(store, "t", HOUR / 2)
        assert len(store.thread("t").history()) == 3
        aged(store, "t", HOUR / 2 + 1)
        for seen in (thread, store.thread("t")):
            assert seen.latest() is seen.load(saved[0].id) is seen.at(step=0) is None
            assert seen.info() is None
            assert (seen.history(), seen.journal.read()) == ([], [])
            assert seen.recover().checkpoint is None
        assert store.thread("t", "inner").latest() is store.thread("t", "other").latest() is None
        assert store.threads() == store.threads(where={"team": "red"}) == store.resumable() == []
        assert store.delete_run("r") == 0
        assert stored(store, "t")

    def test_it_is_so_after_a_moment(self, store: Store) -> None:
        thread = store.thread("t", ttl=0.05)
        thread.save({})
        time.sleep(0.1)
        assert thread.latest() is None
        with pytest.raises(Deleted):
            thread.save({})
        assert store.expire().thread_ids == ("t",)

    @pytest.mark.parametrize(
        "write",
        [
            lambda thread: thread.save({"n": 9}),
            lambda thread: thread.update({"n": 9}),
            lambda thread: thread.journal.append("note", 9),
            lambda thread: thread.run(input={"n": 9}).__enter__(),
            lambda thread: thread.label("c", "x"),
            lambda thread: thread.put_writes("c", [("a", 1)], task_id="t"),
        ],
        ids=["save", "update", "append", "run", "label", "put_writes"],
    )
    def test_late_writers_get_an_error(self, store: Store, write: Callable[[Any], Any]) -> None:
        thread = store.thread("t", ttl=HOUR)
        thread.save({"n": 1}, id="c")
        aged(store, "t", HOUR + 1)
        for late in (thread, store.thread("t"), store.thread("t", "inner")):
            with pytest.raises(Deleted, match="has expired"):
                write(late)
        assert store.threads() == []

    def test_its_name_can_be_reused(self, store: Store) -> None:
        old = store.thread("t", ttl=HOUR)
        save_chain(old, 3)
        aged(store, "t", HOUR + 1)
        fresh = store.thread("t", reuse=True)
        assert fresh.save({"n": 100}).parent_id is None
        assert [one.state for one in everything(fresh)] == [{"n": 100}]
        with pytest.raises(Deleted):
            old.save({"n": 4})
        aged(store, "t", HOUR + 1)  # the new thread has no ttl
        assert head(fresh).state == {"n": 100}
        assert store.verify().faults == ()

    def test_a_journal_and_a_run_may_reuse_its_name(self, store: Store) -> None:
        for name in ("a", "b"):
            store.thread(name, ttl=HOUR).save({"n": 1})
            aged(store, name, HOUR + 1)
        store.thread("a", reuse=True).journal.append("note", 2)
        with store.thread("b", reuse=True).run(input={"n": 5}) as run:
            assert run.state == {"n": 5}
        assert len(store.thread("a").journal.read()) == 1
        assert store.thread("a").latest() is None

    def test_writes_of_all_kinds_renew_its_ttl(self, store: Store) -> None:
        thread = store.thread("t", ttl=HOUR)
        saved = thread.save({"n": 1})
        ways: list[Callable[[], object]] = [
            lambda: store.thread("t", "inner").save({"n": 2}),
            lambda: thread.put_writes(saved.id, [("a", 1)], task_id="one"),
            lambda: store.thread("t").journal.append("note", 1),
            lambda: store.thread("t", "inner").update({"n": 3}),
            lambda: store.thread("t").save({"n": 4}, parent=saved.id),
        ]
        for use in ways:
            aged(store, "t", HOUR * 0.7)
            use()
        assert head(thread).state == {"n": 4}
        assert len(thread.journal.read()) == 1

    def test_reads_prolong_it_only_if_they_are_to(self, store: Store) -> None:
        for name, refresh in (("read", True), ("not", False)):
            store.thread(name, ttl=HOUR, refresh=refresh).save({"n": 1})
        reads: list[Callable[[Any], object]] = [
            lambda thread: thread.latest(),
            lambda thread: thread.history(),
            lambda thread: thread.journal.read(),
        ]
        for read in reads:
            aged(store, "read", HOUR * 0.7)
            assert read(store.thread("read")) is not None
        aged(store, "not", HOUR * 0.7)
        assert store.thread("not").latest() is not None
        aged(store, "not", HOUR * 0.7)
        assert store.thread("not").latest() is None
        aged(store, "read", HOUR + 1)
        assert store.thread("read").latest() is store.thread("read").latest() is None  # and don't bring it back
        assert store.expire().expired == 2

    def test_listing_is_not_a_use(self, store: Store) -> None:
        store.thread("t", ttl=HOUR, refresh=True).save({})
        aged(store, "t", HOUR * 0.7)
        assert store.threads()[0].updated_at == store.threads()[0].updated_at
        aged(store, "t", HOUR * 0.7)
        assert store.threads() == []

    def test_a_read_does_not_change_when_it_was_updated(self, store: Store) -> None:
        store.thread("t", ttl=HOUR, refresh=True).save({})
        aged(store, "t", HOUR * 0.7)
        (before,) = store.threads()
        store.thread("t").latest()
        assert store.threads() == [before]

    def test_a_store_may_have_a_usual_ttl(self, opened: Opener) -> None:
        store = opened(ttl=HOUR)
        store.thread("usual").save({})
        store.thread("own", ttl=3 * HOUR).save({})
        for name in ("usual", "own"):
            aged(store, name, 2 * HOUR)
        assert [one.id for one in store.threads()] == ["own"]

    def test_never_while_a_worker_holds_it(self, store: Store) -> None:
        thread = store.thread("t", ttl=HOUR)
        thread.save({"n": 1})
        aged(store, "t", HOUR * 2)
        assert thread.latest() is None
        held = store.thread("held", ttl=HOUR)
        with held.run(input={"n": 1}, ttl=HOUR * 8):
            aged(store, "held", HOUR * 2)
            assert head(held).state == {"n": 1}
            report = store.expire()
            assert (report.expired, report.thread_ids, report.held, report.seen) == (1, ("t",), 1, 2)
        assert head(store.thread("held")).state == {"n": 1}

    def test_forks_and_copies_live_on(self, store: Store) -> None:
        thread = store.thread("t", ttl=HOUR)
        saved = save_chain(thread, 4)
        fork = thread.fork(at=saved[2].id, to="fork")
        store.copy_thread("t", "copy")
        aged(store, "t", HOUR + 1)
        assert [one.id for one in store.threads()] == ["copy", "fork"]
        assert store.expire().thread_ids == ("t",)
        store.collect()
        assert [one.state for one in everything(fork)] == [grown(2), grown(1), grown(0)]
        assert len(store.thread("copy").history()) == 4
        assert store.verify().faults == ()
        for name in ("fork", "copy"):
            aged(store, name, HOUR + 1)
        assert store.expire().expired == 2
        assert store.verify().rows == store.verify().threads + 3  # the tombstones

    def test_it_can_not_be_forked_or_copied(self, store: Store) -> None:
        thread = store.thread("t", ttl=HOUR)
        thread.save({})
        store.thread("other").save({})
        aged(store, "t", HOUR + 1)
        with pytest.raises(NotFound):
            store.thread("t").fork(to="f")
        assert not store.copy_thread("t", "f")
        for taken in (lambda: store.copy_thread("other", "t"), lambda: store.thread("other").fork(to="t")):
            with pytest.raises(Deleted):
                taken()

    def test_expire_removes_it_and_nothing_else(self, store: Store) -> None:
        for number in range(7):
            save_chain(store.thread(f"t{number}", ttl=HOUR, metadata={"n": number}), 2)
        save_chain(store.thread("plain"), 2)
        for number in (1, 3, 4, 6):
            aged(store, f"t{number}", HOUR + 1)
        dry = store.expire(dry_run=True)
        assert (dry.expired, dry.dry_run, stored(store, "t1")) == (4, True, True)
        assert store.expire(limit=1).thread_ids == ("t1",)
        reports: list[tuple[int, int]] = []
        report = store.expire(progress=lambda seen, over: reports.append((seen, over)))
        assert (report.thread_ids, report.held, report.skipped) == (("t3", "t4", "t6"), 0, ())
        assert reports[-1] == (6, 3)
        assert [one.id for one in store.threads()] == ["plain", "t0", "t2", "t5"]
        assert store.expire().expired == 0
        assert store.verify().faults == ()
        assert store.verify().orphans == 0

    def test_many_at_once(self, store: Store) -> None:
        for number in range(120):
            store.thread(f"t{number:03}", ttl=0.001).save({"n": number})
        time.sleep(0.05)
        assert store.expire().expired == 120
        assert store.expire().seen == 0
        assert store.verify().threads == 0

    def test_an_empty_thread_expires_too(self, store: Store) -> None:
        thread = store.thread("t", ttl=HOUR)
        with thread.run(input={"n": 1}):
            pass
        thread.delete_checkpoints([one.id for one in thread.history()])
        aged(store, "t", 2 * HOUR)
        assert store.expire().expired == 1

    def test_delete_and_prune_of_one_whose_time_is_over(self, store: Store) -> None:
        thread = store.thread("t", ttl=HOUR)
        save_chain(thread, 3)
        aged(store, "t", HOUR + 1)
        assert thread.prune(Retention(keep_last=1)).removed == ()
        store.thread("t").delete()
        assert not stored(store, "t")

    def test_a_ttl_can_be_changed(self, store: Store) -> None:
        store.thread("t", ttl=HOUR).save({})
        store.thread("t", ttl=9 * HOUR).save({})
        aged(store, "t", 5 * HOUR)
        assert len(store.thread("t").history()) == 2
        store.thread("t").save({})
        aged(store, "t", 5 * HOUR)
        assert len(store.thread("t").history()) == 3

    def test_an_existing_thread_gets_a_ttl(self, store: Store) -> None:
        store.thread("t").save({})
        aged(store, "t", 9 * HOUR)
        store.thread("t", "inner", ttl=HOUR).save({})
        assert len(store.thread("t").history()) == 1
        assert store.verify().faults == ()

    def test_collecting_and_verifying_leave_it_whole(self, store: Store) -> None:
        thread = store.thread("t", ttl=HOUR)
        save_chain(thread, 5)
        thread.delete_checkpoints([thread.history()[3].id])
        aged(store, "t", HOUR + 1)
        assert store.verify().faults == ()
        assert store.collect().checkpoints == 1
        assert store.verify().faults == ()

    def test_it_does_not_travel(self, opened: Opener, store: Store) -> None:
        import holdfast

        store.thread("gone", ttl=HOUR).save({})
        store.thread("kept", ttl=HOUR).save({})
        aged(store, "gone", HOUR + 1)
        far = opened("b")
        near = [getattr(one, "_target", one) for one in (store, far)]
        engines = [one.sync if hasattr(one, "sync") else one for one in near]
        holdfast.copy(engines[0], engines[1])
        assert [one.id for one in far.threads()] == ["kept"]
        aged(far, "kept", 9 * HOUR)
        assert far.thread("kept").latest() is not None
