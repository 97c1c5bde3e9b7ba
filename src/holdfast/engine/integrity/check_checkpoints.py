"""Checks of the checkpoints that a thread sees: their fields, numbers and digest, their overlays and writes.

The versions of values that they refer to are collected for `check_values.py`, which checks those. Rows that no thread
sees are not faults, whatever they contain: `collect` drops them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from holdfast.backends.rows import CheckpointRow, LineRow, OverlayRow
from holdfast.engine.checkpoints import hydrate
from holdfast.engine.checkpoints.row_builder import row_digest
from holdfast.engine.context import Engine
from holdfast.engine.integrity.findings import TreeFindings, header_of
from holdfast.engine.integrity.tree_rows import TreeRows, is_value
from holdfast.engine.threads import views
from holdfast.engine.values import manifest_scan
from holdfast.engine.values.manifest import Entry, Manifest, Ref
from holdfast.errors import Corrupt, TooLarge


async def check_checkpoints(engine: Engine, findings: TreeFindings) -> None:
    lines = findings.tree.lines
    rows = [row for row, _ in findings.seen_rows() if row.line in lines]
    async for row, known in manifest_scan.tolerant(engine, rows):
        findings.note_manifest(row)
        if isinstance(known, TooLarge):
            findings.too_large += 1
        else:
            _check_checkpoint(findings, row, lines[row.line], known)


def _check_checkpoint(findings: TreeFindings, row: CheckpointRow, line: LineRow, known: Manifest | Corrupt) -> None:
    if isinstance(known, Corrupt) or not _has_values(known) or not _can_be_decoded(row):
        findings.unreadable.add((row.line, row.seq))
        why = f": {known}" if isinstance(known, Corrupt) and header_of(row) is not None else ""
        findings.add("value", row, f"its contents can't be decoded{why}", row.id)
        return
    _check_lineage(findings, row, line)
    if matches_digest(findings.tree, row, line.namespace, known) is False:
        findings.add("digest", row, "it does not match its digest", row.id)
    for entry in entries(known):
        if isinstance(entry, Ref):
            findings.need(entry.log, entry.pos, row).digests.add(entry.digest)


def _has_values(known: Manifest) -> bool:
    return all(isinstance(entry, Ref) or is_value(entry.enc) for entry in entries(known))


def _can_be_decoded(row: CheckpointRow) -> bool:
    try:
        hydrate.decode_next(row.next or b"\x90")
    except msgspec.MsgspecError:
        return False
    return not row.metadata or is_value(row.metadata)


def entries(unpacked: Manifest) -> Iterator[Entry]:
    yield from unpacked.channels.values()
    if unpacked.extra is not None:
        yield unpacked.extra


def _check_lineage(findings: TreeFindings, row: CheckpointRow, line: LineRow) -> None:
    if not line.base_seq < row.chain_start <= row.seq or not 1 <= row.depth <= row.seq:
        message = f"its position (numbers {row.chain_start} to {row.seq}, depth {row.depth}) is impossible"
        findings.add("lineage", row, message, row.id)
    if not 0 <= row.parent_seq < row.seq:
        findings.add("lineage", row, f"number {row.seq} can't have number {row.parent_seq} as its parent", row.id)
    elif row.parent_seq and findings.tree.parent(row) is None:
        message = f"its parent {row.parent_id!r} is missing: repair() re-parents it"
        findings.add("lineage", row, message, row.id)


def matches_digest(tree: TreeRows, row: CheckpointRow, namespace: str, unpacked: Manifest) -> bool | None:
    """Whether the row is what was saved, in this namespace; None if the digest of its parent is not known any more."""
    candidates = _parent_digests(tree, row)
    if candidates is None:
        return None
    return any(row_digest(namespace, row, unpacked, digest) == row.digest for digest in candidates)


def _parent_digests(tree: TreeRows, row: CheckpointRow) -> list[bytes | None] | None:
    """What the digest may have been made with; None if that is not known."""
    if row.parent_digest is not None:
        return [row.parent_digest] if row.parent_digest else None
    if not row.parent_seq:
        # A framework may name a parent that was never saved, or that was copied elsewhere.
        return [None] if row.parent_id is None else None
    parent = tree.parent(row)
    # A parent that was saved again in its place has another digest since.
    return None if parent is None or parent.created_at >= row.created_at else [parent.digest]


# ------------------------------------------------------------------------------------------------ overlays and writes


def check_overlays(findings: TreeFindings) -> None:
    for row in findings.tree.overlays:
        line = findings.tree.lines.get(row.line)
        if line is None or findings.owner(row.line) is None:
            continue
        if not line.overlays:
            findings.add("overlay", row, f"number {row.seq} has an overlay, but line {line.line} counts none")
        if not _is_possible(row, line, findings.tree.lines.get(line.thread, line)):
            findings.add("overlay", row, f"the overlay on number {row.seq} is impossible")


def _is_possible(row: OverlayRow, line: LineRow, root: LineRow) -> bool:
    return row.hidden in (0, views.REMOVED, views.REPLACED) and row.era <= root.forks and 0 < row.seq <= line.seq


def check_writes(findings: TreeFindings) -> None:
    """The writes of checkpoints that a thread sees."""
    for row, references, problem in findings.tree.writes:
        point = findings.tree.point(row.line, row.seq)
        if point is None or (point.line, point.seq) not in findings.seen:
            continue
        if problem:
            findings.add("write", row, f"what its tasks wrote can't be read: {problem}", point.id)
        for log, pos, *items in references:
            need = findings.need(log, pos, point)
            need.items = max(need.items, _least_items(items))


def _least_items(items: list[int]) -> int:
    """How many items a version must have so that it contains these: one item, or a range, or the whole."""
    if not items:
        return 0
    return items[1] if len(items) > 1 else items[0] + 1
