"""Finding the place a handle means: its thread, its line and its head.

A namespace that a fork has not written to yet has no line of its own; it is seen through the thread it was forked from,
as far as that namespace had come under the checkpoints that the fork sees.
"""

from __future__ import annotations

from typing import NamedTuple

from holdfast.backends.base import CheckpointRow, LineRow, ThreadRow, checked
from holdfast.engine import views
from holdfast.engine.context import Engine, Handle, grave_hash
from holdfast.errors import Deleted
from holdfast.ids import new_number


class Place(NamedTuple):
    """Where a handle's checkpoints are, at one moment."""

    thread: ThreadRow | None
    root: LineRow | None
    line: LineRow | None  # version 0 if it is only seen through a fork's origin, and not written yet
    head: CheckpointRow | None
    generation: int


NOWHERE = Place(None, None, None, None, 0)


async def read_place(engine: Engine, handle: Handle) -> Place:
    """For reads: nothing there, or nothing left, is simply nowhere; another life of the thread is `Deleted`."""
    place = await find_place(engine, handle)
    if place.thread is None:
        return NOWHERE
    bind(handle, place)
    return place


async def find_place(engine: Engine, handle: Handle) -> Place:
    """What the backend says now."""
    engine.check_open()
    found = await engine.backend.find(handle.thread_id, handle.namespace, grave_hash(handle.thread_id))
    for row in found[:4]:
        if row is not None:
            checked(row)
    place = Place(*found)
    if place.line is None and place.root is not None and place.root.base_line is not None and handle.namespace:
        return await _through_origin(engine, handle, place)
    return place


def bind(handle: Handle, place: Place) -> None:
    """The first touch fixes which life of the thread the handle means."""
    assert place.thread is not None
    if handle.generation is None:
        handle.generation = place.thread.generation
    elif handle.generation != place.thread.generation:
        raise Deleted(f"{handle.name} was deleted and started anew since this handle was made; ask for a new handle")


def usable(handle: Handle, place: Place) -> bool:
    """Whether a place from the cache is in the life of the thread that the handle means."""
    return place.thread is not None and handle.generation in (None, place.thread.generation)


async def _through_origin(engine: Engine, handle: Handle, place: Place) -> Place:
    root = place.root
    assert root is not None
    seen = await _newest_seen(engine, handle, root)
    if seen is None:
        return place
    base, row, era = seen
    line = LineRow(
        tree=root.tree, line=new_number(), thread=root.line, namespace=handle.namespace, version=0, seq=row.seq,
        head_line=row.line, head_seq=row.seq, checkpoints=row.depth, size=0, updated_at=root.updated_at, forks=0,
        marks=0, base_line=base.line, base_seq=row.seq, base_era=era, whole=0,
    )  # fmt: skip
    return place._replace(line=line, head=row)


async def _newest_seen(engine: Engine, handle: Handle, root: LineRow) -> tuple[LineRow, CheckpointRow, int] | None:
    """The newest checkpoint of this namespace in the threads that the fork came from, that belongs under what the fork
    sees; with the line and the era that it is seen through."""
    outer = await find_place(engine, handle.inner(enclosing(handle.namespace)))
    outer_view = await views.open_view(engine, outer.line) if outer.line is not None else None
    while root.base_line is not None:
        base = await engine.backend.namespace(root.tree, root.base_line, handle.namespace)
        if base is not None:
            view = await views.open_view(engine, checked(base))
            row = await _newest_under(engine, view, root.base_era, outer_view)
            return None if row is None else (base, row, root.base_era)
        (root,) = await engine.backend.lines(root.tree, [root.base_line])
    return None


async def _newest_under(engine: Engine, view: views.View, era: int, outer: views.View | None) -> CheckpointRow | None:
    before = view.line.seq
    while rows := await views.scan(engine, view, before, 20):
        for row in rows:
            late = row.line == view.line.line and row.era >= era
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
