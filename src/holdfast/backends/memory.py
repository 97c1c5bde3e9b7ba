"""Everything in this process: for tests, notebooks, and threads that need not outlive it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar
from weakref import WeakSet

from holdfast.backends.base import Batch, Capabilities, Progress
from holdfast.backends.rows import KEYS
from holdfast.backends.tabled import Scope, TabledBackend, applicable
from holdfast.backends.tables import Tables

R = TypeVar("R")


class MemoryBackend(TabledBackend):
    capabilities: ClassVar = Capabilities(name="memory", blocking=True, durable=False, shared=False)

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.directory = Tables()
        _alive.add(self)

    def tree(self, number: int) -> Tables:
        """All rows are in the same tables."""
        return self.directory

    def all_trees(self) -> set[int]:
        return self.directory.trees()

    def waiting_tables(self, thread: str) -> Sequence[Tables]:
        return (self.directory,)

    def ask(self, question: Callable[[Scope], R]) -> R:
        with self._lock:
            return question(self)

    async def commit(self, batch: Batch) -> bool:
        with self._lock:
            if not applicable(self, batch):
                return False
            tables = self.directory
            for drop in batch.drops:
                tables.drop(drop)
            for row in batch.puts:
                tables.put(row)
            for one in batch.puts_if_free:
                if tables[type(one)].get(*one[: KEYS[type(one)]]) is None:
                    tables.put(one)
        return True

    async def bytes_stored(self) -> int:
        return self.ask(lambda scope: scope.directory.weight)

    async def backup(self, path: Path, progress: Progress | None) -> str:
        """To a file of SQLite's: the rows are the same everywhere."""
        from holdfast.backends import fresh
        from holdfast.backends.sqlite import row_copies

        tables = self.ask(lambda scope: {kind: list(scope.directory[kind].rows.values()) for kind in KEYS})
        done, total = 0, sum(map(len, tables.values()))
        with fresh.whole(path) as part, row_copies.of_rows(part) as copy:
            for kind, rows in tables.items():
                copy.put(kind, rows)
                done += len(rows)
                if progress is not None:
                    progress(done, total)
        return str(path)

    async def give_back(self) -> None:
        """Python sees to that."""

    async def scrub(self) -> list[str]:
        return []

    async def close(self) -> None:
        with self._lock:
            self.directory = Tables()

    def after_fork(self) -> None:
        self._lock = threading.RLock()


_alive: WeakSet[MemoryBackend] = WeakSet()


def _after_fork() -> None:
    for backend in list(_alive):
        backend.after_fork()


os.register_at_fork(after_in_child=_after_fork)
