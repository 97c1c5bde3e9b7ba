"""Rows that somebody holds in memory, to be asked as a backend is: for whoever judges what a store would show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeVar

from holdfast.backends import tabled
from holdfast.backends.base import Batch, Capabilities, DropRow, Piece
from holdfast.backends.rows import KEYS, AnyRow, Row, has_typed_key
from holdfast.backends.tabled import Scope, TabledBackend
from holdfast.backends.tables import OF_TREES, Tables

R = TypeVar("R")


class Snapshot(TabledBackend):
    capabilities: ClassVar = Capabilities(name="snapshot", blocking=True, durable=False, shared=False)

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.directory = Tables()
        self._odd: dict[tuple[object, ...], Row] = {}  # damaged rows whose keys can't be put in order with others
        for row in rows:
            self.put(row)

    def put(self, row: Row) -> None:
        if has_typed_key(row):
            self.directory.put(row)
        else:
            self._odd[(type(row), *row[: KEYS[type(row)]])] = row

    def pieces(self, tree: int, log: int, pos: int) -> list[Piece]:
        """The chunks that make up one version, as `chunks` gives them."""
        return tabled.pieces(self.directory, tree, log, pos)

    def tree(self, number: int) -> Tables:
        return self.directory

    def all_trees(self) -> set[int]:
        return self.directory.trees() | {tree for tree in self._odd_trees() if isinstance(tree, int)}

    def _odd_trees(self) -> set[Any]:
        return {row[0] for row in self._odd.values() if isinstance(row, OF_TREES)}

    async def trees(self, after: int, limit: int) -> list[int]:
        """What is no number comes last, as in SQLite."""
        if after in self._odd_trees() - self.all_trees():
            return []
        found = await super().trees(after, limit)
        return found if len(found) == limit else [*found, *(one for one in self._odd_trees() if type(one) is not int)]

    def waiting_tables(self, thread: str) -> Sequence[Tables]:
        return (self.directory,)

    def ask(self, question: Callable[[Scope], R]) -> R:
        return question(self)

    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        """Those that can't be put in order come first, so that the last one tells where to go on."""
        odd = [row for row in self._odd.values() if isinstance(row, kind) and tree in (None, row[0]) and not after]
        if (kind, *after) in self._odd or not (tree is None or isinstance(tree, int)):
            return odd
        return odd + await super().scan(kind, tree, after, limit)

    async def commit(self, batch: Batch) -> bool:
        """What would be so after a batch."""
        if not tabled.applicable(self, batch):
            return False
        for drop in batch.drops:
            if not isinstance(drop, DropRow) or self._odd.pop((drop.table, *drop.key), None) is None:
                self.directory.drop(drop)
        for row in (*batch.puts, *batch.puts_if_free):
            self.put(row)
        return True

    async def bytes_stored(self) -> int:
        return self.directory.weight

    async def give_back(self) -> None:
        """It has borrowed nothing."""

    async def close(self) -> None:
        """It holds nothing."""
