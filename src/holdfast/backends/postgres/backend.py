"""The contract on a PostgreSQL server.

Every verb is one statement and one round trip. A batch is applied by the function `apply` in the schema, which checks
under locks what the batch expects and then does what it says; writers that wait share one call of it.

A commit is durable as far as the server's settings say so (`synchronous_commit`, `fsync`): Holdfast leaves them alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary, WeakSet

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.pq import TransactionStatus

from holdfast.backends import fresh
from holdfast.backends.base import (
    ANY,
    BACKUPS,
    Backend,
    Batch,
    Capabilities,
    Filter,
    Found,
    Listed,
    Piece,
    Progress,
    Tally,
    Want,
)
from holdfast.backends.driving import running_loop, waiting_loop
from holdfast.backends.postgres import schema, streaming
from holdfast.backends.postgres.address import Address, parse
from holdfast.backends.postgres.arrays import Numbers, Texts
from holdfast.backends.postgres.failures import translated
from holdfast.backends.postgres.grouping import Grouping, Patience
from holdfast.backends.postgres.programs import PLACES, Program
from holdfast.backends.postgres.statements import statements
from holdfast.backends.postgres.twins import BorrowedLoopTwin, BorrowedTwin, DistantTwin, LoopTwin, SyncTwin
from holdfast.backends.rows import (
    AnyRow,
    CheckpointRow,
    ChunkRow,
    JournalRow,
    LineRow,
    MarkRow,
    PendingRow,
    Row,
    RunRow,
    SealedRow,
    ThreadRow,
    WaitingRow,
    first_key,
    table_name,
)
from holdfast.backends.shapes import after_prefix, cut
from holdfast.errors import Closed, InvalidArgument

R = TypeVar("R")


class PostgresBackend(Backend):
    capabilities: ClassVar = Capabilities(
        name="postgresql", blocking=False, durable=True, shared=True, frames=(PLACES,)
    )

    def __init__(self, address: Address) -> None:
        self.address = address
        self._sql = statements(address.schema)
        self._closed = False
        self._start()
        schema.prepare(self._threads[0])
        _alive.add(self)

    @classmethod
    def open(cls, url: str) -> PostgresBackend:
        return cls(parse(url))

    def _start(self) -> None:
        twin = SyncTwin(self.address)
        self._threads = (twin, Grouping(twin))
        self._loops: WeakKeyDictionary[Any, tuple[LoopTwin, Grouping]] = WeakKeyDictionary()

    def _here(self) -> tuple[SyncTwin | LoopTwin, Grouping]:
        """How the caller waits, and who waits with it."""
        if self._closed:
            raise Closed(f"the store {self.address.shown!r} is closed; open it again with holdfast.open()")
        loop = waiting_loop()
        if loop is None:
            return self._threads
        if loop not in self._loops:
            self._forget_ended_loops()
            self._threads[0].rest()  # the connection that the store was opened with, if nothing else
            twin = LoopTwin(self.address)
            self._loops[loop] = (twin, Grouping(twin))
        return self._loops[loop]

    def _forget_ended_loops(self) -> None:
        for loop, (twin, _) in list(self._loops.items()):
            if loop.is_closed():
                twin.close()
                del self._loops[loop]

    # ---------------------------------------------------------------- writing

    async def commit(self, batch: Batch) -> bool:
        _, grouping = self._here()
        with translated(self.address.shown):
            return await grouping.commit(batch)

    # ---------------------------------------------------------------- reading

    async def _all(self, name: str, **parameters: Any) -> list[tuple[Any, ...]]:
        twin, _ = self._here()
        patience = Patience(twin)
        while True:
            try:
                return await twin.fetch(self._sql[name], parameters)
            except psycopg.Error as error:
                await patience.lost(error)

    async def _rows(self, kind: Callable[[tuple[Any, ...]], R], name: str, **parameters: Any) -> list[R]:
        return [kind(row) for row in await self._all(name, **parameters)]

    async def find(self, thread_id: str, namespace: str, grave: bytes) -> Found:
        ((generation, last, *columns),) = await self._all("find", id=thread_id, namespace=namespace, grave=grave)
        thread, root, own, head = cut(columns, ThreadRow, LineRow, LineRow, CheckpointRow)
        return Found(thread, root, own, head, 0 if thread is not None else generation or 0, last or "")

    async def ancestry(self, tree: int, line: int) -> list[LineRow]:
        return await self._rows(LineRow._make, "ancestry", tree=tree, line=line)

    async def namespaces(self, tree: int, thread: int) -> list[LineRow]:
        return await self._rows(LineRow._make, "namespaces", tree=tree, thread=thread)

    async def namespace(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        found = await self._rows(LineRow._make, "namespace", tree=tree, thread=thread, namespace=namespace)
        return found[0] if found else None

    async def tree_threads(self, tree: int) -> list[ThreadRow]:
        return await self._rows(ThreadRow._make, "tree_threads", tree=tree)

    async def thread_of(self, tree: int, line: int) -> ThreadRow | None:
        found = await self._rows(ThreadRow._make, "thread_of", tree=tree, line=line)
        return found[0] if found else None

    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        name = "checkpoints_oldest" if oldest else "checkpoints_newest"
        span = {"tree": tree, "line": line, "lo": lo, "hi": hi, "limit": _limit(limit)}
        return await self._rows(CheckpointRow._make, name, **span, **where._asdict())

    async def by_id(self, tree: int, lines: Sequence[int], checkpoint_id: str) -> list[CheckpointRow]:
        return await self._rows(CheckpointRow._make, "by_id", tree=tree, lines=Numbers(lines), id=checkpoint_id)

    async def checkpoints_by_id(self, tree: int, line: int, before: str | None, limit: int) -> list[CheckpointRow]:
        span = {"tree": tree, "line": line, "before": before, "limit": _limit(limit)}
        return await self._rows(CheckpointRow._make, "checkpoints_by_id", **span)

    async def marks(self, tree: int, lines: Sequence[int]) -> list[MarkRow]:
        return await self._rows(MarkRow._make, "marks", tree=tree, lines=Numbers(lines))

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        found: list[list[Piece]] = [[] for _ in wants]
        logs, positions = Numbers(want.log for want in wants), Numbers(want.pos for want in wants)
        for ask, pos, *chunk in await self._all("chunks", tree=tree, logs=logs, positions=positions):
            found[ask - 1].append(Piece(ChunkRow._make(chunk), pos))
        return found

    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SealedRow]:
        own = {"tree": line.tree, "line": line.line, "seqs": Numbers(seqs)}
        base = {"base_line": line.base_line, "base_era": line.base_era, "base_seq": line.base_seq}
        return await self._rows(_written, "pending", **own, **base)

    async def waiting(self, thread: str, namespace: str, checkpoint: str) -> list[WaitingRow]:
        return await self._rows(WaitingRow._make, "waiting", thread=thread, namespace=namespace, checkpoint=checkpoint)

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        span = {"tree": tree, "line": line, "lo": lo, "hi": hi, "limit": _limit(limit)}
        return await self._rows(JournalRow._make, "journal", **span)

    async def journal_key(self, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
        return await self._rows(JournalRow._make, "journal_key", tree=tree, lines=Numbers(lines), key=key)

    async def now(self) -> int:
        return int((await self._all("now"))[0][0])

    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        span = {"start": max(prefix, after), "after": after, "end": after_prefix(prefix), "limit": _limit(limit)}
        if tags:
            (key, value), *others = tags
            more = {"keys": Texts(key for key, _ in others), "values": Texts(value for _, value in others)}
            rows = await self._all("threads_tagged", **span, key=key, value=value, **more)
        else:
            rows = await self._all("threads", **span)
        return [Listed(*cut(row, ThreadRow, LineRow, CheckpointRow)) for row in rows]

    async def run_lines(self, run_id: str) -> list[RunRow]:
        return await self._rows(RunRow._make, "run_lines", run_id=run_id)

    async def trees(self, after: int, limit: int) -> list[int]:
        return [tree for (tree,) in await self._all("trees", after=after, limit=_limit(limit))]

    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        start = dict(zip(kind._fields, after or first_key(kind), strict=False))
        rows = await self._all("scan_" + table_name(kind), **start, of=tree, limit=_limit(limit))
        return [kind._make(row) for row in rows]

    async def bytes_stored(self) -> int:
        return int((await self._all("bytes_stored", schema=self.address.schema))[0][0])

    async def tally(self, lo: int, hi: int) -> list[Tally]:
        return await self._rows(Tally._make, "tally", lo=lo, hi=hi)

    async def backup(self, path: Path, progress: Progress | None) -> str:
        """To a file of SQLite's: the rows are the same everywhere. It blocks, however the caller waits."""
        from holdfast.backends.sqlite import row_copies

        ((expected,),) = await self._all("rows", schema=self.address.schema)
        done = 0

        def take(kind: type[Row], rows: list[tuple[Any, ...]]) -> None:
            nonlocal done
            copy.put(kind, rows)
            done += len(rows)
            if progress is not None:
                progress(done, max(done, int(expected)))

        with (
            fresh.whole(path) as part,
            translated(self.address.shown),
            self._threads[0].connection() as connection,
            row_copies.of_rows(part) as copy,
        ):
            streaming.stream(connection, self._sql, take)
        if progress is not None:
            progress(done, done)
        return str(path)

    # ---------------------------------------------------------------- the end, and others' transactions

    def within(self, connection: object) -> Backend:
        if not isinstance(connection, Connection | AsyncConnection):
            raise InvalidArgument(f"within() takes an open psycopg connection, not a {type(connection).__name__}")
        return _Within(self.address, connection)

    async def give_back(self) -> None:
        """The server's autovacuum sees to that, table by table."""

    async def scrub(self) -> list[str]:
        return [
            BACKUPS,
            "the write-ahead log, its archive, and replicas that are behind",
            "the files of the tables, until the server has vacuumed them: VACUUM FULL writes them anew at once",
        ]

    async def close(self) -> None:
        self._closed = True
        self._threads[0].close()
        for twin, _ in list(self._loops.values()):
            twin.close()

    def after_fork(self) -> None:
        for twin in (self._threads[0], *(twin for twin, _ in list(self._loops.values()))):
            twin.abandon()
        self._start()


