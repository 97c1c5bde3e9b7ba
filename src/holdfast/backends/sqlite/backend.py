"""The backend contract on one SQLite file.

Reads run concurrently with each other and with the writer (WAL), each on its own connection. Writers queue: the one
that gets the lock commits every batch in the queue, in one transaction with one fsync.
"""

from __future__ import annotations

import glob
import json
import operator
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from holdfast._system import atomic_files
from holdfast.backends.base import (
    ANY,
    BACKUPS,
    Backend,
    Batch,
    Capabilities,
    CheckpointAt,
    CheckpointThere,
    ChunkAt,
    ClockNear,
    Drop,
    DropChunks,
    DropEarlyWrites,
    DropRow,
    DropTree,
    EarlyWritesAt,
    Expect,
    Filter,
    ForksAt,
    Found,
    IdFree,
    KeyFree,
    LineAt,
    Listed,
    NamespaceFree,
    PendingAt,
    Piece,
    Progress,
    RootAt,
    Tally,
    ThreadAbsent,
    ThreadAt,
    TombstoneAt,
    Want,
)
from holdfast.backends.common import commit_queue
from holdfast.backends.common.commit_queue import Ticket
from holdfast.backends.common.joined_rows import after_prefix, cut, found, written
from holdfast.backends.rows import (
    KEYS,
    NO_LIMIT,
    AnyRow,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    OverlayRow,
    PendingRow,
    Row,
    RunRow,
    SettledRow,
    TagRow,
    ThreadRow,
    first_key,
    table_name,
)
from holdfast.backends.sqlite import file_backup, large_chunks, salvage, vacuum
from holdfast.backends.sqlite.connections import Connections
from holdfast.backends.sqlite.errors import FROM_THE_FILE, sqlite_errors, translate, translated
from holdfast.backends.sqlite.sql import statements

R = TypeVar("R")
_SQL: Final = statements()
_HOLDS: Final[dict[type[Expect], str]] = {
    LineAt: _SQL["holds_line_at"],
    NamespaceFree: _SQL["holds_namespace_free"],
    RootAt: _SQL["holds_root_at"],
    ForksAt: _SQL["holds_forks_at"],
    ThreadAbsent: _SQL["holds_thread_absent"],
    ThreadAt: _SQL["holds_thread_at"],
    TombstoneAt: _SQL["holds_tombstone_at"],
    IdFree: _SQL["holds_id_free"],
    KeyFree: _SQL["holds_key_free"],
    CheckpointThere: _SQL["holds_checkpoint_there"],
    CheckpointAt: _SQL["holds_checkpoint_at"],
    ChunkAt: _SQL["holds_chunk_at"],
    PendingAt: _SQL["holds_pending_at"],
    EarlyWritesAt: _SQL["holds_early_write_at"],
    ClockNear: _SQL["holds_clock_near"],
}
_PUT: Final = {kind: _SQL["put_" + table_name(kind)] for kind in KEYS}
_PUT_IF_FREE: Final = {kind: _SQL[f"put_{table_name(kind)}_if_free"] for kind in (PendingRow, EarlyWriteRow)}
_DROP: Final = {kind: _SQL["drop_" + table_name(kind)] for kind in KEYS}
_WITH_TEXTS: Final = (ThreadRow, TagRow, PendingRow, EarlyWriteRow, RunRow)
_DROP_DAMAGED: Final[dict[type[Row], str]] = {kind: _SQL[f"drop_{table_name(kind)}_damaged"] for kind in _WITH_TEXTS}
_TREE: Final = [sql for name, sql in _SQL.items() if name.startswith("drop_tree_")]


