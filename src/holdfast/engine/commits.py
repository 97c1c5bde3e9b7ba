"""Saving: from a state to one conditional batch.

Planning is a function of the place as it is known (often from the cache) and the encoded state; the batch says which
version of the line it was planned for. If the line has moved the batch does nothing, and the save is planned again from
what the backend says then. A save whose place and values are cached therefore reads nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from holdfast.backends.base import Batch, Drop, DropRow, Expect, GraveAt, IdFree, LineAt, NamespaceFree, ThreadAbsent
from holdfast.backends.rows import CheckpointRow, Row, RunRow, TagRow, sealed
from holdfast.engine import (
    burial,
    clocks,
    foreign,
    leases,
    load,
    manifest,
    places,
    sealing,
    tags,
    tending,
    terms,
    views,
)
from holdfast.engine.context import Engine, Handle
from holdfast.engine.manifest import Manifest
from holdfast.engine.places import Here, Place, enclosing
from holdfast.engine.rows import Fields, checkpoint_row, line_after, new_line, new_thread, packed_next
from holdfast.engine.states import Base, Change, Changed
from holdfast.engine.steady import Again
from holdfast.errors import (
    Conflict,
    Contended,
    Corrupt,
    Decide,
    FixTheCall,
    InvalidArgument,
    NotFound,
    ThreadBusy,
)
from holdfast.ids import come_in_order, grave_hash, id_after
from holdfast.model import ROOT, CheckpointInfo

ATTEMPTS: Final = 500


async def save(engine: Engine, handle: Handle, fields: Fields, change: Change) -> CheckpointInfo:
    """Plan, commit, and plan again while others are faster."""
    given = fields.id is not None
    engine.check_open()
    start = _continued(engine, handle, await places.recalled(engine, handle))
    again = Again()
    for _ in range(ATTEMPTS):
        fresh = start is None
        if start is None:
            place = await burial.vacated(engine, handle, await places.find(engine, handle))
            start = _started(engine, handle, place)
        start.by_id = fields.foreign
        if fields.id is None:  # once: a retry must not become a second checkpoint
            fields = fields._replace(id=id_after(start.here.head.id if start.here.head is not None else None))
        try:
            info = await _attempt(engine, handle, fields, change, start, given, fresh)
        except (Decide, FixTheCall, ThreadBusy):
            if fresh:
                raise
            info = None  # what was remembered may be old: ask before refusing
        except Corrupt as error:
            if fresh:
                again.check(error)
            info = None
        if info is not None:
            await tending.after_save(engine, handle, start.here)
            return info
        places.forget(engine, handle)
        start = None
    raise Contended(f"{handle.name}: other writers were faster {ATTEMPTS} times; try again, or use fewer writers")


async def _attempt(
    engine: Engine, handle: Handle, fields: Fields, change: Change, start: _Start, given: bool, fresh: bool
) -> CheckpointInfo | None:
    """None when the line has moved since `start` was read."""
    here = start.here
    first = None
    if fields.foreign:
        await foreign.check_late(engine, handle, here, foreign.names_in(fields))
    if given and (fresh or here.line.base_line is not None):
        view = await views.open_view(engine, here.line)
        first = await views.find(engine, view, fields.id or "")
        if first is not None and not fresh:
            return None
        if first is not None and not fields.foreign:
            return await _same_again(engine, handle, fields, change, view, first)
    here = start.here = await _admitted(engine, handle, start)
    _check_head(handle, fields, here)
    fields = _covering(handle, fields, here)
    parent = await _parent(engine, handle, fields, here)
    try:
        known = here.head if parent is None and fields.foreign else parent
        changed = await change(engine, handle, _base(here, known, may_go_on=first is None))
    except Exception:  # a reducer that can't do with what was remembered, or values that are gone since: ask again
        if fresh:
            raise
        return None
    outer = None
    if fields.origin is None and handle.namespace and not fields.foreign:
        outer = await _enclosing(engine, handle)
        fields = fields._replace(origin=outer.head.id if outer is not None and outer.head is not None else None)
    row = checkpoint_row(handle, fields, here, parent, changed)
    is_again = first is not None
    if first is not None and foreign.is_own(here, first):
        row, first = foreign.in_place(handle, first, row, changed, parent), None
    after, batch = _plan(handle, start, row, changed, first, await clocks.stamp(engine, here.thread))
    if given and not fresh:
        batch.expects.append(IdFree(row.tree, row.line, row.id))
    if outer is not None:
        batch.expects.append(LineAt(outer.line.tree, outer.line.line, outer.line.version))
    if first is not None:
        batch.puts = [*batch.puts, *await _replacing(engine, here, first, row)]
    waited = await foreign.adopted(engine, handle, here, row, batch, fresh) if fields.foreign else []
    # What an older row sealed is kept under its number, which a row in its place has too.
    sealing_now = [] if is_again else sealing.seal(engine, row, changed, batch)
    if not await engine.backend.commit(batch):
        if outer is not None:
            places.forget(engine, handle.inner(outer.line.namespace))
        if fresh:  # perhaps what is to be sealed is the reason
            sealing.forget(engine, sealing_now)
        return None
    places.bind(handle, after.thread)
    for ref, version in changed.versions:
        engine.cache.put((ref.log, ref.pos), version, version.cost)
    sealing.forget(engine, sealing_now)
    sealing.note(engine, waited)
    places.remember(engine, handle, after)
    start.here = after
    return CheckpointInfo(**load.fields(handle, row, row.label, row.status, row.parent_id))


async def _replacing(engine: Engine, here: Here, first: CheckpointRow, row: CheckpointRow) -> list[Row]:
    """A checkpoint that is saved again: the old one is hidden, and what its tasks wrote is the new one's."""
    pending = await engine.backend.pending(here.line, [first.seq])
    return [*foreign.replacement(here, first), *foreign.moved_writes(row, pending, here.root.forks)]


