"""Looking back: the latest checkpoint, one by its id, one by its place, and lists of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Final

from holdfast.backends.base import CheckpointRow, Filter
from holdfast.engine import load, views
from holdfast.engine.context import Engine, Handle, as_microseconds
from holdfast.engine.places import read_place
from holdfast.engine.views import View
from holdfast.errors import InvalidArgument, NotFound
from holdfast.model import Checkpoint, CheckpointInfo

Loaded = Checkpoint[dict[str, Any]]
_COLUMNS: Final = ("run_id", "status", "source", "node")
_ALL: Final = 1 << 62


async def latest(engine: Engine, handle: Handle, channels: Collection[str] | None = None) -> Loaded | None:
    """The checkpoint with the highest number."""
    place = await read_place(engine, handle)
    if place.line is None or place.head is None:
        return None
    view = await views.open_view(engine, place.line)
    return await load.checkpoint(engine, handle, view, place.head, channels)


async def by_id(
    engine: Engine, handle: Handle, checkpoint_id: str, channels: Collection[str] | None = None
) -> Loaded | None:
    view = await open_view(engine, handle)
    row = await views.find(engine, view, checkpoint_id) if view is not None else None
    if view is None or row is None:
        return None
    return await load.checkpoint(engine, handle, view, row, channels)


async def open_view(engine: Engine, handle: Handle) -> View | None:
    place = await read_place(engine, handle)
    return None if place.line is None else await views.open_view(engine, place.line)


async def required(engine: Engine, handle: Handle, view: View | None, checkpoint_id: str) -> CheckpointRow:
    """The row of a checkpoint that has to be there."""
    row = await views.find(engine, view, checkpoint_id) if view is not None else None
    if row is None:
        raise NotFound(f"{handle.name} has no checkpoint {checkpoint_id!r}; history() lists those it has")
    return row


async def at(
    engine: Engine, handle: Handle, step: int | None, time: datetime | None, journal_seq: int | None
) -> Loaded | None:
    """At or before a step, a time or a place in the journal, along the head's lineage."""
    if sum(given is not None for given in (step, time, journal_seq)) != 1:
        raise InvalidArgument("at() takes exactly one of step=, time= and journal_seq=")
    place = await read_place(engine, handle)
    if place.line is None or place.head is None:
        return None
    view = await views.open_view(engine, place.line)
    segments = await views.chain(engine, view, place.head.seq)
    moment = None if time is None else as_microseconds(time)
    where = Filter(max_step=step, max_time=moment, max_journal=journal_seq)
    limit = 1 if journal_seq is None else _ALL
    rows = await views.scan_segments(engine, view, segments, place.head.seq, limit, where)
    if not rows:
        return None
    row = max(rows, key=lambda row: (row.journal_seq, row.seq)) if journal_seq is not None else rows[0]
    return await load.checkpoint(engine, handle, view, row)


async def history(
    engine: Engine, handle: Handle, limit: int | None, before: str | None, where: Mapping[str, Any] | None
) -> list[CheckpointInfo]:
    """Newest first, without any state."""
    if limit is not None and limit < 0:
        raise InvalidArgument(f"limit must not be negative, and is {limit}")
    view = await open_view(engine, handle)
    if view is None:
        return []
    last = view.line.seq
    if before is not None:
        last = (await required(engine, handle, view, before)).seq - 1
    columns, keep = matching(handle, view, where or {})
    rows = await views.scan(engine, view, last, _ALL if limit is None else limit, columns, keep)
    return [await load.info(engine, handle, view, row) for row in rows]


def matching(
    handle: Handle, view: View, where: Mapping[str, Any]
) -> tuple[Filter, Callable[[CheckpointRow], bool] | None]:
    """What the backend can compare, and a function for the rest: labels, which marks may change, and metadata."""
    columns = {name: where[name] for name in _COLUMNS if name in where}
    for name, value in columns.items():
        if not isinstance(value, str):
            raise InvalidArgument(f"where[{name!r}] compares text, not {type(value).__name__}")
    rest = {name: value for name, value in where.items() if name not in _COLUMNS}
    if not rest:
        return Filter(**columns), None
    label = rest.pop("label", None)

    def keep(row: CheckpointRow) -> bool:
        if label is not None and view.label(row) != label:
            return False
        if not rest:
            return True
        metadata = handle.codec.decode(row.metadata) if row.metadata else {}
        return all(name in metadata and metadata[name] == value for name, value in rest.items())

    return Filter(**columns), keep


async def lineage(engine: Engine, handle: Handle, checkpoint_id: str) -> list[CheckpointInfo]:
    """The checkpoint and its ancestors, newest first, through forks."""
    view = await open_view(engine, handle)
    row = await required(engine, handle, view, checkpoint_id)
    assert view is not None
    segments = await views.chain(engine, view, row.seq)
    rows = await views.scan_segments(engine, view, segments, row.seq, _ALL)
    return [await load.info(engine, handle, view, row) for row in rows]
