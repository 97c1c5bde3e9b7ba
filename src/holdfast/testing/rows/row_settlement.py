"""The settled writes of a checkpoint: one row, wherever a backend stores it."""

from __future__ import annotations

from typing import Any

from holdfast.backends.base import Batch, DropRow, DropTree
from holdfast.backends.rows import CheckpointRow, SettledRow, key_of
from holdfast.testing.rows.row_samples import RowTests, blank, checkpoint_row, line_row, pending_row, put


def settled_row(seq: int, number: int | None = None, **given: Any) -> SettledRow:
    body = given.pop("body", f"writes of {seq}".encode())
    usual = {"tree": 1, "line": 10, "seq": seq, "number": number or seq + 1, "body": body}
    return blank(SettledRow, **{**usual, **given})


def saved(backend: Any, count: int = 4, line: int = 10) -> list[SettledRow]:
    """Checkpoints that each settle the writes of the one before, as saves do."""
    rows = [settled_row(n, line=line) for n in range(1, count)]
    put(backend, checkpoint_row(line=line, id=f"{line} 1"))
    for row in rows:
        put(backend, checkpoint_row(line=line, seq=row.number, id=f"{line} {row.number}"), row)
    return rows


def scanned(backend: Any, limit: int = 1000) -> list[SettledRow]:
    found: list[SettledRow] = []
    while page := backend.scan(SettledRow, 1, key_of(found[-1]) if found else (), limit):
        found += page
    return found


def drop(backend: Any, *rows: CheckpointRow | SettledRow) -> None:
    assert backend.commit(Batch([], [], [DropRow(type(row), key_of(row)) for row in rows]))


class SettledWrites(RowTests):
    def test_a_row_put_with_the_next_checkpoint_is_found_by_its_own_number(self, backend: Any) -> None:
        rows = saved(backend)
        assert [backend.pending(line_row(), [n]) for n in (1, 2, 3, 4)] == [[row] for row in rows] + [[]]
        assert backend.pending(line_row(), [3, 1]) in ([rows[0], rows[2]], [rows[2], rows[0]])
        assert backend.pending(line_row(line=11), [1]) == backend.pending(line_row(tree=2), [1]) == []
        assert backend.checkpoints(1, 10, 2, 2, 9) == [checkpoint_row(seq=2, id="10 2")]

    def test_all_are_scanned_in_order_page_by_page(self, backend: Any) -> None:
        rows = sorted(
            [
                *saved(backend, 6),
                *saved(backend, 3, line=9),
                settled_row(2, 5),
                settled_row(2, era=3),
                settled_row(7, 9),
            ]
        )
        put(backend, settled_row(2, 5), settled_row(2, era=3), settled_row(7, 9))
        for limit in (1, 2, 3, 1000):
            assert scanned(backend, limit) == rows
        assert backend.scan(SettledRow, 2, (), 9) == []

    def test_several_rows_of_one_checkpoint_come_by_era_and_number(self, backend: Any) -> None:
        saved(backend, 3)
        others = [settled_row(1, 3), settled_row(1, era=2), settled_row(1, 4, era=2)]
        put(backend, pending_row(), *others)
        assert backend.pending(line_row(), [1]) == [settled_row(1), others[0], pending_row(), *others[1:]]

    def test_a_row_outlives_the_checkpoint_that_it_was_put_with(self, backend: Any) -> None:
        rows = saved(backend)
        drop(backend, checkpoint_row(seq=3))
        assert scanned(backend) == rows
        assert backend.pending(line_row(), [2]) == [rows[1]]
        assert [row.seq for row in backend.checkpoints(1, 10, 0, 9, 9)] == [4, 2, 1]
        put(backend, checkpoint_row(seq=3, id="again"))
        assert scanned(backend) == rows
        drop(backend, rows[1])
        assert scanned(backend) == [rows[0], rows[2]]

    def test_a_checkpoint_outlives_the_row_that_was_put_with_it(self, backend: Any) -> None:
        rows = saved(backend)
        drop(backend, rows[0], rows[2])
        assert scanned(backend) == [rows[1]]
        assert backend.pending(line_row(), [1]) == []
        assert [row.id for row in backend.checkpoints(1, 10, 0, 9, 9)] == ["10 4", "10 3", "10 2", "10 1"]

    def test_both_are_dropped_together_in_either_order(self, backend: Any) -> None:
        rows = saved(backend)
        drop(backend, checkpoint_row(seq=2), rows[0])
        drop(backend, rows[2], checkpoint_row(seq=4))
        assert scanned(backend) == [rows[1]]
        assert [row.seq for row in backend.checkpoints(1, 10, 0, 9, 9)] == [3, 1]

    def test_a_checkpoint_that_is_replaced_keeps_its_row(self, backend: Any) -> None:
        rows = saved(backend)
        put(backend, checkpoint_row(seq=3, id="new"))
        assert scanned(backend) == rows
        assert backend.checkpoints(1, 10, 3, 3, 9) == [checkpoint_row(seq=3, id="new")]

    def test_a_replaced_checkpoint_with_a_row_of_another_era_leaves_two(self, backend: Any) -> None:
        rows = saved(backend)
        later = settled_row(2, era=4)
        put(backend, checkpoint_row(seq=3, id="new"), later)
        assert scanned(backend) == [rows[0], rows[1], later, rows[2]]
        drop(backend, rows[1])
        assert backend.pending(line_row(), [2]) == [later]

    def test_a_row_is_replaced_wherever_it_is_stored(self, backend: Any) -> None:
        saved(backend, 3)
        put(backend, settled_row(5, 7))
        changed = [settled_row(1, body=b"new"), settled_row(2, body=b"x" * 5000), settled_row(5, 7, body=b"")]
        put(backend, changed[0], changed[2])
        put(backend, checkpoint_row(seq=3, id="new"), changed[1])
        assert scanned(backend) == changed

    def test_a_row_that_was_put_before_its_checkpoint_is_there_once(self, backend: Any) -> None:
        put(backend, settled_row(1, body=b"old"))
        put(backend, checkpoint_row(seq=2, id="b"), settled_row(1))
        assert scanned(backend) == backend.pending(line_row(), [1]) == [settled_row(1)]

    def test_rows_are_seen_through_forks_up_to_the_era_of_each(self, backend: Any) -> None:
        rows = saved(backend)
        fork = line_row(line=11, thread=11, base_line=10, base_seq=2, base_era=1)
        again = line_row(line=12, thread=12, base_line=11, base_seq=2, base_era=1)
        put(
            backend,
            line_row(),
            fork,
            again,
            checkpoint_row(line=11, seq=3, id="f"),
            settled_row(2, line=11),
            settled_row(1, 9, era=1),
        )
        assert backend.pending(fork, [1, 2]) == [*rows[:2], settled_row(2, line=11)]
        assert backend.pending(again, [1, 2]) == [*rows[:2], settled_row(2, line=11)]
        assert backend.pending(fork, [3]) == []

    def test_they_are_dropped_with_their_tree(self, backend: Any) -> None:
        saved(backend)
        put(backend, settled_row(2, 9))
        assert backend.commit(Batch([], [], [DropTree(1)]))
        assert scanned(backend) == []