async def _admitted(engine: Engine, handle: Handle, start: _Start) -> Here:
    """The place as the lease lets this caller write it. The root line keeps the lease, and is written anyway by a save
    to the root namespace."""
    here = start.here
    root = await leases.admitted(engine, handle, here.root)
    if not handle.namespace:
        return here._replace(root=root, line=root)
    if here.root in start.rows:
        return here
    expects, rows = leases.written(here.root, await clocks.written(engine, here.thread, root))
    start.expects += expects
    start.rows += rows
    if not rows:
        return here
    places.forget(engine, handle.inner(""))
    return here._replace(root=rows[0])


# ------------------------------------------------------------------------------------------------ starting a thread


@dataclass(slots=True)
class _Start:
    """Where a save starts from, and what must be true and be written so that its thread and line exist."""

    here: Here
    expects: list[Expect] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    by_id: bool = False  # the head is the highest id, not the last to come


def _continued(engine: Engine, handle: Handle, here: Here | None) -> _Start | None:
    return None if here is None else _with_metadata(engine, handle, _Start(here))


def _started(engine: Engine, handle: Handle, place: Place) -> _Start:
    """The place with a thread, root and line in it, made up here if they do not exist yet."""
    if place.thread is None or place.root is None:
        return _new(engine, handle, place)
    places.bind(handle, place.thread)
    line = place.line or new_line(place.root.tree, place.root.line, handle.namespace)
    start = _Start(Here(place.thread, place.root, line, place.head, place.last))
    if line.version == 0:
        start.expects.append(NamespaceFree(line.tree, line.thread, line.namespace))
    return _with_metadata(engine, handle, start)


def _new(engine: Engine, handle: Handle, place: Place) -> _Start:
    places.check_not_deleted(handle, place)
    thread, root = new_thread(handle, place.generation + 1, engine.usual)
    expects: list[Expect] = [ThreadAbsent(thread.id), GraveAt(grave_hash(thread.id), place.generation)]
    rows: list[Row] = [thread, *tags.of_thread(thread)]
    if not handle.namespace:
        return _Start(Here(thread, root, root, None, place.last), expects, rows)
    root = sealed(root._replace(version=1))
    line = new_line(root.tree, root.line, handle.namespace)
    return _Start(Here(thread, root, line, None, place.last), expects, [*rows, root])


def _with_metadata(engine: Engine, handle: Handle, start: _Start) -> _Start:
    """Metadata and terms given with a handle are merged into the thread's at the next save."""
    before = start.here.thread
    thread = terms.with_asked(before, handle.asked, engine.usual)
    if handle.metadata:
        stored = terms.metadata_of(thread)
        known = handle.codec.decode(stored) if stored else {}
        merged = {**known, **handle.metadata}
        enc = handle.codec.encode(merged, "metadata")
        if enc != stored:
            thread = terms.with_metadata(thread, enc)
    if thread is not before:
        start.drops += [DropRow(TagRow, row[:3]) for row in tags.of_thread(before)]
        start.rows += [thread, *tags.of_thread(thread)]
        start.here = start.here._replace(thread=thread)
    return start


