"""What may still change about a checkpoint once it is saved: its pending writes and its label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.backends.base import Batch, CheckpointThere, DropRow, Expect, LineAt, NamespaceFree, RootAt
from holdfast.backends.rows import CheckpointRow, LineRow, MarkRow, PendingRow, Row, TagRow, sealed
from holdfast.engine import burial, clocks, foreign, leases, load, places, sealing, tags, views
from holdfast.engine.context import Engine, Handle
from holdfast.engine.history import required
from holdfast.engine.places import Here, Place
from holdfast.errors import Contended, Fenced, NotFound, ThreadBusy

_ATTEMPTS = 100


class Write(NamedTuple):
    """One encoded pending write."""

    channel: str
    enc: bytes
    place: int


async def put_writes(
    engine: Engine, handle: Handle, checkpoint_id: str, writes: Sequence[Write], task_id: str, task_path: str,
    *, may_wait: bool = False,
) -> None:  # fmt: skip
    """Store what a task produced. A repeated data write is ignored, a control write (index < 0) replaces.

    With `may_wait`, the checkpoint need not be there yet.
    """
    engine.check_open()
    here = await places.recalled(engine, handle)
    row = here.head if here is not None and here.head is not None and here.head.id == checkpoint_id else None
    fresh = False
    for _ in range(_ATTEMPTS):
        if here is None or row is None:
            place = await _place(engine, handle, may_wait)
            here, row = place.here, await _row(engine, handle, place, checkpoint_id, may_wait)
            fresh = True
            if here is None or row is None:
                if await _wait(engine, handle, place, checkpoint_id, writes, task_id, task_path):
                    return
                continue
        try:
            root = await clocks.written(engine, here.thread, await leases.admitted(engine, handle, here.root))
        except (Fenced, ThreadBusy):
            if fresh:
                raise
            here = row = None  # what was remembered may be old: ask before refusing
            continue
        unchanged, moved = leases.written(here.root, root)
        batch = _writes_batch(here, row, writes, task_id, task_path, moved)
        batch.expects += unchanged
        if await engine.backend.commit(batch):
            sealing.note(engine, [one for one in batch.puts_if_free if isinstance(one, PendingRow)])
            if moved:
                places.forget(engine, handle.inner(""))
                places.forget(engine, handle)
            return
        here = row = None
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times; try again")


async def _place(engine: Engine, handle: Handle, may_wait: bool) -> Place:
    place = await places.find(engine, handle)
    if may_wait:
        place = await burial.vacated(engine, handle, place)
    if place.thread is not None:
        places.bind(handle, place.thread)
    elif not may_wait:
        places.check_not_deleted(handle, place)
        raise NotFound(f"{handle.name} does not exist yet: save a checkpoint first")
    return place


async def _row(
    engine: Engine, handle: Handle, place: Place, checkpoint_id: str, may_wait: bool
) -> CheckpointRow | None:
    if place.here is None and not may_wait:
        raise NotFound(f"{handle.name} has no checkpoint yet: save one first")
    if place.here is None:
        return None
    view = await views.open_view(engine, place.here.line)
    if may_wait:
        return await views.find(engine, view, checkpoint_id)
    return await required(engine, handle, view, checkpoint_id)


async def _wait(
    engine: Engine, handle: Handle, place: Place, checkpoint_id: str, writes: Sequence[Write], task_id: str,
    task_path: str,
) -> bool:  # fmt: skip
    """Keep writes for a checkpoint that may still come, if it has not come since the place was seen."""
    await foreign.check_late(engine, handle, place.here, [checkpoint_id], place.last)
    rows = foreign.waiting_rows(handle, checkpoint_id, writes, task_id, task_path)
    return await engine.backend.commit(foreign.waiting_batch(handle, place, rows))


def _writes_batch(
    here: Here, row: CheckpointRow, writes: Sequence[Write], task_id: str, task_path: str, moved: Sequence[LineRow]
) -> Batch:
    line = here.line
    rows = [
        sealed(PendingRow(
            line.tree, line.line, row.seq, task_id, write.place, here.root.forks, task_path,
            load.encode_write(write.channel, write.enc),
        ))
        for write in writes
    ]  # fmt: skip
    expects = [*line_unchanged(here), CheckpointThere(row.tree, row.line, row.seq)]
    puts: list[Row] = [*moved, *(one for one in rows if one.idx < 0)]
    if line.version == 0:
        puts.append(sealed(line._replace(version=1)))
    return Batch(expects, puts, (), [one for one in rows if one.idx >= 0])


async def label(engine: Engine, handle: Handle, checkpoint_id: str, text: str) -> None:
    await _mark(engine, handle, checkpoint_id, text, None)


async def set_status(engine: Engine, handle: Handle, checkpoint_id: str, status: str) -> None:
    """A checkpoint that waits for an answer, or has got one."""
    await _mark(engine, handle, checkpoint_id, None, status)


async def _mark(engine: Engine, handle: Handle, checkpoint_id: str, text: str | None, status: str | None) -> None:
    for _ in range(_ATTEMPTS):
        here = await places.existing(engine, handle)
        view = await views.open_view(engine, here.line)
        row = await required(engine, handle, view, checkpoint_id)
        if status is not None and view.status(row) == status:
            return
        batch = await marking(engine, here, [(row.seq, 0, text, status)])
        if status is not None and here.head is not None and here.head.seq == row.seq and not handle.namespace:
            batch.drops = [DropRow(TagRow, tags.status(here.thread.id, here.head.status)[:3])]
            batch.puts = [*batch.puts, tags.status(here.thread.id, status)]
        if await engine.backend.commit(batch):
            places.forget(engine, handle)
            return
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times; try again")


def line_unchanged(here: Here) -> list[Expect]:
    """The line is as it was read, and its thread has been neither forked nor deleted since."""
    line, root = here.line, here.root
    expects: list[Expect] = [
        LineAt(line.tree, line.line, line.version),
        RootAt(root.tree, root.line, root.forks, root.epoch, root.journal),
    ]
    if line.version == 0:
        expects.append(NamespaceFree(line.tree, line.thread, line.namespace))
    return expects


async def marking(
    engine: Engine, here: Here, marks: Sequence[tuple[int, int, str | None, str | None]], after: LineRow | None = None
) -> Batch:
    """The batch that writes (seq, hidden, label, status) marks about what a line sees, in the thread's present era."""
    line, root = here.line, here.root
    known = {(mark.seq, mark.era): mark for mark in await engine.backend.marks(line.tree, [line.line])}
    rows: list[Row] = []
    for seq, hidden, label, status in marks:
        old = known.get((seq, root.forks), MarkRow(line.tree, line.line, seq, root.forks, 0, None, None))
        new = old._replace(
            hidden=hidden or old.hidden,
            label=old.label if label is None else label,
            status=old.status if status is None else status,
        )
        rows.append(sealed(new))
    moved = (after or line)._replace(version=line.version + 1, marks=line.marks + len(rows))
    return Batch(line_unchanged(here), [*rows, sealed(moved)])
