"""Collecting garbage: rows that no thread reaches are dropped, beside concurrent writers.

A tree is read (see `reachability`), and its garbage is dropped in batches. Their order is such that every state in
between reads as before: first survivors are re-parented to their nearest surviving ancestor, then checkpoints are
dropped, newest first, then what belongs to them, and values last. Each batch expects that no fork was made since the
tree was read and that the rows are the ones that were read; if not, the tree is read again. An interrupted call can be
repeated, and finds less to do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Final

from holdfast.backends.base import (
    Batch,
    CheckpointAt,
    ChunkAt,
    Drop,
    DropRow,
    Expect,
    ForksAt,
    LineAt,
    PendingAt,
    Progress,
)
from holdfast.backends.rows import (
    DAY,
    NO_LIMIT,
    CheckpointRow,
    ChunkRow,
    LineRow,
    PendingRow,
    Row,
    SettledRow,
    checked,
    key_of,
    with_checksum,
)
from holdfast.engine import table_scan
from holdfast.engine.context import Engine
from holdfast.engine.maintenance import reachability
from holdfast.engine.maintenance.reachability import CheckpointKey, Tree
from holdfast.engine.retry import until_applied
from holdfast.engine.threads import staged_thread
from holdfast.errors import Contended, Corrupt, TooLarge
from holdfast.model import CollectReport

_ATTEMPTS: Final = 20
_AT_ONCE: Final = 200  # rows in one batch; other writers wait for it


async def collect(engine: Engine, progress: Progress | None = None, *, all_staged: bool = False) -> CollectReport:
    """Also drops staged threads that were not continued for a day; with `all_staged`, all of them."""
    engine.check_open()
    before = await engine.backend.bytes_stored()
    now = await engine.backend.now()
    # A checkpoint that did not come within a day never will: the run that sent its writes died.
    await engine.backend.drop_early_writes(before=now - DAY)
    total = _Count(staged_before=now + DAY if all_staged else now - DAY)
    done = 0
    async for trees in table_scan.tree_pages(engine.backend):
        for number, tree in enumerate(trees):
            await _collect_tree(engine, tree, total)
            if progress is not None:
                progress(done + number + 1, done + len(trees))
        done += len(trees)
    await engine.backend.give_back()
    return CollectReport(
        trees=done,
        checkpoints=total.of(CheckpointRow),
        writes=total.of(PendingRow) + total.of(SettledRow),
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
    staged_before: int = 0  # staged threads that were not continued since then are dropped

    def of(self, kind: type[Row]) -> int:
        return self.rows.get(kind, 0)

    def add(self, drops: list[Drop]) -> None:
        for drop in drops:
            if isinstance(drop, DropRow):
                self.rows[drop.table] = self.of(drop.table) + 1


async def collect_one(engine: Engine, number: int) -> int:
    """Drop the garbage of one tree; returns how many bytes of values are left there."""
    total = _Count()
    await _collect_tree(engine, number, total)
    return total.needed


async def would_free(
    engine: Engine, number: int, without: Collection[str]
) -> tuple[Mapping[type[Row], int], set[tuple[str | None, int]]]:
    """How many rows of each kind would be garbage if these threads were deleted; and the runs that would be left, each
    with its line."""
    tree = await reachability.read_tree(engine, number, without)
    total = _Count()
    for change in _removals(tree):
        total.add(change.drops)
    left = {(row.run_id, row.line) for row in tree.checkpoints() if tree.stays(row)}
    return total.rows, left


async def _collect_tree(engine: Engine, number: int, total: _Count) -> None:
    """Nothing is dropped from a tree that can't be read as a whole."""
    attempt = partial(_collect_once, engine, number, total)
    try:
        await until_applied(f"tree {number}", attempt, attempts=_ATTEMPTS)
    except (Corrupt, TooLarge) as error:
        total.skipped.append(f"tree {number}: {error}")
    except Contended:
        total.skipped.append(f"tree {number}: it was forked {_ATTEMPTS} times in between; collect again")


async def _collect_once(engine: Engine, number: int, total: _Count) -> bool | None:
    """None if the tree changed in between and has to be read again."""
    if not await _may_have_garbage(engine, number):
        return True
    tree = await reachability.read_tree(engine, number)
    total.needed = reachability.bytes_needed(tree)
    expects = _unforked(tree)
    # Without a thread no fork can be made of the tree, but its transfer may resume: that would change a root line.
    if not tree.threads:
        if not _is_abandoned(tree, total.staged_before):
            return True
        roots = [line for line in tree.lines.values() if line.line == line.thread]
        expects += [LineAt(root.tree, root.line, root.version) for root in roots]
    # First the survivors, so that no checkpoint that is shown ever lacks its parent.
    if not await _reparent(engine, tree, expects):
        return None
    for change in _removals(tree):
        if not await engine.backend.commit(change.batch(expects)):
            return None
        total.add(change.drops)
    return True


async def _may_have_garbage(engine: Engine, number: int) -> bool:
    """Whether something was removed in the tree, or a thread of it was deleted."""
    living = {thread.line for thread in await engine.backend.tree_threads(number)}
    lines = await table_scan.sound_rows(engine.backend, LineRow, number)
    return any(line.overlays or line.thread not in living for line in lines)


def _unforked(tree: Tree) -> list[Expect]:
    used = [line for line in tree.lines.values() if line.line in tree.used]
    return [ForksAt(line.tree, line.line, line.forks) for line in used]


