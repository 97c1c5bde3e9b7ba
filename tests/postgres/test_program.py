"""What a batch is as a program: its operations, and the values that they are about."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.backends.base import (
    Batch,
    DropChunks,
    DropEarlyWrites,
    DropRow,
    DropTree,
    Expect,
    IdFree,
    LineAt,
    RootAt,
    ThreadAbsent,
)
from holdfast.backends.postgres.commit.batch_program import program_of
from holdfast.backends.postgres.commit.program import joined
from holdfast.backends.rows import LineRow, PendingRow, Row
from holdfast.testing.rows.row_samples import (
    SETTLED,
    TAG,
    blank,
    checkpoint_row,
    chunk_row,
    early_write_row,
    line_row,
    pending_row,
    tag_row,
    thread_row,
    tombstone_row,
)


def ops(*arguments: Any, **named: Any) -> list[str | None]:
    return list(program_of(Batch(*arguments, **named)).ops)


def test_a_save_is_an_expectation_and_three_rows():
    saved = checkpoint_row(seq=2)
    program = program_of(Batch([LineAt(1, 10, 1)], [saved, chunk_row(7, 3), line_row(version=2, seq=2)]))
    assert program.ops == ["write line at", "put stamped line", "put checkpoint", "put chunk"]
    assert program.numbers[:5] == [1, 10, 1, 1, 10]
    line_columns = sum(isinstance(value, int) or value is None for value in line_row())
    assert program.numbers[3 + line_columns] == program.stamp
    assert program.texts[:3] == ["", "", "a"]
    assert program.bodies[-1] == b"7.3"
    assert program.starts == [0, 0, 0, 0, 4, len(program.numbers), len(program.texts), len(program.bodies)]


def test_numbers_texts_and_bodies_keep_the_order_of_the_rows_class():
    program = program_of(Batch([], [early_write_row(idx=4, task_path="path")]))
    assert program.ops == ["write early_write", "put early_write"]
    assert program.texts == ["t", "t", "n", "c", "task", "path"]
    assert program.numbers[:2] == [4, 5]
    assert program.bodies == [b"first"]


def test_a_line_that_is_only_read_is_locked_against_writers_only():
    assert ops([LineAt(1, 10, 1)], []) == ["read line at"]
    assert ops([RootAt(1, 10, 0, 0, 0)], [line_row()])[0] == "write root at"
    assert ops([LineAt(1, 10, 1)], [], [DropTree(1)]) == ["write line at", "drop tree"]
    assert ops([LineAt(1, 10, 1)], [], [DropRow(LineRow, (1, 10))]) == ["write line at", "drop line"]


def test_a_free_id_holds_its_line():
    assert ops([IdFree(1, 10, "a")], []) == ["hold line", "id free"]
    assert ops([IdFree(1, 10, "a"), LineAt(1, 10, 1)], []) == ["read line at", "id free"]


def test_expectations_and_rows_have_one_order():
    expects: list[Expect] = [LineAt(2, 1, 0), LineAt(1, 10, 0), ThreadAbsent("t")]
    rows: list[Row] = [tag_row("b", "", "t"), TAG, line_row(), thread_row()]
    assert ops(expects, rows) == ops(expects[::-1], rows[::-1])
    program = program_of(Batch(expects, rows))
    assert program.ops == [
        "thread absent", "write line at", "read line at", "put thread", "put stamped line", "put tag", "put tag",
    ]  # fmt: skip
    assert program.texts[-6:] == ["b", "", "t", "status", "running", "t"]


def test_the_slots_of_a_log_that_grows_are_kept():
    assert ops([], [], [DropChunks(1, 7, 0, 9)]) == ["drop chunks"]
    assert ops([], [chunk_row(7, 10)], [DropChunks(1, 7, 0, 9)]) == ["merge chunks", "put chunk"]


def test_the_slots_of_a_run_that_continues_are_kept_and_cleared_at_its_end():
    drops = [DropRow(PendingRow, (1, 10, 1, "task", 0, 0))]
    assert ops([], [], drops) == ["drop pending"]
    assert ops([], [checkpoint_row(seq=2)], drops) == ["free pending", "put checkpoint"]
    ended = checkpoint_row(seq=2, status="completed")
    assert ops([], [ended], drops) == ["drop pending", "clear pending_slot", "put checkpoint"]


def test_settled_writes_go_with_the_checkpoint_after_their_step():
    program = program_of(Batch([], [SETTLED, checkpoint_row(seq=2)]))
    assert program.ops == ["put checkpoint with settled"]
    assert program.numbers[-6:] == [1, 10, 1, 2, 0, SETTLED.sum]
    assert program.bodies[-1] == b"settled"
    assert ops([], [SETTLED, checkpoint_row(seq=3)]) == ["put checkpoint", "put settled"]
    other = SETTLED._replace(era=3)
    assert sorted(map(str, ops([], [SETTLED, other, checkpoint_row(seq=2)]))) == [
        "put checkpoint with settled", "put settled",
    ]  # fmt: skip


def test_writes_hold_their_task_unless_the_line_is_written():
    assert ops([], [pending_row()]) == ["hold task", "put pending"]
    assert ops([], [], puts_if_free=[pending_row(), pending_row(idx=1)]) == [
        "hold task", "put pending if free", "put pending if free",
    ]  # fmt: skip
    assert ops([], [pending_row(), line_row()]) == ["put stamped line", "put pending exclusively"]


def test_early_writes_of_one_thread_or_of_all_are_dropped():
    one = program_of(Batch([], [], [DropEarlyWrites("t", 5)]))
    assert (one.ops, one.texts, one.numbers) == (["drop early_write of"], ["t"], [5])
    all_of_them = program_of(Batch([], [], [DropEarlyWrites("", 5)]))
    assert (all_of_them.ops, all_of_them.texts, all_of_them.numbers) == (["drop early_write before"], [], [5])


def test_programs_are_joined_one_after_the_other():
    first, second = (program_of(Batch([LineAt(1, line, 0)], [line_row(line=line)])) for line in (10, 11))
    both = joined([first, second])
    assert both.ops == [*first.ops, *second.ops]
    assert both.starts == [*first.starts, *(2 * (end or 0) for end in first.starts[4:])]
    assert joined([first]) is first


def test_what_is_not_a_row_is_refused():
    with pytest.raises(TypeError, match="is not a row"):
        program_of(Batch([], [("not", "a row")]))  # type: ignore[list-item]


def test_the_traces_of_a_batch_are_what_only_it_can_have_written():
    saved, deleted = checkpoint_row(seq=2), tombstone_row(3)
    rows: list[Row] = [line_row(seq=2), saved, checkpoint_row(seq=1), deleted, blank(PendingRow)]
    traces = program_of(Batch([], rows)).traces()
    assert (traces["line_trees"], traces["lines"], traces["versions"]) == ([1], [10], [1])
    assert (traces["kinds"], traces["seqs"], traces["sums"]) == (["checkpoint"], [2], [saved.sum])
    assert (traces["tombstones"], traces["tombstone_sums"]) == ([deleted.hash], [deleted.sum])
