"""What follows from who chooses the ids of checkpoints.

`NATIVE` holds for Holdfast's own calls. An id names one checkpoint for good: saving it again is a no-op or a
`Conflict`. The last checkpoint to be saved is the head, and a parent has to exist.

`FRAMEWORK` holds for frameworks that choose the ids, in ascending order, and their parents. Such a framework saves an
id again to replace it, may name parents that never come, and may send a task's writes before their checkpoint. The
highest id is the head. A write that was on its way when the thread was deleted is recognised by the ids that it
names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from holdfast.backends.rows import CheckpointRow, OverlayRow, PendingRow, Row, SettledRow, checked, with_checksum
from holdfast.engine.checkpoints.save_fields import SaveFields
from holdfast.engine.context import Engine, Handle
from holdfast.engine.threads import location, tombstones, views
from holdfast.engine.threads.location import Located, Lookup
from holdfast.engine.threads.views import View
from holdfast.engine.writes import write_format
from holdfast.errors import Deleted, NotFound
from holdfast.ids import come_in_order


class Replacement(NamedTuple):
    """How a checkpoint that is saved again is stored."""

    row: CheckpointRow
    rows: list[Row]  # to be put beside it
    hides: bool  # the first one stays, for the forks that see it, and this thread no longer shows it


class IdRules:
    """The rules for ids that name one checkpoint for good."""

    replaces = False  # whether an id that exists may be saved again
    names_origin = False  # whether the caller says which checkpoint of the enclosing namespace it belongs to
    sends_early = False  # whether a task's writes may come before their checkpoint

    async def check_generation(self, engine: Engine, handle: Handle, here: Located, fields: SaveFields) -> None:
        """Refuse a save that names a checkpoint of an earlier generation of the thread; asked if there was one."""

    def missing_parent(self, handle: Handle, fields: SaveFields) -> None:
        """Refuse a parent that does not exist, or accept it."""
        raise NotFound(f"{handle.name}: the parent {fields.parent!r} does not exist; history() lists what does")

    def base(self, here: Located) -> CheckpointRow | None:
        """The checkpoint whose values those of a checkpoint without a parent are compared with."""
        return None

    def head(self, before: CheckpointRow, row: CheckpointRow) -> CheckpointRow:
        """The head of the line once `row` is saved, whose id is lower than that of the head before."""
        return row

    async def replaced(
        self, engine: Engine, here: Located, first: CheckpointRow, row: CheckpointRow, parent: CheckpointRow | None
    ) -> Replacement:
        """How the checkpoint takes the place of the first one of its id; asked only if `replaces`."""
        raise AssertionError("an id that names one checkpoint for good is never replaced")

    async def look_up(self, engine: Engine, handle: Handle, checkpoint_id: str) -> Lookup:
        """Where a task's writes to this checkpoint go."""
        lookup = await location.find(engine, handle)
        if lookup.thread is None:
            location.check_not_deleted(handle, lookup)
            raise NotFound(f"{handle.name} does not exist yet: save a checkpoint first")
        location.bind(handle, lookup.thread)
        return lookup

    def missing_checkpoint(self, handle: Handle, lookup: Lookup, checkpoint_id: str) -> None:
        """Refuse writes to a checkpoint that does not exist, or accept them."""
        if lookup.here is None:
            raise NotFound(f"{handle.name} has no checkpoint yet: save one first")
        raise NotFound(f"{handle.name} has no checkpoint {checkpoint_id!r}; history() lists those it has")

    async def newest_but(self, engine: Engine, view: View, removed: Collection[int]) -> CheckpointRow | None:
        """The head once these are removed."""
        left = await views.scan(engine, view, view.line.seq, 1, keep=lambda row: row.seq not in removed)
        return left[0] if left else None


