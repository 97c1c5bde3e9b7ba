"""What batches change, as records hold it: lists of columns, in msgpack.

A part is ``[drops, puts]``: what one batch drops from and puts into one tree, or the directory. A put is a number for
the kind of row and its columns; a drop is a number for the kind of drop and what it names. Rows that belong to a tree
leave out its number, which is that of the part.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final

from msgspec import Meta, MsgspecError, convert

from holdfast.backends.base import Drop, DropChunks, DropEarlyWrites, DropRow, DropTree
from holdfast.backends.rows import (
    OF_TREES,
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
    weight,
)

DIRECTORY: Final = 0
"""Stands for the directory where a tree is expected; no tree has this number."""

Part = Annotated[list[list[list[Any]]], Meta(min_length=2, max_length=2)]
UNREADABLE: Final = (MsgspecError, ValueError, KeyError, TypeError, IndexError)
"""What reading a part raises if no program of good will has written it."""
_KINDS: Final[dict[int, type[Row]]] = {
    1: LineRow, 2: CheckpointRow, 3: OverlayRow, 4: LogRow, 5: ChunkRow, 6: PendingRow, 7: SettledRow, 8: JournalRow,
    9: ThreadRow, 10: TombstoneRow, 11: TagRow, 12: EarlyWriteRow, 13: RunRow, 14: QuarantineRow,
}  # fmt: skip
_NUMBERS: Final = {kind: number for number, kind in _KINDS.items()}
_ROW, _CHUNKS, _TREE, _EARLY_WRITES = 0, 1, 2, 3


# ------------------------------------------------------------------------------------------------ packing


def packed(row: Row) -> list[Any]:
    return [_NUMBERS[type(row)], *(row[1:] if isinstance(row, OF_TREES) else row)]


def packed_drop(drop: Drop) -> list[Any]:
    if isinstance(drop, DropRow):
        return [_ROW, _NUMBERS[drop.table], *(drop.key[1:] if drop.table in OF_TREES else drop.key)]
    if isinstance(drop, DropChunks):
        return [_CHUNKS, *drop[1:]]
    if isinstance(drop, DropTree):
        return [_TREE, drop.tree]
    return [_EARLY_WRITES, *drop]


def parts_of(rows: Iterable[Row], each: int) -> Iterable[Part]:
    """All rows, as parts of about `each` bytes."""
    puts: list[Any] = []
    size = 0
    for row in rows:
        puts.append(packed(row))
        size += weight(row)
        if size > each:
            yield [[], puts]
            puts, size = [], 0
    yield [[], puts]


# ------------------------------------------------------------------------------------------------ unpacking


def unpacked(part: Part, tree: int) -> tuple[list[Drop], list[Row]]:
    drops, puts = part
    return [_drop(drop, tree) for drop in drops], [_row(put, tree) for put in puts]


def _row(put: list[Any], tree: int) -> Row:
    kind = _KINDS[put[0]]
    columns = _columns(kind, put[1:], tree)
    # The shape is checked here, since tables sort rows by their columns. The checksum is checked where a row is used.
    return convert(columns, kind)


def _columns(kind: type[Row], rest: list[Any], tree: int) -> tuple[Any, ...]:
    return (tree, *rest) if kind in OF_TREES else tuple(rest)


def _drop(drop: list[Any], tree: int) -> Drop:
    number, *rest = drop
    if number == _ROW:
        kind = _KINDS[rest[0]]
        return DropRow(kind, _columns(kind, rest[1:], tree))
    if number == _CHUNKS:
        return DropChunks(tree, *rest)
    return DropTree(*rest) if number == _TREE else DropEarlyWrites(*rest)
