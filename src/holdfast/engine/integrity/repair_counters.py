"""Repairing what is counted or derived: journals, heads, counters, overlays and the index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.backends.base import DropRow
from holdfast.backends.rows import JournalRow, LineRow, RunRow, TagRow, key_of, with_checksum
from holdfast.engine.context import now
from holdfast.engine.integrity.check_index import expected_runs, expected_tags
from holdfast.engine.integrity.repair_batch import RepairBatch, TreeRepair
from holdfast.engine.integrity.tree_rows import TreeRows
from holdfast.engine.journal import trimmed
from holdfast.engine.journal.trimmed import Range
from holdfast.model import Lost

LOST_ENTRY: Final = "holdfast.lost"
_MOST_REPLACED: Final = 10_000


async def fill_journals(repair: TreeRepair) -> RepairBatch:
    """A lost entry is replaced by one that says so, since the numbers of a journal have no gaps."""
    batch, tree = RepairBatch(), repair.tree
    for row in tree.unreadable_entries:
        batch.set_aside(row, "it could not be read")
    for thread in tree.threads:
        root = tree.lines.get(thread.line)
        if root is not None:
            for line, missing in _missing_entries(tree, _with_journal_end(batch, tree, root)):
                _replace_entries(repair, batch, line, missing, thread.id)
    for row in tree.unreadable_entries:
        batch.put(_lost_entry(repair, row.line, row.seq))
    return batch


def _with_journal_end(batch: RepairBatch, tree: TreeRows, root: LineRow) -> LineRow:
    """The root line, with a journal that ends at its last entry or later."""
    end = max([root.journal, *(entry.seq for entry in tree.journal_of(root.line))])
    if end != root.journal:
        batch.put(with_checksum(root._replace(version=root.version + 1, journal=end)))
    return root._replace(journal=end)


def _replace_entries(repair: TreeRepair, batch: RepairBatch, line: LineRow, missing: Range, thread_id: str) -> None:
    """One entry for each that is lost; one for all of them, if a row states that there were very many."""
    first, last = missing
    if last - first < _MOST_REPLACED:
        for seq in range(first, last + 1):
            batch.put(_lost_entry(repair, line.line, seq))
            batch.lost.append(Lost(what=f"entry {seq} of the journal", thread_id=thread_id))
    else:
        batch.put(trimmed.trimmed_row(line, missing))
        batch.lost.append(Lost(what=f"entries {first} to {last} of the journal", thread_id=thread_id))


def _missing_entries(tree: TreeRows, root: LineRow) -> Iterator[tuple[LineRow, Range]]:
    """The entries that the journal lacks, each range with the line that it belongs to."""
    line: LineRow | None = root
    last = root.journal
    while line is not None and last:
        # From its base on the entries are the line's own; before, they are those of the base.
        for missing in trimmed.gaps(tree.journal_of(line.line), line.base_journal, last):
            yield line, missing
        last = min(last, line.base_journal)
        line = tree.lines.get(line.base_line) if line.base_line is not None else None


def _lost_entry(repair: TreeRepair, line: int, seq: int) -> JournalRow:
    body = repair.engine.codec.encode({"entry": seq}, "entry")
    return with_checksum(JournalRow(repair.tree.number, line, seq, LOST_ENTRY, None, now(), body))


# ------------------------------------------------------------------------------------------------ heads and counters


async def recount(repair: TreeRepair) -> RepairBatch:
    """Heads and counters, from what a line shows; and overlays."""
    batch, findings = RepairBatch(), repair.findings
    batch.lost += _missing_checkpoints(repair)
    keys = repair.keys("line", "head", "counter")
    for line in repair.tree.lines.values():
        if key_of(line) in keys and line.line in findings.shown:
            batch.put(_recounted(repair, line))
            batch.mended.append(f"line {line.line}: its head and its counter were set from its checkpoints")
    _repair_overlays(repair, batch)
    return batch


def _recounted(repair: TreeRepair, line: LineRow) -> LineRow:
    count, newest = repair.findings.shown[line.line]
    head = (newest.line, newest.seq) if newest is not None else (0, 0)
    return with_checksum(
        line._replace(version=line.version + 1, checkpoints=count, head_line=head[0], head_seq=head[1])
    )


def _repair_overlays(repair: TreeRepair, batch: RepairBatch) -> None:
    keys = repair.keys("overlay", "overlay")
    for overlay in repair.tree.overlays:
        if key_of(overlay) not in keys:
            continue
        line = repair.tree.lines.get(overlay.line)
        # The overlay is right, and the line does not count it. Its number only has to grow, so that caches notice.
        if line is not None and not line.overlays:
            counted = line._replace(version=line.version + 1, overlays=len(repair.tree.overlays))
            batch.put(with_checksum(counted))
        else:
            batch.set_aside(overlay, "it is impossible")


def _missing_checkpoints(repair: TreeRepair) -> Iterator[Lost]:
    """Checkpoints of which no row is left, as the counters of sound lines say. One that forks see too is reported
    once."""
    findings, reported = repair.findings, set(repair.state.reported)
    lines = [line for line in findings.missing if line not in repair.state.rebuilt]
    counts = {line: repair.tree.lines[line].checkpoints - findings.shown[line].total for line in lines}
    for line, count in counts.items():
        # If more numbers are missing than the counter says, some were collected long ago, and which is not known.
        if len(findings.missing[line]) <= count:
            numbers = [seq for seq in findings.missing[line] if (line, seq) not in reported]
            yield from (_missing_checkpoint(repair, line, seq) for seq in numbers)
            reported.update((line, seq) for seq in numbers)
    # Last, since a checkpoint that another line reports by its number must not be counted here again.
    for line, count in counts.items():
        yield from _unnamed(repair, line, count, reported)


def _unnamed(repair: TreeRepair, line: int, count: int, reported: set[tuple[object, object]]) -> Iterator[Lost]:
    """The checkpoints that a line counts and of which not even the number is known."""
    unnamed = count - sum(_is_number_of(repair.tree, line, owner, seq) for owner, seq in reported)
    if unnamed > 0:
        what = "a checkpoint" if unnamed == 1 else f"{unnamed} checkpoints"
        yield repair.lost(line, f"{what} of which nothing is left")


def _missing_checkpoint(repair: TreeRepair, line: int, seq: int) -> Lost:
    """By its id, if a child names it; else by its number."""
    children = [row for row in repair.state.removed.values() if row.parent_seq == seq]
    named = [row.parent_id for row in children if _is_number_of(repair.tree, row.line, line, seq)]
    name = repair.state.parent_ids.get((line, seq)) or next(iter(named), None)
    return repair.lost(line, "the checkpoint" if name else f"checkpoint number {seq}", name)


def _is_number_of(tree: TreeRows, viewer: int, owner: object, seq: object) -> bool:
    """Whether a number belongs to `owner` in the view of the line `viewer`."""
    line = tree.line_of(viewer, seq) if isinstance(seq, int) else None
    return line is not None and line.line == owner


# ------------------------------------------------------------------------------------------------ index


async def reindex(repair: TreeRepair) -> RepairBatch:
    batch, findings = RepairBatch(), repair.findings
    for thread in repair.tree.threads:
        expected = expected_tags(findings, thread)
        if expected is None:
            continue
        stored = repair.directory.tags.get(thread.id, set())
        for key, value in expected - stored:
            batch.put(with_checksum(TagRow(key, value, thread.id)))
        # Tags of runs may stay behind when a lease runs out.
        wrong = [(key, value) for key, value in stored - expected if key != "run"]
        batch.drops += [DropRow(TagRow, (key, value, thread.id)) for key, value in wrong]
        if batch:
            batch.mended.append(f"thread {thread.id!r}: its index entries were rebuilt")
    stored_runs = repair.directory.runs.get(repair.tree.number, set())
    for run_id, row in expected_runs(findings).items():
        if run_id not in stored_runs:
            batch.put(with_checksum(RunRow(run_id, row.tree, row.line)))
    return batch
