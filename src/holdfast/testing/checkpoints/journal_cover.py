"""Finding a checkpoint by how much of the journal it covers."""

from __future__ import annotations

from typing import Any

from holdfast import CheckpointInfo
from holdfast.testing.driver import AnyThread, StoreTests


def save_covering(thread: AnyThread, journal_seq: int, **fields: Any) -> CheckpointInfo:
    """A checkpoint that covers the journal up to this number."""
    last = thread.journal.latest()
    for number in range(0 if last is None else last.seq, journal_seq):
        thread.journal.append("event", number)
    return thread.save({"covered": journal_seq}, journal_seq=journal_seq, **fields)


def covered(thread: AnyThread, journal_seq: int) -> str | None:
    found = thread.at(journal_seq=journal_seq)
    return None if found is None else found.id


class JournalCover(StoreTests):
    def test_what_a_checkpoint_covers_is_kept(self, thread: AnyThread) -> None:
        save_covering(thread, 17)
        assert thread.history()[0].journal_seq == 17

    def test_at_a_journal_seq_is_the_greatest_covered_not_past_it(self, thread: AnyThread) -> None:
        saved = {n: save_covering(thread, n).id for n in (5, 10, 15)}
        assert [covered(thread, n) for n in (4, 5, 9, 10, 14, 15, 99)] == [
            None, saved[5], saved[5], saved[10], saved[10], saved[15], saved[15],
        ]  # fmt: skip

    def test_of_two_that_cover_the_same_the_later_saved_is_taken(self, thread: AnyThread) -> None:
        save_covering(thread, 5)
        second = save_covering(thread, 5)
        assert covered(thread, 5) == covered(thread, 7) == second.id

    def test_what_is_covered_counts_before_the_order_of_saving(self, thread: AnyThread) -> None:
        high = save_covering(thread, 10)
        low = save_covering(thread, 3)
        assert (covered(thread, 10), covered(thread, 9)) == (high.id, low.id)

    def test_at_a_journal_seq_follows_the_heads_lineage(self, thread: AnyThread) -> None:
        first = save_covering(thread, 1)
        save_covering(thread, 5)
        alive = save_covering(thread, 3, parent=first.id)
        assert (covered(thread, 9), covered(thread, 2)) == (alive.id, first.id)
