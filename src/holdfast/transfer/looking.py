"""Looking at a thread from end to end, oldest first, on either side of a transfer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

from msgspec.msgpack import Encoder

from holdfast.backends.rows import CheckpointRow, JournalRow, LineRow, SealedRow, checked
from holdfast.engine import appending, load, views
from holdfast.engine.cache import Cache
from holdfast.engine.context import Engine
from holdfast.engine.views import Segment, View

PAGE: Final = 256

_encode = Encoder().encode


def apart(engine: Engine, cache: int) -> Engine:
    """The same store with a cache of its own, so that what passes through leaves what others use."""
    return Engine(engine.backend, engine.codec, engine.url, cache=Cache(cache))


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


async def with_needed(engine: Engine, view: View) -> tuple[View, list[int]]:
    """The view, with the removed checkpoints that it can't do without, and their numbers: a channel without a value is
    what was written to it since the last ancestor that has one."""
    hidden = {seq for seq, mark in view.marks.items() if mark.hidden == views.REMOVED}
    needed: set[int] = set()
    if hidden:
        raw = View(view.line)
        async for rows in pages(engine, view):
            for row in rows:
                left = set(load.manifest_of(row).open)
                if left and row.parent_seq in hidden - needed:
                    needed |= await _made_of(engine, raw, row.parent_seq, left, hidden)
    shown = {seq: mark._replace(hidden=0) if seq in needed else mark for seq, mark in view.marks.items()}
    return (View(view.line, shown) if needed else view), sorted(needed)


async def _made_of(engine: Engine, raw: View, seq: int, left: set[str], hidden: set[int]) -> set[int]:
    found: set[int] = set()
    for segment in await views.chain(engine, raw, seq):
        before = segment.hi
        while rows := await views.scan_segments(engine, raw, [segment], before, PAGE):
            for row in rows:
                if not left or row.seq not in hidden:  # what is seen sees to its own
                    return found
                found.add(row.seq)
                left -= load.manifest_of(row).channels.keys()
            before = rows[-1].seq - 1
    return found


async def row_at(engine: Engine, view: View, seq: int) -> CheckpointRow | None:
    """The checkpoint with this number, if the view sees it."""
    for segment in await segments(engine, view):
        if segment.lo <= seq <= segment.hi and not view.hides(seq):
            found = await engine.backend.checkpoints(view.line.tree, segment.line, seq, seq, 1)
            return checked(found[0]) if found else None
    return None


async def entries(engine: Engine, root: LineRow, after: int = 0) -> AsyncIterator[list[JournalRow]]:
    """The journal past a number, oldest first."""
    while rows := await appending.read(engine, root, after, root.journal, PAGE):
        yield rows
        after = rows[-1].seq


def entry_hash(row: JournalRow) -> bytes:
    return blake2b(_encode((row.seq, row.kind, row.key, row.body)), digest_size=16, person=b"entry").digest()


# ------------------------------------------------------------------------------------------------ words


class Told(NamedTuple):
    """A pending write, and the number of the checkpoint that sealed it, or 0."""

    write: load.Stored
    number: int


Tellings = dict[tuple[str, int], Told]
Values = dict[tuple[str, int], bytes]


async def writes_of(engine: Engine, view: View, rows: Sequence[CheckpointRow]) -> dict[int, Tellings]:
    """The pending writes of these checkpoints by task and index. Of data writes the first counts, of control writes
    the last."""
    found: dict[int, Tellings] = {row.seq: {} for row in rows}
    for one in await engine.backend.pending(view.line, list(found)):
        number = one.number if isinstance(one, SealedRow) else 0
        for write in load.writes_in(one):
            key = (write.task_id, write.idx)
            if write.idx < 0 or key not in found[one.seq]:
                found[one.seq][key] = Told(write, number)
    return found


async def words(engine: Engine, view: View, rows: Sequence[CheckpointRow], shared: int) -> dict[int, bytes]:
    """A hash of what was said about each checkpoint after it was saved; empty if nothing was.

    In one thread the value of a data write is what it was at first, so that its key tells enough. Up to `shared` the
    checkpoints are two threads', and each may have written something else under the same key."""
    writes = await writes_of(engine, view, rows)
    known = await _values(engine, view, {seq: found for seq, found in writes.items() if seq <= shared})
    return {row.seq: _words_hash(view, row, writes[row.seq], known) for row in rows}


async def _values(
    engine: Engine, view: View, writes: Mapping[int, Tellings]
) -> dict[int, dict[tuple[str, int], bytes]]:
    told = [one.write.value for found in writes.values() for one in found.values()]
    refs = [load.version_in(value) for value in told if isinstance(value, list)]
    versions = await load.versions(engine, view.line.tree, refs) if refs else {}
    return {
        seq: {key: load.part_of(one.write.value, versions) for key, one in found.items()}
        for seq, found in writes.items()
    }  # fmt: skip


def _words_hash(view: View, row: CheckpointRow, writes: Tellings, known: Mapping[int, Values]) -> bytes:
    label, status = view.label(row), view.status(row)
    if not writes and label == row.label and status == row.status:
        return b""
    values = known.get(row.seq, {})
    told = sorted(
        (one.task_id, one.idx, one.task_path, one.channel, one.value if one.idx < 0 else values.get(key, b""))
        for key, (one, _) in writes.items()
    )
    return blake2b(_encode((label, status, told)), digest_size=8, person=b"words").digest()
