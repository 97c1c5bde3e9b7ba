"""Pruning: what any rule keeps stays, and the report says why."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holdfast import InvalidArgument, Retention, Store
from holdfast.testing.driver import AnyThread, StoreTests, everything, grown, ids, loaded, save_chain


class Pruning(StoreTests):
    def test_the_last_ones_stay(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 6)
        report = thread.prune(Retention(keep_last=2))
        assert ids(thread.history()) == [saved[5].id, saved[4].id]
        assert [found.state for found in everything(thread)] == [grown(5), grown(4)]
        assert report.removed == tuple(one.id for one in reversed(saved[:4]))
        assert (report.kept, report.kept_by, report.dry_run) == (2, {"head": 1, "keep_last": 2}, False)

    def test_a_dry_run_tells_the_same_and_removes_nothing(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 4)
        told = thread.prune(Retention(keep_last=1), dry_run=True)
        assert ids(thread.history()) == [one.id for one in reversed(saved)]
        done = thread.prune(Retention(keep_last=1))
        assert (told.removed, told.kept, told.kept_by, told.dry_run) == (done.removed, done.kept, done.kept_by, True)

    def test_none_means_one(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        thread.prune(Retention(keep_last=0))
        assert ids(thread.history()) == [saved[-1].id]

    def test_survivors_go_on(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 5)
        thread.prune(Retention(keep_last=2))
        after = thread.save(grown(5))
        assert (after.parent_id, after.seq) == (saved[-1].id, 6)
        assert loaded(thread, saved[3]).parent_id is None

    def test_the_count_is_of_the_lineage_that_is_left(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 6)
        thread.delete_checkpoints([saved[4].id, saved[3].id])
        thread.prune(Retention(keep_last=3))
        assert ids(thread.history()) == [saved[5].id, saved[2].id, saved[1].id]

    def test_branches_that_were_left_go(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        left = thread.save({"n": 9}, parent=saved[1].id)
        head = thread.save({"n": 10}, parent=saved[2].id)
        report = thread.prune(Retention(keep_lineage=True))
        assert report.removed == (left.id,)
        assert ids(thread.history()) == [head.id, *(one.id for one in reversed(saved))]

    def test_labels_ends_and_questions_stay(self, thread: AnyThread) -> None:
        labelled = thread.save({"n": 0}, label="approved")
        ended = thread.save({"n": 1}, status="completed")
        asked = thread.save({"n": 2}, status="interrupted")
        answered = thread.save({"n": 3}, status="interrupted", parent=ended.id)
        head = thread.save({"n": 4}, parent=answered.id)
        report = thread.prune(Retention(keep_last=1, keep_terminal=True))
        assert ids(thread.history()) == [head.id, asked.id, ended.id, labelled.id]
        assert report.kept_by == {"head": 1, "keep_last": 1, "keep_terminal": 1, "interrupted": 1, "label": 1}

    def test_the_young_stay(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        assert thread.prune(Retention(max_age=timedelta(hours=1))).removed == ()
        thread.prune(Retention(max_age=timedelta(0)))
        assert ids(thread.history()) == [saved[-1].id]

    def test_each_namespace_has_its_own_count(self, store: Store) -> None:
        root, inner = store.thread("t"), store.thread("t", "inner")
        for n in range(4):
            root.save({"n": n})
            inner.save({"n": n})
        root.prune(Retention(keep_last=2))
        assert [len(one.history()) for one in (root, inner)] == [2, 2]

    def test_a_namespace_of_one_call_goes_with_it(self, store: Store) -> None:
        root = store.thread("t")
        first = root.save({"n": 0})
        store.thread("t", "call:1").save({"n": 1}, origin=first.id)
        second = root.save({"n": 1})
        store.thread("t", "call:2").save({"n": 2}, origin=second.id)
        root.prune(Retention(keep_last=1))
        assert store.thread("t", "call:1").latest() is None
        assert store.thread("t", "call:2").latest() is not None

    def test_forks_keep_what_they_see(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 5)
        fork = thread.fork(at=saved[2].id)
        thread.prune(Retention(keep_last=1))
        assert ids(fork.history()) == [saved[2].id, saved[1].id, saved[0].id]
        fork.prune(Retention(keep_last=1))
        assert ids(fork.history()) == [saved[2].id]
        assert ids(thread.history()) == [saved[4].id]

    def test_a_thread_that_is_not_there_has_nothing_to_prune(self, thread: AnyThread) -> None:
        assert thread.prune(Retention(keep_last=1)).removed == ()

    @pytest.mark.parametrize("what", [Retention(), Retention(keep_last=-1), {"keep_last": 1}, None])
    def test_a_retention_has_to_say_something(self, thread: AnyThread, what: Retention) -> None:
        saved = save_chain(thread, 2)
        with pytest.raises(InvalidArgument):
            thread.prune(what)
        assert len(thread.history()) == len(saved)
