"""What may still change about a checkpoint once it is saved: its pending writes and its label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.backends.base import (
    Batch,
    CheckpointRow,
    CheckpointThere,
    Expect,
    ForksAt,
    LineAt,
    LineRow,
    MarkRow,
    NamespaceFree,
    PendingRow,
    Row,
    sealed,
)
from holdfast.engine import load, views
from holdfast.engine.context import Engine, Handle
from holdfast.engine.history import required
from holdfast.engine.places import Place, bind, find_place, usable
from holdfast.errors import Contended, Deleted, NotFound

_ATTEMPTS = 100


class Write(NamedTuple):
    """One encoded pending write."""

    channel: str
    enc: bytes
    index: int


async def put_writes(
    engine: Engine, handle: Handle, checkpoint_id: str, writes: Sequence[Write], task_id: str, task_path: str
) -> None:
    """Store what a task produced. A repeated data write is ignored, a control write (index < 0) replaces."""
    place: Place | None = engine.cache.get((handle.thread_id, handle.namespace))
    if place is not None and (place.head is None or place.head.id != checkpoint_id or not usable(handle, place)):
        place = None
    for _ in range(_ATTEMPTS):
        place, row = await _target(engine, handle, checkpoint_id, place)
        if await engine.backend.commit(_writes_batch(place, row, writes, task_id, task_path)):
            return
        place = None
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times; try again")


async def _target(
    engine: Engine, handle: Handle, checkpoint_id: str, place: Place | None
) -> tuple[Place, CheckpointRow]:
    engine.check_open()
    if place is not None and place.head is not None:
        return place, place.head
    place, view = await existing(engine, handle)
    return place, await required(engine, handle, view, checkpoint_id)


def _writes_batch(place: Place, row: CheckpointRow, writes: Sequence[Write], task_id: str, task_path: str) -> Batch:
    line, root = place.line, place.root
    assert line is not None
    assert root is not None
    rows = [
        sealed(PendingRow(
            line.tree, line.line, row.seq, task_id, write.index, task_path, root.forks,
            load.encode((write.channel, write.enc)),
        ))
        for write in writes
    ]  # fmt: skip
    expects = [*line_unchanged(place), CheckpointThere(row.tree, row.line, row.seq)]
    puts: list[Row] = [one for one in rows if one.idx < 0]
    if line.version == 0:
        puts.append(sealed(line._replace(version=1)))
    return Batch(expects, puts, (), [one for one in rows if one.idx >= 0])


async def label(engine: Engine, handle: Handle, checkpoint_id: str, text: str) -> None:
    for _ in range(_ATTEMPTS):
        place, view = await existing(engine, handle)
        row = await required(engine, handle, view, checkpoint_id)
        if await engine.backend.commit(await marking(engine, place, [(row.seq, 0, text)])):
            engine.cache.drop((handle.thread_id, handle.namespace))
            return
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times; try again")


async def existing(engine: Engine, handle: Handle) -> tuple[Place, views.View]:
    """A place that has to be there."""
    place = await find_place(engine, handle)
    if place.thread is None:
        if place.generation or handle.generation is not None:
            raise Deleted(f"{handle.name} was deleted; store.thread({handle.thread_id!r}, reuse=True) starts it anew")
        raise NotFound(f"{handle.name} does not exist yet: save a checkpoint first")
    bind(handle, place)
    if place.line is None:
        raise NotFound(f"{handle.name} has no checkpoint yet: save one first")
    return place, await views.open_view(engine, place.line)


def line_unchanged(place: Place) -> list[Expect]:
    """The line is as it was read, and its thread has been neither forked nor deleted since."""
    line, root = place.line, place.root
    assert line is not None
    assert root is not None
    expects: list[Expect] = [
        LineAt(line.tree, line.line, line.version),
        ForksAt(root.tree, root.line, root.forks),
    ]
    if line.version == 0:
        expects.append(NamespaceFree(line.tree, line.thread, line.namespace))
    return expects


async def marking(
    engine: Engine, place: Place, marks: Sequence[tuple[int, int, str | None]], after: LineRow | None = None
) -> Batch:
    """The batch that writes (seq, hidden, label) marks about what a line sees, in the thread's present era."""
    line, root = place.line, place.root
    assert line is not None
    assert root is not None
    known = {(mark.seq, mark.era): mark for mark in await engine.backend.marks(line.tree, [line.line])}
    rows: list[Row] = []
    for seq, hidden, text in marks:
        old = known.get((seq, root.forks))
        kept = old.label if text is None and old is not None else text
        gone = hidden or (old.hidden if old is not None else 0)
        rows.append(sealed(MarkRow(line.tree, line.line, seq, root.forks, gone, kept)))
    moved = (after or line)._replace(version=line.version + 1, marks=line.marks + len(rows))
    return Batch(line_unchanged(place), [*rows, sealed(moved)])
