"""A store in the memory of one process: for tests, notebooks, and threads that need not outlive it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

from holdfast._system import process_fork
from holdfast.backends.base import Batch, Capabilities, Progress
from holdfast.backends.memory.queries import Scope, TableBackend, applicable
from holdfast.backends.memory.tables import Tables
from holdfast.backends.rows import KEYS, key_of

R = TypeVar("R")


class MemoryBackend(TableBackend):
    capabilities: ClassVar = Capabilities(name="memory", blocking=True, durable=False, shared=False)

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.directory = Tables()
        self._unfinished: Batch | None = None  # being applied
        process_fork.register(after_in_child=self.after_fork)

    def tree(self, number: int) -> Tables:
        """All rows are in the same tables."""
        return self.directory

    def all_trees(self) -> set[int]:
        return self.directory.trees()

    def early_write_tables(self, thread: str) -> Sequence[Tables]:
        return (self.directory,)

    def ask(self, question: Callable[[Scope], R]) -> R:
        with self._lock:
            self._complete()
            return question(self)

    async def commit(self, batch: Batch) -> bool:
        with self._lock:
            self._complete()
            if not applicable(self, batch):
                return False
            self._unfinished = batch
            self._apply(batch)
            self._unfinished = None
        return True

    def _apply(self, batch: Batch) -> None:
        """Made twice it leaves the same, except for the weight."""
        tables = self.directory
        for drop in batch.drops:
            tables.drop(drop)
        for row in batch.puts:
            tables.put(row)
        for write in batch.puts_if_free:
            if tables[type(write)].get(*key_of(write)) is None:
                tables.put(write)

    def _complete(self) -> None:
        """An exception may have left a commit, at any place. Whatever it had applied, this makes it whole."""
        if self._unfinished is not None:
            self._apply(self._unfinished)
            self.directory.count_weight()
            self._unfinished = None

    async def bytes_stored(self) -> int:
        return self.ask(lambda scope: scope.directory.weight)

    async def backup(self, path: Path, progress: Progress | None) -> str:
        """To a SQLite file, which has the same rows."""
        from holdfast._system import atomic_files
        from holdfast.backends.sqlite import row_backup

        tables = self.ask(lambda scope: {kind: list(scope.directory[kind].rows.values()) for kind in KEYS})
        done, total = 0, sum(map(len, tables.values()))
        with atomic_files.publish_new(path) as part, row_backup.of_rows(part) as copy:
            for kind, rows in tables.items():
                copy.put(kind, rows)
                done += len(rows)
                if progress is not None:
                    progress(done, total)
        return str(path)

    async def scrub(self) -> list[str]:
        return []

    async def close(self) -> None:
        with self._lock:
            self.directory = Tables()

    def after_fork(self) -> None:
        self._lock = threading.RLock()
