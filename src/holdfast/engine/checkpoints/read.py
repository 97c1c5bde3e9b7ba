"""Reading checkpoints: the latest, one by its id, one by its step, time or journal entry, and lists of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Final

from holdfast.backends.base import Filter
from holdfast.backends.rows import NO_LIMIT, CheckpointRow
from holdfast.engine.checkpoints import hydrate
from holdfast.engine.context import Engine, Handle, as_microseconds
from holdfast.engine.retry import reread_on_corrupt
from holdfast.engine.threads import location, views
from holdfast.engine.threads.views import View
from holdfast.errors import InvalidArgument, NotFound
from holdfast.ids import check_text
from holdfast.model import Checkpoint, CheckpointInfo

Loaded = Checkpoint[dict[str, Any]]
_COLUMNS: Final = ("run_id", "status", "source", "node")


@reread_on_corrupt
async def latest(engine: Engine, handle: Handle, channels: Collection[str] | None = None) -> Loaded | None:
    """The checkpoint with the highest number."""
    here = await location.used(engine, handle)
    if here is None or here.head is None:
        return None
    view = await views.open_lazily(engine, here.line)
    return await hydrate.checkpoint(engine, handle, view, here.head, channels)


@reread_on_corrupt
async def by_id(
    engine: Engine, handle: Handle, checkpoint_id: str, channels: Collection[str] | None = None
) -> Loaded | None:
    view = await open_view(engine, handle)
    row = await views.find(engine, view, checkpoint_id) if view is not None else None
    if view is None or row is None:
        return None
    return await hydrate.checkpoint(engine, handle, view, row, channels)


async def open_view(engine: Engine, handle: Handle) -> View | None:
    here = await location.used(engine, handle)
    return None if here is None else await views.open_lazily(engine, here.line)


async def required(engine: Engine, handle: Handle, view: View, checkpoint_id: str) -> CheckpointRow:
    """The row of a checkpoint that has to exist."""
    row = await views.find(engine, view, checkpoint_id)
    if row is None:
        raise _not_there(handle, checkpoint_id)
    return row


def _not_there(handle: Handle, checkpoint_id: str) -> NotFound:
    return NotFound(f"{handle.name} has no checkpoint {checkpoint_id!r}; history() lists those it has")


async def pointed(engine: Engine, handle: Handle, checkpoint_id: str) -> tuple[View, CheckpointRow]:
    """A checkpoint that has to exist, and the view that sees it."""
    view = await open_view(engine, handle)
    if view is None:
        raise _not_there(handle, checkpoint_id)
    return view, await required(engine, handle, view, checkpoint_id)


@reread_on_corrupt
async def at(
    engine: Engine, handle: Handle, step: int | None, time: datetime | None, journal_seq: int | None
) -> Loaded | None:
    """At or before a step, a time or an entry of the journal, along the head's lineage."""
    if sum(given is not None for given in (step, time, journal_seq)) != 1:
        raise InvalidArgument("at() takes exactly one of step=, time= and journal_seq=")
    here = await location.used(engine, handle)
    if here is None or here.head is None:
        return None
    view = await views.open_lazily(engine, here.line)
    segments = await views.chain(engine, view, here.head.seq)
    moment = None if time is None else as_microseconds(time)
    where = Filter(max_step=step, max_time=moment, max_journal=journal_seq)
    limit = 1 if journal_seq is None else NO_LIMIT
    rows = await views.scan_segments(engine, view, segments, here.head.seq, limit, where)
    if not rows:
        return None
    row = max(rows, key=lambda row: (row.journal_seq, row.seq)) if journal_seq is not None else rows[0]
    return await hydrate.checkpoint(engine, handle, view, row)


@reread_on_corrupt
async def history(
    engine: Engine, handle: Handle, limit: int | None, before: str | None, where: Mapping[str, Any] | None
) -> list[CheckpointInfo]:
    """Newest first, without any state."""
    view = await open_view(engine, handle)
    if view is None:
        return []
    last = view.line.seq
    if before is not None:
        last = (await required(engine, handle, view, before)).seq - 1
    columns, keep = matching(handle, view, where or {})
    rows = await views.scan(engine, view, last, NO_LIMIT if limit is None else limit, columns, keep)
    return [await hydrate.info(engine, handle, view, row) for row in rows]


def matching(
    handle: Handle, view: View, where: Mapping[str, Any]
) -> tuple[Filter, Callable[[CheckpointRow], bool] | None]:
    """What the backend can compare, and a function for the rest: what overlays may change, and metadata."""
    columns = {name: where[name] for name in _COLUMNS if name in where}
    for name, value in columns.items():
        check_text(value, f"where[{name!r}]")
    rest = {name: value for name, value in where.items() if name not in _COLUMNS}
    status = columns.pop("status", None) if view.overlays or view.known is not None else None
    if not rest and status is None:
        return Filter(**columns), None
    label = rest.pop("label", None)

    def keep(row: CheckpointRow) -> bool:
        if label is not None and view.label(row) != label:
            return False
        if status is not None and view.status(row) != status:
            return False
        if not rest:
            return True
        metadata = handle.codec.decode_dict(row.metadata)
        return all(name in metadata and metadata[name] == value for name, value in rest.items())

    return Filter(**columns), keep


@reread_on_corrupt
async def lineage(engine: Engine, handle: Handle, checkpoint_id: str) -> list[CheckpointInfo]:
    """The checkpoint and its ancestors, newest first, through forks."""
    view, row = await pointed(engine, handle, checkpoint_id)
    segments = await views.chain(engine, view, row.seq)
    rows = await views.scan_segments(engine, view, segments, row.seq, NO_LIMIT)
    return [await hydrate.info(engine, handle, view, row) for row in rows]