class SqliteBackend(Backend):
    capabilities: ClassVar = Capabilities(name="sqlite", blocking=True, durable=True, shared=True)

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connections: Connections = Connections(path)

    # ---------------------------------------------------------------- writing

    async def commit(self, batch: Batch) -> bool:
        queue, writing = self._connections.queue, self._connections.writing
        return commit_queue.commit_each([batch], queue, writing, self._commit_all)[0]

    async def commit_each(self, batches: Sequence[Batch]) -> list[bool]:
        return commit_queue.commit_each(batches, self._connections.queue, self._connections.writing, self._commit_all)

    def _commit_all(self, tickets: list[Ticket]) -> None:
        """One transaction for all; if it fails, one for each batch, so that only the one at fault gets the error."""
        try:
            self._commit_together(tickets)
        except sqlite3.Error as error:
            if len(tickets) == 1:
                tickets[0].fail(translate(error, self.path))
                return
            for ticket in tickets:
                self._commit_all([ticket])

    def _commit_together(self, tickets: list[Ticket]) -> None:
        writer = self._connections.writer()
        marks: list[bool] = []
        try:
            writer.execute("BEGIN IMMEDIATE")  # inside the try: a signal handler may raise as soon as it returns
            for ticket in tickets:
                ticket.applied = _apply(writer, ticket.batch)
                ticket.marks = marks
            # In one call of C code, so that no signal handler runs between the commit and the mark.
            calls: list[Callable[[], object]] = [partial(writer.execute, "COMMIT"), partial(marks.append, True)]
            deque(map(operator.call, calls), 0)
        # SQLite may have rolled back by itself, for example when the disk is full.
        except BaseException:
            if writer.in_transaction:
                writer.execute("ROLLBACK")
            raise

    # ---------------------------------------------------------------- reading

    def _all(self, name: str, **parameters: Any) -> list[tuple[Any, ...]]:
        try:
            return self._connections.fetchall(_SQL[name], parameters)
        except FROM_THE_FILE as error:
            raise translate(error, self.path) from error

    def _rows(self, kind: Callable[[tuple[Any, ...]], R], name: str, **parameters: Any) -> list[R]:
        try:
            return [*map(kind, self._connections.fetchall(_SQL[name], parameters))]
        except FROM_THE_FILE as error:
            raise translate(error, self.path) from error

    async def find(self, thread_id: str, namespace: str, tombstone: bytes) -> Found:
        rows = self._rows(found, "find", id=thread_id, namespace=namespace, tombstone=tombstone)
        if not rows:
            tombstone_row = self._all("tombstone", hash=tombstone)
            return Found(None, None, None, None, *(tombstone_row[0] if tombstone_row else (0, "")))
        return rows[0]

    async def ancestry(self, tree: int, line: int, limit: int = NO_LIMIT) -> list[LineRow]:
        return self._rows(LineRow._make, "ancestry", tree=tree, line=line, limit=limit)

    async def namespaces(self, tree: int, thread: int) -> list[LineRow]:
        return self._rows(LineRow._make, "namespaces", tree=tree, thread=thread)

    async def namespace(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        lines = self._rows(LineRow._make, "namespace", tree=tree, thread=thread, namespace=namespace)
        return lines[0] if lines else None

    async def tree_threads(self, tree: int) -> list[ThreadRow]:
        return self._rows(ThreadRow._make, "tree_threads", tree=tree)

    async def thread_of(self, tree: int, line: int) -> ThreadRow | None:
        threads = self._rows(ThreadRow._make, "thread_of", tree=tree, line=line)
        return threads[0] if threads else None

    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        name = "checkpoints_oldest" if oldest else "checkpoints_newest"
        return self._rows(CheckpointRow._make, name, tree=tree, line=line, lo=lo, hi=hi, limit=limit, **where._asdict())

    async def by_id(self, tree: int, lines: Sequence[int], checkpoint_id: str) -> list[CheckpointRow]:
        return self._rows(CheckpointRow._make, "by_id", tree=tree, lines=json.dumps(list(lines)), id=checkpoint_id)

    async def checkpoints_by_id(self, tree: int, line: int, before: str | None, limit: int) -> list[CheckpointRow]:
        end = _or_bytes(before)
        return self._rows(CheckpointRow._make, "checkpoints_by_id", tree=tree, line=line, before=end, limit=limit)

    async def overlays(
        self, tree: int, lines: Sequence[int], lo: int = -NO_LIMIT, hi: int = NO_LIMIT
    ) -> list[OverlayRow]:
        return self._rows(OverlayRow._make, "overlays", tree=tree, lines=json.dumps(list(lines)), lo=lo, hi=hi)

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        pieces: list[list[Piece]] = [[] for _ in wants]
        try:
            for ask, pos, *chunk, _ in self._chunks({"tree": tree, "wants": json.dumps(wants)}):
                pieces[ask].append(Piece(ChunkRow._make(chunk), pos))
        except FROM_THE_FILE as error:
            raise translate(error, self.path) from error
        return pieces

    def _chunks(self, parameters: dict[str, Any]) -> Sequence[Sequence[Any]]:
        rows = self._connections.fetchall(_SQL["chunks"], parameters)
        if not any(map(operator.itemgetter(-1), rows)):
            return rows
        with self._connections.reader() as reader:
            return large_chunks.fetch(reader, parameters)

    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SettledRow]:
        own = {"tree": line.tree, "line": line.line, "seqs": json.dumps(list(seqs))}
        if line.base_line is None:
            return self._rows(written, "pending_own", **own)
        base = {"base_line": line.base_line, "base_era": line.base_era, "base_seq": line.base_seq}
        base["lowest"] = min(seqs, default=0)
        return self._rows(written, "pending", **own, **base)

    async def early_writes(self, thread: str, namespace: str, checkpoint: str) -> list[EarlyWriteRow]:
        return self._rows(EarlyWriteRow._make, "early_write", thread=thread, namespace=namespace, checkpoint=checkpoint)

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        return self._rows(JournalRow._make, "journal", tree=tree, line=line, lo=lo, hi=hi, limit=limit)

    async def journal_key(self, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
        return self._rows(JournalRow._make, "journal_key", tree=tree, lines=json.dumps(list(lines)), key=key)

    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        span = {"start": max(prefix, after), "after": after, "end": _or_bytes(after_prefix(prefix)), "limit": limit}
        if tags:
            (key, value), *others = sorted(tags, key=self._threads_tagged) if len(tags) > 1 else tags
            return self._rows(_listed, "threads_tagged", **span, key=key, value=value, others=json.dumps(others))
        return self._rows(_listed, "threads", **span)

    def _threads_tagged(self, tag: tuple[str, str]) -> int:
        """How many threads have a tag, at most a hundred: the search starts with the rarest."""
        key, value = tag
        return int(self._all("tagged", key=key, value=value)[0][0])

    async def run_lines(self, run_id: str) -> list[RunRow]:
        return self._rows(RunRow._make, "run_lines", run_id=run_id)

    async def trees(self, after: int, limit: int) -> list[int]:
        return [tree for (tree,) in self._all("trees", after=after, limit=limit)]

    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        start: tuple[object, ...] = after or first_key(kind)
        bounds = (*start, limit) if tree is None else (*start, tree, limit)
        with translated(self.path), self._connections.reader() as reader, _tolerant(reader):
            rows = _execute(reader, _SQL["scan_" + table_name(kind)], bounds).fetchall()
            return [kind._make(row) for row in rows]

    async def check(self) -> list[str]:
        with translated(self.path), self._connections.reader() as reader:
            problems = [f"{self.path}: {problem}" for problem in salvage.check_schema(reader, self.path)]
            for name in ("sqlite_schema", *map(table_name, KEYS)):
                problems += [f"{self.path}: table {name}: {problem}" for problem in salvage.check(reader, name)]
            return problems

    async def mend(self) -> list[str]:
        if not await self.check():
            return []
        # The file is replaced, so no connection of this process may have it open.
        with translated(self.path):
            self._connections.close()
            try:
                return [salvage.replace(self.path)]
            finally:
                self._connections = Connections(self.path)

    async def bytes_stored(self) -> int:
        return int(self._all("bytes_stored")[0][0])

    async def tally(self, lo: int, hi: int) -> list[Tally]:
        return self._rows(Tally._make, "tally", lo=lo, hi=hi)

    def rights(self) -> int:
        with atomic_files.translated(self.path):
            return atomic_files.rights_of(self.path)

    async def backup(self, path: Path, progress: Progress | None) -> str:
        with (
            atomic_files.publish_new(path, rights=self.rights()) as part,
            sqlite_errors(part),
            self._connections.reader() as reader,
        ):
            file_backup.copy(reader, part, progress)
        return str(path)

    async def give_back(self) -> None:
        with translated(self.path), self._connections.writing:
            vacuum.shrink(self._connections.writer())

    async def scrub(self) -> list[str]:
        with translated(self.path), self._connections.writing:
            vacuum.scrub(self._connections.writer(), self.path)
        aside = sorted(self.path.parent.glob(f"{glob.escape(self.path.name)}.damaged-*"))
        return [BACKUPS, *(f"{file}, which repair() has set aside" for file in aside)]

    async def close(self) -> None:
        with translated(self.path):
            self._connections.close()


def _listed(row: tuple[Any, ...]) -> Listed:
    return Listed(*cut(row, ThreadRow, LineRow, CheckpointRow))


def _apply(writer: sqlite3.Connection, batch: Batch) -> bool:
    execute = writer.execute
    for expect in batch.expects:
        if not execute(_HOLDS[type(expect)], expect).fetchone()[0]:
            return False
    for drop in batch.drops:
        _drop(writer, drop)
    for row in batch.puts:
        if isinstance(row, ChunkRow) and len(row.body) >= large_chunks.LARGE:
            large_chunks.put(writer, row)
        # No row was changed: a line whose namespace moves, which the usual statement leaves out. See statements.sql.
        elif not execute(_PUT[type(row)], row).rowcount:
            execute(_SQL["put_line_elsewhere"], row)
    for write in batch.puts_if_free:
        execute(_PUT_IF_FREE[type(write)], write)
    return True


def _drop(writer: sqlite3.Connection, drop: Drop) -> None:
    if isinstance(drop, DropRow):
        _drop_row(writer, drop.table, drop.key)
    elif isinstance(drop, DropChunks):
        writer.execute(_SQL["drop_chunks"], drop)
    elif isinstance(drop, DropEarlyWrites):
        writer.execute(_SQL["drop_early_write_before"], drop)
    elif isinstance(drop, DropTree):
        for sql in _TREE:
            writer.execute(sql, drop)


def _drop_row(writer: sqlite3.Connection, table: type[Row], key: Sequence[Any]) -> None:
    if bytes in map(type, key) and table in _DROP_DAMAGED:
        writer.execute(_DROP_DAMAGED[table], key)
        return
    try:
        writer.execute(_DROP[table], key)
    except UnicodeEncodeError:  # invalid text
        writer.execute(_DROP_DAMAGED[table], [_as_bytes(value) for value in key])


def _execute(connection: sqlite3.Connection, sql: str, parameters: Sequence[Any]) -> sqlite3.Cursor:
    """Execute with parameters that may be damaged text. Such text is passed as bytes; the statement casts them."""
    try:
        return connection.execute(sql, parameters)
    except UnicodeEncodeError:
        return connection.execute(sql, [_as_bytes(value) for value in parameters])


def _as_bytes(value: Any) -> Any:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


@contextmanager
def _tolerant(reader: sqlite3.Connection) -> Iterator[None]:
    """Accept damaged text: scans return such rows too, and their checksum shows the damage."""
    reader.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        reader.text_factory = str


def _or_bytes(end: str | None) -> str | bytes:
    """The end of a range of texts; SQLite sorts bytes after every text."""
    return b"" if end is None else end
