"""All rows of one tree but its chunks, as `verify` and `repair` look at them, and the engine's own eyes on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    Row,
    SealedRow,
    ThreadRow,
    sealed,
)
from holdfast.backends.snapshot import Snapshot
from holdfast.codec import Codec
from holdfast.engine import load
from holdfast.engine.context import Engine
from holdfast.engine.walking import Walk
from holdfast.journal import TRIMMED


class Writes(NamedTuple):
    """A row of pending or sealed writes. What tasks wrote may be large, and is left out unless it can't be read."""

    row: PendingRow | SealedRow
    places: list[list[int]]  # log, position, and which items
    problem: str  # why it can't be read; empty if it can


@dataclass
class TreeRows:
    number: int
    threads: Sequence[ThreadRow]
    lines: dict[int, LineRow] = field(default_factory=dict)
    points: dict[tuple[int, int], CheckpointRow] = field(default_factory=dict)
    marks: list[MarkRow] = field(default_factory=list)
    logs: dict[int, LogRow] = field(default_factory=dict)
    journal: dict[tuple[int, int], JournalRow] = field(default_factory=dict)  # with bodies only if `TRIMMED`
    unreadable_entries: list[JournalRow] = field(default_factory=list)
    writes: list[Writes] = field(default_factory=list)
    damaged: list[Row] = field(default_factory=list)

    def home(self, row_line: int, seq: int) -> LineRow | None:
        """The line that has this number in the view of that line."""
        line = self.lines.get(row_line)
        while line is not None and line.base_line is not None and seq <= line.base_seq:
            line = self.lines.get(line.base_line)
        return line

    def parent(self, row: CheckpointRow) -> CheckpointRow | None:
        home = self.home(row.line, row.parent_seq) if 0 < row.parent_seq < row.seq else None
        return None if home is None else self.points.get((home.line, row.parent_seq))

    def children(self, row: CheckpointRow) -> list[CheckpointRow]:
        return [one for one in self.points.values() if self.parent(one) is row]


async def read(walk: Walk, number: int, threads: Sequence[ThreadRow]) -> TreeRows:
    tree = TreeRows(number, threads)
    known = len(walk.damaged)

    def take_entry(row: JournalRow) -> None:
        if not is_value(row.body):
            tree.unreadable_entries.append(row)
        told = row.body if row.kind == TRIMMED else b""
        tree.journal[row.line, row.seq] = sealed(row._replace(body=told))

    await walk.each(LineRow, number, lambda row: tree.lines.update({row.line: row}))
    await walk.each(CheckpointRow, number, lambda row: tree.points.update({(row.line, row.seq): row}))
    await walk.each(MarkRow, number, tree.marks.append)
    await walk.each(LogRow, number, lambda row: tree.logs.update({row.log: row}))
    await walk.each(JournalRow, number, take_entry)
    await walk.each(PendingRow, number, lambda row: tree.writes.append(_writes(row)))
    await walk.each(SealedRow, number, lambda row: tree.writes.append(_writes(row)))
    tree.damaged = walk.damaged[known:]
    return tree


def _writes(row: PendingRow | SealedRow) -> Writes:
    try:
        found = load.writes_in(row)
    except (msgspec.MsgspecError, TypeError, ValueError, IndexError) as error:
        return Writes(row, [], str(error) or repr(error))
    places = [one.value for one in found if not isinstance(one.value, bytes)]
    if not all(isinstance(one.value, list) or is_value(one.value) for one in found):
        return Writes(row, places, "a value is not whole")
    if not all(2 <= len(place) <= 4 for place in places):
        return Writes(row, [], "a reference to a value log is not one")
    return Writes(row if places else row._replace(body=b""), places, "")


_skim = msgspec.msgpack.Decoder(msgspec.Raw).decode


def is_value(enc: bytes) -> bool:
    """Whether these bytes are one encoded value, and nothing more. No class is needed to tell."""
    try:
        _skim(enc)
    except RecursionError:
        return True  # nested deeper than a stack may be here: the digest tells
    except msgspec.MsgspecError:
        return False
    return True


# ------------------------------------------------------------------------------------------------ seen by the engine


def eyes(tree: TreeRows, codec: Codec) -> Engine:
    """An engine that sees these rows, and so sees what every reader sees."""
    rows: list[Row] = [*tree.threads, *tree.lines.values(), *tree.points.values(), *tree.marks, *tree.journal.values()]
    return Engine(Snapshot(rows), codec, "snapshot")


def key_of(row: Row) -> tuple[object, ...]:
    return tuple(row[: KEYS[type(row)]])
