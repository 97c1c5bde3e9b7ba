"""Everything in this process: for tests, notebooks, and threads that need not outlive it.

One dict a table, with the keys also kept sorted, so that a range scan is a bisection.
"""

from __future__ import annotations

import os
import threading
import time
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, Final, cast
from weakref import WeakSet

from holdfast.backends.base import (
    ANY,
    Backend,
    Batch,
    Capabilities,
    CheckpointThere,
    Drop,
    DropChunks,
    DropRow,
    DropTree,
    DropWaiting,
    Expect,
    Filter,
    Found,
    GraveAt,
    IdFree,
    KeyFree,
    LineAt,
    Listed,
    NamespaceFree,
    PendingAt,
    Piece,
    RootAt,
    ThreadAbsent,
    ThreadAt,
    WaitingAt,
    Want,
)
from holdfast.backends.rows import (
    KEY,
    KEYS,
    CheckpointRow,
    ChunkRow,
    GraveRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    Row,
    RunRow,
    SealedRow,
    TagRow,
    ThreadRow,
    WaitingRow,
)
from holdfast.errors import StorageFailed

Key = tuple[Any, ...]


class Table:
    """Rows by key, and the keys in order."""

    def __init__(self, kind: type[Row]) -> None:
        self.width = KEYS[kind]
        self.rows: dict[Key, Any] = {}
        self.keys: list[Key] = []

    def put(self, row: Row) -> None:
        key = tuple(row[: self.width])
        if key not in self.rows:
            insort(self.keys, key)
        self.rows[key] = row

    def drop(self, key: Key) -> Any:
        row = self.rows.pop(key, None)
        if row is not None:
            del self.keys[bisect_left(self.keys, key)]
        return row

    def get(self, *key: Any) -> Any:
        return self.rows.get(key)

    def between(self, low: Key, high: Key) -> Iterator[Any]:
        for key in self.keys[bisect_left(self.keys, low) : bisect_right(self.keys, high)]:
            yield self.rows[key]

    def under(self, *prefix: Any) -> list[Any]:
        """Every row whose key starts so."""
        start = bisect_left(self.keys, prefix)
        found = []
        for key in self.keys[start:]:
            if key[: len(prefix)] != prefix:
                break
            found.append(self.rows[key])
        return found


