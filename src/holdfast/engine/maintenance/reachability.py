"""Which rows of a tree can still be reached, and which are garbage.

A checkpoint is reached if a living thread sees it in any of its namespaces, through its own line or through those that
it was forked from. A few rows stay although no thread sees them, because others are found through them: fork points,
checkpoints that were saved again under the same id, and checkpoints whose writes a later value is made of.

A row that is not reached never becomes reachable again: a fork is made of what its origin sees, and a removal only
hides more. So `collect` has to be sure of two things: that no fork was made since the tree was read, and that the read
missed no row that was written in between. Therefore `read_tree` reads the candidates first (values, writes, overlays),
then the checkpoints, then who sees them. A row that is written later is not a candidate, and a row that was written
before is found.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from holdfast.backends.rows import (
    CheckpointRow,
    ChunkRow,
    JournalRow,
    LineRow,
    LogRow,
    OverlayRow,
    PendingRow,
    SettledRow,
    ThreadRow,
    checked,
    with_checksum,
)
from holdfast.engine import table_scan
from holdfast.engine.context import Engine, Handle
from holdfast.engine.maintenance.needed_chunks import Chunk, VersionKey, needed_chunks
from holdfast.engine.retry import Again
from holdfast.engine.threads import location, views
from holdfast.engine.threads.lineages import Lineages, NamespaceNames, is_grounded
from holdfast.engine.values import manifest_scan
from holdfast.engine.values.digests import UNKNOWN
from holdfast.engine.values.manifest import refs_of
from holdfast.engine.values.manifest_scan import Outlines
from holdfast.engine.writes import write_format
from holdfast.errors import Corrupt

_ROW: Final = 100  # bytes of columns and keys, about
CheckpointKey = tuple[int, int]
"""The line and the number of a checkpoint."""
Hidden = Mapping[str, Mapping[str, Collection[int]]]
"""Numbers of checkpoints, by thread and namespace."""


@dataclass
class Candidates:
    """Rows that may be dropped."""

    overlays: list[OverlayRow]
    pending: list[PendingRow]
    settled: list[SettledRow]
    journal: list[JournalRow]
    bases: dict[int, LogRow]
    chunks: dict[int, list[Chunk]]  # by log


@dataclass
class Tree:
    """The rows of one tree, and which of them are reached."""

    number: int
    candidates: Candidates
    lines: dict[int, LineRow]
    threads: list[ThreadRow]
    rows: dict[int, dict[int, CheckpointRow]] = field(default_factory=dict)  # by line and number
    needed: set[CheckpointKey] = field(default_factory=set)  # seen by a thread, or their writes are needed
    kept: set[CheckpointKey] = field(default_factory=set)  # others are found through them
    versions: set[VersionKey] = field(default_factory=set)  # that a needed checkpoint or write refers to
    chunks: dict[int, set[int]] = field(default_factory=dict)  # where those start that versions are made of, by log
    used: set[int] = field(default_factory=set)  # lines that a thread sees through

    def row_seen(self, line: int, seq: int) -> CheckpointRow | None:
        """The row that has this number in the view of a line."""
        owner = self.lines.get(line)
        while owner is not None and owner.base_line is not None and seq <= owner.base_seq:
            owner = self.lines.get(owner.base_line)
        return None if owner is None else self.rows.get(owner.line, {}).get(seq)

    def parent(self, row: CheckpointRow) -> CheckpointRow | None:
        return self.row_seen(row.line, row.parent_seq) if row.parent_seq else None

    def checkpoints(self) -> Iterator[CheckpointRow]:
        for rows in self.rows.values():
            yield from rows.values()

    def stays(self, row: CheckpointRow) -> bool:
        return checkpoint_key(row) in self.needed or checkpoint_key(row) in self.kept

    def unreached(self) -> list[CheckpointRow]:
        """Newest first: a row that is still stored always finds its ancestors."""
        rows = [row for row in self.checkpoints() if not self.stays(row)]
        return sorted(rows, key=lambda row: row.seq, reverse=True)

    def reparented(self) -> Iterator[tuple[CheckpointRow, CheckpointRow]]:
        """Rows whose parent is dropped or whose lineage gets shorter, as they are and as they will be. They keep the
        digest of the parent that their own digest was made with."""
        depths: dict[CheckpointKey, int] = {}
        # Ancestors have lower numbers, so their depths are known first.
        for row in sorted(filter(self.stays, self.checkpoints()), key=lambda row: row.seq):
            nearest = self._surviving_parent(row)
            depth = depths[checkpoint_key(row)] = 1 if nearest is None else depths[checkpoint_key(nearest)] + 1
            changed = _with_parent(row, self.parent(row), nearest)._replace(depth=depth)
            if changed != row:
                yield row, with_checksum(changed)

    def _surviving_parent(self, row: CheckpointRow) -> CheckpointRow | None:
        parent = self._nearest_stored(row)
        while parent is not None and not self.stays(parent):
            parent = self._nearest_stored(parent)
        return parent

    def _nearest_stored(self, row: CheckpointRow) -> CheckpointRow | None:
        """The parent. If its row is lost, what threads see is still found along the chain: the nearest one of that."""
        parent = self.parent(row)
        if parent is not None or not row.parent_seq:
            return parent
        rows = self.rows.get(row.line, {})
        older = [seq for seq in rows if row.chain_start <= seq < row.seq]
        return rows[max(older)] if older else None


def checkpoint_key(row: CheckpointRow) -> CheckpointKey:
    return row.line, row.seq


def _with_parent(row: CheckpointRow, parent: CheckpointRow | None, nearest: CheckpointRow | None) -> CheckpointRow:
    if parent is None or nearest is parent:
        return row
    return row._replace(
        parent_id=None if nearest is None else nearest.id,
        parent_seq=0 if nearest is None else nearest.seq,
        parent_digest=_known_digest(parent, row) if row.parent_digest is None else row.parent_digest,
    )


def _known_digest(parent: CheckpointRow, row: CheckpointRow) -> bytes:
    """A parent that was saved again in its place has another digest than the one that the row's was made with."""
    return UNKNOWN if parent.created_at >= row.created_at else parent.digest


