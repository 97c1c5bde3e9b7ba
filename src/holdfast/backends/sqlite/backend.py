"""The contract on one SQLite file.

Reads run beside each other and beside the writer (WAL), each on a connection of its own. Writers queue: whoever gets
the lock commits everything that waits, in one transaction with one fsync.
"""

from __future__ import annotations

import glob
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from holdfast.backends import fresh, tickets
from holdfast.backends.base import (
    ANY,
    BACKUPS,
    Backend,
    Batch,
    Capabilities,
    CheckpointAt,
    CheckpointThere,
    ChunkAt,
    Drop,
    DropChunks,
    DropRow,
    DropTree,
    DropWaiting,
    Expect,
    Filter,
    ForksAt,
    Found,
    GraveAt,
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
    WaitingAt,
    Want,
)
from holdfast.backends.rows import (
    KEYS,
    AnyRow,
    CheckpointRow,
    ChunkRow,
    JournalRow,
    LineRow,
    MarkRow,
    PendingRow,
    RunRow,
    SealedRow,
    ThreadRow,
    WaitingRow,
    first_key,
    table_name,
)
from holdfast.backends.shapes import after_prefix, cut
from holdfast.backends.sqlite import copies, files, mending
from holdfast.backends.sqlite.connections import Connections
from holdfast.backends.sqlite.failures import told, translate, translated
from holdfast.backends.sqlite.statements import statements
from holdfast.backends.tickets import Ticket

R = TypeVar("R")
_SQL: Final = statements()
_HOLDS: Final[dict[type[Expect], str]] = {
    LineAt: _SQL["holds_line_at"],
    NamespaceFree: _SQL["holds_namespace_free"],
    RootAt: _SQL["holds_root_at"],
    ForksAt: _SQL["holds_forks_at"],
    ThreadAbsent: _SQL["holds_thread_absent"],
    ThreadAt: _SQL["holds_thread_at"],
    GraveAt: _SQL["holds_grave_at"],
    IdFree: _SQL["holds_id_free"],
    KeyFree: _SQL["holds_key_free"],
    CheckpointThere: _SQL["holds_checkpoint_there"],
    CheckpointAt: _SQL["holds_checkpoint_at"],
    ChunkAt: _SQL["holds_chunk_at"],
    PendingAt: _SQL["holds_pending_at"],
    WaitingAt: _SQL["holds_waiting_at"],
}
_PUT: Final = {kind: _SQL["put_" + table_name(kind)] for kind in KEYS}
_PUT_IF_FREE: Final = {kind: _SQL[f"put_{table_name(kind)}_if_free"] for kind in (PendingRow, WaitingRow)}
_DROP: Final = {kind: _SQL["drop_" + table_name(kind)] for kind in KEYS}
_TREE: Final = [sql for name, sql in _SQL.items() if name.startswith("drop_tree_")]


