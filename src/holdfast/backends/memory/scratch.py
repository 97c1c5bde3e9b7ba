"""A backend over rows in memory: verify and repair ask it what a store with these rows would show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeVar

from holdfast.backends.base import Batch, Capabilities, DropRow, Piece
from holdfast.backends.memory import queries
from holdfast.backends.memory.queries import Scope, TableBackend
from holdfast.backends.memory.tables import Tables
from holdfast.backends.rows import OF_TREES, AnyRow, Row, has_typed_key, key_of

R = TypeVar("R")


class RowSnapshot(TableBackend):
    capabilities: ClassVar = Capabilities(name="snapshot", blocking=True, durable=False, shared=False)

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.directory = Tables()
        self._odd: dict[tuple[object, ...], Row] = {}  # damaged rows whose keys can't be compared with others
        for row in rows:
            self.put(row)

    def put(self, row: Row) -> None:
        if has_typed_key(row):
            self.directory.put(row)
        else:
            self._odd[(type(row), *key_of(row))] = row

    def pieces(self, tree: int, log: int, pos: int) -> list[Piece]:
        """The chunks that one version is made from, as in `chunks`."""
        return queries.pieces(self.directory, tree, log, pos)

    def tree(self, number: int) -> Tables:
        return self.directory

    def all_trees(self) -> set[int]:
        return self.directory.trees() | {tree for tree in self._odd_trees() if isinstance(tree, int)}

    def _odd_trees(self) -> set[Any]:
        return {row[0] for row in self._odd.values() if isinstance(row, OF_TREES)}

    async def trees(self, after: int, limit: int) -> list[int]:
        """Damaged trees that are not numbers come last, as in SQLite."""
        if after in self._odd_trees() - self.all_trees():
            return []
        trees = await super().trees(after, limit)
        if len(trees) == limit:
            return trees
        return [*trees, *(tree for tree in self._odd_trees() if type(tree) is not int)]

    def early_write_tables(self, thread: str) -> Sequence[Tables]:
        return (self.directory,)

    def ask(self, question: Callable[[Scope], R]) -> R:
        return question(self)

    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        """Rows whose keys can't be compared come first, so that the last row of the page has a key to continue from."""
        odd = [row for row in self._odd.values() if isinstance(row, kind) and tree in (None, row[0]) and not after]
        if (kind, *after) in self._odd or not (tree is None or isinstance(tree, int)):
            return odd
        return odd + await super().scan(kind, tree, after, limit)

    async def commit(self, batch: Batch) -> bool:
        """Apply a batch to the rows in memory."""
        if not queries.applicable(self, batch):
            return False
        for drop in batch.drops:
            if not isinstance(drop, DropRow) or self._odd.pop((drop.table, *drop.key), None) is None:
                self.directory.drop(drop)
        for row in (*batch.puts, *batch.puts_if_free):
            self.put(row)
        return True

    async def bytes_stored(self) -> int:
        return self.directory.weight

    async def close(self) -> None:
        """There is nothing to release."""