# ------------------------------------------------------------------------------------------------ reading


async def read_tree(
    engine: Engine, number: int, without: Collection[str] = (), hidden: Hidden = MappingProxyType({})
) -> Tree:
    """Read one tree and mark what is reached.

    Lines are read before threads and checkpoints, because a fork that is made later changes one of the lines. `hidden`
    checkpoints are treated as removed, and threads in `without` as deleted.
    """
    again = Again()
    while True:
        try:
            return await _read_once(engine, number, without, hidden)
        except Corrupt as error:
            # The list of a wide manifest is read after its row, which may have been removed since.
            again.check(error)


async def _read_once(engine: Engine, number: int, without: Collection[str], hidden: Hidden) -> Tree:
    # The order of these reads is what makes dropping safe: see the top of this module.
    candidates = await _candidates(engine, number)
    lines = {line.line: line for line in await table_scan.sound_rows(engine.backend, LineRow, number)}
    threads = [thread for thread in await engine.backend.tree_threads(number) if thread.id not in without]
    tree = Tree(number, candidates, lines, threads)
    for row in await table_scan.sound_rows(engine.backend, CheckpointRow, number):
        if row.parent_seq >= row.seq:
            raise Corrupt(f"checkpoint {row.id!r} has number {row.seq}, and its parent has {row.parent_seq}")
        tree.rows.setdefault(row.line, {})[row.seq] = row
    # What threads see comes first: the other steps add what is found through it.
    await _mark_seen(engine, tree, hidden)
    _keep_fork_points(tree)
    _keep_replaced_parents(tree)
    outlines = Outlines(engine)
    await _mark_versions(engine, tree, set(tree.needed), outlines)
    await _mark_sources_of_open_channels(engine, tree, outlines)
    _mark_written_versions(tree)
    tree.chunks = needed_chunks(tree.versions, candidates.chunks, candidates.bases)
    return tree


async def _candidates(engine: Engine, tree: int) -> Candidates:
    backend = engine.backend
    return Candidates(
        await table_scan.sound_rows(backend, OverlayRow, tree),
        await table_scan.sound_rows(backend, PendingRow, tree),
        await table_scan.sound_rows(backend, SettledRow, tree),
        await table_scan.sound_rows(backend, JournalRow, tree),
        {row.log: row for row in await table_scan.sound_rows(backend, LogRow, tree)},
        await _chunks(engine, tree),
    )