class SqliteBackend(Backend):
    capabilities: ClassVar = Capabilities(name="sqlite", blocking=True, durable=True, shared=True)

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connections: Connections = Connections(path)

    # ---------------------------------------------------------------- writing

    async def commit(self, batch: Batch) -> bool:
        return tickets.commit(batch, self._connections.queue, self._connections.writing, self._commit_all)

    def _commit_all(self, waiting: list[Ticket]) -> None:
        """One transaction for all; if it fails, one for each, so that only the one at fault gets the error."""
        try:
            self._commit_together(waiting)
        except sqlite3.Error as error:
            if len(waiting) == 1:
                waiting[0].fail(translate(error, self.path))
                return
            for ticket in waiting:
                self._commit_all([ticket])

    def _commit_together(self, waiting: list[Ticket]) -> None:
        writer = self._connections.writer()
        writer.execute("BEGIN IMMEDIATE")
        try:
            outcomes = [_apply(writer, ticket.batch) for ticket in waiting]
            writer.execute("COMMIT")
        except BaseException:
            if writer.in_transaction:
                writer.execute("ROLLBACK")
            raise
        for ticket, applied in zip(waiting, outcomes, strict=True):
            ticket.answer(applied)

    # ---------------------------------------------------------------- reading

    def _all(self, name: str, **parameters: Any) -> list[tuple[Any, ...]]:
        with translated(self.path), self._connections.reader() as reader:
            return reader.execute(_SQL[name], parameters).fetchall()

    def _rows(self, kind: Callable[[tuple[Any, ...]], R], name: str, **parameters: Any) -> list[R]:
        rows = self._all(name, **parameters)
        with translated(self.path):
            return [kind(row) for row in rows]

    async def find(self, thread_id: str, namespace: str, grave: bytes) -> Found:
        rows = self._all("find", id=thread_id, namespace=namespace, grave=grave)
        if not rows:
            buried = self._all("grave", hash=grave)
            return Found(None, None, None, None, *(buried[0] if buried else (0, "")))
        (last, *columns) = rows[0]
        with translated(self.path):
            thread, root, own, head = cut(columns, ThreadRow, LineRow, LineRow, CheckpointRow)
        return Found(thread, root, own, head, 0, last or "")

    async def ancestry(self, tree: int, line: int) -> list[LineRow]:
        return self._rows(LineRow._make, "ancestry", tree=tree, line=line)

    async def namespaces(self, tree: int, thread: int) -> list[LineRow]:
        return self._rows(LineRow._make, "namespaces", tree=tree, thread=thread)

    async def namespace(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        found = self._rows(LineRow._make, "namespace", tree=tree, thread=thread, namespace=namespace)
        return found[0] if found else None

    async def tree_threads(self, tree: int) -> list[ThreadRow]:
        return self._rows(ThreadRow._make, "tree_threads", tree=tree)

    async def thread_of(self, tree: int, line: int) -> ThreadRow | None:
        found = self._rows(ThreadRow._make, "thread_of", tree=tree, line=line)
        return found[0] if found else None

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

    async def marks(self, tree: int, lines: Sequence[int]) -> list[MarkRow]:
        return self._rows(MarkRow._make, "marks", tree=tree, lines=json.dumps(list(lines)))

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        found: list[list[Piece]] = [[] for _ in wants]
        rows = self._all("chunks", tree=tree, wants=json.dumps(wants))
        with translated(self.path):
            for ask, pos, *chunk in rows:
                found[ask].append(Piece(ChunkRow._make(chunk), pos))
        return found

    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SealedRow]:
        own = {"tree": line.tree, "line": line.line, "seqs": json.dumps(list(seqs))}
        if line.base_line is None:
            return self._rows(_written, "pending_own", **own)
        base = {"base_line": line.base_line, "base_era": line.base_era, "base_seq": line.base_seq}
        return self._rows(_written, "pending", **own, **base)

    async def waiting(self, thread: str, namespace: str, checkpoint: str) -> list[WaitingRow]:
        return self._rows(WaitingRow._make, "waiting", thread=thread, namespace=namespace, checkpoint=checkpoint)

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        return self._rows(JournalRow._make, "journal", tree=tree, line=line, lo=lo, hi=hi, limit=limit)

    async def journal_key(self, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
        return self._rows(JournalRow._make, "journal_key", tree=tree, lines=json.dumps(list(lines)), key=key)

    async def now(self) -> int:
        return time.time_ns() // 1000

    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        span = {"start": max(prefix, after), "after": after, "end": _or_bytes(after_prefix(prefix)), "limit": limit}
        if tags:
            (key, value), *others = sorted(tags, key=self._threads_tagged) if len(tags) > 1 else tags
            return self._rows(_listed, "threads_tagged", **span, key=key, value=value, others=json.dumps(others))
        return self._rows(_listed, "threads", **span)

    def _threads_tagged(self, tag: tuple[str, str]) -> int:
        """How many threads have a tag, up to a hundred: the rarest leads the search."""
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
            schema = mending.check_schema(reader)
            return [f"{self.path}: {told}" for told in schema] + [
                f"{self.path}: table {name}: {told}"
                for name in ("sqlite_schema", *map(table_name, KEYS))
                for told in mending.check(reader, name)
            ]

    async def mend(self) -> list[str]:
        if not await self.check():
            return []
        with translated(self.path):
            self._connections.close()
            try:
                return [mending.replace(self.path)]
            finally:
                self._connections = Connections(self.path)

    async def bytes_stored(self) -> int:
        return int(self._all("bytes_stored")[0][0])

    async def tally(self, lo: int, hi: int) -> list[Tally]:
        return self._rows(Tally._make, "tally", lo=lo, hi=hi)

    async def backup(self, path: Path, progress: Progress | None) -> str:
        with fresh.whole(path) as part, told(part), self._connections.reader() as reader:
            copies.copy(reader, part, progress)
        return str(path)

    async def give_back(self) -> None:
        with translated(self.path), self._connections.writing:
            files.shrink(self._connections.writer())

    async def scrub(self) -> list[str]:
        with translated(self.path), self._connections.writing:
            files.scrub(self._connections.writer(), self.path)
        aside = sorted(self.path.parent.glob(f"{glob.escape(self.path.name)}.damaged-*"))
        return [BACKUPS, *(f"{one}, which repair() has set aside" for one in aside)]

    async def close(self) -> None:
        with translated(self.path):
            self._connections.close()


def _listed(row: tuple[Any, ...]) -> Listed:
    return Listed(*cut(row, ThreadRow, LineRow, CheckpointRow))


def _written(row: tuple[Any, ...]) -> PendingRow | SealedRow:
    """A row of either table: both come from one question."""
    if row[0]:
        return PendingRow._make(row[1:])
    _, tree, line, seq, _, number, era, _, body, total = row
    return SealedRow(tree, line, seq, number, era, body, total)


def _apply(writer: sqlite3.Connection, batch: Batch) -> bool:
    execute = writer.execute
    for expect in batch.expects:
        if not execute(_HOLDS[type(expect)], expect).fetchone()[0]:
            return False
    for drop in batch.drops:
        _drop(writer, drop)
    for row in batch.puts:
        execute(_PUT[type(row)], row)
    for one in batch.puts_if_free:
        execute(_PUT_IF_FREE[type(one)], one)
    return True


def _drop(writer: sqlite3.Connection, drop: Drop) -> None:
    if isinstance(drop, DropRow):
        _execute(writer, _DROP[drop.table], drop.key)
    elif isinstance(drop, DropChunks):
        writer.execute(_SQL["drop_chunks"], drop)
    elif isinstance(drop, DropWaiting):
        writer.execute(_SQL["drop_waiting_before"], drop)
    elif isinstance(drop, DropTree):
        for sql in _TREE:
            writer.execute(sql, drop)


def _execute(connection: sqlite3.Connection, sql: str, parameters: Sequence[Any]) -> sqlite3.Cursor:
    """With parameters that may be text as damage has left it. Such text goes in as the bytes that it is; the statement
    says that they are text."""
    try:
        return connection.execute(sql, parameters)
    except UnicodeEncodeError:
        return connection.execute(
            sql, [one.encode("utf-8", "surrogateescape") if isinstance(one, str) else one for one in parameters]
        )


@contextmanager
def _tolerant(reader: sqlite3.Connection) -> Iterator[None]:
    """Whoever goes through everything takes damaged text as well: the row's checksum tells."""
    reader.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        reader.text_factory = str


def _or_bytes(end: str | None) -> str | bytes:
    """SQLite sorts bytes after every text."""
    return b"" if end is None else end
