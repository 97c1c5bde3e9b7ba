"""What batches change, as it stands in records: lists of columns, by msgpack.

A part is ``[drops, puts]``: what one batch drops from and puts into one tree, or the directory. A put is a number for
the kind of row and its columns; a drop is a number for the kind of drop and what it names. In the file of a tree the
tree itself is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from holdfast.backends.base import Batch, Drop, DropChunks, DropRow, DropTree, DropWaiting
from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    ChunkRow,
    GraveRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    Row,
    RunRow,
    SealedRow,
    TagRow,
    ThreadRow,
    WaitingRow,
)
from holdfast.backends.tabled import Scope
from holdfast.backends.tables import OF_TREES, Tables, weight

DIRECTORY: Final = 0
"""What stands for the directory where trees are named; no tree has this number."""

Part = list[Any]
_KINDS: Final[dict[int, type[Row]]] = {
    1: LineRow, 2: CheckpointRow, 3: MarkRow, 4: LogRow, 5: ChunkRow, 6: PendingRow, 7: SealedRow, 8: JournalRow,
    9: ThreadRow, 10: GraveRow, 11: TagRow, 12: WaitingRow, 13: RunRow,
}  # fmt: skip
_NUMBERS: Final = {kind: number for number, kind in _KINDS.items()}
_ROW, _CHUNKS, _TREE, _WAITING = 0, 1, 2, 3


# ------------------------------------------------------------------------------------------------ from batches


def parts(scope: Scope, batch: Batch) -> dict[int, Part]:
    """What a batch changes, by tree. What may be put only if it is free is put if it is."""
    found: dict[int, Part] = {}
    for drop in batch.drops:
        for tree in _trees_of_drop(drop):
            _part(found, tree)[0].append(_packed_drop(drop, tree))
    puts: dict[Any, Row] = {_key(row): row for row in batch.puts}
    for one in batch.puts_if_free:
        kind, key = _key(one)
        if _tables_of(scope, one)[kind].get(*key) is None:
            puts.setdefault((kind, key), one)
    for row in puts.values():
        tree = _tree_of(row)
        _part(found, tree)[1].append(_packed(row, tree))
    return found


def _part(found: dict[int, Part], tree: int) -> Part:
    return found.setdefault(tree, [[], []])


def _key(row: Row) -> tuple[type[Row], tuple[Any, ...]]:
    return type(row), row[: KEYS[type(row)]]


def _tree_of(row: Row) -> int:
    return row[0] if isinstance(row, OF_TREES) else DIRECTORY


def _tables_of(scope: Scope, row: Row) -> Tables:
    tree = _tree_of(row)
    return scope.tree(tree) if tree else scope.directory


def _trees_of_drop(drop: Drop) -> tuple[int, ...]:
    if isinstance(drop, DropTree):
        return (DIRECTORY, drop.tree)  # the directory has its runs
    if isinstance(drop, DropChunks):
        return (drop.tree,)
    if isinstance(drop, DropRow) and drop.table in OF_TREES:
        return (cast(int, drop.key[0]),)
    return (DIRECTORY,)


def _packed(row: Row, tree: int) -> list[Any]:
    columns = row[1:] if tree else row
    return [_NUMBERS[type(row)], *columns]


def _packed_drop(drop: Drop, tree: int) -> list[Any]:
    if isinstance(drop, DropRow):
        return [_ROW, _NUMBERS[drop.table], *(drop.key[1:] if tree else drop.key)]
    if isinstance(drop, DropChunks):
        return [_CHUNKS, *drop[1:]]
    if isinstance(drop, DropTree):
        return [_TREE, drop.tree]
    return [_WAITING, *drop]


def whole(rows: Iterable[Row], tree: int, each: int) -> Iterable[Part]:
    """All rows, as parts of about so many bytes."""
    puts: list[Any] = []
    size = 0
    for row in rows:
        puts.append(_packed(row, tree))
        size += weight(row)
        if size > each:
            yield [[], puts]
            puts, size = [], 0
    yield [[], puts]


# ------------------------------------------------------------------------------------------------ to tables


def unpacked(part: Part, tree: int) -> tuple[list[Drop], list[Row]]:
    start = (tree,) if tree else ()
    drops, puts = part
    return [_drop(drop, tree, start) for drop in drops], [_row(put, start) for put in puts]


def _row(put: list[Any], start: tuple[int, ...]) -> Row:
    kind = _KINDS[put[0]]
    columns = (*start, *put[1:])
    if len(columns) != len(kind._fields):
        raise ValueError(f"a row of {len(columns)} columns")
    return kind._make(columns)


def _drop(drop: list[Any], tree: int, start: tuple[int, ...]) -> Drop:
    kind, *rest = drop
    if kind == _ROW:
        return DropRow(_KINDS[rest[0]], (*start, *rest[1:]))
    if kind == _CHUNKS:
        return DropChunks(tree, *rest)
    return DropTree(*rest) if kind == _TREE else DropWaiting(*rest)
