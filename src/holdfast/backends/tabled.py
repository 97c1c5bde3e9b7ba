"""The questions of the contract, answered from tables in memory.

A backend that keeps its rows in `Tables` inherits from `TabledBackend` and says where they are: one `Scope` leads to
the directory's rows and to those of each tree. They may all be the same tables, or be read when they are asked for.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice, takewhile
from typing import Any, Final, Protocol, TypeVar, cast

from holdfast.backends.base import (
    ANY,
    Backend,
    Batch,
    CheckpointAt,
    CheckpointThere,
    ChunkAt,
    Drop,
    DropChunks,
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
    RootAt,
    Tally,
    ThreadAbsent,
    ThreadAt,
    WaitingAt,
    Want,
)
from holdfast.backends.rows import (
    KEY,
    KEYS,
    AnyRow,
    CheckpointRow,
    ChunkRow,
    GraveRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    RunRow,
    SealedRow,
    TagRow,
    ThreadRow,
    WaitingRow,
    table_name,
)
from holdfast.backends.tables import Tables
from holdfast.errors import Corrupt, LookAtTheStorage, StorageFailed

R = TypeVar("R")
DAY: Final = 86_400_000_000  # microseconds


class Scope(Protocol):
    """Where rows are, while one question is answered or one batch is checked."""

    @property
    def directory(self) -> Tables:
        """Threads, graves, tags and runs."""

    def tree(self, number: int) -> Tables:
        """Everything else, by tree; empty tables if there is no such tree."""

    def all_trees(self) -> Iterable[int]:
        """The numbers of those that have rows."""

    def waiting_tables(self, thread: str) -> Sequence[Tables]:
        """Where the writes that wait for a checkpoint of this thread may be."""


class TabledBackend(Backend):
    @abstractmethod
    def ask(self, question: Callable[[Scope], R]) -> R:
        """Answer a question while no batch is being applied."""

    async def find(self, thread_id: str, namespace: str, grave: bytes) -> Found:
        return self.ask(lambda scope: find(scope, thread_id, namespace, grave))

    async def ancestry(self, tree: int, line: int) -> list[LineRow]:
        return self.ask(lambda scope: _ancestry(scope.tree(tree), tree, line))

    async def namespaces(self, tree: int, thread: int) -> list[LineRow]:
        return self.ask(lambda scope: sorted(_lines(scope.tree(tree), tree, thread), key=lambda line: line.namespace))

    async def namespace(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        return self.ask(lambda scope: scope.tree(tree).line(tree, thread, namespace))

    async def tree_threads(self, tree: int) -> list[ThreadRow]:
        return self.ask(lambda scope: _tree_threads(scope, tree))

    async def thread_of(self, tree: int, line: int) -> ThreadRow | None:
        return self.ask(lambda scope: _thread(scope, scope.directory.threads_of(tree).get(line)))

    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        return self.ask(lambda scope: checkpoints(scope, tree, line, lo, hi, limit, where, oldest=oldest))

    async def by_id(self, tree: int, lines: Sequence[int], checkpoint_id: str) -> list[CheckpointRow]:
        return self.ask(lambda scope: _by_id(scope.tree(tree), tree, lines, checkpoint_id))

    async def checkpoints_by_id(self, tree: int, line: int, before: str | None, limit: int) -> list[CheckpointRow]:
        return self.ask(
            lambda scope: _checkpoints_by_id(scope.tree(tree)[CheckpointRow].under(tree, line), before, limit)
        )

    async def marks(self, tree: int, lines: Sequence[int]) -> list[MarkRow]:
        return self.ask(lambda scope: [row for line in lines for row in scope.tree(tree)[MarkRow].under(tree, line)])

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        return self.ask(lambda scope: [pieces(scope.tree(tree), tree, want.log, want.pos) for want in wants])

    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SealedRow]:
        return self.ask(lambda scope: [row for seq in seqs for row in _pending(scope.tree(line.tree), line, seq)])

    async def waiting(self, thread: str, namespace: str, checkpoint: str) -> list[WaitingRow]:
        return self.ask(lambda scope: _waiting(scope, thread, namespace, checkpoint))

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        return self.ask(lambda scope: journal(scope, tree, line, lo, hi, limit))

    async def journal_key(self, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
        return self.ask(lambda scope: _journal_key(scope.tree(tree), tree, lines, key))

    async def now(self) -> int:
        return time.time_ns() // 1000

    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        return self.ask(lambda scope: _threads(scope, prefix, tags, after, limit))

    async def run_lines(self, run_id: str) -> list[RunRow]:
        return self.ask(lambda scope: scope.directory[RunRow].under(run_id))

    async def trees(self, after: int, limit: int) -> list[int]:
        return self.ask(lambda scope: sorted(one for one in scope.all_trees() if one > after)[:limit])

    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        def question(scope: Scope) -> list[AnyRow]:
            if table_name(kind) == "waiting":  # a few, here and there
                return sorted(row for row in _all_waiting(scope) if row[: KEYS[kind]] > after)[:limit]
            table = scope.directory[kind] if tree is None else scope.tree(tree)[kind]
            start = (
                bisect_right(table.keys, after) if after else bisect_left(table.keys, () if tree is None else (tree,))
            )
            keys = islice(table.keys, start, start + limit)
            return [table.rows[key] for key in takewhile(lambda key: tree is None or key[0] == tree, keys)]

        return self.ask(question)

    async def tally(self, lo: int, hi: int) -> list[Tally]:
        trees = self.ask(lambda scope: [tree for tree in scope.all_trees() if lo <= tree <= hi])
        return [one for tree in sorted(trees) for one in self.ask(lambda scope, tree=tree: _tallied(scope, tree))]  # type: ignore[misc]


# ------------------------------------------------------------------------------------------------ questions


def find(scope: Scope, thread_id: str, namespace: str, grave: bytes) -> Found:
    thread = scope.directory[ThreadRow].get(thread_id)
    buried = scope.directory[GraveRow].get(grave)
    last = buried.last if buried else ""
    if thread is None:
        return Found(None, None, None, None, buried.generation if buried else 0, last)
    tree = scope.tree(thread.tree)
    root = tree[LineRow].get(thread.tree, thread.line)
    line = tree.line(thread.tree, thread.line, namespace)
    head = tree[CheckpointRow].get(line.tree, line.head_line, line.head_seq) if line else None
    return Found(thread, root, line, head, 0, last)


def _all_waiting(scope: Scope) -> list[Any]:
    found = [scope.directory]
    for number in scope.all_trees():
        with suppress(Corrupt):  # whoever asks for the tree itself is told; the writes of others are found
            found.append(scope.tree(number))
    return [row for one in {id(one): one for one in found}.values() for row in one[WaitingRow].rows.values()]


def _tallied(scope: Scope, tree: int) -> list[Tally]:
    try:
        tables, names = scope.tree(tree), scope.directory.threads_of(tree)
    except Corrupt:  # it says so when it is opened; the others are counted
        return []
    hidden = {row[:3] for row in tables[MarkRow].under(tree) if row.hidden}
    found: dict[tuple[str, int], Tally] = {}
    for row in tables[CheckpointRow].under(tree):
        line = tables[LineRow].get(tree, row.line)
        name = names.get(line.thread) if line is not None and row[:3] not in hidden else None
        if name is not None:
            key = (name, row.created_at // DAY)
            _, _, _, count, size, stored = found.get(key) or Tally(name, tree, 0, 0, 0, 0)
            stored += len(row.metadata) + len(row.manifest)
            found[key] = Tally(name, tree, key[1], count + 1, size + row.size, stored)
    kinds = (ChunkRow, PendingRow, SealedRow, JournalRow)
    rest = sum(len(row.body) for kind in kinds for row in tables[kind].under(tree))
    return [*found.values(), Tally("", tree, 0, 0, 0, rest)]


def _tree_threads(scope: Scope, tree: int) -> list[ThreadRow]:
    return [scope.directory[ThreadRow].get(one) for one in scope.directory.threads_of(tree).values()]


def _thread(scope: Scope, thread_id: str | None) -> ThreadRow | None:
    return None if thread_id is None else cast(ThreadRow, scope.directory[ThreadRow].get(thread_id))


def _lines(tables: Tables, tree: int, thread: int) -> list[LineRow]:
    return [line for line in tables[LineRow].under(tree) if line.thread == thread]


def _ancestry(tables: Tables, tree: int, line: int) -> list[LineRow]:
    found: dict[int, LineRow] = {}  # rows that were mixed up may lead in circles
    row = tables[LineRow].get(tree, line)
    while row is not None and row.line not in found:
        found[row.line] = row
        row = tables[LineRow].get(tree, row.base_line)
    return list(found.values())


def checkpoints(
    scope: Scope, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter, *, oldest: bool
) -> list[CheckpointRow]:
    table = scope.tree(tree)[CheckpointRow]
    low, high = bisect_left(table.keys, (tree, line, lo)), bisect_right(table.keys, (tree, line, hi))
    found = []
    for i in range(low, high) if oldest else range(high - 1, low - 1, -1):
        row = table.rows[table.keys[i]]
        if _matches(row, where):
            found.append(row)
            if len(found) == limit:
                break
    return found


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


def _by_id(tables: Tables, tree: int, lines: Sequence[int], checkpoint_id: str) -> list[CheckpointRow]:
    table = tables[CheckpointRow]
    return [table.get(tree, line, seq) for line in lines for seq in tables.numbers_of(tree, line, checkpoint_id)]


def _checkpoints_by_id(rows: list[CheckpointRow], before: str | None, limit: int) -> list[CheckpointRow]:
    lower = [row for row in rows if before is None or row.id < before]
    return sorted(lower, key=lambda row: (row.id, row.seq), reverse=True)[:limit]


def pieces(tables: Tables, tree: int, log: int, pos: int) -> list[Piece]:
    found: list[Piece] = []
    passed: set[tuple[int, int]] = set()
    while (log, pos) not in passed:
        passed.add((log, pos))
        rows = list(tables[ChunkRow].between((tree, log, 0), (tree, log, pos)))
        keys = [i for i, row in enumerate(rows) if row.kind == KEY]
        found[:0] = [Piece(row, pos) for row in (rows[keys[-1] :] if keys else rows)]
        base = None if keys else tables[LogRow].get(tree, log)
        if base is None:
            break
        log, pos = base.base_log, base.base_pos
    return found


def _pending(tables: Tables, line: LineRow, seq: int) -> list[PendingRow | SealedRow]:
    found = _by_era(tables, line.tree, line.line, seq)
    below = [] if line.base_line is None else _ancestry(tables, line.tree, line.base_line)
    for above in (line, *below):
        if above.base_line is None or seq > above.base_seq:
            break
        rows = _by_era(tables, line.tree, above.base_line, seq)
        found[:0] = [row for row in rows if row.era < above.base_era]
    return found


def _by_era(tables: Tables, tree: int, line: int, seq: int) -> list[PendingRow | SealedRow]:
    rows = [*tables[SealedRow].under(tree, line, seq), *tables[PendingRow].under(tree, line, seq)]
    return sorted(rows, key=lambda row: row.era)


def _waiting(scope: Scope, thread: str, namespace: str, checkpoint: str) -> list[WaitingRow]:
    found = [tables[WaitingRow].under(thread, namespace, checkpoint) for tables in scope.waiting_tables(thread)]
    return sorted(row for rows in found for row in rows)


def journal(scope: Scope, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
    return list(islice(scope.tree(tree)[JournalRow].between((tree, line, lo), (tree, line, hi)), limit))


def _journal_key(tables: Tables, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
    found = [tables.journal_entry(tree, line, key) for line in lines]
    return [row for row in found if row is not None]


def _threads(scope: Scope, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
    table, tagged = scope.directory[ThreadRow], scope.directory[TagRow]
    found: list[Listed] = []
    start = max(bisect_right(table.keys, (after,)), bisect_left(table.keys, (prefix,)))
    for (thread_id,) in table.keys[start:]:
        if len(found) == limit or not thread_id.startswith(prefix):
            break
        if all(tagged.get(key, value, thread_id) for key, value in tags):
            found += _listed(scope, table.rows[thread_id,])
    return found


def _listed(scope: Scope, thread: ThreadRow) -> list[Listed]:
    try:
        tables = scope.tree(thread.tree)
    except LookAtTheStorage:  # it says so when it is opened; the others are listed
        return [Listed(thread, None, None)]
    root = cast(LineRow | None, tables[LineRow].get(thread.tree, thread.line))
    if root is None:
        return [Listed(thread, None, None)]
    lines = _lines(tables, thread.tree, thread.line)
    if root.base_line is None and not any(line.checkpoints or line.journal for line in lines):
        return []
    return [Listed(thread, root, tables[CheckpointRow].get(thread.tree, root.head_line, root.head_seq))]


# ------------------------------------------------------------------------------------------------ batches


def applicable(scope: Scope, batch: Batch) -> bool:
    """Whether everything that a batch expects is so. What can never be applied is refused, before anything is put."""
    if not all(_HOLDS[type(expect)](scope, expect) for expect in batch.expects):
        return False
    for row in (*batch.puts, *batch.puts_if_free):
        if type(row) not in KEYS:
            raise TypeError(f"{row!r} is not a row")
        if isinstance(row, ChunkRow) and _taken(scope, row, batch.drops):
            raise StorageFailed(f"value log {row.log} has a chunk at position {row.lo} already")
    return True


def _taken(scope: Scope, row: ChunkRow, drops: Sequence[Drop]) -> bool:
    if scope.tree(row.tree)[ChunkRow].get(*row[:3]) is None:
        return False
    chunks = [drop for drop in drops if isinstance(drop, DropChunks)]
    return not any(row[:2] == drop[:2] and drop.lo <= row.lo <= drop.hi for drop in chunks)


def _line_at(scope: Scope, expect: LineAt) -> bool:
    line = scope.tree(expect.tree)[LineRow].get(expect.tree, expect.line)
    return (line.version if line else 0) == expect.version


def _root_at(scope: Scope, expect: RootAt) -> bool:
    line = scope.tree(expect.tree)[LineRow].get(expect.tree, expect.line)
    return line is not None and (line.forks, line.epoch, line.journal) == expect[2:]


def _forks_at(scope: Scope, expect: ForksAt) -> bool:
    line = scope.tree(expect.tree)[LineRow].get(expect.tree, expect.line)
    return line is not None and line.forks == expect.forks


def _thread_at(scope: Scope, expect: ThreadAt) -> bool:
    thread = scope.directory[ThreadRow].get(expect.id)
    return thread is not None and thread.line == expect.line


def _grave_at(scope: Scope, expect: GraveAt) -> bool:
    grave = scope.directory[GraveRow].get(expect.hash)
    return (grave.generation if grave else 0) == expect.generation


_HOLDS: Final[dict[type[Expect], Callable[[Scope, Any], bool]]] = {
    LineAt: _line_at,
    RootAt: _root_at,
    ForksAt: _forks_at,
    ThreadAt: _thread_at,
    GraveAt: _grave_at,
    NamespaceFree: lambda scope, e: scope.tree(e.tree).line(e.tree, e.thread, e.namespace) is None,
    ThreadAbsent: lambda scope, e: scope.directory[ThreadRow].get(e.id) is None,
    IdFree: lambda scope, e: not scope.tree(e.tree).numbers_of(e.tree, e.line, e.id),
    KeyFree: lambda scope, e: scope.tree(e.tree).journal_entry(e.tree, e.line, e.key) is None,
    PendingAt: lambda scope, e: getattr(scope.tree(e.tree)[PendingRow].get(*e[:-1]), "sum", None) == e.sum,
    CheckpointAt: lambda scope, e: getattr(scope.tree(e.tree)[CheckpointRow].get(*e[:3]), "sum", None) == e.sum,
    ChunkAt: lambda scope, e: getattr(scope.tree(e.tree)[ChunkRow].get(*e[:3]), "sum", None) == e.sum,
    WaitingAt: lambda scope, e: len(_waiting(scope, *e[:3])) == e.writes,
    CheckpointThere: lambda scope, e: scope.tree(e.tree)[CheckpointRow].get(e.tree, e.line, e.seq) is not None,
}
