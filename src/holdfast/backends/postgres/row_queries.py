"""The verbs of the contract that read, each one statement and one round trip; large bodies take more.

How a statement reaches the server is left to the two backends on top: through a pool of connections (`backend.py`), or
through a caller's own connection (`within.py`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, ClassVar, Final, TypeVar

import psycopg

from holdfast.backends.base import ANY, BACKUPS, Backend, Capabilities, Filter, Found, Listed, Piece, Tally, Want
from holdfast.backends.common.joined_rows import after_prefix, cut
from holdfast.backends.postgres.commit.batch_program import SLOTS
from holdfast.backends.postgres.commit.group_commit import GroupCommit, Patience
from holdfast.backends.postgres.connection.address import Address
from holdfast.backends.postgres.connection.array_dumpers import Numbers, Texts
from holdfast.backends.postgres.connection.connector import Connector
from holdfast.backends.postgres.sql import Release
from holdfast.backends.rows import (
    NO_LIMIT,
    AnyRow,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    OverlayRow,
    PendingRow,
    RunRow,
    SettledRow,
    ThreadRow,
    first_key,
    table_name,
)

R = TypeVar("R")
_SLICE: Final = 2 * 1024 * 1024


class RowQueries(Backend):
    capabilities: ClassVar = Capabilities(name="postgresql", blocking=False, durable=True, shared=True, frames=(SLOTS,))

    def __init__(self, address: Address, release: Release) -> None:
        self.address = address
        self.release = release
        self._sql = release.statements(address.schema)

    @abstractmethod
    def _group(self) -> GroupCommit:
        """The writers that wait in the caller's way, and their connector."""

    async def _all(self, name: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of one statement, sent again while the server is away."""
        connector = self._group().connector
        return await connector.call(self._fetch, connector, name, parameters)

    async def _fetch(self, connector: Connector, name: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        patience = Patience(connector)
        while True:
            try:
                return await connector.fetch(self._sql[name], parameters)
            except psycopg.Error as error:
                await patience.lost(error)

    async def _rows(self, kind: Callable[[tuple[Any, ...]], R], name: str, **parameters: Any) -> list[R]:
        return [kind(row) for row in await self._all(name, **parameters)]

    async def find(self, thread_id: str, namespace: str, tombstone: bytes) -> Found:
        ((generation, last, *columns),) = await self._all(
            "find", id=thread_id, namespace=namespace, tombstone=tombstone
        )
        thread, root, own, head = cut(columns, ThreadRow, LineRow, LineRow, CheckpointRow)
        return Found(thread, root, own, head, 0 if thread is not None else generation or 0, last or "")

    async def ancestry(self, tree: int, line: int, limit: int = NO_LIMIT) -> list[LineRow]:
        return await self._rows(LineRow._make, "ancestry", tree=tree, line=line, limit=limit)

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

    async def overlays(
        self, tree: int, lines: Sequence[int], lo: int = -NO_LIMIT, hi: int = NO_LIMIT
    ) -> list[OverlayRow]:
        return await self._rows(OverlayRow._make, "overlays", tree=tree, lines=Numbers(lines), lo=lo, hi=hi)

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        pieces: list[list[Piece]] = [[] for _ in wants]
        logs, positions = Numbers(want.log for want in wants), Numbers(want.pos for want in wants)
        for ask, pos, *columns, size in await self._all("chunks", tree=tree, logs=logs, positions=positions):
            chunk = ChunkRow._make(columns)
            if size is not None:
                chunk = chunk._replace(body=await self._large_body(chunk, size))
            pieces[ask - 1].append(Piece(chunk, pos))
        return pieces

    async def _large_body(self, chunk: ChunkRow, size: int) -> bytes:
        """Read in slices: libpq holds two copies of each answer. If a writer removes the row in between, the body is
        too short and does not match its checksum, and the engine reads again."""
        body = BytesIO(bytes(size))
        of = {"tree": chunk.tree, "log": chunk.log, "lo": chunk.lo, "sum": chunk.sum}
        for start in range(0, size, _SLICE):
            for (part,) in await self._all("chunk_slice", **of, at=start + 1, size=_SLICE):
                body.write(part)
        body.truncate()
        return body.getvalue()

    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SettledRow]:
        own = {"tree": line.tree, "line": line.line, "seqs": Numbers(seqs)}
        base = {"base_line": line.base_line, "base_era": line.base_era, "base_seq": line.base_seq}
        return await self._rows(_written, "pending", **own, **base)

    async def early_writes(self, thread: str, namespace: str, checkpoint: str) -> list[EarlyWriteRow]:
        return await self._rows(
            EarlyWriteRow._make, "early_write", thread=thread, namespace=namespace, checkpoint=checkpoint
        )

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

    async def give_back(self) -> None:
        """The server's autovacuum does it, table by table."""

    async def scrub(self) -> list[str]:
        return [
            BACKUPS,
            "the write-ahead log, its archive, and replicas that lag behind",
            "the tables' files, until the server has vacuumed them: VACUUM FULL rewrites them at once",
        ]


def _limit(limit: int) -> int | None:
    return None if limit < 0 else limit


def _written(row: tuple[Any, ...]) -> PendingRow | SettledRow:
    """A row of either table: one query returns both."""
    if row[0]:
        return PendingRow._make(row[1:])
    _, tree, line, seq, _, number, era, _, body, total = row
    return SettledRow(tree, line, seq, number, era, body, total)
