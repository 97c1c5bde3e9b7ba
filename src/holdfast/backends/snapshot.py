"""Rows that somebody holds in memory, to be asked as a backend is: for whoever judges what a store would show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, TypeVar

from holdfast.backends import tabled
from holdfast.backends.base import Batch, Capabilities, Piece
from holdfast.backends.rows import LineRow, Row
from holdfast.backends.tabled import Scope, TabledBackend
from holdfast.backends.tables import Tables

R = TypeVar("R")


class Snapshot(TabledBackend):
    capabilities: ClassVar = Capabilities(name="snapshot", blocking=True, durable=False, shared=False)

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.directory = Tables()
        for row in rows:
            self.put(row)

    def put(self, row: Row) -> None:
        self.directory.put(row)

    def pieces(self, tree: int, log: int, pos: int) -> list[Piece]:
        """The chunks that make up one version, as `chunks` gives them."""
        return tabled.pieces(self.directory, tree, log, pos)

    def tree(self, number: int) -> Tables:
        return self.directory

    def all_trees(self) -> set[int]:
        return {row.tree for row in self.directory[LineRow].rows.values()}

    def waiting_tables(self, thread: str) -> Sequence[Tables]:
        return (self.directory,)

    def ask(self, question: Callable[[Scope], R]) -> R:
        return question(self)

    async def commit(self, batch: Batch) -> bool:
        """What would be so after a batch."""
        if not tabled.applicable(self, batch):
            return False
        for drop in batch.drops:
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
