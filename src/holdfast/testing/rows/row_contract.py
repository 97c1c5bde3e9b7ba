"""Batches: applied completely or not at all, and rows that were put are found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, get_args, get_type_hints

import pytest

from holdfast.backends.base import (
    Batch,
    CheckpointAt,
    CheckpointThere,
    ChunkAt,
    ClockNear,
    Drop,
    DropChunks,
    DropEarlyWrites,
    DropRow,
    DropTree,
    EarlyWritesAt,
    Expect,
    ForksAt,
    IdFree,
    KeyFree,
    LineAt,
    NamespaceFree,
    PendingAt,
    RootAt,
    ThreadAbsent,
    ThreadAt,
    TombstoneAt,
    Want,
)
from holdfast.backends.rows import KEY, KEYS, OF_TREES, OP, ChunkRow, Row, is_sound, key_of, with_checksum
from holdfast.errors import LookAtTheStorage
from holdfast.testing.driver import at_once
from holdfast.testing.rows.row_samples import (
    ALL,
    BASICS,
    JOURNAL,
    OVERLAY,
    QUARANTINE,
    RUN,
    SETTLED,
    TAG,
    TOMBSTONE,
    RowTests,
    checkpoint_row,
    chunk_row,
    early_write_row,
    line_row,
    log_row,
    pending_row,
    put,
    run_row,
    seen,
    thread_row,
    tombstone_row,
)

DAY: Final = 24 * 3600 * 1_000_000
PENDING_AT: Final = PendingAt._make((*key_of(pending_row()), pending_row().sum))
EXPECTS: Final[dict[str, tuple[Sequence[Row], Expect, bool]]] = {
    "LineAt, as it is": (BASICS, LineAt(1, 10, 1), True),
    "LineAt, older": (BASICS, LineAt(1, 10, 0), False),
    "LineAt, newer": (BASICS, LineAt(1, 10, 2), False),
    "LineAt, of another tree": (BASICS, LineAt(2, 10, 1), False),
    "LineAt, none expected": ([], LineAt(1, 10, 0), True),
    "LineAt, none there": ([], LineAt(1, 10, 1), False),
    "NamespaceFree, free": (BASICS, NamespaceFree(1, 10, "inner"), True),
    "NamespaceFree, taken": (BASICS, NamespaceFree(1, 10, ""), False),
    "NamespaceFree, of another thread": (BASICS, NamespaceFree(1, 11, ""), True),
    "RootAt, as it is": ([line_row(forks=3, epoch=2, journal=7)], RootAt(1, 10, 3, 2, 7), True),
    "RootAt, forked since": ([line_row(forks=3, epoch=2, journal=7)], RootAt(1, 10, 2, 2, 7), False),
    "RootAt, taken since": ([line_row(forks=3, epoch=2, journal=7)], RootAt(1, 10, 3, 1, 7), False),
    "RootAt, appended since": ([line_row(forks=3, epoch=2, journal=7)], RootAt(1, 10, 3, 2, 6), False),
    "RootAt, gone": ([], RootAt(1, 10, 0, 0, 0), False),
    "ForksAt, as often": ([line_row(forks=3)], ForksAt(1, 10, 3), True),
    "ForksAt, forked since": ([line_row(forks=3)], ForksAt(1, 10, 2), False),
    "ForksAt, gone": ([], ForksAt(1, 10, 0), False),
    "ThreadAbsent, absent": (BASICS, ThreadAbsent("T"), True),
    "ThreadAbsent, there": (BASICS, ThreadAbsent("t"), False),
    "ThreadAt, there": (BASICS, ThreadAt("t", 10), True),
    "ThreadAt, elsewhere": (BASICS, ThreadAt("t", 11), False),
    "ThreadAt, gone": ([], ThreadAt("t", 10), False),
    "TombstoneAt, never deleted": ([], TombstoneAt(TOMBSTONE, 0), True),
    "TombstoneAt, not deleted yet": ([], TombstoneAt(TOMBSTONE, 1), False),
    "TombstoneAt, as often": ([tombstone_row(2)], TombstoneAt(TOMBSTONE, 2), True),
    "TombstoneAt, less often": ([tombstone_row(2)], TombstoneAt(TOMBSTONE, 1), False),
    "TombstoneAt, never expected": ([tombstone_row(2)], TombstoneAt(TOMBSTONE, 0), False),
    "CheckpointAt, as it is": (BASICS, CheckpointAt(1, 10, 1, checkpoint_row().sum), True),
    "CheckpointAt, another": (BASICS, CheckpointAt(1, 10, 1, checkpoint_row().sum + 1), False),
    "CheckpointAt, gone": ([], CheckpointAt(1, 10, 1, checkpoint_row().sum), False),
    "ChunkAt, as it is": ([chunk_row(6, 4)], ChunkAt(1, 6, 4, chunk_row(6, 4).sum), True),
    "ChunkAt, another": ([chunk_row(6, 4)], ChunkAt(1, 6, 4, chunk_row(6, 4).sum + 1), False),
    "ChunkAt, gone": ([chunk_row(6, 4)], ChunkAt(1, 6, 5, chunk_row(6, 4).sum), False),
    "IdFree, free": (BASICS, IdFree(1, 10, "A"), True),
    "IdFree, taken": (BASICS, IdFree(1, 10, "a"), False),
    "IdFree, in another line": (BASICS, IdFree(1, 11, "a"), True),
    "KeyFree, free": ([JOURNAL], KeyFree(1, 10, "K"), True),
    "KeyFree, taken": ([JOURNAL], KeyFree(1, 10, "k"), False),
    "KeyFree, in another line": ([JOURNAL], KeyFree(1, 11, "k"), True),
    "CheckpointThere, there": (BASICS, CheckpointThere(1, 10, 1), True),
    "CheckpointThere, not there": (BASICS, CheckpointThere(1, 10, 2), False),
    "CheckpointThere, in another line": (BASICS, CheckpointThere(1, 11, 1), False),
    "PendingAt, as it is": ([pending_row()], PENDING_AT, True),
    "PendingAt, replaced": ([pending_row(body=b"x")], PENDING_AT, False),
    "PendingAt, gone": ([], PENDING_AT, False),
    "EarlyWritesAt, none": ([], EarlyWritesAt("t", "n", "c", 0), True),
    "EarlyWritesAt, as many": ([early_write_row()], EarlyWritesAt("t", "n", "c", 1), True),
    "EarlyWritesAt, more": ([early_write_row(), early_write_row(idx=1)], EarlyWritesAt("t", "n", "c", 1), False),
    "EarlyWritesAt, fewer": ([early_write_row()], EarlyWritesAt("t", "n", "c", 2), False),
    "ClockNear, near": ([], ClockNear(time.time_ns() // 1000, 2 * DAY), True),
    "ClockNear, behind": ([], ClockNear(time.time_ns() // 1000 - 2 * DAY, DAY), False),
    "ClockNear, ahead": ([], ClockNear(time.time_ns() // 1000 + 2 * DAY, DAY), False),
    "EarlyWritesAt, of another checkpoint": ([early_write_row()], EarlyWritesAt("t", "n", "C", 0), True),
}  # fmt: skip


def dropped(row: Row) -> DropRow:
    return DropRow(type(row), key_of(row))


DROPS: Final[dict[str, tuple[Drop, set[str]]]] = {
    "a thread": (dropped(thread_row()), {"found", "inner", "threads", "of", "listed", "tagged"}),
    "a tombstone": (dropped(tombstone_row(3)), {"tombstone"}),
    "a tag": (dropped(TAG), {"tagged"}),
    "a checkpoint": (dropped(checkpoint_row()), {"found", "checkpoints", "id", "ids", "listed", "tagged"}),
    "an overlay": (dropped(OVERLAY), {"overlays"}),
    "a log": (dropped(log_row(7, 6, 2)), {"chunks"}),
    "a chunk": (dropped(chunk_row(6, 0, KEY)), {"chunks"}),
    "a pending write": (dropped(pending_row()), {"pending"}),
    "settled writes": (dropped(SETTLED), {"settled"}),
    "an early write": (dropped(early_write_row()), {"early_writes"}),
    "a thread's early writes": (DropEarlyWrites("t", 6), {"early_writes"}),
    "old early writes": (DropEarlyWrites("", 6), {"early_writes"}),
    "early writes of another thread": (DropEarlyWrites("T", 6), set()),
    "early writes, if they were older": (DropEarlyWrites("t", 5), set()),
    "an entry of the journal": (dropped(JOURNAL), {"journal", "key"}),
    "a run": (dropped(RUN), {"runs"}),
    "a row of the quarantine": (dropped(QUARANTINE), {"quarantine"}),
    "chunks": (DropChunks(1, 7, 0, 5), {"chunks"}),
    "what is not there": (dropped(checkpoint_row(seq=9)), set()),
    "chunks that are not there": (DropChunks(1, 7, 5, 9), set()),
    "a tree that is not there": (DropTree(2), set()),
}


def with_each_column_changed(row: Row) -> list[Row]:
    """The row with another value in one column, for each column that is not part of the key. Their checksums hold."""
    own: Any = row
    return [with_checksum(own._replace(**{name: _other(own, name)})) for name in row._fields[KEYS[type(row)] : -1]]


def _other(row: Row, name: str) -> Any:
    hint = get_type_hints(type(row))[name]
    added: Any = next(one for one in (1, "x", b"x") if type(one) in (hint, *get_args(hint)))
    value = getattr(row, name)
    return added if value is None else value + added


def scanned(backend: Any, kind: type[Row]) -> list[Row]:
    """All rows of a kind, in the order of their keys."""
    found: list[Row] = backend.scan(kind, 1 if kind in OF_TREES else None, (), 99)
    return found


REPLACEABLE: Final = [row for row in ALL if not isinstance(row, ChunkRow)]


class Commits(RowTests):
    def test_every_expectation_is_tested(self) -> None:
        assert {type(expect) for _, expect, _ in EXPECTS.values()} == set(get_args(Expect))

    def test_what_is_put_is_found(self, backend: Any) -> None:
        nothing = seen(backend)
        put(backend, *ALL)
        found = seen(backend)
        assert {name for name in found if found[name] == nothing[name]} == set()
        assert found["found"] == (thread_row(), line_row(), line_row(), checkpoint_row(), 0, "")
        assert found["inner"] == (thread_row(), line_row(), None, None, 0, "")
        assert found["tombstone"] == (None, None, None, None, 3, "")
        assert (found["overlays"], found["pending"], found["runs"]) == ([OVERLAY], [pending_row()], [RUN])

    @pytest.mark.parametrize("name", list(EXPECTS))
    def test_an_expectation_decides(self, backend: Any, name: str) -> None:
        rows, expect, holds = EXPECTS[name]
        put(backend, *rows)
        assert backend.commit(Batch([expect], [run_row("new", 1, 1)])) is holds
        assert len(backend.run_lines("new")) == int(holds)

    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_one_failed_expectation_among_several_changes_nothing(self, backend: Any, place: int) -> None:
        put(backend, *ALL)
        before = seen(backend)
        expects: list[Expect] = [LineAt(1, 10, 1), CheckpointThere(1, 10, 1)]
        expects.insert(place, ThreadAbsent("t"))
        puts: list[Row] = [
            line_row(version=2),
            checkpoint_row(id="b", seq=2),
            thread_row(metadata=b"new"),
            chunk_row(7, 1),
        ]
        drops: list[Drop] = [DropTree(1), dropped(TAG), dropped(thread_row())]
        assert backend.commit(Batch(expects, puts, drops, [pending_row(idx=1)])) is False
        assert seen(backend) == before

    def test_expectations_are_checked_before_the_batch_is_applied(self, backend: Any) -> None:
        assert backend.commit(Batch([LineAt(1, 10, 0), ThreadAbsent("t"), IdFree(1, 10, "a")], BASICS)) is True
        assert backend.commit(Batch([LineAt(1, 10, 0), ThreadAbsent("t"), IdFree(1, 10, "a")], BASICS)) is False

    def test_an_empty_batch_is_applied(self, backend: Any) -> None:
        assert backend.commit(Batch([], [])) is True

    @pytest.mark.parametrize("row", REPLACEABLE, ids=lambda row: type(row).__name__ + str(ALL.index(row)))
    def test_a_row_that_is_put_again_is_replaced(self, backend: Any, row: Row) -> None:
        put(backend, *ALL)
        before = seen(backend)
        put(backend, row)
        assert seen(backend) == before

    @pytest.mark.parametrize("row", REPLACEABLE, ids=lambda row: type(row).__name__)
    def test_every_column_of_a_row_that_is_put_again_is_replaced(self, backend: Any, row: Row) -> None:
        put(backend, *ALL)
        others = [one for one in scanned(backend, type(row)) if one != row]
        for changed in (*with_each_column_changed(row), row._replace(sum=row.sum ^ 1), row):
            put(backend, changed)
            assert scanned(backend, type(row)) == sorted([*others, changed], key=key_of)
            assert is_sound(changed) is (changed.sum != row.sum ^ 1)

    def test_a_line_may_change_its_namespace(self, backend: Any) -> None:
        put(backend, *ALL)
        put(backend, line_row(namespace="inner", version=2))
        assert backend.namespace(1, 10, "inner") == line_row(namespace="inner", version=2)
        assert backend.namespaces(1, 10) == [line_row(namespace="inner", version=2)]

    def test_an_entry_of_the_journal_may_change_its_key(self, backend: Any) -> None:
        put(backend, *ALL)
        changed = with_checksum(JOURNAL._replace(key="other"))
        put(backend, changed)
        assert (backend.journal_key(1, [10], "k"), backend.journal_key(1, [10], "other")) == ([], [changed])
        assert backend.journal(1, 10, 0, 99, 99) == [changed]

    @pytest.mark.parametrize("row", [row for row in ALL if isinstance(row, ChunkRow)], ids=str)
    def test_a_chunk_is_never_overwritten(self, backend: Any, row: ChunkRow) -> None:
        put(backend, *ALL)
        before = seen(backend)
        for changed in (row, *with_each_column_changed(row)):
            with pytest.raises(LookAtTheStorage):
                put(backend, run_row("new", 1, 1), changed)
        assert seen(backend) == before
        assert scanned(backend, ChunkRow) == [one for one in ALL if isinstance(one, ChunkRow)]
        assert backend.run_lines("new") == []

    def test_a_replaced_row_is_found_as_it_is_now(self, backend: Any) -> None:
        put(backend, *ALL)
        put(backend, line_row(version=2, size=9), checkpoint_row(label="new"), pending_row(body=b"second"))
        assert backend.find("t", "", TOMBSTONE)[1:4] == (
            line_row(version=2, size=9), line_row(version=2, size=9), checkpoint_row(label="new"),
        )  # fmt: skip
        assert backend.pending(line_row(), [1]) == [SETTLED, pending_row(body=b"second")]

    def test_puts_if_free_leave_what_is_there(self, backend: Any) -> None:
        put(backend, pending_row())
        again = [pending_row(body=b"second"), pending_row(idx=1, body=b"third"), pending_row(idx=1, body=b"fourth")]
        assert backend.commit(Batch([], [], (), again)) is True
        assert sorted(backend.pending(line_row(), [1])) == [pending_row(), pending_row(idx=1, body=b"third")]

    def test_early_writes_are_put_if_free(self, backend: Any) -> None:
        again = [
            early_write_row(),
            early_write_row(body=b"second"),
            early_write_row(idx=1),
            early_write_row(checkpoint="d"),
        ]
        assert backend.commit(Batch([], [], (), again)) is True
        assert sorted(backend.early_writes("t", "n", "c")) == [early_write_row(), early_write_row(idx=1)]
        assert backend.early_writes("t", "", "c") == backend.early_writes("T", "n", "c") == []

    @pytest.mark.parametrize("name", list(DROPS))
    def test_a_drop_removes_what_it_names_and_nothing_else(self, backend: Any, name: str) -> None:
        put(backend, *ALL)
        before = seen(backend)
        drop, gone = DROPS[name]
        assert backend.commit(Batch([], [], [drop])) is True
        after = seen(backend)
        assert {key for key in after if after[key] != before[key]} == gone

    def test_drops_come_before_puts(self, backend: Any) -> None:
        put(backend, chunk_row(6, 0, KEY), *(chunk_row(6, n) for n in range(1, 5)))
        frame = chunk_row(6, 1, OP, hi=4, body=b"frame")
        assert backend.commit(Batch([], [frame], [DropChunks(1, 6, 1, 4)])) is True
        (pieces,) = backend.chunks(1, [Want(6, 4)])
        assert [piece.chunk for piece in pieces] == [chunk_row(6, 0, KEY), frame]

    def test_a_dropped_tree_leaves_its_directory_and_other_trees(self, backend: Any) -> None:
        others: list[Row] = [line_row(tree=2, line=20), checkpoint_row(tree=2, line=20), chunk_row(6, 0, KEY, tree=2)]
        put(backend, *ALL, *others, run_row("r", 2, 20))
        assert backend.commit(Batch([], [], [DropTree(1)])) is True
        assert backend.tree_threads(1) == [thread_row()]
        empty: list[Any] = [[] for _ in range(6)]
        assert [
            backend.ancestry(1, 10), backend.checkpoints(1, 10, 0, 99, 99), backend.overlays(1, [10]),
            backend.pending(line_row(), [1]), backend.chunks(1, [Want(7, 9), Want(6, 9)])[1],
            backend.by_id(1, [10], "a"),
        ] == empty  # fmt: skip
        assert backend.run_lines("r") == [run_row("r", 2, 20)]
        assert backend.ancestry(2, 20) == [others[0]]
        assert backend.checkpoints(2, 20, 0, 99, 99) == [others[1]]
        assert len(backend.chunks(2, [Want(6, 0)])[0]) == 1

    def test_after_a_drop_the_key_is_free_again(self, backend: Any) -> None:
        put(backend, *BASICS)
        assert backend.commit(Batch([], [], [DropTree(1), dropped(thread_row())])) is True
        assert backend.commit(Batch([LineAt(1, 10, 0), IdFree(1, 10, "a"), NamespaceFree(1, 10, "")], BASICS)) is True
        assert backend.find("t", "", TOMBSTONE) == (thread_row(), line_row(), line_row(), checkpoint_row(), 0, "")

    def test_of_eight_who_expect_the_same_line_one_wins(self, backend: Any) -> None:
        put(backend, *BASICS)

        def work(worker: int) -> bool:
            rows: list[Row] = [line_row(version=2, size=worker), run_row("race", 1, worker)]
            return bool(backend.commit(Batch([LineAt(1, 10, 1)], rows)))

        outcomes = at_once(8, work)
        assert outcomes.count(True) == 1
        winner = outcomes.index(True)
        assert backend.run_lines("race") == [run_row("race", 1, winner)]
        assert backend.ancestry(1, 10)[0].size == winner

    def test_a_batch_at_fault_fails_alone(self, backend: Any) -> None:
        not_a_row: Any = object()

        def work(worker: int) -> bool:
            if worker % 4 == 0:
                with pytest.raises(Exception, match=r".+"):
                    backend.commit(Batch([], [run_row("fault", 1, worker), not_a_row]))
                return False
            return bool(backend.commit(Batch([], [run_row("fine", 1, worker)])))

        outcomes = at_once(8, work)
        assert outcomes.count(True) == 6
        assert sorted(row.line for row in backend.run_lines("fine")) == [1, 2, 3, 5, 6, 7]
        assert backend.run_lines("fault") == []

    def test_of_batches_that_are_committed_each_one_may_be_refused(self, backend: Any) -> None:
        put(backend, *BASICS)
        batches = [Batch([LineAt(1, 10, 1)], [run_row("each", 1, number)]) for number in range(200)]
        batches[3] = Batch([LineAt(1, 10, 9)], [run_row("each", 1, 3)])
        batches[100] = Batch([LineAt(1, 10, 1)], [line_row(version=2)])
        applied = backend.commit_each(batches)
        assert (applied[3], applied[100]) == (False, True)
        rows = {row.line for row in backend.run_lines("each")}
        assert rows == {number for number, done in enumerate(applied) if done and number != 100}
        assert backend.commit_each([]) == []

    def test_of_batches_that_are_committed_each_one_at_fault_raises(self, backend: Any) -> None:
        not_a_row: Any = object()
        batches = [Batch([], [run_row("fine", 1, 1)]), Batch([], [not_a_row]), Batch([], [run_row("fine", 1, 2)])]
        with pytest.raises(Exception, match=r".+"):
            backend.commit_each(batches)
        assert backend.commit(Batch([], [run_row("fine", 1, 3)])) is True
        assert 3 in {row.line for row in backend.run_lines("fine")}


class SharedRows(RowTests):
    def test_two_handles_see_each_others_batches(self, connect: Callable[[], Any]) -> None:
        one, other = connect(), connect()
        put(one, *ALL)
        assert seen(other) == seen(one)
        assert other.commit(Batch([LineAt(1, 10, 1)], [line_row(version=2)])) is True
        assert one.commit(Batch([LineAt(1, 10, 1)], [line_row(version=3)])) is False
        assert one.ancestry(1, 10) == [line_row(version=2)]

    def test_batches_outlive_their_handle(self, connect: Callable[[], Any]) -> None:
        one = connect()
        put(one, *ALL)
        before = seen(one)
        one.close()
        assert seen(connect()) == before

    def test_of_eight_in_two_handles_one_wins(self, connect: Callable[[], Any]) -> None:
        handles = [connect(), connect()]
        put(handles[0], *BASICS)

        def work(worker: int) -> bool:
            return bool(handles[worker % 2].commit(Batch([LineAt(1, 10, 1)], [line_row(version=2, size=worker)])))

        outcomes = at_once(8, work)
        assert outcomes.count(True) == 1
        assert handles[0].ancestry(1, 10)[0].size == outcomes.index(True)

    def test_of_writes_with_one_key_the_first_stays_and_is_the_only_one(self, connect: Callable[[], Any]) -> None:
        handles = [connect(), connect()]
        put(handles[0], *BASICS)

        def work(worker: int) -> None:
            body = str(worker).encode()
            for n in range(20):
                rows: list[Any] = [pending_row(task_id=str(n), body=body), early_write_row(task_id=str(n), body=body)]
                assert handles[worker % 2].commit(Batch([CheckpointThere(1, 10, 1)], [], [], rows)) is True

        at_once(8, work)
        for backend in handles:
            for found in (backend.pending(line_row(), [1]), backend.early_writes("t", "n", "c")):
                assert sorted(row.task_id for row in found) == sorted(str(n) for n in range(20))

    def test_a_control_write_is_replaced_by_the_next_and_never_doubled(self, connect: Callable[[], Any]) -> None:
        handles = [connect(), connect()]
        put(handles[0], *BASICS)

        def work(worker: int) -> None:
            for n in range(20):
                rows: list[Any] = [
                    pending_row(idx=-1, body=b"%d %d" % (worker, n)),
                    early_write_row(idx=-1, body=b"%d" % n),
                ]
                assert handles[worker % 2].commit(Batch([CheckpointThere(1, 10, 1)], rows)) is True

        at_once(8, work)
        ((pending,), (early,)) = handles[0].pending(line_row(), [1]), handles[1].early_writes("t", "n", "c")
        assert pending.body.endswith(b" 19")
        assert early.body == b"19"
