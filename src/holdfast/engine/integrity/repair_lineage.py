"""Repairing connections: from the directory to lines, from line to line, and from checkpoint to checkpoint."""

from __future__ import annotations

from holdfast._system.interrupts import is_interrupt
from holdfast.backends.rows import CheckpointRow, LineRow, ThreadRow, key_of, with_checksum
from holdfast.engine.checkpoints.row_builder import row_digest
from holdfast.engine.context import now
from holdfast.engine.integrity.check_index import has_lost_its_thread
from holdfast.engine.integrity.findings import PointKey
from holdfast.engine.integrity.repair_batch import RepairBatch, RepairState, TreeRepair
from holdfast.engine.integrity.tree_rows import TreeRows
from holdfast.engine.values import loader
from holdfast.engine.values.digests import UNKNOWN
from holdfast.model import Lost


async def reconnect_lines(repair: TreeRepair) -> RepairBatch:
    """From the directory to root lines, and from lines to their bases."""
    batch, tree = RepairBatch(), repair.tree
    for thread in tree.threads:
        if thread.line not in tree.lines:
            _rebuild_root(batch, tree, thread)
    if has_lost_its_thread(tree):
        _recover_thread(batch, tree)
    keys = repair.keys("line", "lineage")
    for line in tree.lines.values():
        if key_of(line) in keys:
            _reconnect_line(batch, tree, line)
    return batch


def _rebuild_root(batch: RepairBatch, tree: TreeRows, thread: ThreadRow) -> None:
    points, entries = tree.points_of(thread.line), tree.journal_of(thread.line)
    # Head and counter are set by a later step. `overlays` is above zero, so that reads look for them.
    root = LineRow(
        tree.number,
        thread.line,
        thread.line,
        "",
        version=1,
        seq=max((point.seq for point in points), default=0),
        updated_at=now(),
        journal=max((entry.seq for entry in entries), default=0),
        overlays=1,
    )
    batch.put(with_checksum(root))
    batch.mended.append(f"thread {thread.id!r}: its root line was rebuilt from its checkpoints")
    if not points:
        batch.lost.append(Lost(what="everything that was saved in the thread", thread_id=thread.id))


def _recover_thread(batch: RepairBatch, tree: TreeRows) -> None:
    root = next((line for line in tree.lines.values() if line.line == line.thread), None)
    if root is not None:
        name = f"recovered/{root.line:x}"
        batch.put(with_checksum(ThreadRow(name, tree.number, root.line, 1, now(), b"", None, None)))
        batch.mended.append(f"tree {tree.number}: the row of its thread was lost; the thread is now {name!r}")


def _reconnect_line(batch: RepairBatch, tree: TreeRows, line: LineRow) -> None:
    if line.thread not in tree.lines and not any(thread.line == line.thread for thread in tree.threads):
        batch.set_aside(line, "its thread is missing")
        return
    if line.base_line not in tree.lines:
        line = line._replace(base_line=None, is_copy=0, base_journal=0)
    batch.put(with_checksum(line._replace(version=line.version + 1)))
    batch.mended.append(f"line {line.line}: what it was forked from is lost; it starts with its own checkpoints")


# ------------------------------------------------------------------------------------------------ checkpoints


async def reparent_checkpoints(repair: TreeRepair) -> RepairBatch:
    """Survivors are re-parented to their nearest intact ancestor."""
    batch, tree = RepairBatch(), repair.tree
    keys = repair.keys("checkpoint", "lineage", "digest")
    for row in tree.points.values():
        line = tree.lines.get(row.line)
        # Others may be found through a checkpoint that no thread sees.
        if line is not None and (key_of(row) in keys or _has_lost_its_parent(tree, row)):
            await _reparent(repair, batch, row, line)
    for line in tree.lines.values():
        moved = _with_moved_base(tree, line)
        if moved is not None:
            batch.put(moved)
            batch.mended.append(f"line {line.line}: its fork point is now number {moved.base_seq}, the nearest left")
    return batch


def _has_lost_its_parent(tree: TreeRows, row: CheckpointRow) -> bool:
    return 0 < row.parent_seq < row.seq and tree.parent(row) is None


