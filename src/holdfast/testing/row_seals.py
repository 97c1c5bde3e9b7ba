"""The writes of a step that was sealed: one row, wherever a backend keeps it."""

from __future__ import annotations

from typing import Any

from holdfast.backends.base import Batch, DropRow, DropTree
from holdfast.backends.rows import KEYS, CheckpointRow, SealedRow
from holdfast.testing.row_samples import RowTests, blank, checkpoint_row, line_row, pending_row, put


def seal(seq: int, number: int | None = None, **given: Any) -> SealedRow:
    body = given.pop("body", f"seal of {seq}".encode())
    said = {"tree": 1, "line": 10, "seq": seq, "number": number or seq + 1, "body": body}
    return blank(SealedRow, **{**said, **given})


def saved(backend: Any, count: int = 4, line: int = 10) -> list[SealedRow]:
    """Checkpoints that each seal the step before, as saves do."""
    rows = [seal(n, line=line) for n in range(1, count)]
    put(backend, checkpoint_row(line=line, id=f"{line} 1"))
    for row in rows:
        put(backend, checkpoint_row(line=line, seq=row.number, id=f"{line} {row.number}"), row)
    return rows


def scanned(backend: Any, limit: int = 1000) -> list[SealedRow]:
    found: list[SealedRow] = []
    while page := backend.scan(SealedRow, 1, found[-1][: KEYS[SealedRow]] if found else (), limit):
        found += page
    return found


def drop(backend: Any, *rows: CheckpointRow | SealedRow) -> None:
    assert backend.commit(Batch([], [], [DropRow(type(row), row[: KEYS[type(row)]]) for row in rows]))


class Seals(RowTests):
    def test_what_comes_with_the_next_checkpoint_is_found_by_its_own(self, backend: Any) -> None:
        rows = saved(backend)
        assert [backend.pending(line_row(), [n]) for n in (1, 2, 3, 4)] == [[row] for row in rows] + [[]]
        assert backend.pending(line_row(), [3, 1]) in ([rows[0], rows[2]], [rows[2], rows[0]])
        assert backend.pending(line_row(line=11), [1]) == backend.pending(line_row(tree=2), [1]) == []
        assert backend.checkpoints(1, 10, 2, 2, 9) == [checkpoint_row(seq=2, id="10 2")]

    def test_all_are_listed_in_order_page_by_page(self, backend: Any) -> None:
        rows = sorted([*saved(backend, 6), *saved(backend, 3, line=9), seal(2, 5), seal(2, era=3), seal(7, 9)])
        put(backend, seal(2, 5), seal(2, era=3), seal(7, 9))
        for limit in (1, 2, 3, 1000):
            assert scanned(backend, limit) == rows
        assert backend.scan(SealedRow, 2, (), 9) == []

    def test_several_seals_of_one_step_come_by_era_and_number(self, backend: Any) -> None:
        saved(backend, 3)
        others = [seal(1, 3), seal(1, era=2), seal(1, 4, era=2)]
        put(backend, pending_row(), *others)
        assert backend.pending(line_row(), [1]) == [seal(1), others[0], pending_row(), *others[1:]]

    def test_a_seal_outlives_the_checkpoint_that_it_came_with(self, backend: Any) -> None:
        rows = saved(backend)
        drop(backend, checkpoint_row(seq=3))
        assert scanned(backend) == rows
        assert backend.pending(line_row(), [2]) == [rows[1]]
        assert [row.seq for row in backend.checkpoints(1, 10, 0, 9, 9)] == [4, 2, 1]
        put(backend, checkpoint_row(seq=3, id="again"))
        assert scanned(backend) == rows
        drop(backend, rows[1])
        assert scanned(backend) == [rows[0], rows[2]]

    def test_a_checkpoint_outlives_the_seal_that_came_with_it(self, backend: Any) -> None:
        rows = saved(backend)
        drop(backend, rows[0], rows[2])
        assert scanned(backend) == [rows[1]]
        assert backend.pending(line_row(), [1]) == []
        assert [row.id for row in backend.checkpoints(1, 10, 0, 9, 9)] == ["10 4", "10 3", "10 2", "10 1"]

    def test_both_go_together_in_either_order(self, backend: Any) -> None:
        rows = saved(backend)
        drop(backend, checkpoint_row(seq=2), rows[0])
        drop(backend, rows[2], checkpoint_row(seq=4))
        assert scanned(backend) == [rows[1]]
        assert [row.seq for row in backend.checkpoints(1, 10, 0, 9, 9)] == [3, 1]

    def test_a_checkpoint_that_is_written_anew_keeps_its_seal(self, backend: Any) -> None:
        rows = saved(backend)
        put(backend, checkpoint_row(seq=3, id="new"))
        assert scanned(backend) == rows
        assert backend.checkpoints(1, 10, 3, 3, 9) == [checkpoint_row(seq=3, id="new")]

    def test_written_anew_with_a_seal_of_another_era_there_are_two(self, backend: Any) -> None:
        rows = saved(backend)
        later = seal(2, era=4)
        put(backend, checkpoint_row(seq=3, id="new"), later)
        assert scanned(backend) == [rows[0], rows[1], later, rows[2]]
        drop(backend, rows[1])
        assert backend.pending(line_row(), [2]) == [later]

    def test_a_seal_is_written_anew_wherever_it_is(self, backend: Any) -> None:
        saved(backend, 3)
        put(backend, seal(5, 7))
        changed = [seal(1, body=b"new"), seal(2, body=b"x" * 5000), seal(5, 7, body=b"")]
        put(backend, changed[0], changed[2])
        put(backend, checkpoint_row(seq=3, id="new"), changed[1])
        assert scanned(backend) == changed

    def test_a_seal_that_came_before_its_checkpoint_is_there_once(self, backend: Any) -> None:
        put(backend, seal(1, body=b"old"))
        put(backend, checkpoint_row(seq=2, id="b"), seal(1))
        assert scanned(backend) == backend.pending(line_row(), [1]) == [seal(1)]

    def test_seals_are_seen_through_forks_up_to_the_era_of_each(self, backend: Any) -> None:
        rows = saved(backend)
        fork = line_row(line=11, thread=11, base_line=10, base_seq=2, base_era=1)
        again = line_row(line=12, thread=12, base_line=11, base_seq=2, base_era=1)
        put(
            backend,
            line_row(),
            fork,
            again,
            checkpoint_row(line=11, seq=3, id="f"),
            seal(2, line=11),
            seal(1, 9, era=1),
        )
        assert backend.pending(fork, [1, 2]) == [*rows[:2], seal(2, line=11)]
        assert backend.pending(again, [1, 2]) == [*rows[:2], seal(2, line=11)]
        assert backend.pending(fork, [3]) == []

    def test_a_tree_takes_them_along(self, backend: Any) -> None:
        saved(backend)
        put(backend, seal(2, 9))
        assert backend.commit(Batch([], [], [DropTree(1)]))
        assert scanned(backend) == []
