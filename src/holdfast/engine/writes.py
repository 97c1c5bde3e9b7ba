"""What may still change about a checkpoint once it is saved: its pending writes and its label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.backends.base import (
    Batch,
    CheckpointRow,
    CheckpointThere,
    Expect,
    LineAt,
    LineRow,
    MarkRow,
    NamespaceFree,
    PendingRow,
    RootAt,
    Row,
    sealed,
)
from holdfast.engine import leases, load, places, views
from holdfast.engine.context import Engine, Handle
from holdfast.engine.history import required
from holdfast.engine.places import Here
from holdfast.errors import Contended, Fenced, ThreadBusy

_ATTEMPTS = 100


class Write(NamedTuple):
    """One encoded pending write."""

    channel: str
    enc: bytes
    place: int


async def put_writes(
    engine: Engine, handle: Handle, checkpoint_id: str, writes: Sequence[Write], task_id: str, task_path: str
) -> None:
    """Store what a task produced. A repeated data write is ignored, a control write (index < 0) replaces."""
    engine.check_open()
    here = places.remembered(engine, handle)
    row = here.head if here is not None and here.head is not None and here.head.id == checkpoint_id else None
    fresh = False
    for _ in range(_ATTEMPTS):
        if here is None or row is None:
            here = await places.existing(engine, handle)
            row = await required(engine, handle, await views.open_view(engine, here.line), checkpoint_id)
            fresh = True
        try:
            root = await leases.admitted(engine, handle, here.root)
        except (Fenced, ThreadBusy):
            if fresh:
                raise
            here = row = None  # what was remembered may be old: ask before refusing
            continue
        _, moved = leases.written(here.root, root)
        if await engine.backend.commit(_writes_batch(here, row, writes, task_id, task_path, moved)):
            if moved:
                places.forget(engine, handle.inner(""))
                places.forget(engine, handle)
            return
        here = row = None
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times; try again")


def _writes_batch(
    here: Here, row: CheckpointRow, writes: Sequence[Write], task_id: str, task_path: str, moved: Sequence[LineRow]
) -> Batch:
    line = here.line
    rows = [
        sealed(PendingRow(
            line.tree, line.line, row.seq, task_id, write.place, here.root.forks, task_path,
            load.encode((write.channel, write.enc)),
        ))
        for write in writes
    ]  # fmt: skip
    expects = [*line_unchanged(here), CheckpointThere(row.tree, row.line, row.seq)]
    puts: list[Row] = [*moved, *(one for one in rows if one.idx < 0)]
    if line.version == 0:
        puts.append(sealed(line._replace(version=1)))
    return Batch(expects, puts, (), [one for one in rows if one.idx >= 0])


async def label(engine: Engine, handle: Handle, checkpoint_id: str, text: str) -> None:
    for _ in range(_ATTEMPTS):
        here = await places.existing(engine, handle)
        row = await required(engine, handle, await views.open_view(engine, here.line), checkpoint_id)
        if await engine.backend.commit(await marking(engine, here, [(row.seq, 0, text)])):
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
    engine: Engine, here: Here, marks: Sequence[tuple[int, int, str | None]], after: LineRow | None = None
) -> Batch:
    """The batch that writes (seq, hidden, label) marks about what a line sees, in the thread's present era."""
    line, root = here.line, here.root
    known = {(mark.seq, mark.era): mark for mark in await engine.backend.marks(line.tree, [line.line])}
    rows: list[Row] = []
    for seq, hidden, text in marks:
        old = known.get((seq, root.forks))
        kept = old.label if text is None and old is not None else text
        gone = hidden or (old.hidden if old is not None else 0)
        rows.append(sealed(MarkRow(line.tree, line.line, seq, root.forks, gone, kept)))
    moved = (after or line)._replace(version=line.version + 1, marks=line.marks + len(rows))
    return Batch(line_unchanged(here), [*rows, sealed(moved)])
