"""The questions of the contract, answered from tables in memory.

A backend that keeps its rows in `Tables` inherits from `TableBackend` and provides a `Scope`, which has the tables of
the directory and of each tree. They may all be the same tables, or be loaded on demand.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice, takewhile
from typing import Any, Final, Protocol, TypeVar, cast

from holdfast.backends.answers import tally_tree
from holdfast.backends.base import (
    ANY,
    Backend,
    Batch,
    CheckpointAt,
    CheckpointThere,
    ChunkAt,
    ClockNear,
    Drop,
    DropChunks,
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
    RootAt,
    Tally,
    ThreadAbsent,
    ThreadAt,
    TombstoneAt,
    Want,
)
from holdfast.backends.memory.tables import Key, Table, Tables
from holdfast.backends.rows import (
    KEY,
    KEYS,
    NO_LIMIT,
    WITH_BODY,
    AnyRow,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    LogRow,
    OverlayRow,
    PendingRow,
    Row,
    RunRow,
    SettledRow,
    TagRow,
    ThreadRow,
    TombstoneRow,
    key_of,
    table_name,
)
from holdfast.errors import Corrupt, LookAtTheStorage, StorageFailed

R = TypeVar("R")


class Scope(Protocol):
    """The tables, while one question is answered or one batch is checked."""

    @property
    def directory(self) -> Tables:
        """Threads, tombstones, tags, runs and quarantined rows."""

    def tree(self, number: int) -> Tables:
        """All other rows of one tree; empty tables if there is no such tree."""

    def all_trees(self) -> Iterable[int]:
        """The numbers of the trees that have rows."""

    def early_write_tables(self, thread: str) -> Sequence[Tables]:
        """The tables that may have early writes of this thread."""


class TableBackend(Backend):
    """A backend whose rows are in tables in memory."""

    @abstractmethod
    def ask(self, question: Callable[[Scope], R]) -> R:
        """Answer a question. No batch is applied at the same time."""

    async def find(self, thread_id: str, namespace: str, tombstone: bytes) -> Found:
        return self.ask(lambda scope: find(scope, thread_id, namespace, tombstone))

    async def ancestry(self, tree: int, line: int, limit: int = NO_LIMIT) -> list[LineRow]:
        return self.ask(lambda scope: list(islice(_ancestry(scope.tree(tree), tree, line), limit)))

    async def namespaces(self, tree: int, thread: int) -> list[LineRow]:
        return self.ask(lambda scope: sorted(scope.tree(tree).lines_of(tree, thread), key=lambda line: line.namespace))

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

    async def overlays(
        self, tree: int, lines: Sequence[int], lo: int = -NO_LIMIT, hi: int = NO_LIMIT
    ) -> list[OverlayRow]:
        return self.ask(lambda scope: _overlays(scope.tree(tree)[OverlayRow], tree, lines, lo, hi))

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        return self.ask(lambda scope: [pieces(scope.tree(tree), tree, want.log, want.pos) for want in wants])

    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SettledRow]:
        return self.ask(lambda scope: [row for seq in seqs for row in _pending(scope.tree(line.tree), line, seq)])

    async def early_writes(self, thread: str, namespace: str, checkpoint: str) -> list[EarlyWriteRow]:
        return self.ask(lambda scope: _early_writes(scope, thread, namespace, checkpoint))

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        return self.ask(lambda scope: journal(scope, tree, line, lo, hi, limit))

    async def journal_key(self, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
        return self.ask(lambda scope: _journal_key(scope.tree(tree), tree, lines, key))

    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        return self.ask(lambda scope: _threads(scope, prefix, tags, after, limit))

    async def run_lines(self, run_id: str) -> list[RunRow]:
        return self.ask(lambda scope: scope.directory[RunRow].under(run_id))

    async def trees(self, after: int, limit: int) -> list[int]:
        return self.ask(lambda scope: sorted(tree for tree in scope.all_trees() if tree > after)[:limit])

    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        def question(scope: Scope) -> list[AnyRow]:
            if table_name(kind) == "early_write":
                return sorted(row for row in _all_early_writes(scope) if key_of(row) > after)[:limit]
            table = scope.directory[kind] if tree is None else scope.tree(tree)[kind]
            return _page(table, tree, after, limit)

        return self.ask(question)

    async def tally(self, lo: int, hi: int) -> list[Tally]:
        trees = self.ask(lambda scope: [tree for tree in scope.all_trees() if lo <= tree <= hi])
        tallies: list[Tally] = []
        for tree in sorted(trees):
            tallies += self.ask(partial(_tally, tree=tree))
        return tallies


# ------------------------------------------------------------------------------------------------ questions


def find(scope: Scope, thread_id: str, namespace: str, tombstone: bytes) -> Found:
    thread = scope.directory[ThreadRow].get(thread_id)
    tombstone_row = scope.directory[TombstoneRow].get(tombstone)
    last = tombstone_row.last if tombstone_row else ""
    if thread is None:
        return Found(None, None, None, None, tombstone_row.generation if tombstone_row else 0, last)
    tree = scope.tree(thread.tree)
    root = tree[LineRow].get(thread.tree, thread.line)
    line = tree.line(thread.tree, thread.line, namespace)
    head = tree[CheckpointRow].get(line.tree, line.head_line, line.head_seq) if line else None
    return Found(thread, root, line, head, 0, last)


def _page(table: Table, tree: int | None, after: Key, limit: int) -> list[Any]:
    """At most `limit` rows of a table, or of one tree in it, in the order of their keys."""
    if after:
        start = bisect_right(table.keys, after)
    else:
        start = 0 if tree is None else bisect_left(table.keys, (tree,))
    keys = islice(table.keys, start, start + limit)
    return [table.rows[key] for key in takewhile(lambda key: tree is None or key[0] == tree, keys)]


def _all_early_writes(scope: Scope) -> list[Any]:
    scopes = {id(scope.directory): scope.directory}
    for number in scope.all_trees():
        # Reading a damaged tree itself raises Corrupt. It must not hide the writes of the others.
        with suppress(Corrupt):
            tables = scope.tree(number)
            scopes[id(tables)] = tables
    return [row for tables in scopes.values() for row in tables[EarlyWriteRow].rows.values()]


def _tally(scope: Scope, tree: int) -> list[Tally]:
    try:
        tables, names = scope.tree(tree), scope.directory.threads_of(tree)
    except Corrupt:
        # Opening the tree reports the damage. The others are counted.
        return []
    rows = {kind: tables[kind].under(tree) for kind in (LineRow, OverlayRow, CheckpointRow)}
    other_bytes = sum(len(row.body) for kind in WITH_BODY for row in tables[kind].under(tree))
    return tally_tree(tree, names, rows[LineRow], rows[OverlayRow], rows[CheckpointRow], other_bytes)


def _tree_threads(scope: Scope, tree: int) -> list[ThreadRow]:
    return [scope.directory[ThreadRow].get(name) for name in scope.directory.threads_of(tree).values()]


def _thread(scope: Scope, thread_id: str | None) -> ThreadRow | None:
    return None if thread_id is None else cast(ThreadRow, scope.directory[ThreadRow].get(thread_id))


def _ancestry(tables: Tables, tree: int, line: int | None) -> Iterator[LineRow]:
    passed: set[int] = set()
    row = tables[LineRow].get(tree, line)
    # Damaged rows may form a circle.
    while row is not None and row.line not in passed:
        yield row
        passed.add(row.line)
        row = tables[LineRow].get(tree, row.base_line)


def _overlays(table: Table, tree: int, lines: Sequence[int], lo: int, hi: int) -> list[OverlayRow]:
    return [row for line in lines for row in table.between((tree, line, lo), (tree, line, hi, NO_LIMIT))]


def checkpoints(
    scope: Scope, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter, *, oldest: bool
) -> list[CheckpointRow]:
    table = scope.tree(tree)[CheckpointRow]
    low, high = bisect_left(table.keys, (tree, line, lo)), bisect_right(table.keys, (tree, line, hi))
    rows = []
    for i in range(low, high) if oldest else range(high - 1, low - 1, -1):
        row = table.rows[table.keys[i]]
        if _matches(row, where):
            rows.append(row)
            if len(rows) == limit:
                break
    return rows


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
    """The chunks that one version is made from, oldest first."""
    found: list[Piece] = []
    passed: set[tuple[int, int]] = set()
    # Damaged rows may form a circle.
    while (log, pos) not in passed:
        passed.add((log, pos))
        rows = list(tables[ChunkRow].between((tree, log, 0), (tree, log, pos)))
        keys = [i for i, row in enumerate(rows) if row.kind == KEY]
        found[:0] = [Piece(row, pos) for row in (rows[keys[-1] :] if keys else rows)]
        # Without a key, the log starts with a change to a version of another log.
        base = None if keys else tables[LogRow].get(tree, log)
        if base is None:
            break
        log, pos = base.base_log, base.base_pos
    return found


def _pending(tables: Tables, line: LineRow, seq: int) -> list[PendingRow | SettledRow]:
    found = _by_era(tables, line.tree, line.line, seq)
    for above in chain([line], _ancestry(tables, line.tree, line.base_line)):
        # Past the fork point the number is the fork's own.
        if above.base_line is None or seq > above.base_seq:
            break
        rows = _by_era(tables, line.tree, above.base_line, seq)
        found[:0] = [row for row in rows if row.era < above.base_era]
    return found


def _by_era(tables: Tables, tree: int, line: int, seq: int) -> list[PendingRow | SettledRow]:
    rows = [*tables[SettledRow].under(tree, line, seq), *tables[PendingRow].under(tree, line, seq)]
    return sorted(rows, key=lambda row: row.era)


def _early_writes(scope: Scope, thread: str, namespace: str, checkpoint: str) -> list[EarlyWriteRow]:
    rows: list[EarlyWriteRow] = []
    for tables in scope.early_write_tables(thread):
        rows += tables[EarlyWriteRow].under(thread, namespace, checkpoint)
    return sorted(rows)


def journal(scope: Scope, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
    return list(islice(scope.tree(tree)[JournalRow].between((tree, line, lo), (tree, line, hi)), limit))


def _journal_key(tables: Tables, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
    entries = [tables.journal_entry(tree, line, key) for line in lines]
    return [entry for entry in entries if entry is not None]


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
    except LookAtTheStorage:
        # Opening the thread reports the damage. The others are listed.
        return [Listed(thread, None, None)]
    root = cast(LineRow | None, tables[LineRow].get(thread.tree, thread.line))
    if root is None:
        return [Listed(thread, None, None)]
    if root.base_line is None and not _has_content(tables, root):
        return []
    return [Listed(thread, root, tables[CheckpointRow].get(thread.tree, root.head_line, root.head_seq))]


def _has_content(tables: Tables, root: LineRow) -> bool:
    """Whether a thread has a checkpoint or a journal entry. Most have them in the root line."""
    if root.checkpoints or root.journal:
        return True
    return any(line.checkpoints or line.journal for line in tables.lines_of(root.tree, root.line))


# ------------------------------------------------------------------------------------------------ batches


def applicable(scope: Scope, batch: Batch) -> bool:
    """Whether all expectations of a batch hold. One that can never be applied raises, before anything is changed."""
    if not all(_HOLDS[type(expect)](scope, expect) for expect in batch.expects):
        return False
    for row in (*batch.puts, *batch.puts_if_free):
        if type(row) not in KEYS:
            raise TypeError(f"{row!r} is not a row")
        if isinstance(row, ChunkRow) and _is_taken(scope, row, batch.drops):
            raise StorageFailed(f"value log {row.log} has a chunk at position {row.lo} already")
    return True


def _is_taken(scope: Scope, row: ChunkRow, drops: Sequence[Drop]) -> bool:
    if scope.tree(row.tree)[ChunkRow].get(*key_of(row)) is None:
        return False
    return not any(_covers(drop, row) for drop in drops if isinstance(drop, DropChunks))


def _covers(drop: DropChunks, row: ChunkRow) -> bool:
    return (drop.tree, drop.log) == (row.tree, row.log) and drop.lo <= row.lo <= drop.hi


def _line_at(scope: Scope, expect: LineAt) -> bool:
    line = scope.tree(expect.tree)[LineRow].get(expect.tree, expect.line)
    return (line.version if line else 0) == expect.version


def _root_at(scope: Scope, expect: RootAt) -> bool:
    line = scope.tree(expect.tree)[LineRow].get(expect.tree, expect.line)
    return line is not None and (line.forks, line.epoch, line.journal) == (expect.forks, expect.epoch, expect.journal)


def _forks_at(scope: Scope, expect: ForksAt) -> bool:
    line = scope.tree(expect.tree)[LineRow].get(expect.tree, expect.line)
    return line is not None and line.forks == expect.forks


def _thread_at(scope: Scope, expect: ThreadAt) -> bool:
    thread = scope.directory[ThreadRow].get(expect.id)
    return thread is not None and thread.line == expect.line


def _tombstone_at(scope: Scope, expect: TombstoneAt) -> bool:
    tombstone = scope.directory[TombstoneRow].get(expect.hash)
    return (tombstone.generation if tombstone else 0) == expect.generation


def _has_sum(kind: type[Row], scope: Scope, expect: CheckpointAt | ChunkAt | PendingAt) -> bool:
    """The columns of these expectations are a key and a checksum."""
    *key, total = expect
    row = scope.tree(expect.tree)[kind].get(*key)
    return row is not None and row.sum == total


_HOLDS: Final[dict[type[Expect], Callable[[Scope, Any], bool]]] = {
    LineAt: _line_at,
    RootAt: _root_at,
    ForksAt: _forks_at,
    ThreadAt: _thread_at,
    TombstoneAt: _tombstone_at,
    NamespaceFree: lambda scope, e: scope.tree(e.tree).line(e.tree, e.thread, e.namespace) is None,
    ThreadAbsent: lambda scope, e: scope.directory[ThreadRow].get(e.id) is None,
    IdFree: lambda scope, e: not scope.tree(e.tree).numbers_of(e.tree, e.line, e.id),
    KeyFree: lambda scope, e: scope.tree(e.tree).journal_entry(e.tree, e.line, e.key) is None,
    PendingAt: partial(_has_sum, PendingRow),
    CheckpointAt: partial(_has_sum, CheckpointRow),
    ChunkAt: partial(_has_sum, ChunkRow),
    EarlyWritesAt: lambda scope, e: len(_early_writes(scope, e.thread, e.namespace, e.checkpoint)) == e.writes,
    ClockNear: lambda scope, e: abs(time.time_ns() // 1000 - e.moment) <= e.within,
    CheckpointThere: lambda scope, e: scope.tree(e.tree)[CheckpointRow].get(e.tree, e.line, e.seq) is not None,
}
