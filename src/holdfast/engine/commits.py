"""Saving: from a state to one conditional batch.

Planning is a function of the place as it is known (often from the cache) and the encoded state; the batch says which
version of the line it was planned for. If the line has moved the batch does nothing, and the save is planned again from
what the backend says then. A save whose place and values are cached therefore reads nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from holdfast.backends.base import (
    Batch,
    CheckpointRow,
    Drop,
    DropRow,
    Expect,
    ForksAt,
    GraveAt,
    IdFree,
    LineAt,
    LineRow,
    NamespaceFree,
    Row,
    RunRow,
    TagRow,
    ThreadAbsent,
    ThreadRow,
    sealed,
)
from holdfast.engine import load, manifest, tags, views
from holdfast.engine.context import Engine, Handle, grave_hash
from holdfast.engine.manifest import Manifest
from holdfast.engine.places import Place, bind, enclosing, find_place, usable
from holdfast.engine.rows import Fields, checkpoint_row, line_after, new_line, new_thread, packed_next
from holdfast.engine.states import Base, Change, Changed
from holdfast.errors import Conflict, Contended, Decide, Deleted, FixTheCall, NotFound
from holdfast.ids import new_id
from holdfast.model import ROOT, CheckpointInfo

ATTEMPTS: Final = 500


async def save(engine: Engine, handle: Handle, fields: Fields, change: Change) -> CheckpointInfo:
    """Plan, commit, and plan again while others are faster."""
    given = fields.id is not None
    fields = fields if given else replace(fields, id=new_id())  # once: a retry must not become a second checkpoint
    key = (handle.thread_id, handle.namespace)
    place = engine.cache.get(key)
    for _ in range(ATTEMPTS):
        engine.check_open()
        fresh = place is None or not usable(handle, place)
        if fresh:
            place = await find_place(engine, handle)
        assert place is not None
        try:
            info = await _attempt(engine, handle, fields, change, place, given, fresh)
        except (Decide, FixTheCall):
            if fresh:
                raise
            info = None  # what the cache says may be old: ask before refusing
        if info is not None:
            return info
        engine.cache.drop(key)
        place = None
    raise Contended(f"{handle.name}: other writers were faster {ATTEMPTS} times; try again, or use fewer writers")


async def _attempt(
    engine: Engine, handle: Handle, fields: Fields, change: Change, place: Place, given: bool, fresh: bool
) -> CheckpointInfo | None:
    """None when the line has moved since `place` was read."""
    place, started = _started(engine, handle, place)
    line = place.line
    assert line is not None
    view = None
    if fields.parent is not None or (given and (fresh or line.base_line is not None)):
        view = await views.open_view(engine, line)
    if given and view is not None and line.seq:
        first = await views.find(engine, view, fields.id or "")
        if first is not None:
            return await _same_again(engine, handle, fields, change, view, first)
    _check_head(handle, fields, place)
    parent = await _parent(engine, handle, fields, place, view)
    changed = await change(engine, handle, _base(line, place.head, parent))
    origin = fields.origin
    if origin is None and handle.namespace:
        origin = await _origin(engine, handle)
    row = checkpoint_row(handle, fields, place, parent, changed, origin)
    after, batch = _plan(handle, place, row, changed, started, IdFree(line.tree, line.line, row.id) if given else None)
    if not await engine.backend.commit(batch):
        return None
    bind(handle, after)
    _remember(engine, handle, after, changed)
    return CheckpointInfo(**load.fields(handle, row, row.label, row.parent_id))


def _remember(engine: Engine, handle: Handle, place: Place, changed: Changed) -> None:
    for ref, version in changed.versions:
        engine.cache.put((ref.log, ref.pos), version, version.cost)
    assert place.head is not None
    engine.cache.put((handle.thread_id, handle.namespace), place, 1500 + len(place.head.manifest))


# ------------------------------------------------------------------------------------------------ starting a thread


class _Started(NamedTuple):
    """What must be true, and be written, so that the thread and its line exist."""

    expects: list[Expect]
    rows: list[Row]


def _started(engine: Engine, handle: Handle, place: Place) -> tuple[Place, _Started]:
    """The place with a thread, root and line in it, made up here if they do not exist yet."""
    expects: list[Expect] = []
    rows: list[Row] = []
    thread, root, line = place.thread, place.root, place.line
    if thread is None:
        _check_not_deleted(handle, place)
        thread, root = new_thread(handle, place.generation + 1)
        expects += (ThreadAbsent(thread.id), GraveAt(grave_hash(thread.id), place.generation))
        rows += (thread, *tags.of_metadata(thread.id, handle.metadata or {}))
        if handle.namespace:
            rows.append(sealed(root._replace(version=1)))
    else:
        bind(handle, place)
        thread, tag_rows = _with_metadata(handle, thread)
        rows += tag_rows
    assert root is not None
    if line is None:
        line = root if not handle.namespace else new_line(root.tree, root.line, handle.namespace)
    if line.version == 0 and handle.namespace:
        expects.append(NamespaceFree(line.tree, line.thread, line.namespace))
    return Place(thread, root, line, place.head, place.generation), _Started(expects, rows)


def _check_not_deleted(handle: Handle, place: Place) -> None:
    if handle.generation is not None or (place.generation and not handle.reuse):
        raise Deleted(f"{handle.name} was deleted; store.thread({handle.thread_id!r}, reuse=True) starts it anew")


def _with_metadata(handle: Handle, thread: ThreadRow) -> tuple[ThreadRow, list[Row]]:
    """Metadata given with a handle is merged into the thread's at the next save."""
    if not handle.metadata:
        return thread, []
    known = handle.codec.decode(thread.metadata) if thread.metadata else {}
    fresh = {key: value for key, value in handle.metadata.items() if key not in known or known[key] != value}
    if not fresh:
        return thread, []
    merged = handle.codec.encode({**known, **fresh}, "metadata")
    return sealed(thread._replace(metadata=merged)), list(tags.of_metadata(thread.id, fresh))


