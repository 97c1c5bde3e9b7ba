"""Rows in memory: one dict a table, with the keys also kept sorted, so that a range scan is a bisection."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

from holdfast.backends.base import Drop, DropChunks, DropRow, DropTree, DropWaiting
from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    ChunkRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    Row,
    RunRow,
    SealedRow,
    ThreadRow,
    WaitingRow,
)

Key = tuple[Any, ...]
Numbers = tuple[int, ...]
OF_TREES: Final = (LineRow, CheckpointRow, MarkRow, LogRow, ChunkRow, PendingRow, SealedRow, JournalRow)
"""The kinds of row that belong to one tree and name it in their first column."""


class Table:
    """Rows by key, and the keys in order."""

    def __init__(self, kind: type[Row]) -> None:
        self.width = KEYS[kind]
        self.rows: dict[Key, Any] = {}
        self.keys: list[Key] = []

    def put(self, row: Row) -> None:
        key = tuple(row[: self.width])
        if key not in self.rows:
            if not self.keys or key > self.keys[-1]:
                self.keys.append(key)
            else:
                insort(self.keys, key)
        self.rows[key] = row

    def drop(self, key: Key) -> Any:
        row = self.rows.pop(key, None)
        if row is not None:
            del self.keys[bisect_left(self.keys, key)]
        return row

    def get(self, *key: Any) -> Any:
        return self.rows.get(key)

    def between(self, low: Key, high: Key) -> Iterator[Any]:
        for key in self.keys[bisect_left(self.keys, low) : bisect_right(self.keys, high)]:
            yield self.rows[key]

    def under(self, *prefix: Any) -> list[Any]:
        """Every row whose key starts so."""
        found = []
        for place in range(bisect_left(self.keys, prefix), len(self.keys)):
            key = self.keys[place]
            if key[: len(prefix)] != prefix:
                break
            found.append(self.rows[key])
        return found


def _add(index: dict[Key, Numbers], key: Key, number: int) -> None:
    index[key] = (*index.get(key, ()), number)


def _discard(index: dict[Key, Numbers], key: Key, number: int) -> None:
    left = tuple(one for one in index.pop(key, ()) if one != number)
    if left:
        index[key] = left


class Tables:
    """One table for each kind of row, what is needed to find rows by other columns than their key, and their weight."""

    def __init__(self) -> None:
        self._tables: dict[type[Row], Table] = {kind: Table(kind) for kind in KEYS}
        self._by_id: dict[Key, set[int]] = {}
        self._by_namespace: dict[Key, Numbers] = {}  # of lines; more than one if a row is damaged
        self._by_line: dict[int, dict[int, str]] = {}
        self._by_key: dict[Key, Numbers] = {}
        self.weight = 0  # what the rows take up, in bytes, roughly

    def __getitem__(self, kind: type[Row]) -> Table:
        return self._tables[kind]

    def rows(self) -> Iterator[Row]:
        """All of them, table by table and by key."""
        for table in self._tables.values():
            for key in table.keys:
                yield table.rows[key]

    # ---------------------------------------------------------------- by other columns

    def line(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        line = thread if namespace == "" else next(iter(self._by_namespace.get((tree, thread, namespace), ())), None)
        return None if line is None else cast(LineRow | None, self[LineRow].get(tree, line))

    def numbers_of(self, tree: int, line: int, checkpoint_id: str) -> set[int]:
        """Where a line has checkpoints of this id."""
        return self._by_id.get((tree, line, checkpoint_id), set())

    def journal_entry(self, tree: int, line: int, key: str) -> JournalRow | None:
        seq = next(iter(self._by_key.get((tree, line, key), ())), None)
        return None if seq is None else cast(JournalRow, self[JournalRow].get(tree, line, seq))

    def threads_of(self, tree: int) -> dict[int, str]:
        """The ids of a tree's living threads, by their root lines."""
        return self._by_line.get(tree, {})

    def trees(self) -> set[int]:
        """The numbers of all trees that have rows here."""
        found: set[int] = set()
        for keys in (self[kind].keys for kind in OF_TREES):
            at = 0
            while at < len(keys):  # from the first row of a tree to the first of the next
                found.add(keys[at][0])
                at = bisect_left(keys, (keys[at][0] + 1,), at)
        return found

    # ---------------------------------------------------------------- changes

    def put(self, row: Row) -> None:
        table = self[type(row)]
        before = table.rows.get(tuple(row[: table.width]))
        if before is not None:
            self._forget(before)
        table.put(row)
        self._remember(row)

    def drop(self, drop: Drop) -> None:
        _DROPS[type(drop)](self, drop)

    def drop_row(self, kind: type[Row], key: Key) -> None:
        row = self[kind].drop(key)
        if row is not None:
            self._forget(row)

    def _remember(self, row: Row) -> None:
        self.weight += weight(row)
        if isinstance(row, CheckpointRow):
            self._by_id.setdefault((row.tree, row.line, row.id), set()).add(row.seq)
        elif isinstance(row, LineRow):
            _add(self._by_namespace, (row.tree, row.thread, row.namespace), row.line)
        elif isinstance(row, ThreadRow):
            self._by_line.setdefault(row.tree, {})[row.line] = row.id
        elif isinstance(row, JournalRow) and row.key is not None:
            _add(self._by_key, (row.tree, row.line, row.key), row.seq)

    def _forget(self, row: Row) -> None:
        self.weight -= weight(row)
        if isinstance(row, CheckpointRow):
            self._by_id[row.tree, row.line, row.id].discard(row.seq)
        elif isinstance(row, LineRow):
            _discard(self._by_namespace, (row.tree, row.thread, row.namespace), row.line)
        elif isinstance(row, ThreadRow):
            self._by_line[row.tree].pop(row.line, None)
        elif isinstance(row, JournalRow) and row.key is not None:
            _discard(self._by_key, (row.tree, row.line, row.key), row.seq)

    def _drop_chunks(self, drop: DropChunks) -> None:
        for row in list(self[ChunkRow].between((drop.tree, drop.log, drop.lo), (drop.tree, drop.log, drop.hi))):
            self.drop_row(ChunkRow, row[:3])

    def _drop_tree(self, drop: DropTree) -> None:
        for kind in OF_TREES:
            for row in self[kind].under(drop.tree):
                self.drop_row(kind, tuple(row[: KEYS[kind]]))
        for row in [row for row in self[RunRow].rows.values() if row.tree == drop.tree]:
            self.drop_row(RunRow, row[:3])

    def _drop_waiting(self, drop: DropWaiting) -> None:
        table = self[WaitingRow]
        for row in table.under(drop.thread) if drop.thread else list(table.rows.values()):
            if row.created_at < drop.before:
                self.drop_row(WaitingRow, row[: KEYS[WaitingRow]])


_DROPS: Final[dict[type[Drop], Callable[[Tables, Any], None]]] = {
    DropRow: lambda tables, drop: tables.drop_row(drop.table, drop.key),
    DropChunks: Tables._drop_chunks,
    DropTree: Tables._drop_tree,
    DropWaiting: Tables._drop_waiting,
}


def weight(row: Row) -> int:
    """What a row takes up, in bytes, roughly: its texts and bodies, and a little for each column."""
    total = 2 * len(row)
    for column in row:
        if isinstance(column, bytes | str):
            total += len(column)
    return total