# ------------------------------------------------------------------------------------------------ head and parent


def _check_head(handle: Handle, fields: Fields, here: Here) -> None:
    if fields.expect_head is None:
        return
    actual = here.head.id if here.head is not None else ""
    if actual != fields.expect_head:
        raise Conflict(
            f"{handle.name}: the head is {actual or 'nothing yet'!r}, not {fields.expect_head or 'nothing yet'!r}; "
            "load it, decide, and save again",
            expected=fields.expect_head,
            actual=actual,
        )


def _covering(handle: Handle, fields: Fields, here: Here) -> Fields:
    """A checkpoint covers the journal up to its end, or less; never what is not committed."""
    end = here.root.journal
    if fields.journal_seq is None:
        kept = fields.source == "update" and here.head is not None  # it changes the state, not what has happened
        return fields._replace(journal_seq=here.head.journal_seq if kept and here.head is not None else end)
    if fields.journal_seq > end:
        raise InvalidArgument(
            f"{handle.name}: journal_seq {fields.journal_seq} is past the journal's end, which is {end}; append first"
        )
    return fields


async def _parent(engine: Engine, handle: Handle, fields: Fields, here: Here) -> CheckpointRow | None:
    if fields.parent is ROOT:
        return None
    if fields.parent is None or (here.head is not None and fields.parent == here.head.id):
        return here.head
    row = await views.find(engine, await views.open_view(engine, here.line), str(fields.parent))
    if row is None and not fields.foreign:
        raise NotFound(f"{handle.name}: the parent {fields.parent!r} is not there; history() lists what is")
    return row


def _base(here: Here, parent: CheckpointRow | None, may_go_on: bool) -> Base:
    """The parent's manifest. Only the last checkpoint that the line ever had may go on in its logs: those of any other
    have gone on already, if only for a checkpoint that was removed since, or belong to another line. What is written in
    the place of an older row may not: the next save would go on from the same place."""
    if parent is None:
        return Base(here.line.tree, Manifest({}))
    known = load.manifest_of(parent)
    goes_on = may_go_on and parent.line == here.line.line and parent.seq == here.line.seq
    return Base(here.line.tree, known if goes_on else manifest.frozen(known), parent.size)


async def _enclosing(engine: Engine, handle: Handle) -> Here | None:
    """A checkpoint of an inner namespace belongs under where the enclosing one stands when it is saved."""
    outer = handle.inner(enclosing(handle.namespace))
    return places.remembered(engine, outer) or (await places.find(engine, outer)).here


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
    handle: Handle,
    start: _Start,
    row: CheckpointRow,
    changed: Changed,
    first: CheckpointRow | None,
    moment: int | None,
) -> tuple[Here, Batch]:
    here = start.here
    line, root = here.line, here.root
    expects = [*start.expects, LineAt(line.tree, line.line, line.version)]
    rows = list(start.rows)
    drops = [*start.drops, *changed.drops]
    # Whoever chooses ids orders by them: one that comes late is not the head.
    is_late = here.head is not None and row.id < here.head.id and come_in_order(row.id, here.head.id)
    head = here.head if start.by_id and is_late and here.head is not None else row
    if not handle.namespace and head is row:
        _retag_status(here, row, rows, drops)
    if row.run_id is not None and (here.head is None or here.head.run_id != row.run_id):
        rows.append(sealed(RunRow(row.run_id, row.tree, row.line)))
    if first is not None:
        line = line._replace(checkpoints=line.checkpoints - 1, marks=line.marks + 1)
    after = line_after(line, row, changed.stored, head)
    if moment is not None:
        after = sealed(after._replace(updated_at=moment))
    rows += (after, row, *changed.rows)
    moved = here._replace(root=root if handle.namespace else after, line=after, head=head)
    return moved, Batch(expects, rows, drops)


def _retag_status(here: Here, row: CheckpointRow, rows: list[Row], drops: list[Drop]) -> None:
    """The status is indexed, and written only when it changes."""
    if here.head is not None and here.head.status == row.status:
        return
    if here.head is not None:
        drops.append(DropRow(TagRow, tags.status(here.thread.id, here.head.status)[:3]))
    rows.append(tags.status(here.thread.id, row.status))
