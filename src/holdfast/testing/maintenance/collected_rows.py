"""Collecting: unreachable rows are removed, and readers see no difference."""

from __future__ import annotations

from typing import Any

from holdfast import Retention, Store
from holdfast.testing.driver import AnyThread, StoreTests, everything, grown, ids, save_chain


def shown(store: Store) -> dict[str, Any]:
    """Everything the store shows of every thread, in the namespaces that these tests use."""
    found: dict[str, Any] = {}
    for one in store.threads(limit=None):
        for namespace in ("", "inner", "call"):
            thread = store.thread(one.id, namespace)
            found[f"{one.id}|{namespace}"] = (one, thread.latest(), everything(thread), thread.journal.read())
            for checkpoint in thread.history():
                found[f"{one.id}|{namespace}|{checkpoint.id}"] = thread.lineage(checkpoint.id)
    return found


class CollectedRows(StoreTests):
    def collected(self, store: Store) -> Any:
        """Collect, and check that readers of this store and of a second one on the same rows see no difference."""
        before = shown(store)
        report = store.collect()
        assert shown(store) == before
        assert report.skipped == ()
        assert store.collect().rows == 0
        return report

    def test_nothing_to_do(self, store: Store) -> None:
        assert (store.collect().rows, store.collect().trees) == (0, 0)
        save_chain(store.thread("t"), 3)
        report = self.collected(store)
        assert (report.rows, report.checkpoints, report.trees) == (0, 0, 1)

    def test_pruned_checkpoints_go(self, store: Store) -> None:
        thread = store.thread("t")
        saved = save_chain(thread, 30)
        thread.put_writes(saved[3].id, [("log", "x" * 100)], task_id="task")
        thread.put_writes(saved[29].id, [("log", "y" * 100)], task_id="task")
        thread.prune(Retention(keep_last=5))
        report = self.collected(store)
        assert (report.checkpoints, report.writes) == (25, 1)
        again = thread.save(grown(31))
        assert again.parent_id == saved[-1].id
        assert [one.id for one in thread.lineage(again.id)] == [again.id, *(one.id for one in reversed(saved[25:]))]

    def test_a_thread_that_continues_after_a_collect_counts_from_what_is_left(self, store: Store) -> None:
        """A fork below the fork point of another takes its count from the checkpoint at which it is made."""
        thread = store.thread("t")
        saved = save_chain(thread, 3)
        early = thread.fork(to="early")
        thread.delete_checkpoints([saved[0].id])
        self.collected(store)
        late = [thread.save(grown(number)) for number in (4, 5)]
        again = thread.fork(late[1].id, to="again").fork(late[0].id, to="twice")
        early.save(grown(9))
        other = early.fork(to="other").fork(saved[2].id, to="below")
        for one, size in ((thread, 4), (again, 3), (early, 4), (other, 3)):
            info = one.info()
            assert info is not None
            assert (info.checkpoints, len(one.history())) == (size, size)
        assert store.verify().faults == ()

    def test_values_that_no_checkpoint_has_go(self, store: Store) -> None:
        thread = store.thread("t")
        for number in range(40):
            thread.save({"page": f"{number} " * 3000, "kept": "k" * 500})
        thread.prune(Retention(keep_last=1))
        assert self.collected(store).values >= 30

    def test_what_is_kept_in_between_stays_connected(self, store: Store) -> None:
        thread = store.thread("t")
        saved = save_chain(thread, 12)
        for place in (2, 5, 8):
            thread.label(saved[place].id, "kept")
        branch = thread.save({"n": 1}, parent=saved[4].id, label="branch")
        last = thread.save({"n": 2}, parent=saved[11].id)
        thread.prune(Retention(keep_last=1))
        assert self.collected(store).checkpoints == 9
        assert [one.id for one in thread.lineage(last.id)] == [last.id, *(saved[place].id for place in (8, 5, 2))]
        assert [one.id for one in thread.lineage(branch.id)] == [branch.id, saved[2].id]

    def test_what_forks_see_stays(self, store: Store) -> None:
        thread = store.thread("t")
        saved = save_chain(thread, 20)
        fork = thread.fork(at=saved[9].id)
        deeper = fork.fork(at=saved[4].id)
        thread.prune(Retention(keep_last=1))
        assert self.collected(store).checkpoints == 9  # those after the fork point
        fork.delete()
        assert self.collected(store).checkpoints == 4  # the point where it was forked off stays
        assert ids(deeper.history()) == [one.id for one in reversed(saved[:5])]
        deeper.save(grown(6))
        deeper.prune(Retention(keep_last=1))
        assert self.collected(store).checkpoints >= 3

    def test_a_fork_made_afterwards_counts_what_is_left(self, store: Store) -> None:
        thread = store.thread("t")
        saved = save_chain(thread, 9)
        thread.delete_checkpoints([saved[2].id, saved[3].id, saved[6].id])
        self.collected(store)
        fork = thread.fork(at=saved[7].id, to="fork")
        info = fork.info()
        assert info is not None
        assert info.checkpoints == len(fork.history()) == 5

    def test_a_fork_continues_after_its_origin_is_removed(self, store: Store) -> None:
        thread = store.thread("t")
        saved = save_chain(thread, 6)
        fork = thread.fork(at=saved[2].id, to="fork")
        fork.save(grown(4))
        thread.delete()
        self.collected(store)
        assert [found.state for found in everything(fork)] == [grown(4), grown(2), grown(1), grown(0)]
        fork.save(grown(5))
        assert len(fork.history()) == 5

    def test_a_tree_without_threads_is_removed(self, store: Store) -> None:
        thread = store.thread("t")
        save_chain(thread, 6)
        fork = thread.fork()
        fork.save({"n": 1})
        thread.delete()
        fork.delete()
        self.collected(store)
        assert store.collect().trees == 0

    def test_copies_and_namespaces(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "inner")
        for number in range(6):
            first = thread.save({"n": number})
            inner.save({"n": number * 10}, origin=first.id)
        store.copy_thread("t", "copy")
        fork = thread.fork(at=thread.history()[2].id, to="fork")
        thread.prune(Retention(keep_last=1))
        self.collected(store)
        thread.delete()
        self.collected(store)
        store.thread("copy").delete()
        assert self.collected(store).checkpoints == 4  # of each namespace, what came after the fork point
        assert len(store.thread("fork", "inner").history()) == len(fork.history()) == 4

    def test_the_journal_of_a_deleted_origin_stays_as_far_as_a_fork_reads_it(self, store: Store) -> None:
        thread = store.thread("t")
        for number in range(4):
            thread.journal.append("note", number)
            thread.save({"n": number})
        fork = thread.fork(at=thread.history()[2].id, to="fork")
        thread.delete()
        report = self.collected(store)
        assert report.rows >= 4
        assert [one.data for one in fork.journal.read()] == [0, 1]

    def test_space_is_returned(self, store: Store) -> None:
        thread = store.thread("t")
        for number in range(60):
            thread.save({"page": f"{number} " * 5000})
        thread.prune(Retention(keep_last=1))
        report = store.collect()
        assert report.bytes_after <= report.bytes_before + 256 * 1024  # a server keeps it for later
        for number in range(60):
            thread.save({"page": f"{number} " * 5000})
        assert store.bytes_stored() <= 2 * report.bytes_before

    def test_progress_is_reported(self, store: Store) -> None:
        for number in range(3):
            save_chain(store.thread(str(number)), 2)
        reports: list[tuple[int, int]] = []
        store.collect(progress=lambda done, known: reports.append((done, known)))
        assert reports == [(1, 3), (2, 3), (3, 3)]

    def test_while_others_write(self, thread: AnyThread, store: Store) -> None:
        saved = save_chain(thread, 10)
        thread.prune(Retention(keep_last=2))
        fork = thread.fork(at=saved[8].id, to="fork")
        store.collect()
        thread.save(grown(11))
        fork.save(grown(10))
        assert (len(thread.history()), len(fork.history())) == (3, 2)