class MemoryBackend(Backend):
    capabilities: ClassVar = Capabilities(name="memory", blocking=True, durable=False, shared=False)

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._tables: dict[type[Row], Table] = {kind: Table(kind) for kind in KEYS}
        self._by_id: dict[Key, set[int]] = {}
        self._by_namespace: dict[Key, int] = {}
        self._by_line: dict[Key, str] = {}
        self._by_key: dict[Key, int] = {}
        _alive.add(self)

    # ---------------------------------------------------------------- writing

    async def commit(self, batch: Batch) -> bool:
        with self._lock:
            if not all(_HOLDS[type(expect)](self, expect) for expect in batch.expects):
                return False
            self._check(batch)
            for drop in batch.drops:
                _DROPS[type(drop)](self, drop)
            for row in batch.puts:
                self._put(row)
            for one in batch.puts_if_free:
                if self._tables[type(one)].get(*one[: KEYS[type(one)]]) is None:
                    self._put(one)
        return True

    def _check(self, batch: Batch) -> None:
        """Whatever is wrong with a batch must show before the first of its rows is put."""
        for row in (*batch.puts, *batch.puts_if_free):
            if type(row) not in KEYS:
                raise TypeError(f"{row!r} is not a row")
            if isinstance(row, ChunkRow) and self._taken(row, batch.drops):
                raise StorageFailed(f"value log {row.log} has a chunk at position {row.lo} already")

    def _taken(self, row: ChunkRow, drops: Sequence[Drop]) -> bool:
        if self._tables[ChunkRow].get(*row[:3]) is None:
            return False
        chunks = [drop for drop in drops if isinstance(drop, DropChunks)]
        return not any(row[:2] == drop[:2] and drop.lo <= row.lo <= drop.hi for drop in chunks)

    def _put(self, row: Row) -> None:
        if isinstance(row, ThreadRow):
            self._drop_row(DropRow(ThreadRow, (row.id,)))
        self._tables[type(row)].put(row)
        if isinstance(row, CheckpointRow):
            self._by_id.setdefault((row.tree, row.line, row.id), set()).add(row.seq)
        elif isinstance(row, LineRow):
            self._by_namespace[row.tree, row.thread, row.namespace] = row.line
        elif isinstance(row, ThreadRow):
            self._by_line[row.tree, row.line] = row.id
        elif isinstance(row, JournalRow) and row.key is not None:
            self._by_key[row.tree, row.line, row.key] = row.seq

    def _drop_row(self, drop: DropRow) -> None:
        row = self._tables[drop.table].drop(drop.key)
        if isinstance(row, CheckpointRow):
            self._by_id[row.tree, row.line, row.id].discard(row.seq)
        elif isinstance(row, LineRow):
            self._by_namespace.pop((row.tree, row.thread, row.namespace), None)
        elif isinstance(row, ThreadRow):
            self._by_line.pop((row.tree, row.line), None)
        elif isinstance(row, JournalRow) and row.key is not None:
            self._by_key.pop((row.tree, row.line, row.key), None)

    def _drop_chunks(self, drop: DropChunks) -> None:
        table = self._tables[ChunkRow]
        for row in list(table.between((drop.tree, drop.log, drop.lo), (drop.tree, drop.log, drop.hi))):
            table.drop(row[:3])

    def _drop_tree(self, drop: DropTree) -> None:
        for kind in (LineRow, CheckpointRow, MarkRow, LogRow, ChunkRow, PendingRow, SealedRow, JournalRow):
            for row in self._tables[kind].under(drop.tree):
                self._drop_row(DropRow(kind, tuple(row[: KEYS[kind]])))
        runs = self._tables[RunRow]
        for row in [row for row in runs.rows.values() if row.tree == drop.tree]:
            runs.drop(row[:3])

    def _drop_waiting(self, drop: DropWaiting) -> None:
        table = self._tables[WaitingRow]
        for row in table.under(drop.thread) if drop.thread else list(table.rows.values()):
            if row.created_at < drop.before:
                table.drop(row[: KEYS[WaitingRow]])

    # ---------------------------------------------------------------- reading

    async def find(self, thread_id: str, namespace: str, grave: bytes) -> Found:
        with self._lock:
            thread = self._tables[ThreadRow].get(thread_id)
            buried = self._tables[GraveRow].get(grave)
            last = buried.last if buried else ""
            if thread is None:
                return Found(None, None, None, None, buried.generation if buried else 0, last)
            root = self._tables[LineRow].get(thread.tree, thread.line)
            line = self._line(thread.tree, thread.line, namespace)
            head = self._tables[CheckpointRow].get(line.tree, line.head_line, line.head_seq) if line else None
            return Found(thread, root, line, head, 0, last)

    def _line(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        line = self._by_namespace.get((tree, thread, namespace))
        return None if line is None else cast(LineRow, self._tables[LineRow].get(tree, line))

    async def ancestry(self, tree: int, line: int) -> list[LineRow]:
        with self._lock:
            found = []
            row = self._tables[LineRow].get(tree, line)
            while row is not None:
                found.append(row)
                row = self._tables[LineRow].get(tree, row.base_line)
            return found

    async def namespaces(self, tree: int, thread: int) -> list[LineRow]:
        with self._lock:
            found = [line for line in self._tables[LineRow].under(tree) if line.thread == thread]
            return sorted(found, key=lambda line: line.namespace)

    async def namespace(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        with self._lock:
            return self._line(tree, thread, namespace)

    async def tree_threads(self, tree: int) -> list[ThreadRow]:
        with self._lock:
            return [row for row in self._tables[ThreadRow].rows.values() if row.tree == tree]

    async def thread_of(self, tree: int, line: int) -> ThreadRow | None:
        with self._lock:
            thread_id = self._by_line.get((tree, line))
            return None if thread_id is None else cast(ThreadRow, self._tables[ThreadRow].get(thread_id))

    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        with self._lock:
            table = self._tables[CheckpointRow]
            low, high = bisect_left(table.keys, (tree, line, lo)), bisect_right(table.keys, (tree, line, hi))
            found = []
            for i in range(low, high) if oldest else range(high - 1, low - 1, -1):
                row = table.rows[table.keys[i]]
                if _matches(row, where):
                    found.append(row)
                    if len(found) == limit:
                        break
            return found

    async def by_id(self, tree: int, lines: Sequence[int], checkpoint_id: str) -> list[CheckpointRow]:
        with self._lock:
            table = self._tables[CheckpointRow]
            return [
                table.get(tree, line, seq) for line in lines for seq in self._by_id.get((tree, line, checkpoint_id), ())
            ]

    async def checkpoints_by_id(self, tree: int, line: int, before: str | None, limit: int) -> list[CheckpointRow]:
        with self._lock:
            rows = [row for row in self._tables[CheckpointRow].under(tree, line) if before is None or row.id < before]
            return sorted(rows, key=lambda row: (row.id, row.seq), reverse=True)[:limit]

    async def marks(self, tree: int, lines: Sequence[int]) -> list[MarkRow]:
        with self._lock:
            return [row for line in lines for row in self._tables[MarkRow].under(tree, line)]

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        with self._lock:
            return [self._pieces(tree, want.log, want.pos) for want in wants]

    def _pieces(self, tree: int, log: int, pos: int) -> list[Piece]:
        found: list[Piece] = []
        while True:
            rows = list(self._tables[ChunkRow].between((tree, log, 0), (tree, log, pos)))
            keys = [i for i, row in enumerate(rows) if row.kind == KEY]
            found[:0] = [Piece(row, pos) for row in (rows[keys[-1] :] if keys else rows)]
            base = None if keys else self._tables[LogRow].get(tree, log)
            if base is None:
                return found
            log, pos = base.base_log, base.base_pos

    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SealedRow]:
        with self._lock:
            return [row for seq in seqs for row in self._pending(line, seq)]

    def _pending(self, line: LineRow, seq: int) -> list[PendingRow | SealedRow]:
        found = self._by_era(line.tree, line.line, seq)
        below: LineRow | None = line
        while below is not None and below.base_line is not None and seq <= below.base_seq:
            rows = self._by_era(line.tree, below.base_line, seq)
            found[:0] = [row for row in rows if row.era < below.base_era]
            below = self._tables[LineRow].get(line.tree, below.base_line)
        return found

    def _by_era(self, tree: int, line: int, seq: int) -> list[PendingRow | SealedRow]:
        rows = [*self._tables[SealedRow].under(tree, line, seq), *self._tables[PendingRow].under(tree, line, seq)]
        return sorted(rows, key=lambda row: row.era)

    async def waiting(self, thread: str, namespace: str, checkpoint: str) -> list[WaitingRow]:
        with self._lock:
            return self._tables[WaitingRow].under(thread, namespace, checkpoint)

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        with self._lock:
            return list(islice(self._tables[JournalRow].between((tree, line, lo), (tree, line, hi)), limit))

    async def journal_key(self, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
        with self._lock:
            places = [(line, self._by_key.get((tree, line, key))) for line in lines]
            return [self._tables[JournalRow].get(tree, line, seq) for line, seq in places if seq is not None]

    async def now(self) -> int:
        return time.time_ns() // 1000

    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        with self._lock:
            table = self._tables[ThreadRow]
            found: list[Listed] = []
            start = max(bisect_right(table.keys, (after,)), bisect_left(table.keys, (prefix,)))
            for (thread_id,) in table.keys[start:]:
                if len(found) == limit or not thread_id.startswith(prefix):
                    break
                if all(self._tables[TagRow].get(key, value, thread_id) for key, value in tags):
                    found += self._listed(table.rows[thread_id,])
            return found

    def _listed(self, thread: ThreadRow) -> list[Listed]:
        lines = [line for line in self._tables[LineRow].under(thread.tree) if line.thread == thread.line]
        root = self._tables[LineRow].get(thread.tree, thread.line)
        if root.base_line is None and not any(line.checkpoints or line.journal for line in lines):
            return []
        return [Listed(thread, root, self._tables[CheckpointRow].get(thread.tree, root.head_line, root.head_seq))]

    async def run_lines(self, run_id: str) -> list[RunRow]:
        with self._lock:
            return self._tables[RunRow].under(run_id)

    async def bytes_stored(self) -> int:
        with self._lock:
            bodies = [row.body for row in self._tables[ChunkRow].rows.values()]
            bodies += [row.body for row in self._tables[PendingRow].rows.values()]
            bodies += [row.manifest for row in self._tables[CheckpointRow].rows.values()]
            return sum(map(len, bodies))

    async def close(self) -> None:
        with self._lock:
            for table in self._tables.values():
                table.rows.clear()
                table.keys.clear()

    def after_fork(self) -> None:
        self._lock = threading.RLock()


def _matches(row: CheckpointRow, where: Filter) -> bool:
    return (
        where.run_id in (None, row.run_id)
        and where.status in (None, row.status)
        and where.source in (None, row.source)
        and where.node in (None, row.node)
        and (where.max_step is None or row.step <= where.max_step)
        and (where.max_time is None or row.created_at <= where.max_time)
        and (where.max_journal is None or row.journal_seq <= where.max_journal)
    )


def _line_at(store: MemoryBackend, expect: LineAt) -> bool:
    line = store._tables[LineRow].get(expect.tree, expect.line)
    return (line.version if line else 0) == expect.version


def _root_at(store: MemoryBackend, expect: RootAt) -> bool:
    line = store._tables[LineRow].get(expect.tree, expect.line)
    return line is not None and (line.forks, line.epoch, line.journal) == expect[2:]


def _thread_at(store: MemoryBackend, expect: ThreadAt) -> bool:
    thread = store._tables[ThreadRow].get(expect.id)
    return thread is not None and thread.line == expect.line


def _grave_at(store: MemoryBackend, expect: GraveAt) -> bool:
    grave = store._tables[GraveRow].get(expect.hash)
    return (grave.generation if grave else 0) == expect.generation


_HOLDS: Final[dict[type[Expect], Callable[[MemoryBackend, Any], bool]]] = {
    LineAt: _line_at,
    RootAt: _root_at,
    ThreadAt: _thread_at,
    GraveAt: _grave_at,
    NamespaceFree: lambda store, e: store._line(e.tree, e.thread, e.namespace) is None,
    ThreadAbsent: lambda store, e: store._tables[ThreadRow].get(e.id) is None,
    IdFree: lambda store, e: not store._by_id.get((e.tree, e.line, e.id)),
    KeyFree: lambda store, e: (e.tree, e.line, e.key) not in store._by_key,
    PendingAt: lambda store, e: getattr(store._tables[PendingRow].get(*e[:-1]), "sum", None) == e.sum,
    WaitingAt: lambda store, e: len(store._tables[WaitingRow].under(*e[:3])) == e.writes,
    CheckpointThere: lambda store, e: store._tables[CheckpointRow].get(e.tree, e.line, e.seq) is not None,
}
_DROPS: Final[dict[type[Drop], Callable[[MemoryBackend, Any], None]]] = {
    DropRow: MemoryBackend._drop_row,
    DropChunks: MemoryBackend._drop_chunks,
    DropTree: MemoryBackend._drop_tree,
    DropWaiting: MemoryBackend._drop_waiting,
}

_alive: WeakSet[MemoryBackend] = WeakSet()


def _after_fork() -> None:
    for backend in list(_alive):
        backend.after_fork()


os.register_at_fork(after_in_child=_after_fork)