class FrameworkIds(IdRules):
    """The rules for ids that a framework chooses in ascending order."""

    replaces = True
    names_origin = True
    sends_early = True

    async def check_generation(self, engine: Engine, handle: Handle, here: Located, fields: SaveFields) -> None:
        names = (fields.id, fields.parent, *fields.outer)
        await check_ids(engine, handle, here, [name for name in names if isinstance(name, str)], here.last)

    def missing_parent(self, handle: Handle, fields: SaveFields) -> None:
        """It may never come; its id is kept as it was named."""

    def base(self, here: Located) -> CheckpointRow | None:
        return here.head

    def head(self, before: CheckpointRow, row: CheckpointRow) -> CheckpointRow:
        """An id that comes late is not the head."""
        return before if come_in_order(row.id, before.id) else row

    async def replaced(
        self, engine: Engine, here: Located, first: CheckpointRow, row: CheckpointRow, parent: CheckpointRow | None
    ) -> Replacement:
        if first.line == here.line.line and first.era == here.root.forks:
            # The thread was neither forked nor copied since: no other thread sees the first one.
            return Replacement(_in_place(first, row, parent), [], hides=False)
        # A fork may see the first one: it stays for the fork, and an overlay hides it here. Its writes are moved along.
        line, era = here.line, here.root.forks
        pending = await engine.backend.pending(line, [first.seq])
        hidden = with_checksum(OverlayRow(line.tree, line.line, first.seq, era, views.REPLACED, None, None))
        return Replacement(row, [hidden, *_moved_writes(row, pending, era)], hides=True)

    async def look_up(self, engine: Engine, handle: Handle, checkpoint_id: str) -> Lookup:
        lookup = await tombstones.vacated(engine, handle, await location.find(engine, handle))
        if lookup.thread is not None:
            location.bind(handle, lookup.thread)
        if lookup.last:
            await check_ids(engine, handle, lookup.here, [checkpoint_id], lookup.last)
        return lookup

    def missing_checkpoint(self, handle: Handle, lookup: Lookup, checkpoint_id: str) -> None:
        """It may still come."""

    async def newest_but(self, engine: Engine, view: View, removed: Collection[int]) -> CheckpointRow | None:
        left = await views.scan_by_id(engine, view, None, 1, lambda row: row.seq not in removed)
        return left[0] if left else None


NATIVE: Final = IdRules()
FRAMEWORK: Final = FrameworkIds()


async def check_ids(engine: Engine, handle: Handle, here: Located | None, ids: Iterable[str], last: str) -> None:
    """Ids are monotonic: an id up to the tombstone's last id belongs to the deleted generation, unless the current
    generation has it too, as a copy may."""
    for name in ids:
        is_older = name <= last and come_in_order(name, last)
        if is_older and not (here is not None and await _exists(engine, here, name)):
            raise Deleted(
                f"{handle.name} was deleted with the checkpoint {name!r}, which this write names: it came too late"
            )


async def _exists(engine: Engine, here: Located, checkpoint_id: str) -> bool:
    """In any namespace of the thread, or of the threads that it was forked or copied from."""
    lines = {line.line for line in await engine.backend.namespaces(here.root.tree, here.root.line)}
    for line in list(lines):
        lines.update(below.line for below in await engine.backend.ancestry(here.root.tree, line))
    return bool(await engine.backend.by_id(here.root.tree, sorted(lines), checkpoint_id))


def _in_place(first: CheckpointRow, row: CheckpointRow, parent: CheckpointRow | None) -> CheckpointRow:
    """The new row under the old number, which keeps its pending writes. Values that it takes over from the first one
    are frozen, as those of every base that may not be continued: their logs have grown past them already."""
    # The parent may have come after the first save, with a higher number. Numbers must fall along a lineage.
    before = parent if parent is not None and parent.line == first.line and parent.seq < first.seq else None
    return with_checksum(
        row._replace(
            seq=first.seq,
            chain_start=first.seq,
            parent_seq=before.seq if before is not None else 0,
            depth=before.depth + 1 if before is not None else 1,
        )
    )


def _moved_writes(row: CheckpointRow, pending: Sequence[PendingRow | SettledRow], era: int) -> list[Row]:
    """The writes of a checkpoint that is saved again, under its new number. Of two under one key the first stays. What
    was settled gets the checkpoint's own number, since any other may be the number of a later settlement."""
    latest: dict[tuple[str, int], PendingRow] = {}
    tasks: write_format.SettledTasks = []
    for stored in pending:
        if isinstance(stored, SettledRow):
            tasks += write_format.decode_settled(checked(stored).body)
        elif (stored.task_id, stored.idx) not in latest or stored.idx < 0:
            latest[stored.task_id, stored.idx] = checked(stored)
    moved: list[Row] = []
    if tasks:
        moved.append(with_checksum(SettledRow(row.tree, row.line, row.seq, row.seq, era, write_format.encode(tasks))))
    moved += [with_checksum(write._replace(line=row.line, seq=row.seq, era=era)) for write in latest.values()]
    return moved
