"""Deleting threads: a deleted thread stays deleted until the caller asks to reuse its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest

from holdfast import Deleted, Store
from holdfast.testing.driver import AnyThread, StoreTests, at_once, everything, grown, head, ids, save_chain

WRITES: Final[dict[str, Callable[[AnyThread, str], Any]]] = {
    "save": lambda thread, old: thread.save({}),
    "save with an id": lambda thread, old: thread.save(grown(0), id=old),
    "save onto nothing": lambda thread, old: thread.save({}, expect_head=""),
    "update": lambda thread, old: thread.update({"n": 1}),
    "label": lambda thread, old: thread.label(old, "x"),
    "put_writes": lambda thread, old: thread.put_writes(old, [("w", 1)], task_id="x"),
}


def _delete(threads: list[AnyThread], which: int) -> None:
    threads[which].delete()


class ThreadDeletion(StoreTests):
    def test_a_deleted_thread_is_not_found(self, store: Store, thread: AnyThread) -> None:
        (first,) = save_chain(thread, 1)
        thread.delete()
        for one in (thread, store.thread("main")):
            assert (one.latest(), one.load(first.id), one.history(), one.info()) == (None, None, [], None)
        assert store.threads() == []

    def test_delete_removes_all_namespaces(self, store: Store) -> None:
        for namespace in ("", "a", "a|b"):
            store.thread("t", namespace).save({})
        store.thread("t").delete()
        assert [store.thread("t", namespace).latest() for namespace in ("", "a", "a|b")] == [None] * 3

    def test_delete_from_an_inner_namespace_removes_the_thread(self, store: Store) -> None:
        store.thread("t").save({})
        store.thread("t", "inner").save({})
        store.thread("t", "inner").delete()
        assert store.thread("t").latest() is None

    def test_deleting_a_missing_thread_is_a_no_op(self, store: Store, thread: AnyThread) -> None:
        thread.delete()
        thread.save({})
        thread.delete()
        thread.delete()
        store.thread("main").delete()
        assert store.threads() == []

    def test_deleting_a_thread_that_never_was_does_not_bury_its_name(self, thread: AnyThread) -> None:
        thread.delete()
        thread.save({"n": 1})
        assert head(thread).state == {"n": 1}

    def test_delete_leaves_other_threads_alone(self, store: Store) -> None:
        for name in ("a", "A", "a/b"):
            save_chain(store.thread(name), 2)
        store.thread("a").delete()
        assert [info.id for info in store.threads()] == ["A", "a/b"]
        assert [found.state for found in everything(store.thread("a/b"))] == [grown(1), grown(0)]

    @pytest.mark.parametrize("write", list(WRITES))
    def test_a_late_write_of_an_older_handle_is_refused(self, store: Store, thread: AnyThread, write: str) -> None:
        old = thread.save(grown(0))
        store.thread("main").delete()
        with pytest.raises(Deleted):
            WRITES[write](thread, old.id)
        assert store.threads() == []

    @pytest.mark.parametrize("write", list(WRITES))
    def test_a_late_write_of_a_new_handle_is_refused(self, store: Store, thread: AnyThread, write: str) -> None:
        old = thread.save(grown(0))
        thread.delete()
        with pytest.raises(Deleted):
            WRITES[write](store.thread("main"), old.id)
        assert store.threads() == []

    @pytest.mark.parametrize("write", list(WRITES))
    def test_a_late_write_into_an_inner_namespace_is_refused(self, store: Store, write: str) -> None:
        store.thread("main").save({})
        inner = store.thread("main", "inner")
        old = inner.save(grown(0))
        store.thread("main").delete()
        for one in (inner, store.thread("main", "inner"), store.thread("main", "another")):
            with pytest.raises(Deleted):
                WRITES[write](one, old.id)
        assert store.threads() == []

    def test_reuse_starts_a_new_thread(self, store: Store, thread: AnyThread) -> None:
        save_chain(thread, 3)
        thread.delete()
        fresh = store.thread("main", reuse=True)
        first = fresh.save({"n": "new"})
        assert (first.seq, first.step, first.parent_id) == (1, 0, None)
        assert ids(fresh.history()) == [first.id]

    def test_a_new_handle_finds_the_new_thread_without_reuse(self, store: Store, thread: AnyThread) -> None:
        thread.save({})
        thread.delete()
        store.thread("main", reuse=True).save({"n": "new"})
        again = store.thread("main")
        assert head(again).state == {"n": "new"}
        assert again.save({"n": "more"}).seq == 2

    @pytest.mark.parametrize("write", list(WRITES))
    def test_an_older_handle_does_not_write_to_a_reused_name(self, store: Store, thread: AnyThread, write: str) -> None:
        old = thread.save(grown(0))
        store.thread("main").delete()
        fresh = store.thread("main", reuse=True)
        fresh.save(grown(0), id=old.id)
        before = everything(store.thread("main"))
        with pytest.raises(Deleted):
            WRITES[write](thread, old.id)
        assert everything(store.thread("main")) == before

    @pytest.mark.parametrize(
        "remove",
        [lambda t, i: t.delete(), lambda t, i: t.delete_run("r"), lambda t, i: t.delete_checkpoints([i])],
        ids=["delete", "delete_run", "delete_checkpoints"],
    )
    def test_an_older_handle_removes_nothing_from_a_reused_name(
        self, store: Store, thread: AnyThread, remove: Callable[[AnyThread, str], Any]
    ) -> None:
        thread.save({}, id="same", run_id="r")
        store.thread("main").delete()
        store.thread("main", reuse=True).save({}, id="same", run_id="r")
        with pytest.raises(Deleted):
            remove(thread, "same")
        assert ids(store.thread("main").history()) == ["same"]

    def test_an_older_handle_does_not_read_a_reused_name(self, store: Store, thread: AnyThread) -> None:
        thread.save({})
        store.thread("main").delete()
        store.thread("main", reuse=True).save({})
        for read in (thread.latest, thread.history, thread.info):
            with pytest.raises(Deleted):
                read()

    def test_a_name_can_be_reused_many_times(self, store: Store) -> None:
        handles = []
        for n in range(4):
            handles.append(store.thread("main", reuse=True))
            handles[-1].save({"n": n})
            assert head(store.thread("main")).state == {"n": n}
            store.thread("main").delete()
        for handle in handles:
            with pytest.raises(Deleted):
                handle.save({})

    def test_reuse_of_a_living_thread_is_that_thread(self, store: Store, thread: AnyThread) -> None:
        thread.save({"n": 1})
        assert store.thread("main", reuse=True).save({"n": 2}).seq == 2
        assert thread.save({"n": 3}).seq == 3

    def test_a_reused_name_has_none_of_the_old_metadata(self, store: Store) -> None:
        store.thread("t", metadata={"team": "red"}).save({}, status="paused")
        store.thread("t").delete()
        store.thread("t", reuse=True).save({})
        assert store.threads(where={"team": "red"}) == store.threads(where={"status": "paused"}) == []
        (info,) = store.threads()
        assert dict(info.metadata) == {}

    def test_deleting_a_fork_leaves_the_origin(self, thread: AnyThread) -> None:
        save_chain(thread, 3)
        before = everything(thread)
        fork = thread.fork()
        fork.save({"n": "f"})
        fork.delete()
        assert everything(thread) == before

    def test_a_deleted_name_is_refused_as_a_target_of_forks_and_copies(self, store: Store, thread: AnyThread) -> None:
        thread.save({})
        store.thread("f").save({})
        store.thread("f").delete()
        with pytest.raises(Deleted):
            thread.fork(to="f")
        with pytest.raises(Deleted):
            store.copy_thread("main", "f")
        assert [info.id for info in store.threads()] == ["main"]

    def test_forks_that_are_deleted_at_once_leave_nothing(self, store: Store) -> None:
        for number in range(15):
            store.thread(f"{number}").save({"n": number})
            store.thread(f"{number}").fork(to=f"{number}/fork")
            both = [store.thread(f"{number}"), store.thread(f"{number}/fork")]
            at_once(2, partial(_delete, both))
        report = store.verify()
        assert (report.faults, report.checkpoints) == ((), 0)
