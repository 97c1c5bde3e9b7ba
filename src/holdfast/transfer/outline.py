"""Reading a thread from end to end, oldest first, on either side of a transfer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

from msgspec.msgpack import Encoder

from holdfast.backends.rows import CheckpointRow, JournalRow, LineRow, SettledRow, checked
from holdfast.engine.cache import Cache
from holdfast.engine.context import Engine
from holdfast.engine.journal import reader
from holdfast.engine.threads import views
from holdfast.engine.threads.segments import Segment
from holdfast.engine.threads.views import View
from holdfast.engine.values import loader, manifest_scan
from holdfast.engine.values.manifest_scan import Outlines
from holdfast.engine.writes import write_format

PAGE: Final = 256

_encode = Encoder().encode


def with_own_cache(engine: Engine, cache: int) -> Engine:
    """The same store with a separate cache, so that a transfer does not evict what other callers use."""
    return Engine(engine.backend, engine.codec, engine.url, cache=Cache(cache))


# ------------------------------------------------------------------------------------------------ checkpoints


async def segments(engine: Engine, view: View) -> list[Segment]:
    """All that a view sees, oldest first."""
    below = await views.inherited(engine, view) if view.line.base_line is not None else []
    return [*reversed(below), view.own]


async def pages(engine: Engine, view: View, after: int = 0) -> AsyncIterator[list[CheckpointRow]]:
    """The checkpoints that a view sees past a number, oldest first."""
    for segment in await segments(engine, view):
        low = max(segment.lo, after + 1)
        while low <= segment.hi:
            rows = await engine.backend.checkpoints(view.line.tree, segment.line, low, segment.hi, PAGE, oldest=True)
            seen = [row for row in map(checked, rows) if not view.hides(row.seq)]
            if seen:
                yield seen
            if len(rows) < PAGE:
                break
            low = rows[-1].seq + 1


async def row_at(engine: Engine, view: View, seq: int) -> CheckpointRow | None:
    """The checkpoint with this number, if the view sees it."""
    for segment in await segments(engine, view):
        if segment.lo <= seq <= segment.hi and not view.hides(seq):
            rows = await engine.backend.checkpoints(view.line.tree, segment.line, seq, seq, 1)
            return checked(rows[0]) if rows else None
    return None


async def with_needed(engine: Engine, view: View) -> tuple[View, list[int]]:
    """The view, extended by the removed checkpoints that others depend on, and the numbers of those.

    A channel without a value follows from what was written to it since the last ancestor that has one, so that removed
    checkpoints up to that ancestor are still needed."""
    hidden = {seq for seq, overlay in view.overlays.items() if overlay.hidden == views.REMOVED}
    needed = await _needed(engine, view, hidden) if hidden else set[int]()
    if not needed:
        return view, []
    shown = {seq: overlay._replace(hidden=0) for seq, overlay in view.overlays.items() if seq in needed}
    return View(view.line, {**view.overlays, **shown}), sorted(needed)


async def _needed(engine: Engine, view: View, hidden: set[int]) -> set[int]:
    needed: set[int] = set()
    unfiltered, outlines = View(view.line), Outlines(engine)
    async for rows in pages(engine, view):
        async for row, manifest in manifest_scan.each(engine, [row for row in rows if row.parent_seq in hidden]):
            outlines.add(row, manifest)
            if manifest.open and row.parent_seq not in needed:
                channels = set(manifest.open)
                needed |= await _hidden_ancestors(engine, unfiltered, row.parent_seq, channels, hidden, outlines)
    return needed


async def _hidden_ancestors(
    engine: Engine, unfiltered: View, seq: int, channels: set[str], hidden: set[int], outlines: Outlines
) -> set[int]:
    """Removed checkpoints from a number back to the ancestor that has a value of each channel. The search ends at one
    that is seen, since its own ancestors are looked for on its behalf."""
    found: set[int] = set()
    for segment in await views.chain(engine, unfiltered, seq):
        before = segment.hi
        while rows := await views.scan_segments(engine, unfiltered, [segment], before, PAGE):
            for row in rows:
                if not channels or row.seq not in hidden:
                    return found
                found.add(row.seq)
                channels -= (await outlines.of(row)).stored
            before = rows[-1].seq - 1
    return found


# ------------------------------------------------------------------------------------------------ journal


async def entries(engine: Engine, root: LineRow, after: int = 0) -> AsyncIterator[list[JournalRow]]:
    """The journal past a number, oldest first."""
    while rows := await reader.read(engine, root, after, root.journal, PAGE):
        yield rows
        after = rows[-1].seq


def entry_hash(row: JournalRow) -> bytes:
    return blake2b(_encode((row.seq, row.kind, row.key, row.body)), digest_size=16, person=b"entry").digest()


# ------------------------------------------------------------------------------------------------ annotations


class TaskWrite(NamedTuple):
    """A pending write, and the number of the checkpoint that settled it, or 0."""

    write: write_format.StoredWrite
    settled_by: int


WriteKey = tuple[str, int]  # task and index
TaskWrites = dict[WriteKey, TaskWrite]
WrittenValues = dict[WriteKey, bytes]


async def writes_of(engine: Engine, view: View, rows: Sequence[CheckpointRow]) -> dict[int, TaskWrites]:
    """The pending writes of these checkpoints by number. Of data writes the first counts, of control writes the
    last."""
    found: dict[int, TaskWrites] = {row.seq: {} for row in rows}
    for row in await engine.backend.pending(view.line, list(found)):
        settled_by = row.number if isinstance(row, SettledRow) else 0
        for write in write_format.writes_in(row, engine.codec.max_value):
            key = (write.task_id, write.idx)
            if write.idx < 0 or key not in found[row.seq]:
                found[row.seq][key] = TaskWrite(write, settled_by)
    return found


async def annotation_hashes(engine: Engine, view: View, rows: Sequence[CheckpointRow], shared: int) -> dict[int, bytes]:
    """A hash over the label, status and pending writes of each checkpoint; empty if it has nothing but the label and
    status that it was saved with.

    Within one thread the value of a data write never changes, so that its key is enough. Checkpoints up to `shared`
    belong to two threads, and each may have written another value under the same key."""
    writes = await writes_of(engine, view, rows)
    values = await _written_values(engine, view, {seq: found for seq, found in writes.items() if seq <= shared})
    return {row.seq: _annotation_hash(view, row, writes[row.seq], values.get(row.seq, {})) for row in rows}


async def _written_values(engine: Engine, view: View, writes: Mapping[int, TaskWrites]) -> dict[int, WrittenValues]:
    stored = [task_write.write.value for found in writes.values() for task_write in found.values()]
    refs = [write_format.version_in(value) for value in stored if isinstance(value, list)]
    versions = await loader.versions(engine, view.line.tree, refs) if refs else {}
    return {
        seq: {key: write_format.part_of(task_write.write.value, versions) for key, task_write in found.items()}
        for seq, found in writes.items()
    }  # fmt: skip


def _annotation_hash(view: View, row: CheckpointRow, writes: TaskWrites, values: WrittenValues) -> bytes:
    label, status = view.label(row), view.status(row)
    if not writes and label == row.label and status == row.status:
        return b""
    parts = sorted(
        (
            write.task_id,
            write.idx,
            write.task_path,
            write.channel,
            write.value if write.idx < 0 else values.get(key, b""),
        )
        for key, (write, _) in writes.items()
    )
    return blake2b(_encode((label, status, parts)), digest_size=8, person=b"annotations").digest()