def _is_abandoned(tree: Tree, before: int) -> bool:
    """Whether a tree without threads is left over from a copy that was not finished. Deleting the last thread of a tree
    drops the tree, so any other tree without threads has lost its directory entry."""
    lines = list(tree.lines.values())
    if not staged_thread.all_staged(lines):
        raise Corrupt("no thread leads to it any more; verify() reports whether one was lost")
    return staged_thread.are_left(lines, before)


# ------------------------------------------------------------------------------------------------ survivors


async def _reparent(engine: Engine, tree: Tree, expects: list[Expect]) -> bool:
    changed = list(tree.reparented())
    for change in _together(_replacing(changed)):
        if not await engine.backend.commit(change.batch(expects)):
            return False
    await _renew_heads(engine, tree, {reachability.checkpoint_key(row): row.depth for _, row in changed})
    return True


async def _renew_heads(engine: Engine, tree: Tree, depths: dict[CheckpointKey, int]) -> None:
    """A writer that has cached a head whose lineage got shorter would count its next save from the old depth. So the
    line gets a new version, and the depths of checkpoints that were saved in between are corrected."""
    for line in tree.lines.values():
        if line.line in tree.used and (line.head_line, line.head_seq) in depths:
            attempt = partial(_renew_head, engine, tree, line, depths)
            with suppress(Contended):
                await until_applied(f"line {line.line}", attempt, attempts=_ATTEMPTS)


async def _renew_head(engine: Engine, tree: Tree, seen: LineRow, depths: dict[CheckpointKey, int]) -> bool | None:
    found = await engine.backend.ancestry(seen.tree, seen.line)
    if not found:
        return True
    line = checked(found[0])
    # The checkpoints that were saved since the tree was read count from the old depth of the head.
    later = await engine.backend.checkpoints(line.tree, line.line, seen.seq + 1, line.seq, NO_LIMIT, oldest=True)
    change = _Change([LineAt(line.tree, line.line, line.version)])
    change.puts.append(with_checksum(line._replace(version=line.version + 1)))
    for row, depth in _depths(tree, [checked(row) for row in later], dict(depths)):
        if depth != row.depth:
            change.expects += _is_unchanged(row)
            change.puts.append(with_checksum(row._replace(depth=depth)))
    if not await engine.backend.commit(change.batch([])):
        return None
    # This process has cached the line too.
    for thread in tree.threads:
        if thread.line == line.thread:
            engine.cache.drop((thread.id, line.namespace))
    return True


def _depths(
    tree: Tree, rows: Iterable[CheckpointRow], depths: dict[CheckpointKey, int]
) -> Iterator[tuple[CheckpointRow, int]]:
    """The depth of each checkpoint that was saved after the tree was read, oldest first."""
    for row in rows:
        parent = tree.row_seen(row.line, row.parent_seq)
        parent_key = (row.line, row.parent_seq) if parent is None else reachability.checkpoint_key(parent)
        depth = depths.get(parent_key, parent.depth if parent is not None else row.depth - 1) + 1
        depths[reachability.checkpoint_key(row)] = depth
        yield row, depth


# ------------------------------------------------------------------------------------------------ batches


@dataclass
class _Change:
    """A part of a batch."""

    expects: list[Expect] = field(default_factory=list)
    puts: list[Row] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)

    def batch(self, expects: list[Expect]) -> Batch:
        return Batch([*expects, *self.expects], self.puts, self.drops)


def _removals(tree: Tree) -> Iterator[_Change]:
    garbage = reachability.garbage_of(tree)
    # What refers comes before what it refers to, so that a stop in between leaves garbage and no dangling reference.
    yield from _together(_dropping(tree.unreached()))
    yield from _together(_dropping([*garbage.overlays, *garbage.writes, *garbage.journal]))
    yield from _together(_dropping_chunks(tree))
    yield from _together(_dropping([*reachability.unneeded_logs(tree), *garbage.lines]))


def _together(changes: Iterable[_Change]) -> Iterator[_Change]:
    """As many as one batch may hold, in their order."""
    left = iter(changes)
    while some := list(islice(left, _AT_ONCE)):
        joined = _Change()
        for change in some:
            joined.expects += change.expects
            joined.puts += change.puts
            joined.drops += change.drops
        yield joined


def _replacing(rows: Iterable[tuple[CheckpointRow, CheckpointRow]]) -> Iterator[_Change]:
    for row, changed in rows:
        yield _Change(_is_unchanged(row), [changed])


def _dropping(rows: Iterable[Row]) -> Iterator[_Change]:
    for row in rows:
        yield _Change(_is_unchanged(row), [], [DropRow(type(row), key_of(row))])


def _dropping_chunks(tree: Tree) -> Iterator[_Change]:
    for log, chunk in reachability.unneeded_chunks(tree):
        expects = ChunkAt(tree.number, log, chunk.lo, chunk.sum)
        yield _Change([expects], [], [DropRow(ChunkRow, (tree.number, log, chunk.lo))])


def _is_unchanged(row: Row) -> list[Expect]:
    """That the stored row is this one, for those that another row may have replaced."""
    if isinstance(row, CheckpointRow):
        return [CheckpointAt(row.tree, row.line, row.seq, row.sum)]
    if isinstance(row, PendingRow):
        return [PendingAt(row.tree, row.line, row.seq, row.task_id, row.idx, row.era, row.sum)]
    if isinstance(row, LineRow):
        return [LineAt(row.tree, row.line, row.version)]
    return []
