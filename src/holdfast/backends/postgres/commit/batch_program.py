"""From a batch to its program.

Expectations come first, in one order for all programs, so that two of them never wait for each other's locks. Then come
removals, and then rows, in a fixed order too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast
from zlib import crc32

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
)
from holdfast.backends.postgres.commit.program import Program, columns_of
from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    LogRow,
    OverlayRow,
    PendingRow,
    QuarantineRow,
    Row,
    RunRow,
    SettledRow,
    TagRow,
    ThreadRow,
    TombstoneRow,
    table_name,
)

SLOTS: Final = 32  # of a value log in `chunk_slot`; the function `put_chunk` has the number too
_TASK_LOCKS: Final = 1024
_EXPECT_OPS: Final[dict[type[Expect], str]] = {
    ClockNear: "clock near",
    ThreadAbsent: "thread absent",
    ThreadAt: "thread at",
    TombstoneAt: "tombstone at",
    LineAt: "line at",
    RootAt: "root at",
    ForksAt: "forks at",
    NamespaceFree: "namespace free",
    CheckpointThere: "checkpoint there",
    CheckpointAt: "checkpoint at",
    ChunkAt: "chunk at",
    IdFree: "id free",
    KeyFree: "key free",
    PendingAt: "pending at",
    EarlyWritesAt: "early_write at",
}
_EXPECT_ORDER: Final = {kind: rank for rank, kind in enumerate(_EXPECT_OPS)} | dict.fromkeys(
    (RootAt, ForksAt), list(_EXPECT_OPS).index(LineAt)
)
_PUT_ORDER: Final = {
    kind: rank
    for rank, kind in enumerate((
        ThreadRow, LineRow, CheckpointRow, ChunkRow, LogRow, SettledRow, PendingRow, JournalRow, OverlayRow, RunRow,
        TagRow, TombstoneRow, EarlyWriteRow, QuarantineRow,
    ))
}  # fmt: skip

_ROWS: Final = {kind: columns_of(kind) for kind in KEYS}
_KEYS: Final = {kind: columns_of(kind, KEYS[kind]) for kind in KEYS}
_EXPECTS: Final = {kind: columns_of(kind) for kind in _EXPECT_OPS}
_DROPS: Final = {kind: columns_of(kind) for kind in (DropChunks, DropTree, DropEarlyWrites)}
_NUMBER: Final = columns_of(LineAt, 1)
_TWO_NUMBERS: Final = columns_of(LineAt, 2)
_THREE_NUMBERS: Final = columns_of(LineAt, 3)
_TEXT: Final = columns_of(ThreadAbsent)


def program_of(batch: Batch) -> Program:
    for row in (*batch.puts, *batch.puts_if_free):
        if type(row) not in KEYS:
            raise TypeError(f"{row!r} is not a row")
    return _Writer(batch).program


class _Writer:
    """Writes one batch. How a row is put or dropped depends on what else is in the batch."""

    def __init__(self, batch: Batch) -> None:
        self.program = Program(batch.puts)
        self.written = _lines_written(batch)
        checkpoints = [row for row in batch.puts if isinstance(row, CheckpointRow)]
        self.saved = {row[:2]: row.status == "running" for row in checkpoints}
        self.grown = {row[:2] for row in batch.puts if isinstance(row, ChunkRow)}
        self.settled = _settled_within(batch, {row[:3] for row in checkpoints})
        self._write(batch)

    def _write(self, batch: Batch) -> None:
        self._expect(batch.expects)
        self._hold_tasks([*batch.puts, *batch.puts_if_free])
        for drop in batch.drops:
            self._drop(drop)
        for line, is_running in self.saved.items():
            if not is_running:
                self.program.add("clear pending_slot", line, _TWO_NUMBERS)
        for row in sorted(batch.puts, key=_put_order):
            _PUTS.get(type(row), _put)(self, row)
        for free in batch.puts_if_free:
            self.program.add(f"put {table_name(type(free))} if free", free, _ROWS[type(free)])
        self.program.end_batch()

    # ---------------------------------------------------------------- expectations

    def _expect(self, expects: list[Expect]) -> None:
        expects = sorted(expects, key=lambda expect: (_EXPECT_ORDER[type(expect)], expect[:2]))
        held = {expect[:2] for expect in expects if isinstance(expect, LineAt | RootAt | ForksAt)}
        for expect in expects:
            operation = _EXPECT_OPS[type(expect)]
            if isinstance(expect, LineAt | RootAt | ForksAt):
                operation = f"{'write' if self._is_written(expect) else 'read'} {operation}"
            elif isinstance(expect, IdFree | KeyFree) and expect[:2] not in held:
                # Every batch that adds to a line locks its row, so a free id stays free while the row is locked.
                self.program.add("hold line", expect[:2], _TWO_NUMBERS)
            self.program.add(operation, expect, _EXPECTS[type(expect)])

    def _is_written(self, expect: LineAt | RootAt | ForksAt) -> bool:
        return (expect.tree, expect.line) in self.written or (expect.tree, None) in self.written

    def _hold_tasks(self, rows: list[Row]) -> None:
        tasks = {_task(row) for row in rows if isinstance(row, PendingRow) and row[:2] not in self.written}
        for task in sorted(tasks):
            self.program.add("hold task", task, _THREE_NUMBERS)
        for thread in sorted({row.thread for row in rows if isinstance(row, EarlyWriteRow)}):
            self.program.add("write early_write", (thread,), _TEXT)

    # ---------------------------------------------------------------- removals

    def _drop(self, drop: Drop) -> None:
        if isinstance(drop, DropRow):
            self.program.add(self._drop_row_op(drop), drop.key, _KEYS[drop.table])
        elif isinstance(drop, DropChunks):
            # The slots of a log that grows are kept for its later changes.
            operation = "merge chunks" if drop[:2] in self.grown else "drop chunks"
            self.program.add(operation, drop, _DROPS[DropChunks])
        elif isinstance(drop, DropTree):
            self.program.add("drop tree", drop, _DROPS[DropTree])
        elif drop.thread:
            self.program.add("drop early_write of", drop, _DROPS[DropEarlyWrites])
        else:
            self.program.add("drop early_write before", (drop.before,), _NUMBER)

    def _drop_row_op(self, drop: DropRow) -> str:
        # While the run continues, the slot is kept for the next step's writes.
        if drop.table is PendingRow and self.saved.get(cast(Any, drop.key[:2])):
            return "free pending"
        return "drop " + table_name(drop.table)


def _lines_written(batch: Batch) -> set[tuple[int, int | None]]:
    """Lines by tree and number; a whole tree has None for the number."""
    written: set[tuple[int, int | None]] = {(row.tree, row.line) for row in batch.puts if isinstance(row, LineRow)}
    for drop in batch.drops:
        if isinstance(drop, DropTree):
            written.add((drop.tree, None))
        elif isinstance(drop, DropRow) and drop.table is LineRow:
            written.add(cast("tuple[int, int]", drop.key))
    return written


def _settled_within(batch: Batch, checkpoints: set[tuple[Any, ...]]) -> dict[tuple[Any, ...], SettledRow]:
    """The steps that are settled by the very next checkpoint, whose row has room for them, by that checkpoint."""
    settled = (row for row in batch.puts if isinstance(row, SettledRow) and row.number == row.seq + 1)
    by_checkpoint = {(row.tree, row.line, row.number): row for row in settled}
    return {key: row for key, row in by_checkpoint.items() if key in checkpoints}


def _task(row: PendingRow) -> tuple[int, int, int]:
    """Tasks share 1,024 locks a line: a transaction may put writes of any number of tasks, and the server has room for
    a few thousand locks."""
    return row.tree, row.line, crc32(f"{row.seq} {row.task_id}".encode()) % _TASK_LOCKS


# ------------------------------------------------------------------------------------------------ rows


def _put_order(row: Row) -> tuple[int, tuple[Any, ...]]:
    return _PUT_ORDER[type(row)], row[: KEYS[type(row)]]


def _put(writer: _Writer, row: Row) -> None:
    writer.program.add("put " + table_name(type(row)), row, _ROWS[type(row)])


def _put_line(writer: _Writer, row: LineRow) -> None:
    writer.program.add("put stamped line", row, _ROWS[LineRow])
    writer.program.numbers.append(writer.program.stamp)


def _put_checkpoint(writer: _Writer, row: CheckpointRow) -> None:
    settled = writer.settled.get(row[:3])
    if settled is None:
        _put(writer, row)
    else:
        writer.program.add("put checkpoint with settled", row, _ROWS[CheckpointRow])
        writer.program.spread(settled, _ROWS[SettledRow])


def _put_settled(writer: _Writer, row: SettledRow) -> None:
    if writer.settled.get((row.tree, row.line, row.number)) != row:
        _put(writer, row)


def _put_pending(writer: _Writer, row: PendingRow) -> None:
    if row[:2] in writer.written:
        writer.program.add("put pending exclusively", row, _ROWS[PendingRow])
    else:
        _put(writer, row)


_PUTS: Final[dict[type[Row], Callable[[_Writer, Any], None]]] = {
    LineRow: _put_line,
    CheckpointRow: _put_checkpoint,
    SettledRow: _put_settled,
    PendingRow: _put_pending,
}
