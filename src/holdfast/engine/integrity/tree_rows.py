"""All rows of one tree except its chunks, as `verify` and `repair` read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from holdfast.backends.memory.scratch import RowSnapshot
from holdfast.backends.rows import (
    CheckpointRow,
    JournalRow,
    LineRow,
    LogRow,
    OverlayRow,
    PendingRow,
    Row,
    SettledRow,
    ThreadRow,
    with_checksum,
)
from holdfast.codec import Codec
from holdfast.codec.inspection import problem_in, without_classes
from holdfast.engine.context import Engine
from holdfast.engine.journal.entry_shapes import OWN, TRIMMED, problem
from holdfast.engine.table_scan import TolerantScan
from holdfast.engine.writes import write_format
from holdfast.errors import Corrupt, TooLarge


class Writes(NamedTuple):
    """A row of pending or settled writes. What tasks wrote may be large, and is left out if it can be read."""

    row: PendingRow | SettledRow
    references: list[list[int]]  # log, position, and which items
    problem: str  # why the row can't be read; empty if it can


@dataclass
class TreeRows:
    number: int
    threads: Sequence[ThreadRow]
    lines: dict[int, LineRow] = field(default_factory=dict)
    points: dict[tuple[int, int], CheckpointRow] = field(default_factory=dict)
    overlays: list[OverlayRow] = field(default_factory=list)
    logs: dict[int, LogRow] = field(default_factory=dict)
    # By line and number; with bodies only if `TRIMMED`.
    journal: dict[int, dict[int, JournalRow]] = field(default_factory=dict)
    unreadable_entries: list[JournalRow] = field(default_factory=list)
    writes: list[Writes] = field(default_factory=list)
    damaged: list[Row] = field(default_factory=list)

    def line_of(self, line: int, seq: int) -> LineRow | None:
        """The line that a number belongs to in the view of a line."""
        row = self.lines.get(line)
        while row is not None and row.base_line is not None and seq <= row.base_seq:
            row = self.lines.get(row.base_line)
        return row

    def point(self, line: int, seq: int) -> CheckpointRow | None:
        """The checkpoint that has a number in the view of a line."""
        owner = self.line_of(line, seq)
        return None if owner is None else self.points.get((owner.line, seq))

    def parent(self, row: CheckpointRow) -> CheckpointRow | None:
        return self.point(row.line, row.parent_seq) if 0 < row.parent_seq < row.seq else None

    def points_of(self, line: int) -> list[CheckpointRow]:
        return [row for row in self.points.values() if row.line == line]

    def points_by_line(self) -> dict[int, dict[int, CheckpointRow]]:
        found: dict[int, dict[int, CheckpointRow]] = {}
        for row in self.points.values():
            found.setdefault(row.line, {})[row.seq] = row
        return found

    def journal_of(self, line: int) -> list[JournalRow]:
        return list(self.journal.get(line, {}).values())


async def read(scan: TolerantScan, number: int, threads: Sequence[ThreadRow]) -> TreeRows:
    tree = TreeRows(number, threads)
    damaged_before = len(scan.damaged)

    def take_entry(row: JournalRow) -> None:
        is_readable = is_value(row.body) and _is_entry(row)
        if not is_readable:
            tree.unreadable_entries.append(row)
            row = row._replace(kind="")  # what it says about other entries is not used
        body = row.body if row.kind == TRIMMED else b""
        tree.journal.setdefault(row.line, {})[row.seq] = with_checksum(row._replace(body=body))

    await scan.each(LineRow, number, lambda row: tree.lines.update({row.line: row}))
    await scan.each(CheckpointRow, number, lambda row: tree.points.update({(row.line, row.seq): row}))
    await scan.each(OverlayRow, number, tree.overlays.append)
    await scan.each(LogRow, number, lambda row: tree.logs.update({row.log: row}))
    await scan.each(JournalRow, number, take_entry)
    await scan.each(PendingRow, number, lambda row: tree.writes.append(_writes(row, scan.max_value)))
    await scan.each(SettledRow, number, lambda row: tree.writes.append(_writes(row, scan.max_value)))
    tree.damaged = scan.damaged[damaged_before:]
    return tree


def _is_entry(row: JournalRow) -> bool:
    """Whether an entry of Holdfast's own has what those have; nothing is expected of others."""
    if not row.kind.startswith(OWN):
        return True
    if problem_in(row.body):
        return False
    try:
        return not problem(row.kind, without_classes(row.body))
    except (MemoryError, RecursionError):  # its value is too deep for the stack as it is here
        return True


def _writes(row: PendingRow | SettledRow, max_value: int) -> Writes:
    try:
        values: list[Any] = [write.value for write in write_format.writes_in(row, max_value)]
    except Corrupt as error:
        return Writes(row, [], str(error))
    except TooLarge:
        return Writes(row._replace(body=b""), [], "")
    references = [value for value in values if not isinstance(value, bytes)]
    if not all(isinstance(value, list) or is_value(value) for value in values):
        return Writes(row, references, "a value is incomplete")
    if not all(2 <= len(reference) <= 4 for reference in references):
        return Writes(row, [], "a reference to a value log is malformed")
    return Writes(row if references else row._replace(body=b""), references, "")


_skim = msgspec.msgpack.Decoder(msgspec.Raw).decode


def is_value(enc: bytes) -> bool:
    """Whether these bytes are exactly one encoded value, which a program with its classes can load."""
    try:
        _skim(enc)
    except RecursionError:
        # Nested deeper than the stack allows here. The digest decides.
        return True
    except msgspec.MsgspecError:
        return False
    return not problem_in(enc)


def snapshot_engine(tree: TreeRows, codec: Codec) -> Engine:
    """An engine over these rows, which shows exactly what a reader of the store would be shown."""
    rows: list[Row] = [
        *tree.threads,
        *tree.lines.values(),
        *tree.points.values(),
        *tree.overlays,
        *(row for rows in tree.journal.values() for row in rows.values()),
    ]
    return Engine(RowSnapshot(rows), codec, "snapshot")
