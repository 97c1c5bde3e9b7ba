"""Checkpoints whose ids and parents another framework chose.

Such a framework orders its checkpoints by id, writes the same id again to replace it, may name parents that never come,
and may send what its tasks wrote before the checkpoint they belong to. All of that is kept as given; and a write that
was on its way when the thread was deleted is told from a fresh start by the ids it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from holdfast.backends.base import Batch, DropRow, DropWaiting, Expect, LineAt, NamespaceFree, ThreadAbsent, WaitingAt
from holdfast.backends.rows import CheckpointRow, MarkRow, PendingRow, Row, SealedRow, WaitingRow, checked, sealed
from holdfast.engine import load, manifest, views
from holdfast.engine.context import Engine, Handle, now
from holdfast.engine.manifest import Manifest
from holdfast.engine.places import Here, Place
from holdfast.engine.rows import Fields
from holdfast.engine.states import Changed
from holdfast.errors import Deleted
from holdfast.ids import come_in_order

DAY: Final = 24 * 3600 * 1_000_000


async def check_late(engine: Engine, handle: Handle, here: Here | None, names: Iterable[str], last: str = "") -> None:
    """Ids grow, so a name up to the last one that an earlier life of the thread had is a name from that life; unless it
    is one of this life's too, as in a copy."""
    last = here.last if here is not None else last
    for name in names:
        is_older = bool(last) and name <= last and come_in_order(name, last)
        if is_older and not (here is not None and await _is_there(engine, here, name)):
            raise Deleted(
                f"{handle.name} was deleted with the checkpoint {name!r}, which this write names: it came too late"
            )


async def _is_there(engine: Engine, here: Here, name: str) -> bool:
    """In any namespace of the thread, or of what it was copied from."""
    lines = {line.line for line in await engine.backend.namespaces(here.root.tree, here.root.line)}
    for line in list(lines):
        lines.update(one.line for one in await engine.backend.ancestry(here.root.tree, line))
    return bool(await engine.backend.by_id(here.root.tree, sorted(lines), name))


def names_in(fields: Fields) -> list[str]:
    return [name for name in (fields.id, fields.parent, *fields.outer) if isinstance(name, str)]


def is_own(here: Here, first: CheckpointRow) -> bool:
    """Whether nobody but this thread can have seen a checkpoint: it was not forked or copied since."""
    return first.line == here.line.line and first.era == here.root.forks


def in_place(
    handle: Handle, first: CheckpointRow, row: CheckpointRow, changed: Changed, parent: CheckpointRow | None
) -> CheckpointRow:
    """The checkpoint that is saved again under its old number, with its writes as they are. It must not go on in logs
    that the first one went on in."""
    known = manifest.frozen(changed.manifest)
    fresh = {ref for ref, _ in changed.versions}
    channels = {name: changed.manifest.channels[name] if one in fresh else known.channels[name]
                for name, one in changed.manifest.channels.items()}  # fmt: skip
    extra = changed.manifest.extra if changed.manifest.extra in fresh else known.extra
    changed.manifest = Manifest(channels, extra, known.open)
    before = parent is not None and parent.line == first.line and parent.seq < first.seq
    moved = row._replace(
        seq=first.seq, stretch=first.seq, parent_seq=parent.seq if before and parent is not None else 0,
        depth=parent.depth + 1 if before and parent is not None else 1, manifest=manifest.pack(changed.manifest),
    )  # fmt: skip
    return sealed(moved)


def replacement(here: Here, first: CheckpointRow) -> list[Row]:
    """What takes the place of a checkpoint that others see: for them it stays, and for this thread it is hidden."""
    line = here.line
    return [sealed(MarkRow(line.tree, line.line, first.seq, here.root.forks, views.REPLACED, None, None))]


def moved_writes(row: CheckpointRow, written: Sequence[PendingRow | SealedRow], era: int) -> list[Row]:
    """The writes of a checkpoint that was saved again, under its new number. Of two under one key the first stays. What
    was sealed has the checkpoint's own number, since any other may become that of a seal to come."""
    found: dict[tuple[str, int], PendingRow] = {}
    tasks: load.Sealed = []
    for one in written:
        if isinstance(one, SealedRow):
            tasks += load.decode_sealed(checked(one).body)
        elif (one.task_id, one.idx) not in found or one.idx < 0:
            found[one.task_id, one.idx] = checked(one)
    whole = [sealed(SealedRow(row.tree, row.line, row.seq, row.seq, era, load.encode(tasks)))] if tasks else []
    return [*whole, *(sealed(one._replace(line=row.line, seq=row.seq, era=era)) for one in found.values())]


# ------------------------------------------------------------------------------------------------ waiting writes


def waiting_batch(handle: Handle, place: Place, rows: Sequence[WaitingRow]) -> Batch:
    """Writes wait only as long as their checkpoint is not there: nobody may have saved since that was seen."""
    expects: list[Expect] = []
    if place.thread is None or place.root is None:
        expects.append(ThreadAbsent(handle.thread_id))
    elif place.line is None or place.line.version == 0:
        expects.append(NamespaceFree(place.root.tree, place.root.line, handle.namespace))
    else:
        expects.append(LineAt(place.line.tree, place.line.line, place.line.version))
    forgotten = [DropWaiting("", now() - DAY)]
    return Batch(expects, [one for one in rows if one.idx < 0], forgotten, [one for one in rows if one.idx >= 0])


async def adopted(
    engine: Engine, handle: Handle, here: Here, row: CheckpointRow, batch: Batch, fresh: bool
) -> list[PendingRow]:
    """Add to the save of a checkpoint the writes that waited for it. They are rare, so a save that starts from what is
    remembered expects none; if there are some it does nothing, and is planned again."""
    key = (handle.thread_id, handle.namespace, row.id)
    rows = await engine.backend.waiting(*key) if fresh else []
    found = [
        sealed(PendingRow(
            row.tree, row.line, row.seq, one.task_id, one.idx, here.root.forks, one.task_path, checked(one).body
        ))
        for one in rows
    ]  # fmt: skip
    batch.expects.append(WaitingAt(*key, len(rows)))
    batch.puts = [*batch.puts, *found]
    batch.drops = [*batch.drops, *(DropRow(WaitingRow, one[:5]) for one in rows)]
    return found


def waiting_rows(
    handle: Handle, checkpoint_id: str, writes: Sequence[tuple[str, bytes, int]], task_id: str, task_path: str
) -> list[WaitingRow]:
    moment = now()
    return [
        sealed(WaitingRow(
            handle.thread_id, handle.namespace, checkpoint_id, task_id, place, task_path, moment,
            load.encode_write(channel, enc),
        ))
        for channel, enc, place in writes
    ]  # fmt: skip
