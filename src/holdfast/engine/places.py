"""Finding the place a handle means: its thread, its line and its head.

A namespace that a fork has not written to yet has no line of its own; it is seen through the thread it was forked from,
as far as that namespace had come under the checkpoints that the fork sees.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

from holdfast.backends.base import Batch, LineAt
from holdfast.backends.rows import CheckpointRow, LineRow, ThreadRow, checked, sealed
from holdfast.engine import clocks, views
from holdfast.engine.context import Engine, Handle
from holdfast.errors import Corrupt, Deleted, NotFound, ReadOnly, TryAgain
from holdfast.ids import grave_hash, new_number


class Here(NamedTuple):
    """Where the checkpoints of a handle are, at one moment."""

    thread: ThreadRow
    root: LineRow
    line: LineRow  # version 0 if it is only seen through a fork's origin, and not written yet
    head: CheckpointRow | None  # with the status that it has now
    last: str = ""  # the highest checkpoint id of an earlier life of the thread


class Place(NamedTuple):
    """The same, as far as it exists."""

    thread: ThreadRow | None
    root: LineRow | None
    line: LineRow | None
    head: CheckpointRow | None
    generation: int  # of the thread's grave, if it has one
    last: str = ""
    meant: int | None = None  # the life that the caller meant when it asked; another thread may have started one since
    expired: bool = False  # its time is over: it reads as deleted, and is removed before it is started anew

    @property
    def here(self) -> Here | None:
        if self.thread is None or self.root is None or self.line is None:
            return None
        return Here(self.thread, self.root, self.line, self.head, self.last)


async def read(engine: Engine, handle: Handle) -> Here | None:
    """For reads: nothing there, or nothing left, is None; another life of the thread is `Deleted`."""
    place = await find(engine, handle)
    if place.thread is not None:
        bind(handle, place.thread)
    return place.here


async def used(engine: Engine, handle: Handle) -> Here | None:
    """The same for reads that are a use of the thread: of some threads they prolong the life."""
    here = await read(engine, handle)
    if here is not None:
        root = await clocks.read(engine, here.thread, here.root)
        if root is not here.root:
            await _note_use(engine, handle, root)
    return here


async def _note_use(engine: Engine, handle: Handle, root: LineRow) -> None:
    """If the line has moved meanwhile, somebody wrote to it. Whoever may not write may still read."""
    after = sealed(root._replace(version=root.version + 1))
    with suppress(ReadOnly, TryAgain):
        if await engine.backend.commit(Batch([LineAt(root.tree, root.line, root.version)], [after])):
            forget(engine, handle)
            forget(engine, handle.inner(""))


async def existing(engine: Engine, handle: Handle) -> Here:
    """For writes about a checkpoint: it has to be there."""
    place = await find(engine, handle)
    if place.thread is None:
        check_not_deleted(handle, place)
        raise NotFound(f"{handle.name} does not exist yet: save a checkpoint first")
    bind(handle, place.thread)
    if place.here is None:
        raise NotFound(f"{handle.name} has no checkpoint yet: save one first")
    return place.here


async def find(engine: Engine, handle: Handle, *, flush: bool = True, even_expired: bool = False) -> Place:
    """What the backend says now; with `flush`, once everything that is on its way there has arrived. A thread whose
    time is over is there only for those who go through everything."""
    engine.check_open()
    if flush:
        engine.flush(handle.thread_id)
    meant = handle.generation
    found = await engine.backend.find(handle.thread_id, handle.namespace, grave_hash(handle.thread_id))
    place = Place(*found, meant)
    _check(place)
    if not even_expired and await _is_over(engine, place):
        return await _as_deleted(engine, place)
    if place.line is None and place.root is not None and place.root.base_line is not None and handle.namespace:
        place = await _through_origin(engine, handle, place, place.root, even_expired)
    if place.head is not None and place.line is not None and place.line.marks:
        view = await views.open_view(engine, place.line)
        return place._replace(head=place.head._replace(status=view.status(place.head)))
    return place


async def _is_over(engine: Engine, place: Place) -> bool:
    if place.thread is None or place.root is None:
        return False
    return await clocks.has_expired(engine, place.thread, place.root)


async def _as_deleted(engine: Engine, place: Place) -> Place:
    generation = place.thread.generation if place.thread is not None else 0
    return Place(None, None, None, None, generation, await last_id(engine, place), place.meant, expired=True)


async def last_id(engine: Engine, place: Place | Here) -> str:
    """The highest checkpoint id that the thread ever had."""
    root = place.root
    lines = [] if root is None else await engine.backend.namespaces(root.tree, root.line)
    found = [await engine.backend.checkpoints_by_id(line.tree, line.line, None, 1) for line in lines]
    heads = [place.head] if place.head is not None else []
    return max([place.last, *(row.id for rows in (*found, heads) for row in rows)])


def _check(place: Place) -> None:
    if place.thread is not None and place.root is None:
        raise Corrupt(f"thread {place.thread.id!r} has no root line: its row is missing")
    if place.line is not None and place.line.head_seq and place.head is None:
        raise Corrupt(f"line {place.line.line} has no checkpoint {place.line.head_seq}, its head: the row is missing")
    for line in (place.root, place.line):
        if line is not None:
            checked(line)
    if place.thread is not None:
        checked(place.thread)
    if place.head is not None:
        checked(place.head)


def bind(handle: Handle, thread: ThreadRow) -> None:
    """The first touch fixes which life of the thread the handle means."""
    if handle.generation is None:
        handle.generation = thread.generation
    elif handle.generation != thread.generation:
        raise Deleted(f"{handle.name} was deleted and started anew since this handle was made; ask for a new handle")


def check_not_deleted(handle: Handle, place: Place) -> None:
    """A thread that is not there may be started, unless it was there and nobody asked to start it anew."""
    if place.meant is not None or (place.generation and not handle.reuse):
        how = "has expired" if place.expired else "was deleted"
        raise Deleted(f"{handle.name} {how}; store.thread({handle.thread_id!r}, reuse=True) starts it anew")


def remembered(engine: Engine, handle: Handle) -> Here | None:
    """Where the handle's line was when this process last wrote to it. It may have moved: a batch says from where."""
    here: Here | None = engine.cache.get((handle.thread_id, handle.namespace))
    if here is None or handle.generation not in (None, here.thread.generation):
        return None
    return here