async def _chunks(engine: Engine, tree: int) -> dict[int, list[Chunk]]:
    """Without their bodies, which may be most of the store."""
    chunks: dict[int, list[Chunk]] = {}
    async for stored in table_scan.rows(engine.backend, ChunkRow, tree):
        row = checked(stored)
        chunks.setdefault(row.log, []).append(Chunk(row.lo, row.hi, row.kind, len(row.body), row.sum))
    return chunks


async def _mark_seen(engine: Engine, tree: Tree, hidden: Hidden) -> None:
    """Everything that the threads see. The lines are read again, after the checkpoints: a namespace that got its first
    line in between has checkpoints that were read. An overlay that is not a candidate is treated as not there yet."""
    lines = {line.line: line for line in await table_scan.sound_rows(engine.backend, LineRow, tree.number)}
    _check_bases(lines)
    lineages = Lineages(lines, tree.rows, tree.candidates.overlays, may_grow=True)
    names = NamespaceNames(lines)
    for thread in tree.threads:
        root = lines.get(thread.line)
        if root is None:
            continue  # it was deleted since
        own, hides = names.own(root.line), hidden.get(thread.id, {})
        for line in own.values():
            tree.needed.update(lineages.newly_seen(line, lineages.hidden(line) | set(hides.get(line.namespace, ()))))
            lineages.pass_through(line, tree.used)
        # A namespace without a line of its own is found as a reader finds it: which part of it the fork sees depends
        # on the checkpoints of the enclosing namespace.
        for namespace in names.seen(root) - own.keys():
            await _mark_inherited(engine, tree, thread, namespace, hides.get(namespace, ()))


def _check_bases(lines: Mapping[int, LineRow]) -> None:
    grounded: set[int] = set()
    for line in lines.values():
        if not is_grounded(lines, line, grounded):
            raise Corrupt(f"line {line.line} was forked from line {line.base_line}, which leads nowhere")


async def _mark_inherited(
    engine: Engine, tree: Tree, thread: ThreadRow, namespace: str, hidden: Collection[int]
) -> None:
    """What a thread sees of a namespace that only the threads which it was forked from have written to."""
    here = (await location.find(engine, Handle(thread.id, namespace, engine.codec), even_expired=True)).here
    if here is None:
        return
    view = await views.open_view(engine, here.line)
    tree.used.add(view.line.line)
    tree.used.update(line.line for line in await views.ancestry(engine, view))
    for segment in [view.own, *await views.inherited(engine, view)]:
        numbers = sorted(tree.rows.get(segment.line, {}))
        for seq in numbers[bisect_left(numbers, segment.lo) : bisect_right(numbers, segment.hi)]:
            if not view.hides(seq) and seq not in hidden:
                tree.needed.add((segment.line, seq))


def _keep_fork_points(tree: Tree) -> None:
    for line in tree.lines.values():
        if line.line in tree.used and line.base_line is not None:
            point = tree.row_seen(line.base_line, line.base_seq)
            if point is not None:
                tree.kept.add(checkpoint_key(point))


def _keep_replaced_parents(tree: Tree) -> None:
    """A checkpoint that was saved again has the replaced one as its parent, and is found by the id of both."""
    ids = {(line, tree.rows[line][seq].id) for line, seq in tree.needed}
    for line, seq in tree.needed:
        parent = tree.parent(tree.rows[line][seq])
        if parent is not None and (parent.line, parent.id) in ids:
            tree.kept.add(checkpoint_key(parent))


async def _mark_sources_of_open_channels(engine: Engine, tree: Tree, outlines: Outlines) -> None:
    """An open channel has no value of its own: it is made of what was written to it since the last ancestor that has
    one."""
    seen = set(tree.needed)
    for line, seq in seen:
        row = tree.rows[line][seq]
        open_channels = (await outlines.of(row)).open
        # Up to the last ancestor that has a value of each channel, even if no thread shows the ones in between.
        while open_channels and (parent := tree.parent(row)) is not None:
            row = parent
            tree.needed.add(checkpoint_key(row))
            open_channels -= (await outlines.of(row)).stored
    await _mark_versions(engine, tree, tree.needed - seen, outlines)


async def _mark_versions(engine: Engine, tree: Tree, keys: Collection[CheckpointKey], outlines: Outlines) -> None:
    """What these checkpoints refer to, and the versions that their manifests are, if they are wide. One that can't be
    read ends the search: it may refer to anything."""
    async for row, manifest in manifest_scan.each(engine, [tree.rows[line][seq] for line, seq in keys]):
        outlines.add(row, manifest)
        tree.versions.update(entry[:2] for entry in refs_of(manifest))


