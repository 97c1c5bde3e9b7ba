"""The contract on a PostgreSQL server.

Every verb is one statement and one round trip. The function `apply` in the schema applies a batch: it locks and checks
what the batch expects, and then makes its changes. Writers that wait share one call of it.

A commit is as durable as the server's settings make it (`synchronous_commit`, `fsync`): Holdfast does not change them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from holdfast._drive import waiting_loop
from holdfast._system import atomic_files, process_fork
from holdfast._system.uninterrupted import uninterrupted
from holdfast.backends.base import Backend, Batch, Progress
from holdfast.backends.postgres import migration, snapshot_stream
from holdfast.backends.postgres.commit.group_commit import GroupCommit
from holdfast.backends.postgres.connection.address import Address, parse
from holdfast.backends.postgres.connection.connector import Connector, LoopConnector, ThreadConnector
from holdfast.backends.postgres.errors import translated
from holdfast.backends.postgres.row_queries import RowQueries
from holdfast.backends.postgres.sql import Release, this_release
from holdfast.backends.postgres.within import WithinBackend
from holdfast.backends.rows import Row
from holdfast.errors import Closed


class PostgresBackend(RowQueries):
    def __init__(self, address: Address, release: Release | None = None) -> None:
        super().__init__(address, release or this_release())
        self._closed = False
        self._start()
        uninterrupted(migration.prepare, self._thread_connector, self.release)
        process_fork.register(after_in_child=self.after_fork)

    @classmethod
    def open(cls, url: str) -> PostgresBackend:
        return cls(parse(url))

    def _start(self) -> None:
        self._thread_connector = ThreadConnector(self.address)
        self._threads = GroupCommit(self._thread_connector, self._sql)
        self._loops: WeakKeyDictionary[Any, GroupCommit] = WeakKeyDictionary()

    def _group(self) -> GroupCommit:
        if self._closed:
            raise Closed(f"the store {self.address.shown!r} is closed; open it again with holdfast.open()")
        loop = waiting_loop()
        if loop is None:
            return self._threads
        if loop not in self._loops:
            self._forget_ended_loops()
            # The connection that the store was opened with is not needed by a store that is used from a loop.
            self._thread_connector.rest()
            self._loops[loop] = GroupCommit(LoopConnector(self.address), self._sql)
        return self._loops[loop]

    def _forget_ended_loops(self) -> None:
        for loop, group in list(self._loops.items()):
            if loop.is_closed():
                group.connector.close()
                del self._loops[loop]

    def _connectors(self) -> list[Connector]:
        return [self._thread_connector, *(group.connector for group in list(self._loops.values()))]

    async def commit(self, batch: Batch) -> bool:
        group = self._group()
        with translated(self.address.shown):
            return await group.connector.call(group.commit, batch)

    async def commit_each(self, batches: Sequence[Batch]) -> list[bool]:
        group = self._group()
        with translated(self.address.shown):
            return await group.connector.call(group.commit_each, batches)

    async def backup(self, path: Path, progress: Progress | None) -> str:
        """To a SQLite file: the rows are the same on every backend. Blocks, even when it is awaited."""
        from holdfast.backends.sqlite import row_backup

        ((expected,),) = await self._all("rows", schema=self.address.schema)
        done = 0

        def take(kind: type[Row], rows: list[tuple[Any, ...]]) -> None:
            nonlocal done
            copy.put(kind, rows)
            done += len(rows)
            if progress is not None:
                progress(done, max(done, int(expected)))

        with (
            atomic_files.publish_new(path) as part,
            translated(self.address.shown),
            self._thread_connector.connection() as connection,
            row_backup.of_rows(part) as copy,
        ):
            snapshot_stream.stream(connection, self._sql, take)
        if progress is not None:
            progress(done, done)
        return str(path)

    def within(self, connection: object) -> Backend:
        return WithinBackend.of(self.address, self.release, connection)

    async def close(self) -> None:
        self._closed = True
        for connector in self._connectors():
            uninterrupted(connector.close)

    def after_fork(self) -> None:
        for connector in self._connectors():
            connector.abandon()
        self._start()
