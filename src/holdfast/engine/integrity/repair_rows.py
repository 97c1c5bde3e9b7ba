"""Repairing rows: damaged ones are set aside, and then what can't be read without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.backends.rows import (
    CheckpointRow,
    ChunkRow,
    JournalRow,
    LineRow,
    LogRow,
    OverlayRow,
    PendingRow,
    Row,
    SettledRow,
    in_bounds,
    is_typed,
    key_of,
    with_checksum,
)
from holdfast.engine.context import now
from holdfast.engine.integrity.check_checkpoints import matches_digest
from holdfast.engine.integrity.findings import PointKey, Viewer
from holdfast.engine.integrity.repair_batch import (
    CHANGED,
    RepairBatch,
    RepairState,
    TreeRepair,
    as_text,
    restore_swapped,
)
from holdfast.engine.integrity.tree_rows import TreeRows
from holdfast.engine.journal.trimmed import covered_range
from holdfast.engine.values import loader, manifest_scan
from holdfast.engine.values.manifest import Manifest, refs_of
from holdfast.engine.values.manifest_scan import Outlines
from holdfast.errors import Corrupt
from holdfast.model import Lost

_UNREADABLE: Final = "one of its values could not be read"
_WHAT: Final[dict[type[Row], str]] = {
    OverlayRow: "a label, a status or the removal of a checkpoint",
    LogRow: "where a value log continues from",
    ChunkRow: "a part of a value log",
    PendingRow: "a write of a task",
    SettledRow: "the writes of a step",
    JournalRow: "an entry of the journal",
}


async def set_damaged_aside(repair: TreeRepair) -> RepairBatch:
    """Rows whose checksum does not hold. Lines are rebuilt from what they say."""
    batch = RepairBatch()
    # Rows that only changed places are put back before any of them is given up.
    restored = restore_swapped(batch, repair.tree.damaged)
    for row in repair.tree.damaged:
        batch.set_aside(row, CHANGED)
        if key_of(row) in restored:
            continue
        if isinstance(row, LineRow):
            await _rebuild_line(repair, batch, row)
        elif isinstance(row, CheckpointRow):
            _give_up_damaged(repair, batch, row)
        else:
            if isinstance(row, PendingRow | SettledRow):
                repair.state.lost_writes.add((row.line, row.seq))
            batch.lost.append(repair.lost(getattr(row, "line", None), _WHAT[type(row)]))
    return batch


def _give_up_damaged(repair: TreeRepair, batch: RepairBatch, row: CheckpointRow) -> None:
    row = in_bounds(row, now())
    if is_typed(row):
        repair.state.removed[row.line, row.seq] = row
    repair.state.reported.add((row.line, row.seq))
    batch.lost.append(repair.lost(row.line, "the checkpoint", as_text(row.id)))


# ------------------------------------------------------------------------------------------------ lines


async def _rebuild_line(repair: TreeRepair, batch: RepairBatch, row: LineRow) -> None:
    row = in_bounds(row, now())
    if is_typed(row):
        batch.put(await _rebuilt_line(repair, row))
        repair.state.rebuilt.add(row.line)
        batch.mended.append(f"line {row.line}: rebuilt from what it said and from its checkpoints")


async def _rebuilt_line(repair: TreeRepair, row: LineRow) -> LineRow:
    """What a damaged line says, where its checkpoints, overlays and journal confirm it. A worker that held it
    is fenced."""
    tree = repair.tree
    # A base that leads nowhere is dropped: the line then starts with its own checkpoints.
    if row.base_line not in tree.lines or row.base_line == row.line:
        row = row._replace(base_line=None, base_seq=0, is_copy=0)
    points = tree.points_of(row.line)
    base_journal = _base_journal(tree, row)
    is_root = row.line == row.thread or any(thread.line == row.line for thread in tree.threads)
    # Numbers that were given out must not be given out again, so counters are at least as high as anything stored says.
    # The lease is ended, because its columns may be what was damaged.
    return with_checksum(
        row._replace(
            version=row.version + 1,
            epoch=row.epoch + 1,
            worker="",
            lease_at=0,
            lease_ttl=0,
            thread=row.line if is_root else row.thread,
            namespace="" if is_root else await _namespace(repair, row, points),
            seq=max([row.base_seq, *(point.seq for point in points)]),
            base_journal=base_journal,
            journal=max([base_journal, *(entry.seq for entry in tree.journal_of(row.line))]),
            forks=max([row.forks, *_eras(tree, row.line), *(point.era for point in points)]),
            overlays=max(row.overlays, sum(overlay.line == row.line for overlay in tree.overlays)),
        )
    )


def _eras(tree: TreeRows, line: int) -> list[int]:
    """The eras in which lines were forked from this one."""
    return [fork.base_era for fork in tree.lines.values() if fork.base_line == line]


def _base_journal(tree: TreeRows, row: LineRow) -> int:
    """The last entry of the base's journal that the line sees: at most the base's last one, the last one that the fork
    point covers, and the one before the line's own first."""
    if row.base_line is None:
        return 0
    point = None if row.is_copy else tree.point(row.base_line, row.base_seq)
    covered = [] if point is None else [point.journal_seq]
    before_own = [covered_range(entry)[0] - 1 for entry in tree.journal_of(row.line)]
    return max(0, min([row.base_journal, tree.lines[row.base_line].journal, *covered, *before_own]))