def _mark_written_versions(tree: Tree) -> None:
    # A settled write may refer to a version that no checkpoint names any more.
    for row in tree.candidates.settled:
        if _is_needed(tree, row):
            values = [write.value for write in write_format.writes_in(row)]
            tree.versions.update((value[0], value[1]) for value in values if isinstance(value, list))


# ------------------------------------------------------------------------------------------------ garbage


@dataclass
class Garbage:
    """Rows that are dropped along with checkpoints and lines that are not reached."""

    overlays: list[OverlayRow]
    writes: list[PendingRow | SettledRow]
    journal: list[JournalRow]
    lines: list[LineRow]


def garbage_of(tree: Tree) -> Garbage:
    candidates, ends = tree.candidates, _journal_ends(tree)
    writes: list[PendingRow | SettledRow] = [*candidates.pending, *candidates.settled]
    return Garbage(
        [row for row, target in _targets(tree, candidates.overlays) if target is None or not tree.stays(target)],
        [row for row in writes if not _is_needed(tree, row)],
        [row for row in candidates.journal if row.seq > ends.get(row.line, 0)],
        [line for line in tree.lines.values() if line.line not in tree.used],
    )


def _targets(tree: Tree, overlays: list[OverlayRow]) -> Iterator[tuple[OverlayRow, CheckpointRow | None]]:
    """The checkpoint that each overlay of a used line is about. A fork may have many, on checkpoints far below it: they
    are taken from the highest number down, so that the lines below are walked once."""
    owner: LineRow | None = None
    line = None
    for row in sorted(overlays, key=lambda row: (row.line, -row.seq)):
        if row.line != line:
            line = row.line
            owner = tree.lines.get(line) if line in tree.used else None
        # Numbers up to the fork point belong to a line below. They only fall, so `owner` only moves down.
        while owner is not None and owner.base_line is not None and row.seq <= owner.base_seq:
            owner = tree.lines.get(owner.base_line)
        yield row, None if owner is None else tree.rows.get(owner.line, {}).get(row.seq)


def _is_needed(tree: Tree, row: PendingRow | SettledRow) -> bool:
    target = tree.row_seen(row.line, row.seq)
    return row.line in tree.used and target is not None and checkpoint_key(target) in tree.needed


def _journal_ends(tree: Tree) -> dict[int, int]:
    """The last number of each root line's journal that a thread reads."""
    living = {thread.line for thread in tree.threads}
    ends = {line: tree.lines[line].journal for line in living if line in tree.lines}
    passed: set[int] = set()
    # A fork reads the journals below it up to its fork point, so an entry may outlive its own thread.
    for number in living:
        line = tree.lines.get(number)
        while line is not None and line.base_line is not None and line.line not in passed:
            passed.add(line.line)
            ends[line.base_line] = max(ends.get(line.base_line, 0), line.base_journal)
            line = tree.lines.get(line.base_line)
    return ends


def bytes_needed(tree: Tree) -> int:
    """The size of the values that stay."""
    stored = sum(chunk.size for chunks in tree.candidates.chunks.values() for chunk in chunks)
    return stored - sum(chunk.size for _, chunk in unneeded_chunks(tree))


def bytes_of_garbage(tree: Tree) -> int:
    """About how much `collect` frees."""
    garbage = garbage_of(tree)
    return (
        sum(len(row.manifest) + len(row.metadata) + _ROW for row in tree.unreached())
        + sum(len(row.body) + _ROW for row in [*garbage.writes, *garbage.journal])
        + sum(chunk.size + _ROW for _, chunk in unneeded_chunks(tree))
    )


# ------------------------------------------------------------------------------------------------ value logs


def unneeded_chunks(tree: Tree) -> list[tuple[int, Chunk]]:
    """Chunks that no needed version is made of, each with its log."""
    stored = tree.candidates.chunks.items()
    return [(log, chunk) for log, chunks in stored for chunk in chunks if chunk.lo not in tree.chunks.get(log, ())]


def unneeded_logs(tree: Tree) -> list[LogRow]:
    return [row for log, row in tree.candidates.bases.items() if log not in tree.chunks]
