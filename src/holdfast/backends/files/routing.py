"""Which file each change of a batch belongs to: that of a tree, or the directory's.

Writes that wait for a checkpoint are kept with their thread's tree, so that a save that finds them changes one file
only. What came before its thread waits in the directory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from holdfast.backends.base import Batch, Drop, DropChunks, DropRow, DropTree, DropWaiting
from holdfast.backends.files.changes import DIRECTORY, Part, packed, packed_drop
from holdfast.backends.files.shelf import Look
from holdfast.backends.rows import KEYS, Row, WaitingRow
from holdfast.backends.tables import OF_TREES, Tables

Parts = dict[int, Part]


def parts(look: Look, batch: Batch) -> Parts:
    """What a batch changes, by tree. What may be put only if it is free is put if it is."""
    found: Parts = {}
    for drop in batch.drops:
        for tree in _trees_of_drop(look, drop):
            _part(found, tree)[0].append(packed_drop(drop))
    puts: dict[Any, Row] = {_key(row): row for row in batch.puts}
    for one in batch.puts_if_free:
        kind, key = _key(one)
        if all(tables[kind].get(*key) is None for tables in _tables_of(look, one)):
            puts.setdefault((kind, key), one)
    for row in puts.values():
        _part(found, _tree_of(look, row))[1].append(packed(row))
    return found


def _part(found: Parts, tree: int) -> Part:
    return found.setdefault(tree, [[], []])


def _key(row: Row) -> tuple[type[Row], tuple[Any, ...]]:
    return type(row), row[: KEYS[type(row)]]


def _tree_of(look: Look, row: Row) -> int:
    if isinstance(row, OF_TREES):
        return row.tree
    if isinstance(row, WaitingRow) and look.directory[WaitingRow].get(*_key(row)[1]) is None:
        return look.home_of(row.thread)
    return DIRECTORY


def _tables_of(look: Look, row: Row) -> Iterator[Tables]:
    if isinstance(row, WaitingRow):
        yield from look.waiting_tables(row.thread)
    else:
        tree = _tree_of(look, row)
        yield look.tree(tree) if tree else look.directory


def _trees_of_drop(look: Look, drop: Drop) -> Iterator[int]:
    if isinstance(drop, DropTree):
        yield from (DIRECTORY, drop.tree)  # the directory has its runs
    elif isinstance(drop, DropChunks):
        yield drop.tree
    elif isinstance(drop, DropWaiting):
        yield from _with_old_writes(look, drop)
    elif drop.table is WaitingRow:
        yield from _with_write(look, drop)
    else:
        yield cast(int, drop.key[0]) if drop.table in OF_TREES else DIRECTORY


def _with_write(look: Look, drop: DropRow) -> Iterator[int]:
    thread = str(drop.key[0])
    for tree, tables in zip((DIRECTORY, look.home_of(thread)), look.waiting_tables(thread), strict=False):
        if tables[WaitingRow].get(*drop.key) is not None:
            yield tree


def _with_old_writes(look: Look, drop: DropWaiting) -> Iterator[int]:
    """Nothing to remove is no reason to write: this drop comes with every save."""
    trees = [look.home_of(drop.thread)] if drop.thread else list(look.trees_with_old_writes(drop.before))
    for tree in {DIRECTORY, *trees}:
        tables = look.tree(tree) if tree else look.directory
        rows = tables[WaitingRow].under(drop.thread) if drop.thread else tables[WaitingRow].rows.values()
        if any(row.created_at < drop.before for row in rows):
            yield tree