# ------------------------------------------------------------------------------------------------ head and parent


def _check_head(handle: Handle, fields: Fields, place: Place) -> None:
    if fields.expect_head is None:
        return
    actual = place.head.id if place.head is not None else ""
    if actual != fields.expect_head:
        raise Conflict(
            f"{handle.name}: the head is {actual or 'nothing yet'!r}, not {fields.expect_head or 'nothing yet'!r}; "
            "load it, decide, and save again",
            expected=fields.expect_head,
            actual=actual,
        )


async def _parent(
    engine: Engine, handle: Handle, fields: Fields, place: Place, view: views.View | None
) -> CheckpointRow | None:
    if fields.parent is ROOT:
        return None
    if fields.parent is None or (place.head is not None and fields.parent == place.head.id):
        return place.head
    assert view is not None
    row = await views.find(engine, view, str(fields.parent))
    if row is None:
        raise NotFound(f"{handle.name}: the parent {fields.parent!r} is not there; history() lists what is")
    return row


def _base(line: LineRow, head: CheckpointRow | None, parent: CheckpointRow | None) -> Base:
    """The parent's manifest. Only the head of a line may go on in its logs: any other parent's have gone on already,
    or belong to another line."""
    if parent is None:
        return Base(line.tree, Manifest({}))
    known = load.manifest_of(parent)
    goes_on = head is not None and parent.seq == head.seq and parent.line == line.line
    return Base(line.tree, known if goes_on else manifest.frozen(known), parent.size)


async def _origin(engine: Engine, handle: Handle) -> str | None:
    """A checkpoint of an inner namespace belongs under where the enclosing one stands."""
    outer = handle.inner(enclosing(handle.namespace))
    place = engine.cache.get((outer.thread_id, outer.namespace)) or await find_place(engine, outer)
    return place.head.id if place.head is not None else None


# ------------------------------------------------------------------------------------------------ the same id again


async def _same_again(
    engine: Engine, handle: Handle, fields: Fields, change: Change, view: views.View, first: CheckpointRow
) -> CheckpointInfo:
    """Identical state and fields are a no-op that returns the first; anything else is a conflict."""
    changed = await change(engine, handle, Base(first.tree, manifest.frozen(load.manifest_of(first)), first.size))
    different = [name for name, same in _compared(handle, fields, first, changed) if not same]
    if different:
        raise Conflict(
            f"{handle.name}: checkpoint {first.id!r} is already saved with other {', '.join(different)}; "
            "use a new id for a new checkpoint",
            expected=fields.id,
            actual=first.id,
        )
    return await load.info(engine, handle, view, first)


def _compared(handle: Handle, fields: Fields, first: CheckpointRow, changed: Changed) -> list[tuple[str, bool]]:
    parent = None if fields.parent is ROOT else fields.parent
    return [
        ("state", manifest.contents(changed.manifest) == manifest.contents(load.manifest_of(first))),
        ("node", fields.node == first.node),
        ("next", packed_next(fields) == first.next),
        ("source", fields.source == first.source),
        ("status", fields.status == first.status),
        ("step", fields.step in (None, first.step)),
        ("run_id", fields.run_id in (None, first.run_id)),
        ("label", fields.label in ("", first.label)),
        ("metadata", fields.metadata in (None, first.metadata)),
        ("origin", fields.origin in (None, first.origin)),
        ("journal_seq", fields.journal_seq in (None, first.journal_seq)),
        ("parent", fields.parent is None or parent == first.parent_id),
    ]


# ------------------------------------------------------------------------------------------------ rows


def _plan(
    handle: Handle, place: Place, row: CheckpointRow, changed: Changed, started: _Started, id_free: IdFree | None
) -> tuple[Place, Batch]:
    line, root, thread = place.line, place.root, place.thread
    assert line is not None
    assert root is not None
    assert thread is not None
    expects, rows = started
    expects.append(LineAt(line.tree, line.line, line.version))
    if id_free is not None:
        expects.append(id_free)
    drops = list(changed.drops)
    if handle.namespace:
        known_root = root.version > 0
        if known_root:
            expects.append(ForksAt(root.tree, root.line, root.forks))
        root = root if known_root else sealed(root._replace(version=1))
    else:
        _retag_status(thread.id, place.head, row, rows, drops)
    if row.run_id is not None and (place.head is None or place.head.run_id != row.run_id):
        rows.append(sealed(RunRow(row.run_id, row.tree, row.line)))
    after = line_after(line, row, changed.stored)
    rows += (after, row, *changed.rows)
    root = root if handle.namespace else after
    return Place(thread, root, after, row, place.generation), Batch(expects, rows, drops)


def _retag_status(
    thread_id: str, before: CheckpointRow | None, after: CheckpointRow, rows: list[Row], drops: list[Drop]
) -> None:
    """The status is indexed, and written only when it changes."""
    if before is not None and before.status == after.status:
        return
    if before is not None:
        drops.append(DropRow(TagRow, tags.status(thread_id, before.status)[:3]))
    rows.append(tags.status(thread_id, after.status))