async def recalled(engine: Engine, handle: Handle) -> Here | None:
    """The same, if by what is remembered the thread's time is not over."""
    here = remembered(engine, handle)
    if here is not None and await clocks.has_expired(engine, here.thread, here.root):
        return None
    return here


def remember(engine: Engine, handle: Handle, here: Here) -> None:
    weight = 1500 + len(here.head.manifest if here.head is not None else b"")
    engine.cache.put((handle.thread_id, handle.namespace), here, weight)


def forget(engine: Engine, handle: Handle) -> None:
    engine.cache.drop((handle.thread_id, handle.namespace))


async def _through_origin(engine: Engine, handle: Handle, place: Place, root: LineRow, even_expired: bool) -> Place:
    outer = await find(engine, handle.inner(enclosing(handle.namespace)), even_expired=even_expired)
    seen = await _newest_seen(engine, handle, root, outer.line)
    if seen is None:
        return place
    base, row, era = seen
    line = LineRow(
        root.tree, new_number(), root.line, handle.namespace, seq=row.seq, head_line=row.line, head_seq=row.seq,
        updated_at=root.updated_at, marks=base.marks, base_line=base.line, base_seq=row.seq, base_era=era,
    )  # fmt: skip
    shown = await views.count(engine, await views.open_view(engine, line), row)
    return place._replace(line=line._replace(checkpoints=shown), head=row)


async def _newest_seen(
    engine: Engine, handle: Handle, root: LineRow, outer: LineRow | None
) -> tuple[LineRow, CheckpointRow, int] | None:
    """The newest checkpoint of this namespace in the threads that the fork came from, that belongs under what the fork
    sees; with the line and the era that it is seen through."""
    outer_view = None if outer is None else await views.open_view(engine, _as_forked(outer))
    for above, below in pairwise(await engine.backend.ancestry(root.tree, root.line)):
        base = await engine.backend.namespace(root.tree, below.line, handle.namespace)
        if base is not None:
            row = await _newest_under(engine, checked(base), above.base_era, outer_view)
            return None if row is None else (base, row, above.base_era)
    return None


def _as_forked(line: LineRow) -> LineRow:
    """The line as it was when it was forked off: without what it saved and marked since."""
    return line._replace(line=0, seq=line.base_seq)


async def _newest_under(engine: Engine, base: LineRow, era: int, outer: views.View | None) -> CheckpointRow | None:
    """Looked for through a copy of the line made in that era, so that what was removed later is still there."""
    copy = base._replace(line=0, base_line=base.line, base_seq=base.seq, base_era=era, whole=1)
    view = await views.open_view(engine, copy)
    before = base.seq
    while rows := await views.scan(engine, view, before, 20):
        for row in rows:
            late = row.line == base.line and row.era >= era
            if not late and await _belongs(engine, outer, row.origin):
                return row
        before = rows[-1].seq - 1
    return None


async def _belongs(engine: Engine, outer: views.View | None, origin: str | None) -> bool:
    if origin is None:
        return True
    return outer is not None and await views.find(engine, outer, origin) is not None


def enclosing(namespace: str) -> str:
    """``a:1|b:2`` is inside ``a:1``, and that inside the root."""
    return namespace.rpartition("|")[0]
