"""Collecting: what nobody reaches is freed, beside whoever is writing.

A tree is looked at (see `reach`), and what is left over goes in batches, in an order in which every state in between
reads as before: survivors are hung on their nearest surviving ancestor first, then checkpoints go, newest first, with
what hangs on them, and the values last. Each batch expects that no fork was made since the look, and that the rows are
those that were seen; if one does not hold, the tree is looked at again. Whoever is stopped in between starts over, and
finds less to do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from holdfast.backends.base import (
    Batch,
    CheckpointAt,
    ChunkAt,
    Drop,
    DropRow,
    DropWaiting,
    Expect,
    ForksAt,
    LineAt,
    PendingAt,
    Progress,
)
from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    ChunkRow,
    LineRow,
    PendingRow,
    Row,
    SealedRow,
    checked,
    sealed,
)
from holdfast.engine import reach, staging
from holdfast.engine.context import Engine
from holdfast.engine.foreign import DAY
from holdfast.engine.reach import Place, Tree
from holdfast.errors import Corrupt
from holdfast.model import CollectReport

_ATTEMPTS: Final = 20
_AT_ONCE: Final = 200  # changes in one batch: so long others wait
_TREES: Final = 1000


async def collect(engine: Engine, progress: Progress | None = None, *, all_staged: bool = False) -> CollectReport:
    """Threads that are on their way into the store go too, if nobody went on with them for a day; all, if asked."""
    engine.check_open()
    before = await engine.backend.bytes_stored()
    now = await engine.backend.now()
    await engine.backend.commit(Batch([], [], [DropWaiting("", now - DAY)]))
    total = _Count(staged_before=now + DAY if all_staged else now - DAY)
    after, done = 0, 0
    while trees := await engine.backend.trees(after, _TREES):
        for number, tree in enumerate(trees):
            await _collect_tree(engine, tree, total)
            if progress is not None:
                progress(done + number + 1, done + len(trees))
        after, done = trees[-1], done + len(trees)
    await engine.backend.give_back()
    return CollectReport(
        trees=done,
        checkpoints=total.of(CheckpointRow),
        writes=total.of(PendingRow) + total.of(SealedRow),
        values=total.of(ChunkRow),
        rows=sum(total.rows.values()),
        bytes_before=before,
        bytes_after=await engine.backend.bytes_stored(),
        skipped=tuple(total.skipped),
    )


@dataclass
class _Count:
    rows: dict[type[Row], int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    needed: int = 0  # bytes of values that stay
    staged_before: int = 0  # when a thread on its way was last gone on with, to be freed

    def of(self, kind: type[Row]) -> int:
        return self.rows.get(kind, 0)

    def add(self, drops: list[Drop]) -> None:
        for drop in drops:
            if isinstance(drop, DropRow):
                self.rows[drop.table] = self.of(drop.table) + 1


async def collect_one(engine: Engine, number: int) -> int:
    """Free what nobody reaches in one tree; says how many bytes of values are left there."""
    total = _Count()
    await _collect_tree(engine, number, total)
    return total.needed


async def _collect_tree(engine: Engine, number: int, total: _Count) -> None:
    for _ in range(_ATTEMPTS):
        try:
            if await _collected(engine, number, total):
                return
        except Corrupt as error:  # nothing goes from a tree that can't be read whole
            total.skipped.append(f"tree {number}: {error}")
            return
    total.skipped.append(f"tree {number}: it was forked again and again meanwhile")


async def _collected(engine: Engine, number: int, total: _Count) -> bool:
    """False if the tree has changed so that it has to be looked at again."""
    if not await _may_have_garbage(engine, number):
        return True
    tree = await reach.look(engine, number)
    total.needed = reach.bytes_needed(tree)
    expects: list[Expect] = [
        ForksAt(line.tree, line.line, line.forks) for line in tree.lines.values() if line.line in tree.used
    ]
    if not tree.threads:  # the last one to be deleted takes its tree along, so that one may have been lost
        lines = list(tree.lines.values())
        if not staging.all_staged(lines):
            raise Corrupt("no thread leads to it any more; verify() tells whether one was lost")
        if not staging.are_left(lines, total.staged_before):
            return True
        expects += [LineAt(line.tree, line.line, line.version) for line in lines if line.line == line.thread]
    rerooted = list(tree.rerooted())
    for change in _parts(_rerooting(rerooted)):
        if not await engine.backend.commit(Batch([*expects, *change.expects], change.puts)):
            return False
    await _tell_writers(engine, tree, {reach.place_of(row): row.depth for _, row in rerooted})
    for change in _removals(tree):
        if not await engine.backend.commit(Batch([*expects, *change.expects], change.puts, change.drops)):
            return False
        total.add(change.drops)
    return True


async def _tell_writers(engine: Engine, tree: Tree, depths: dict[Place, int]) -> None:
    """Whoever remembers a head whose lineage is shorter now would go on counting from what it was: the line gets a new
    version, and what was saved meanwhile is counted anew."""
    for line in tree.lines.values():
        if line.line in tree.used and (line.head_line, line.head_seq) in depths:
            for _ in range(_ATTEMPTS):
                if await _told(engine, tree, line, depths):
                    break


async def _told(engine: Engine, tree: Tree, seen: LineRow, depths: dict[Place, int]) -> bool:
    found = await engine.backend.ancestry(seen.tree, seen.line)
    if not found:
        return True
    line, known = checked(found[0]), dict(depths)
    batch = Batch([LineAt(*line[:2], line.version)], [sealed(line._replace(version=line.version + 1))])
    later = await engine.backend.checkpoints(line.tree, line.line, seen.seq + 1, line.seq, 1 << 62, oldest=True)
    for row in map(checked, later):
        parent = tree.home(row.line, row.parent_seq)
        place = (row.line, row.parent_seq) if parent is None else reach.place_of(parent)
        depth = known.get(place, parent.depth if parent is not None else row.depth - 1) + 1
        known[reach.place_of(row)] = depth
        if depth != row.depth:
            batch.expects.append(CheckpointAt(*row[:3], row.sum))
            batch.puts = [*batch.puts, sealed(row._replace(depth=depth))]
    done = await engine.backend.commit(batch)
    for thread in tree.threads if done else ():
        if thread.line == line.thread:
            engine.cache.drop((thread.id, line.namespace))
    return done


async def would_free(
    engine: Engine, number: int, without: Collection[str]
) -> tuple[Mapping[type[Row], int], set[tuple[str | None, int]]]:
    """What would go from a tree if these threads were deleted, by kind; and the runs that would be left in lines."""
    tree = await reach.look(engine, number, without)
    total = _Count()
    for change in _removals(tree):
        total.add(change.drops)
    left = {(row.run_id, row.line) for rows in tree.rows.values() for row in rows.values() if tree.stays(row)}
    return total.rows, left


async def _may_have_garbage(engine: Engine, number: int) -> bool:
    """Something was removed in it, or a thread of it was deleted."""
    living = {thread.line for thread in await engine.backend.tree_threads(number)}
    lines = await reach.scanned(engine, LineRow, number)
    return any(line.marks or line.thread not in living for line in lines)


# ------------------------------------------------------------------------------------------------ batches


@dataclass
class _Change:
    expects: list[Expect] = field(default_factory=list)
    puts: list[Row] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)


def _removals(tree: Tree) -> Iterator[_Change]:
    found = reach.left_over(tree)
    chunks, logs = reach.unneeded_chunks(tree)
    places = [(tree.number, log, chunk.lo, chunk.sum) for log, chunk in chunks]
    yield from _parts(_dropping(tree.dead()))
    yield from _parts(_dropping([*found.marks, *found.writes, *found.journal]))
    yield from _parts(_Change([ChunkAt(*place)], [], [DropRow(ChunkRow, place[:3])]) for place in places)
    yield from _parts(_dropping([*logs, *found.lines]))


def _parts(changes: Iterable[_Change]) -> Iterator[_Change]:
    """Several together, in their order."""
    left = iter(changes)
    while some := list(islice(left, _AT_ONCE)):
        whole = _Change()
        for one in some:
            whole.expects += one.expects
            whole.puts += one.puts
            whole.drops += one.drops
        yield whole


def _rerooting(rows: Iterable[tuple[CheckpointRow, CheckpointRow]]) -> Iterator[_Change]:
    for row, changed in rows:
        yield _Change([CheckpointAt(row.tree, row.line, row.seq, row.sum)], [changed])


def _dropping(rows: Iterable[Row]) -> Iterator[_Change]:
    for row in rows:
        yield _Change(_expected(row), [], [DropRow(type(row), row[: KEYS[type(row)]])])


def _expected(row: Row) -> list[Expect]:
    """That it is this row, where another may have taken its place."""
    if isinstance(row, CheckpointRow):
        return [CheckpointAt(row.tree, row.line, row.seq, row.sum)]
    if isinstance(row, PendingRow):
        return [PendingAt(*row[:6], row.sum)]
    if isinstance(row, LineRow):
        return [LineAt(row.tree, row.line, row.version)]
    return []