async def _reparent(repair: TreeRepair, batch: RepairBatch, row: CheckpointRow, line: LineRow) -> None:
    # A number up to the fork point means a checkpoint of the base, not this one.
    if row.seq <= line.base_seq:
        repair.state.reported.add((row.line, row.seq))
        batch.set_aside(row, "its number does not belong to its line")
        batch.lost.append(repair.lost(row.line, "the checkpoint", row.id))
    # The row is intact, and the line has forgotten that it gave out the number.
    elif row.seq > line.seq:
        last = max(point.seq for point in repair.tree.points_of(line.line))
        batch.put(with_checksum(line._replace(version=line.version + 1, seq=last)))
    else:
        batch.put(await _reparented(repair, row, line))
        batch.mended.append(f"checkpoint {row.id!r}: re-parented to its nearest intact ancestor")


async def _reparented(repair: TreeRepair, row: CheckpointRow, line: LineRow) -> CheckpointRow:
    # The digest comes first: afterwards the row no longer says which parent it was saved with.
    digest = await _parent_digest(repair, row, line)
    parent = _nearest_ancestor(repair.state, repair.tree, row)
    if parent is None:
        row = row._replace(parent_id=None, parent_seq=0)
    else:
        row = row._replace(parent_id=parent.id, parent_seq=parent.seq)
    if not line.base_seq < row.chain_start <= row.seq:
        row = row._replace(chain_start=row.seq)
    if not 1 <= row.depth <= row.seq:
        row = row._replace(depth=1)
    return with_checksum(row._replace(parent_digest=digest))


async def _parent_digest(repair: TreeRepair, row: CheckpointRow, line: LineRow) -> bytes:
    """The digest of the parent that the checkpoint was saved with, if its own digest confirms it."""
    state, tree = repair.state, repair.tree
    owner = tree.line_of(row.line, row.parent_seq)
    removed = None if owner is None else state.removed.get((owner.line, row.parent_seq))
    if owner is not None and tree.parent(row) is None:
        state.parent_ids.setdefault((owner.line, row.parent_seq), row.parent_id)
    digest = row.parent_digest or (removed.digest if removed is not None else UNKNOWN)
    try:
        known = await loader.manifest_of(repair.engine, row)
        confirmed = row_digest(line.namespace, row, known, digest) == row.digest
    except Exception as error:
        if is_interrupt(error):
            raise
        # A row with a wrong digest may fail to decode in any way.
        confirmed = False
    return digest if confirmed else UNKNOWN


def _nearest_ancestor(state: RepairState, tree: TreeRows, row: CheckpointRow) -> CheckpointRow | None:
    """The nearest ancestor that is stored: by the parents that the removed ones had, or along the row's chain."""
    line, seq = row.line, row.parent_seq if row.parent_seq < row.seq else 0
    while seq > 0:
        owner = tree.line_of(line, seq)
        if owner is None:
            return None
        if (owner.line, seq) in tree.points:
            return tree.points[owner.line, seq]
        removed = state.removed.get((owner.line, seq))
        # An earlier repair may have removed it and forgotten its parent: the chain still has the older ones.
        if removed is None or not 0 <= removed.parent_seq < seq:
            return _last_of_chain(tree, row, before=seq)
        line, seq = owner.line, removed.parent_seq
    return None


def _last_of_chain(tree: TreeRows, row: CheckpointRow, before: int) -> CheckpointRow | None:
    older = [point for point in tree.points_of(row.line) if row.chain_start <= point.seq < before]
    return max(older, key=lambda point: point.seq, default=None)


async def recount_depths(repair: TreeRepair) -> RepairBatch:
    """A lineage that lost a checkpoint is shorter from there on: forks count by it what they show."""
    batch, tree = RepairBatch(), repair.tree
    depths: dict[PointKey, int] = {}
    counted: dict[int, None] = {}
    # Ancestors have lower numbers, so their depths are known first.
    for row in sorted(tree.points.values(), key=lambda row: row.seq):
        parent = tree.parent(row)
        depth = 1 if parent is None else depths.get((parent.line, parent.seq), parent.depth) + 1
        depths[row.line, row.seq] = depth
        if depth != row.depth and row.line in tree.lines:
            batch.put(with_checksum(row._replace(depth=depth)))
            counted.setdefault(row.line)
    batch.mended += [f"line {line}: the lineages of its checkpoints were counted again" for line in counted]
    return batch


def _with_moved_base(tree: TreeRows, line: LineRow) -> LineRow | None:
    """A fork whose fork point is lost sees what came before it. None if the fork point is stored."""
    owner = None if line.base_line is None else tree.line_of(line.base_line, line.base_seq)
    if owner is None or not line.base_seq or (owner.line, line.base_seq) in tree.points:
        return None
    older = [point.seq for point in tree.points_of(owner.line) if point.seq < line.base_seq]
    seq = max(older, default=owner.base_seq)
    return with_checksum(line._replace(version=line.version + 1, base_seq=seq))