async def _namespace(repair: TreeRepair, row: LineRow, points: list[CheckpointRow]) -> str:
    """The name that the digests of its checkpoints confirm, among those that the tree has; else the name that the row
    says; a new one if another line of the thread has that name."""
    others = [line for line in repair.tree.lines.values() if line.line != row.line]
    taken = {"", *(line.namespace for line in others if line.thread == row.thread)}
    # The digest of a checkpoint covers its namespace, so a name that gives the same digest is the right one.
    for name in [row.namespace, *sorted({line.namespace for line in others})]:
        if name not in taken:
            for point in points:
                if await _was_saved_in(repair, point, name):
                    return name
    return f"recovered/{row.line:x}" if row.namespace in taken else row.namespace


async def _was_saved_in(repair: TreeRepair, row: CheckpointRow, namespace: str) -> bool:
    try:
        known = await loader.manifest_of(repair.engine, row)
        return matches_digest(repair.tree, row, namespace, known) is True
    except Corrupt:
        return False


# ------------------------------------------------------------------------------------------------ what depends on them


async def set_unreadable_aside(repair: TreeRepair) -> RepairBatch:
    """Checkpoints and writes that refer to a value which can't be read."""
    batch = RepairBatch()
    broken = {(version.log, version.pos) for version in repair.checked.broken}
    lost = repair.findings.unreadable | (await _referring_to(repair, broken) if broken else set())
    for row, viewer in repair.findings.seen_rows():
        if (row.line, row.seq) in lost:
            _give_up(repair.state, batch, row, viewer, _UNREADABLE)
    for written, references, problem in repair.tree.writes:
        if problem or any((reference[0], reference[1]) in broken for reference in references):
            repair.state.lost_writes.add((written.line, written.seq))
            batch.set_aside(written, problem or _UNREADABLE)
            batch.lost.append(repair.lost(written.line, _WHAT[type(written)]))
    return batch


async def _referring_to(repair: TreeRepair, broken: set[tuple[int, int]]) -> set[PointKey]:
    """The checkpoints with a value among these versions."""
    rows = [row for row, _ in repair.findings.seen_rows()]
    found: set[PointKey] = set()
    async for row, known in manifest_scan.tolerant(repair.engine, rows):
        if isinstance(known, Manifest) and any(ref[:2] in broken for ref in refs_of(known)):
            found.add((row.line, row.seq))
    return found


def _give_up(state: RepairState, batch: RepairBatch, row: CheckpointRow, viewer: Viewer, reason: str) -> None:
    state.removed[row.line, row.seq] = row
    state.reported.add((row.line, row.seq))
    batch.set_aside(row, reason)
    batch.lost.append(
        Lost(what="the checkpoint", thread_id=viewer.thread_id, namespace=viewer.namespace, checkpoint_id=row.id)
    )


async def set_incomplete_aside(repair: TreeRepair) -> RepairBatch:
    """Checkpoints with an open channel that is made of lost writes or ancestors: it would have another value."""
    batch, state = RepairBatch(), repair.state
    lost_lineage = any(fault.kind == "lineage" for fault in repair.checked.faults)
    # Without a loss every open channel is complete, and the walk through all ancestors is saved.
    if state.lost_writes or state.reported or lost_lineage:
        outlines = Outlines(repair.engine)
        for row, viewer in repair.findings.seen_rows():
            if not await _is_complete(state, repair.tree, row, outlines):
                _give_up(state, batch, row, viewer, "what one of its channels is made of is lost")
    return batch


async def _is_complete(state: RepairState, tree: TreeRows, row: CheckpointRow, outlines: Outlines) -> bool:
    """Whether everything is there from the last ancestors that have values of its open channels: those ancestors, the
    ones since, and what was written to them."""
    open_channels, line = (await outlines.of(row)).open, row.line
    while open_channels and 0 < row.parent_seq < row.seq:
        parent = tree.parent(row)
        # A row keeps the digest of a parent that its line does not see. Any other missing parent is lost.
        if parent is None:
            return row.parent_digest is not None and not _is_reported(state, tree, row)
        if any((number, parent.seq) in state.lost_writes for number in _lines_between(tree, line, parent.line)):
            return False
        try:
            open_channels -= (await outlines.of(parent)).stored
        except Corrupt:
            return False
        row = parent
    return True


def _is_reported(state: RepairState, tree: TreeRows, child: CheckpointRow) -> bool:
    """Whether the missing parent of a checkpoint is among the lost ones."""
    owner = tree.line_of(child.line, child.parent_seq)
    return owner is not None and (owner.line, child.parent_seq) in state.reported


def _lines_between(tree: TreeRows, line: int, last: int) -> Iterator[int]:
    """A line and those that it was forked from, up to the last: each may have written to the checkpoints they share."""
    number: int | None = line
    while number is not None:
        yield number
        row = tree.lines.get(number) if number != last else None
        number = None if row is None else row.base_line
