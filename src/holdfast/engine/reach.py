"""What of a tree somebody can still reach, and what is left over.

A checkpoint is reached if a living thread sees it, in any of its namespaces: through its own line or those that it was
forked from. A few rows stay although nobody sees them, because others are found through them: the points where lines
were forked off, checkpoints that were saved again under the same id, and those whose writes a later value is made of.

What nobody reaches stays out of reach: forks are made of what is seen, and removing only hides more. So whoever frees
it needs to be sure that no fork was made since the tree was looked at, and that the look did not miss what came
meanwhile. For that it begins with what may go, values and writes and marks, then asks which checkpoints there are, and
then who sees them: whatever is written later is no candidate, and whatever was written before is found.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from holdfast.backends.rows import (
    KEY,
    KEYS,
    AnyRow,
    CheckpointRow,
    ChunkRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    SealedRow,
    ThreadRow,
    checked,
    sealed,
)
from holdfast.engine import load, removal, views
from holdfast.engine.context import Engine
from holdfast.engine.manifest import Entry, Ref

PAGE: Final = 500
_ROW: Final = 100  # bytes of columns and keys, about
Place = tuple[int, int]  # line and number of a checkpoint; or log and position of a version


class Chunk(NamedTuple):
    """A chunk without its body."""

    lo: int
    hi: int
    kind: int
    size: int
    sum: int


@dataclass
class Candidates:
    """Rows that may go."""

    marks: list[MarkRow]
    pending: list[PendingRow]
    sealed: list[SealedRow]
    journal: list[JournalRow]
    bases: dict[int, LogRow]
    chunks: dict[int, list[Chunk]]  # by log


@dataclass
class Tree:
    """The rows of one tree, as far as they say who reaches what."""

    number: int
    candidates: Candidates
    lines: dict[int, LineRow]
    threads: list[ThreadRow]
    rows: dict[int, dict[int, CheckpointRow]] = field(default_factory=dict)  # by line and number
    needed: set[Place] = field(default_factory=set)  # checkpoints that somebody sees, or whose writes are needed
    kept: set[Place] = field(default_factory=set)  # those that others are found through
    values: set[Place] = field(default_factory=set)  # versions
    used: set[int] = field(default_factory=set)  # lines that somebody looks through

    def home(self, line: int, seq: int) -> CheckpointRow | None:
        """The row that has this number in the view of a line."""
        found = self.lines.get(line)
        while found is not None and found.base_line is not None and seq <= found.base_seq:
            found = self.lines.get(found.base_line)
        return None if found is None else self.rows.get(found.line, {}).get(seq)

    def parent(self, row: CheckpointRow) -> CheckpointRow | None:
        return self.home(row.line, row.parent_seq) if row.parent_seq else None

    def stays(self, row: CheckpointRow) -> bool:
        return place_of(row) in self.needed or place_of(row) in self.kept

    def dead(self) -> list[CheckpointRow]:
        """Newest first: a row that is still there always finds the older ones that it leads to."""
        found = [row for rows in self.rows.values() for row in rows.values() if not self.stays(row)]
        return sorted(found, key=lambda row: row.seq, reverse=True)

    def rerooted(self) -> Iterator[tuple[CheckpointRow, CheckpointRow]]:
        """Rows whose parent goes, as they are and as they will be, and those whose lineage gets shorter. The digest
        that theirs was made with is kept."""
        depths: dict[Place, int] = {}
        stay = [row for rows in self.rows.values() for row in rows.values() if self.stays(row)]
        for row in sorted(stay, key=lambda row: row.seq):  # ancestors have lower numbers
            parent = nearest = self.parent(row)
            while nearest is not None and not self.stays(nearest):
                nearest = self.parent(nearest)
            depth = depths[place_of(row)] = 1 if nearest is None else depths[place_of(nearest)] + 1
            changed = row._replace(depth=depth)
            if parent is not None and nearest is not parent:
                changed = changed._replace(
                    parent_id=None if nearest is None else nearest.id,
                    parent_seq=0 if nearest is None else nearest.seq,
                    parent_digest=row.parent_digest or parent.digest,
                )
            if changed != row:
                yield row, sealed(changed)


def place_of(row: CheckpointRow) -> Place:
    return row.line, row.seq


async def scanned(engine: Engine, kind: type[AnyRow], tree: int) -> list[AnyRow]:
    """All rows of a kind; each is as it was written."""
    found: list[AnyRow] = []
    after: tuple[object, ...] = ()
    while page := await engine.backend.scan(kind, tree, after, PAGE):
        found += map(checked, page)
        after = page[-1][: KEYS[kind]]
    return found


async def _candidates(engine: Engine, tree: int) -> Candidates:
    return Candidates(
        await scanned(engine, MarkRow, tree),
        await scanned(engine, PendingRow, tree),
        await scanned(engine, SealedRow, tree),
        await scanned(engine, JournalRow, tree),
        {row.log: row for row in await scanned(engine, LogRow, tree)},
        await _chunks(engine, tree),
    )


async def _chunks(engine: Engine, tree: int) -> dict[int, list[Chunk]]:
    found: dict[int, list[Chunk]] = {}
    after: tuple[object, ...] = ()
    while page := await engine.backend.scan(ChunkRow, tree, after, PAGE):
        for row in map(checked, page):
            found.setdefault(row.log, []).append(Chunk(row.lo, row.hi, row.kind, len(row.body), row.sum))
        after = page[-1][:3]
    return found


Hidden = Mapping[str, Mapping[str, Collection[int]]]
"""Numbers of checkpoints, by thread and namespace."""


async def look(
    engine: Engine, number: int, without: Collection[str] = (), hidden: Hidden = MappingProxyType({})
) -> Tree:
    """Lines before threads and checkpoints: who is forked after that changes one of them. `hidden` are checkpoints that
    are taken as removed, and `without` are threads that are taken as deleted."""
    candidates = await _candidates(engine, number)
    lines = {line.line: line for line in await scanned(engine, LineRow, number)}
    threads = [thread for thread in await engine.backend.tree_threads(number) if thread.id not in without]
    tree = Tree(number, candidates, lines, threads)
    for row in await scanned(engine, CheckpointRow, number):
        tree.rows.setdefault(row.line, {})[row.seq] = row
    for thread in tree.threads:
        await _walk(engine, tree, thread, hidden.get(thread.id, {}))
    _keep_what_leads_on(tree)
    _keep_what_values_are_made_of(tree)
    for line, seq in tree.needed:
        tree.values.update(_versions(tree.rows[line][seq]))
    for one in candidates.sealed:
        if _is_needed(tree, one):
            values = [write.value for write in load.writes_in(one)]
            tree.values.update((value[0], value[1]) for value in values if isinstance(value, list))
    return tree


async def _walk(engine: Engine, tree: Tree, thread: ThreadRow, hidden: Mapping[str, Collection[int]]) -> None:
    """Everything that one thread sees."""
    async for namespace, view in removal.views_of(engine, thread):
        without = hidden.get(namespace, ())
        tree.used.add(view.line.line)
        tree.used.update(line.line for line in await views.ancestry(engine, view))
        for segment in [view.own, *await views.inherited(engine, view)]:
            rows = tree.rows.get(segment.line, {})
            numbers = sorted(rows)
            for seq in numbers[bisect_left(numbers, segment.lo) : bisect_right(numbers, segment.hi)]:
                if not view.hides(seq) and seq not in without:
                    tree.needed.add((segment.line, seq))


def _keep_what_leads_on(tree: Tree) -> None:
    for line in tree.lines.values():
        if line.line in tree.used and line.base_line is not None:
            point = tree.home(line.base_line, line.base_seq)
            if point is not None:
                tree.kept.add(place_of(point))
    ids = {(number, tree.rows[number][seq].id) for number, seq in tree.needed}
    for number, seq in tree.needed:
        parent = tree.parent(tree.rows[number][seq])
        if parent is not None and (parent.line, parent.id) in ids:  # saved again: the new one is found by its id
            tree.kept.add(place_of(parent))


def _keep_what_values_are_made_of(tree: Tree) -> None:
    """A channel without a value is what was written to it since the last ancestor that has one."""
    for line, seq in list(tree.needed):
        row = tree.rows[line][seq]
        open_channels = set(load.manifest_of(row).open)
        while open_channels and (parent := tree.parent(row)) is not None:
            row = parent
            tree.needed.add(place_of(row))
            open_channels -= load.manifest_of(row).channels.keys()


def _versions(row: CheckpointRow) -> Iterator[Place]:
    known = load.manifest_of(row)
    entries: list[Entry] = [*known.channels.values(), *([known.extra] if known.extra is not None else [])]
    for entry in entries:
        if isinstance(entry, Ref):
            yield entry.log, entry.pos


# ------------------------------------------------------------------------------------------------ what hangs on it


@dataclass
class LeftOver:
    """Rows that go with checkpoints and lines that nobody reaches."""

    marks: list[MarkRow]
    writes: list[PendingRow | SealedRow]
    journal: list[JournalRow]
    lines: list[LineRow]


def left_over(tree: Tree) -> LeftOver:
    candidates, ends = tree.candidates, _journal_ends(tree)
    return LeftOver(
        [row for row in candidates.marks if _is_gone(tree, row)],
        [
            *(row for row in candidates.pending if not _is_needed(tree, row)),
            *(one for one in candidates.sealed if not _is_needed(tree, one)),
        ],
        [row for row in candidates.journal if row.seq > ends.get(row.line, 0)],
        [line for line in tree.lines.values() if line.line not in tree.used],
    )


def _is_gone(tree: Tree, row: MarkRow) -> bool:
    target = tree.home(row.line, row.seq)
    return row.line not in tree.used or target is None or not tree.stays(target)


def _is_needed(tree: Tree, row: PendingRow | SealedRow) -> bool:
    target = tree.home(row.line, row.seq)
    return row.line in tree.used and target is not None and place_of(target) in tree.needed


def _journal_ends(tree: Tree) -> dict[int, int]:
    """Up to which number somebody reads the journal of each root line."""
    living = {thread.line for thread in tree.threads}
    ends = {line: tree.lines[line].journal for line in living if line in tree.lines}
    for line in living:
        one = tree.lines.get(line)
        while one is not None and one.base_line is not None:
            ends[one.base_line] = max(ends.get(one.base_line, 0), one.base_journal)
            one = tree.lines.get(one.base_line)
    return ends


def bytes_needed(tree: Tree) -> int:
    """How much is in values that stay."""
    chunks, _ = unneeded_chunks(tree)
    every = sum(chunk.size for found in tree.candidates.chunks.values() for chunk in found)
    return every - sum(chunk.size for _, chunk in chunks)


def bytes_left_over(tree: Tree) -> int:
    """How much is in rows that may go, as far as their size is not fixed."""
    found = left_over(tree)
    chunks, _ = unneeded_chunks(tree)
    return (
        sum(len(row.manifest) + len(row.metadata) + _ROW for row in tree.dead())
        + sum(len(row.body) + _ROW for row in [*found.writes, *found.journal])
        + sum(chunk.size + _ROW for _, chunk in chunks)
    )


# ------------------------------------------------------------------------------------------------ value logs


def unneeded_chunks(tree: Tree) -> tuple[list[tuple[int, Chunk]], list[LogRow]]:
    """Chunks by log, and logs, that no version needs which somebody reaches."""
    bases, chunks = tree.candidates.bases, tree.candidates.chunks
    needed: dict[int, set[int]] = {}
    left = list(tree.values)
    seen: set[Place] = set()
    while left:
        log, pos = left.pop()
        if (log, pos) in seen:
            continue
        seen.add((log, pos))
        path = [chunk for chunk in chunks.get(log, []) if chunk.lo <= pos]
        keys = [number for number, chunk in enumerate(path) if chunk.kind == KEY]
        needed.setdefault(log, set()).update(chunk.lo for chunk in (path[keys[-1] :] if keys else path))
        if not keys and log in bases:
            left.append((bases[log].base_log, bases[log].base_pos))
    dropped = [(log, chunk) for log, found in chunks.items() for chunk in found if chunk.lo not in needed.get(log, ())]
    return dropped, [row for log, row in bases.items() if log not in needed]
