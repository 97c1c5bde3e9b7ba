"""Verify and repair: an intact store has no faults; a damaged row is found and set aside, and the rest stays usable."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast import InvalidArgument, Retention, Store
from holdfast._drive import run
from holdfast.backends.base import Batch, DropRow
from holdfast.backends.rows import KEYS, CheckpointRow, JournalRow, LineRow, Row, ThreadRow, with_checksum
from holdfast.testing.driver import AnyThread, StoreTests, everything, grown, ids, save_chain


def backend_of(store: Store) -> Any:
    """The backend below a store, which may be a wrapped async one."""
    return getattr(store, "_target", store)._calls.engine.backend


def rows_of(store: Store, kind: type[Any]) -> list[Any]:
    async def scanned() -> list[Any]:
        backend = backend_of(store)
        if kind is ThreadRow:
            return list(await backend.scan(kind, None, (), 1000))
        return [row for tree in await backend.trees(-1, 100) for row in await backend.scan(kind, tree, (), 1000)]

    return run(scanned)


def swap(store: Store, old: list[Row], new: list[Row]) -> None:
    """Replace rows directly in the backend."""
    drops = [DropRow(type(row), tuple(row[: KEYS[type(row)]])) for row in old]
    assert run(backend_of(store).commit, Batch([], [], drops, is_repair=True))
    assert run(backend_of(store).commit, Batch([], new, is_repair=True))
    getattr(store, "_target", store)._calls.engine.cache.clear()


class VerifiedStores(StoreTests):
    def test_an_empty_store_is_sound(self, store: Store) -> None:
        report = store.verify()
        assert (report.ok, report.faults, report.threads, report.rows) == (True, (), 0, 0)

    def test_a_store_with_some_of_everything_is_sound(self, store: Store) -> None:
        thread = store.thread("main", metadata={"user": "u1", "tags": ["a", "b"]})
        saved = save_chain(thread, 6, run_id="r")
        thread.put_writes(saved[-1].id, [("messages", ["x" * 100])], task_id="task")
        thread.save(grown(7), parent=saved[2].id, status="completed")
        store.thread("main", "inner").save(grown(1))
        fork = thread.fork(at=saved[3].id, to="fork")
        fork.save(grown(9))
        store.copy_thread("main", "copy")
        thread.journal.append("said", {"n": 1}, key="k")
        thread.label(saved[1].id, "good")
        thread.prune(Retention(keep_last=2))
        store.collect()
        report = store.verify()
        assert report.faults == ()
        assert (report.threads, report.ok) == (3, True)

    def test_progress_is_reported_for_each_tree(self, store: Store) -> None:
        for name in ("a", "b", "c"):
            store.thread(name).save(grown(1))
        reports: list[tuple[int, int]] = []
        store.verify(lambda done, total: reports.append((done, total)))
        assert reports == [(1, 3), (2, 3), (3, 3)]

    def test_every_table_is_read_once(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("a", "b"):
            save_chain(store.thread(name), 3)
        backend = backend_of(store)
        asked: list[tuple[Any, ...]] = []
        scan = type(backend).scan

        async def counted(self: Any, kind: Any, tree: Any, after: Any, limit: int) -> Any:
            asked.append((kind, tree, after))
            return await scan(self, kind, tree, after, limit)

        monkeypatch.setattr(type(backend), "scan", counted)
        store.verify()
        assert len(asked) == len(set(asked)) == 5 + 2 * 8  # the directory's tables, and those of two trees

    def test_a_changed_row_is_found_and_named(self, store: Store) -> None:
        saved = save_chain(store.thread("main"), 3)
        row = next(one for one in rows_of(store, CheckpointRow) if one.id == saved[1].id)
        swap(store, [row], [row._replace(node="other")])
        fault = next(one for one in store.verify().faults if one.kind == "checksum")
        assert (fault.table, fault.thread_id, fault.checkpoint_id) == ("checkpoint", "main", saved[1].id)
        assert "repair()" in fault.message

    def test_a_swapped_digest_is_found(self, thread: AnyThread, store: Store) -> None:
        save_chain(thread, 2)
        one, other = rows_of(store, CheckpointRow)
        swap(store, [other], [with_checksum(other._replace(digest=one.digest))])
        assert [fault.kind for fault in store.verify().faults] == ["digest"]

    def test_a_parent_with_a_later_number_is_a_fault(self, thread: AnyThread, store: Store) -> None:
        save_chain(thread, 3)
        row = next(one for one in rows_of(store, CheckpointRow) if one.seq == 2)
        swap(store, [row], [with_checksum(row._replace(parent_seq=3))])
        assert "lineage" in {fault.kind for fault in store.verify().faults}
        assert thread.lineage(row.id)

    def test_a_hole_in_a_journal_is_found_and_filled(self, thread: AnyThread, store: Store) -> None:
        thread.save(grown(0))
        for n in range(4):
            thread.journal.append("said", n)
        swap(store, [next(one for one in rows_of(store, JournalRow) if one.seq == 2)], [])
        plan = store.verify()
        assert [fault.kind for fault in plan.faults] == ["journal"]
        report = store.repair(plan)
        assert [lost.what for lost in report.lost] == ["entry 2 of the journal"]
        assert [one.kind for one in thread.journal.read()] == ["said", "holdfast.lost", "said", "said"]
        assert store.verify().ok

    def test_a_thread_that_leads_to_another_tree_is_led_back(self, store: Store) -> None:
        for name in ("a", "b"):
            save_chain(store.thread(name), 2)
        row, other = rows_of(store, ThreadRow)
        before = everything(store.thread("a"))
        swap(store, [row], [with_checksum(row._replace(tree=other.tree))])
        plan = store.verify()
        assert {fault.kind for fault in plan.faults} >= {"directory"}
        store.repair(plan)
        assert store.verify().ok
        assert everything(store.thread("a")) == before

    def test_a_damaged_line_is_rebuilt(self, store: Store) -> None:
        saved = save_chain(store.thread("main"), 4)
        (row,) = rows_of(store, LineRow)
        swap(store, [row], [row._replace(head_seq=2, checkpoints=9)])
        report = store.repair(store.verify())
        assert (report.lost, report.unrepaired, report.quarantined) == ((), (), 1)
        assert ids(store.thread("main").history()) == [one.id for one in reversed(saved)]
        assert store.verify().ok

    @pytest.mark.parametrize("copied", [False, True])
    def test_a_line_that_lost_its_namespace_gets_it_back_if_another_line_has_it(
        self, store: Store, copied: bool
    ) -> None:
        """Its checkpoints' digests include the name. If no other line has the name, it stays as it is."""
        store.thread("main").save(grown(1))
        saved = save_chain(store.thread("main", "inner"), 2)
        (row,) = [one for one in rows_of(store, LineRow) if one.namespace]
        if copied:
            store.copy_thread("main", "copy")
        swap(store, [row], [row._replace(namespace="inne")])
        assert store.repair(store.verify()).unrepaired == ()
        found = store.thread("main", "inner" if copied else "inne")
        assert ids(found.history()) == [one.id for one in reversed(saved)]

    def test_a_damaged_middle_leaves_the_rest(self, store: Store) -> None:
        thread = store.thread("main")
        saved = save_chain(thread, 5)
        save_chain(store.thread("other"), 2)
        row = next(one for one in rows_of(store, CheckpointRow) if one.id == saved[2].id)
        swap(store, [row], [row._replace(node="?")])
        assert [one.id for one in store.threads()] == ["main", "other"]
        assert thread.load(saved[4].id).state == grown(4)  # type: ignore[union-attr]
        assert thread.load(saved[0].id).state == grown(0)  # type: ignore[union-attr]
        plan = store.verify()
        dry = store.repair(plan, dry_run=True)
        assert not store.verify().ok
        done = store.repair(plan)
        assert (dry.lost, dry.quarantined, dry.dry_run) == (done.lost, done.quarantined, True)
        assert [(lost.thread_id, lost.checkpoint_id) for lost in done.lost] == [("main", saved[2].id)]
        assert ids(thread.history()) == [saved[n].id for n in (4, 3, 1, 0)]
        assert thread.load(saved[3].id).parent_id == saved[1].id  # type: ignore[union-attr]
        assert store.verify().ok
        (kept,) = store.quarantined()
        assert (kept.table, kept.columns[3]) == ("checkpoint", saved[2].id)
        assert thread.save(grown(5)).seq == 6

    def test_repair_accepts_the_report_of_verify(self, store: Store) -> None:
        with pytest.raises(InvalidArgument):
            store.repair({"faults": []})  # type: ignore[arg-type]
        report = store.repair(store.verify())
        assert (report.lost, report.mended, report.quarantined) == ((), (), 0)

    def test_a_fork_shows_after_a_collect_what_a_repair_left(self, store: Store) -> None:
        """What is lost is the parent of a checkpoint that no thread sees, through which a branch has its ancestors."""
        thread = store.thread("t")
        saved = save_chain(thread, 5)
        branch = thread.save({"n": 6}, parent=saved[3].id)
        thread.delete_checkpoints([saved[3].id])
        swap(store, [row for row in rows_of(store, CheckpointRow) if row.id == saved[2].id], [])
        store.repair(store.verify())
        fork = thread.fork(branch.id, to="fork")
        shown = [info.id for info in fork.history()]
        assert shown == [branch.id, saved[1].id, saved[0].id]
        assert store.verify().faults == ()
        store.collect()
        assert store.verify().faults == ()
        assert [info.id for info in fork.history()] == shown

    def test_a_lost_parent_is_found_that_was_not_the_first_one(self, store: Store) -> None:
        """A collect has given the child another parent, and that one is lost."""
        thread = store.thread("t")
        saved = save_chain(thread, 5)
        thread.delete_checkpoints([saved[2].id])
        store.collect()
        swap(store, [row for row in rows_of(store, CheckpointRow) if row.id == saved[1].id], [])
        report = store.verify()
        assert [fault.checkpoint_id for fault in report.faults if fault.kind == "lineage"] == [saved[3].id]
        store.repair(report)
        assert store.verify().faults == ()
        assert [row.parent_seq for row in rows_of(store, CheckpointRow) if row.id == saved[3].id] == [1]
