"""Pruning: what any rule keeps stays, and the report says why."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holdfast import CheckpointInfo, InvalidArgument, Retention, Store
from holdfast.testing.driver import AnyThread, StoreTests, everything, grown, ids, loaded, save_chain

BAD = [
    Retention(),
    Retention(keep_every=[]),
    Retention(keep_last_in={}),
    Retention(keep_last=-1),
    Retention(keep_last_in={"tools": -1}),
    Retention(covered_before=-1),
    Retention(keep_every=[(timedelta(0), timedelta(days=1))]),
    Retention(keep_every=[timedelta(hours=1)]),  # type: ignore[list-item]
    Retention(max_age=3600),  # type: ignore[arg-type]
    Retention(max_age=timedelta(seconds=-1)),
    Retention(keep_last=1, keep_terminal=1),  # type: ignore[arg-type]
    Retention(keep_last=1, keep_lineage="yes"),  # type: ignore[arg-type]
    Retention(keep_last=1, keep_last_in={1: 2}),  # type: ignore[dict-item]
    Retention(keep_last=1, keep_last_in=[("tools", 1)]),  # type: ignore[arg-type]
    Retention(keep_every=timedelta(hours=1)),  # type: ignore[arg-type]
    {"keep_last": 1},
    None,
]


class PrunedThreads(StoreTests):
    def test_the_last_ones_stay(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 6)
        report = thread.prune(Retention(keep_last=2))
        assert ids(thread.history()) == [saved[5].id, saved[4].id]
        assert [found.state for found in everything(thread)] == [grown(5), grown(4)]
        assert report.removed == tuple(one.id for one in reversed(saved[:4]))
        assert (report.kept, report.kept_by, report.dry_run) == (2, {"head": 1, "keep_last": 2}, False)

    def test_a_dry_run_reports_the_same_and_removes_nothing(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 4)
        dry = thread.prune(Retention(keep_last=1), dry_run=True)
        assert ids(thread.history()) == [one.id for one in reversed(saved)]
        done = thread.prune(Retention(keep_last=1))
        assert (dry.removed, dry.kept, dry.kept_by, dry.dry_run) == (done.removed, done.kept, done.kept_by, True)

    def test_none_means_one(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        thread.prune(Retention(keep_last=0))
        assert ids(thread.history()) == [saved[-1].id]

    def test_a_thread_continues_after_a_prune(self, thread: AnyThread) -> None:
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

    def test_a_namespace_of_one_call_is_removed_with_it(self, store: Store) -> None:
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

    def test_a_namespace_may_have_a_window_of_its_own(self, store: Store) -> None:
        names = ("", "tools", "tools:1", "tools:1|deep:2", "plan")
        for name in names:
            save_chain(store.thread("t", name), 4)
        store.thread("t").prune(Retention(keep_last=3, keep_last_in={"tools": 1, "tools:1|deep": 2}))
        assert [len(store.thread("t", name).history()) for name in names] == [3, 1, 1, 2, 3]

    def test_the_last_of_every_so_long_stays(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 6)
        long = timedelta(days=30_000)
        report = thread.prune(Retention(keep_every=[(long, long * 2)]))
        assert ids(thread.history()) == [saved[-1].id]
        assert report.kept_ids == {"head": (saved[-1].id,), "keep_every": (saved[-1].id,)}

    def test_of_every_moment_each_stays_while_it_is_young(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        moment, young = timedelta(microseconds=1), timedelta(days=1)
        assert thread.prune(Retention(keep_every=[(moment, young)])).removed == ()
        thread.prune(Retention(keep_every=[(moment, moment)]))
        assert ids(thread.history()) == [saved[-1].id]

    def test_what_covers_enough_of_the_journal_stays(self, thread: AnyThread) -> None:
        saved = [self._covering(thread, n) for n in range(1, 7)]
        report = thread.prune(Retention(covered_before=4))
        assert ids(thread.history()) == [one.id for one in reversed(saved[3:])]
        assert report.kept_by["covered_before"] == 3

    def test_the_last_end_stays_with_what_covers_enough(self, thread: AnyThread) -> None:
        ends = [self._covering(thread, n, "completed") for n in (1, 2, 3)]
        saved = [self._covering(thread, n) for n in (4, 5, 6)]
        report = thread.prune(Retention(covered_before=5, keep_terminal=True))
        assert ids(thread.history()) == [saved[2].id, saved[1].id, ends[2].id]
        assert report.kept_ids["keep_terminal"] == (ends[2].id,)

    def _covering(self, thread: AnyThread, seq: int, status: str = "running") -> CheckpointInfo:
        assert thread.journal.append("event", {"n": seq}) == seq
        return thread.save({"n": seq}, status=status)

    def test_the_journal_is_trimmed_to_what_is_needed(self, thread: AnyThread) -> None:
        for seq in range(1, 6):
            self._covering(thread, seq)
        kept = thread.journal.append("payment", {"id": 7}, key="payment-7")
        for seq in range(7, 10):
            self._covering(thread, seq)
        dry = thread.prune(Retention(keep_last=2), dry_run=True)
        assert len(thread.journal.read()) == 9
        done = thread.prune(Retention(keep_last=2))
        assert dry.journal == done.journal == 7
        assert [one.seq for one in thread.journal.read()] == [kept, 9]
        assert thread.journal.append("payment", {"id": 7}, key="payment-7") == kept
        assert thread.journal.append("event", {}) == 10
        assert [one.seq for one in thread.journal.read(after=kept, limit=1)] == [9]

    def test_trimming_again_removes_what_was_added_since(self, thread: AnyThread) -> None:
        for seq in range(1, 4):
            self._covering(thread, seq)
        assert thread.prune(Retention(keep_last=1)).journal == 2
        for seq in range(4, 6):
            self._covering(thread, seq)
        assert thread.prune(Retention(keep_last=1)).journal == 2
        assert [one.seq for one in thread.journal.read()] == [5]
        latest = thread.journal.latest()
        assert latest is not None
        assert latest.seq == 5

    def test_a_fork_keeps_the_journal_that_it_sees(self, thread: AnyThread) -> None:
        saved = [self._covering(thread, seq) for seq in range(1, 6)]
        fork = thread.fork(at=saved[2].id)
        assert thread.prune(Retention(keep_last=1)).journal == 1
        assert [one.seq for one in fork.journal.read()] == [1, 2, 3]
        assert [one.seq for one in thread.journal.read()] == [1, 2, 3, 5]

    def test_the_report_says_what_collect_will_free(self, thread: AnyThread) -> None:
        for n in range(20):
            thread.save({"text": f"{n} " * 1000})
        dry = thread.prune(Retention(keep_last=1), dry_run=True)
        assert dry.bytes_to_free > 0
        assert thread.prune(Retention(keep_last=1)).bytes_to_free == dry.bytes_to_free

    def test_a_whole_store(self, store: Store) -> None:
        saved = {name: save_chain(store.thread(name), 4) for name in ("a", "b", "c")}
        dry = store.prune(Retention(keep_last=3), dry_run=True)
        seen: list[tuple[int, int]] = []
        done = store.prune(Retention(keep_last=3), progress=lambda done, known: seen.append((done, known)))
        assert dry.by_thread == done.by_thread == {name: (chain[0].id,) for name, chain in saved.items()}
        assert (done.threads, done.kept, done.kept_by["keep_last"]) == (3, 9, 9)
        assert seen == [(1, 3), (2, 3), (3, 3)]
        assert [info.checkpoints for info in store.threads()] == [3, 3, 3]

    def test_a_missing_thread_has_nothing_to_prune(self, thread: AnyThread) -> None:
        assert thread.prune(Retention(keep_last=1)).removed == ()

    def test_what_a_removed_call_left_open_stays(self, store: Store) -> None:
        thread = store.thread("t")
        for n in range(4):
            thread.save(grown(n))
            inner = store.thread("t", f"tool:{n}")
            if n == 0:
                inner.save({"x": n})
                inner.save({"x": n}, id="labelled", label="approved")
            elif n == 1:
                inner.save({"x": n}, id="waits", status="interrupted")
            elif n == 2:
                inner.save({"x": n})
        report = thread.prune(Retention(keep_last=1))
        assert (report.kept_by["label"], report.kept_by["interrupted"]) == (1, 1)
        left = [ids(store.thread("t", f"tool:{n}").history()) for n in range(3)]
        assert left == [["labelled"], ["waits"], []]
        waiting = store.thread("t", "tool:1").latest()
        assert waiting is not None
        assert waiting.status == "interrupted"

    @pytest.mark.parametrize("what", BAD)
    def test_an_empty_retention_is_refused(self, thread: AnyThread, what: Retention) -> None:
        saved = save_chain(thread, 2)
        with pytest.raises(InvalidArgument):
            thread.prune(what)
        assert len(thread.history()) == len(saved)
