"""Rows in memory: one dict for each table, and its keys in a sorted list, so that a range is found by bisection."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

from holdfast.backends.base import Drop, DropChunks, DropEarlyWrites, DropRow, DropTree
from holdfast.backends.rows import (
    KEYS,
    OF_TREES,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    Row,
    RunRow,
    ThreadRow,
    key_of,
    weight,
)

Key = tuple[Any, ...]
Numbers = tuple[int, ...]


class Table:
    """Rows by key, and the keys in order. A change that was interrupted is completed by making it once more."""

    def __init__(self) -> None:
        self.rows: dict[Key, Any] = {}
        self.keys: list[Key] = []

    def put(self, row: Row) -> None:
        key = key_of(row)
        if not self.keys or key > self.keys[-1]:
            self.keys.append(key)
        elif key not in self.rows and self.keys[at := bisect_left(self.keys, key)] != key:
            self.keys.insert(at, key)
        self.rows[key] = row

    def drop(self, key: Key) -> None:
        if key in self.rows:
            at = bisect_left(self.keys, key)
            if self.keys[at : at + 1] == [key]:
                del self.keys[at]
            del self.rows[key]

    def get(self, *key: Any) -> Any:
        return self.rows.get(key)

    def between(self, low: Key, high: Key) -> Iterator[Any]:
        for key in self.keys[bisect_left(self.keys, low) : bisect_right(self.keys, high)]:
            yield self.rows[key]

    def under(self, *prefix: Any) -> list[Any]:
        """Every row whose key starts with these columns."""
        rows = []
        for i in range(bisect_left(self.keys, prefix), len(self.keys)):
            key = self.keys[i]
            if key[: len(prefix)] != prefix:
                break
            rows.append(self.rows[key])
        return rows


def _add(index: dict[Key, Numbers], key: Key, number: int) -> None:
    numbers = index.get(key, ())
    if number not in numbers:
        index[key] = (*numbers, number)


def _discard(index: dict[Key, Numbers], key: Key, number: int) -> None:
    left = tuple(other for other in index.pop(key, ()) if other != number)
    if left:
        index[key] = left


class Tables:
    """One table for each kind of row, indexes on other columns than the key, and the total weight of the rows.

    Each change may be made twice, and leaves the same: so a change that was interrupted can be completed. Only the
    weight has to be counted again then.
    """

    def __init__(self) -> None:
        self._tables: dict[type[Row], Table] = {kind: Table() for kind in KEYS}
        self._by_id: dict[Key, set[int]] = {}
        self._by_namespace: dict[Key, Numbers] = {}  # numbers of lines; more than one if a row is damaged
        self._by_thread: dict[Key, set[int]] = {}  # numbers of lines
        self._by_line: dict[int, dict[int, str]] = {}
        self._by_key: dict[Key, Numbers] = {}
        self.weight = 0  # of all rows, see `rows.weight`

    def __getitem__(self, kind: type[Row]) -> Table:
        return self._tables[kind]

    def rows(self) -> Iterator[Row]:
        """All rows, table by table, in the order of their keys."""
        for table in self._tables.values():
            for key in table.keys:
                yield table.rows[key]

    # ---------------------------------------------------------------- by other columns

    def line(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        line = thread if namespace == "" else next(iter(self._by_namespace.get((tree, thread, namespace), ())), None)
        return None if line is None else cast(LineRow | None, self[LineRow].get(tree, line))

    def lines_of(self, tree: int, thread: int) -> list[LineRow]:
        """The lines of a thread, in the order of their numbers."""
        table = self[LineRow]
        return [table.get(tree, line) for line in sorted(self._by_thread.get((tree, thread), ()))]

    def numbers_of(self, tree: int, line: int, checkpoint_id: str) -> set[int]:
        """The numbers of a line's checkpoints with this id."""
        return self._by_id.get((tree, line, checkpoint_id), set())

    def journal_entry(self, tree: int, line: int, key: str) -> JournalRow | None:
        seq = next(iter(self._by_key.get((tree, line, key), ())), None)
        return None if seq is None else cast(JournalRow, self[JournalRow].get(tree, line, seq))

    def threads_of(self, tree: int) -> dict[int, str]:
        """The ids of a tree's living threads, by root line."""
        return self._by_line.get(tree, {})

    def trees(self) -> set[int]:
        """The numbers of all trees that have rows here."""
        trees: set[int] = set()
        for keys in (self[kind].keys for kind in OF_TREES):
            at = 0
            while at < len(keys):
                trees.add(keys[at][0])
                # Skip to the first row of the next tree.
                at = bisect_left(keys, (keys[at][0] + 1,), at)
        return trees

    # ---------------------------------------------------------------- changes

    def put(self, row: Row) -> None:
        table = self[type(row)]
        before = table.rows.get(key_of(row))
        if before is not None:
            self._forget(before)
        table.put(row)
        self._remember(row)

    def drop(self, drop: Drop) -> None:
        _DROPS[type(drop)](self, drop)

    def drop_row(self, kind: type[Row], key: Key) -> None:
        table = self[kind]
        row = table.rows.get(key)
        if row is not None:
            self._forget(row)
            table.drop(key)

    def count_weight(self) -> None:
        self.weight = sum(map(weight, self.rows()))

    def _remember(self, row: Row) -> None:
        self.weight += weight(row)
        if isinstance(row, CheckpointRow):
            self._by_id.setdefault((row.tree, row.line, row.id), set()).add(row.seq)
        elif isinstance(row, LineRow):
            _add(self._by_namespace, (row.tree, row.thread, row.namespace), row.line)
            self._by_thread.setdefault((row.tree, row.thread), set()).add(row.line)
        elif isinstance(row, ThreadRow):
            self._by_line.setdefault(row.tree, {})[row.line] = row.id
        elif isinstance(row, JournalRow) and row.key is not None:
            _add(self._by_key, (row.tree, row.line, row.key), row.seq)

    def _forget(self, row: Row) -> None:
        self.weight -= weight(row)
        if isinstance(row, CheckpointRow):
            self._by_id.get((row.tree, row.line, row.id), set()).discard(row.seq)
        elif isinstance(row, LineRow):
            _discard(self._by_namespace, (row.tree, row.thread, row.namespace), row.line)
            self._by_thread.get((row.tree, row.thread), set()).discard(row.line)
        elif isinstance(row, ThreadRow):
            self._by_line.get(row.tree, {}).pop(row.line, None)
        elif isinstance(row, JournalRow) and row.key is not None:
            _discard(self._by_key, (row.tree, row.line, row.key), row.seq)

    def _drop_chunks(self, drop: DropChunks) -> None:
        for row in list(self[ChunkRow].between((drop.tree, drop.log, drop.lo), (drop.tree, drop.log, drop.hi))):
            self.drop_row(ChunkRow, key_of(row))

    def _drop_tree(self, drop: DropTree) -> None:
        for kind in OF_TREES:
            for row in self[kind].under(drop.tree):
                self.drop_row(kind, key_of(row))
        for row in [row for row in self[RunRow].rows.values() if row.tree == drop.tree]:
            self.drop_row(RunRow, key_of(row))

    def _drop_early_writes(self, drop: DropEarlyWrites) -> None:
        table = self[EarlyWriteRow]
        for row in table.under(drop.thread) if drop.thread else list(table.rows.values()):
            if row.created_at < drop.before:
                self.drop_row(EarlyWriteRow, key_of(row))


_DROPS: Final[dict[type[Drop], Callable[[Tables, Any], None]]] = {
    DropRow: lambda tables, drop: tables.drop_row(drop.table, drop.key),
    DropChunks: Tables._drop_chunks,
    DropTree: Tables._drop_tree,
    DropEarlyWrites: Tables._drop_early_writes,
}