class _Within(PostgresBackend):
    """The same rows through a caller's connection: part of its transaction, never committed, never tried again."""

    def __init__(self, address: Address, connection: Connection[Any] | AsyncConnection[Any]) -> None:
        self.address = replace(address, retry=0.0)
        self._sql = statements(address.schema)
        self._closed = False
        self._connection = connection
        twin = (
            BorrowedTwin(self.address, connection)
            if isinstance(connection, Connection)
            else BorrowedLoopTwin(self.address, connection)
        )
        self._own = (twin, Grouping(twin))
        self._home = running_loop() if isinstance(connection, AsyncConnection) else None

    def _here(self) -> tuple[SyncTwin | LoopTwin, Grouping]:
        way = self._way()
        self._check_transaction()
        self._check_encoding()
        return way

    def _way(self) -> tuple[SyncTwin | LoopTwin, Grouping]:
        """How the caller reaches the connection: an async one from its own loop, or from a worker thread of it."""
        loop = waiting_loop()
        if isinstance(self._connection, AsyncConnection) and loop is None and running_loop() is None:
            if self._home is not None and self._home.is_running():
                twin = DistantTwin(self.address, self._connection, self._home)
                return twin, Grouping(twin)
        elif isinstance(self._connection, AsyncConnection) == (loop is not None):
            self._home = loop
            return self._own
        raise InvalidArgument(
            "within() was given a connection of the other kind: a Store takes psycopg.Connection, "
            "an AsyncStore psycopg.AsyncConnection"
        )

    def _check_transaction(self) -> None:
        status = self._connection.info.transaction_status
        if self._connection.autocommit and status == TransactionStatus.IDLE:
            raise InvalidArgument(
                "the connection given to within() has no transaction open; begin one: with connection.transaction(): …"
            )

    def _check_encoding(self) -> None:
        """The server would take our texts, which are sent as UTF-8, for another encoding, and keep them garbled."""
        if self._connection.closed:
            return  # which the statement says better
        encoding = self._connection.info.parameter_status("client_encoding") or "UTF8"
        if encoding != "UTF8":
            raise InvalidArgument(
                f"the connection given to within() has the client encoding {encoding}, and Holdfast needs UTF8; "
                "connect with client_encoding='UTF8', or run SET client_encoding TO 'UTF8' before"
            )

    async def commit(self, batch: Batch) -> bool:
        _, grouping = self._here()
        return await grouping.commit_alone(Program(batch), once=True)

    async def backup(self, path: Path, progress: Progress | None) -> str:
        raise InvalidArgument("a backup can't be made within a transaction of yours; call backup() on the store itself")

    async def close(self) -> None:
        """The connection is its owner's."""

    def after_fork(self) -> None:
        """So it is in the child."""


def _limit(limit: int) -> int | None:
    return None if limit < 0 else limit


def _written(row: tuple[Any, ...]) -> PendingRow | SealedRow:
    """A row of either table: both come from one question."""
    if row[0]:
        return PendingRow._make(row[1:])
    _, tree, line, seq, _, number, era, _, body, total = row
    return SealedRow(tree, line, seq, number, era, body, total)


_alive: WeakSet[PostgresBackend] = WeakSet()


def _after_fork() -> None:
    for backend in list(_alive):
        backend.after_fork()


os.register_at_fork(after_in_child=_after_fork)
