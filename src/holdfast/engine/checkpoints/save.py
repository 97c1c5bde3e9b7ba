"""Saving: from a state to one conditional batch.

A save is planned from where the thread is (often from the cache) and from the encoded state. The batch says which
version of the line it was planned for. If the line has moved the batch is not applied, and the save is planned again
from what the backend has. A save whose thread and values are cached therefore reads nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from holdfast._system.interrupts import is_interrupt
from holdfast.backends.base import Batch, Drop, IdFree, LineAt, drop_of
from holdfast.backends.rows import CheckpointRow, PendingRow, Row, RunRow, with_checksum
from holdfast.engine import policy
from holdfast.engine.checkpoints import hydrate
from holdfast.engine.checkpoints.id_rules import NATIVE, IdRules
from holdfast.engine.checkpoints.row_builder import checkpoint_row, located_after
from holdfast.engine.checkpoints.same_id import same_again
from holdfast.engine.checkpoints.save_fields import SaveFields
from holdfast.engine.context import Engine, Handle, now
from holdfast.engine.retry import Again, until_applied
from holdfast.engine.threads import creation, leases, lifetime, location, tags, tombstones, views
from holdfast.engine.threads.creation import Start
from holdfast.engine.threads.location import Located
from holdfast.engine.values import loader, manifest
from holdfast.engine.values.manifest import Manifest
from holdfast.engine.values.state_change import Base, Change, Changed, log_manifest
from holdfast.engine.values.value_log import Version
from holdfast.engine.writes import early_writes, settlement
from holdfast.errors import Conflict, Corrupt, Decide, FixTheCall, InvalidArgument, ThreadBusy
from holdfast.ids import id_after
from holdfast.model import ROOT, CheckpointInfo

_ATTEMPTS: Final = 500


async def save(
    engine: Engine, handle: Handle, fields: SaveFields, change: Change, rules: IdRules = NATIVE
) -> CheckpointInfo:
    """Save a checkpoint, and describe it."""
    row, _, first = await store(engine, handle, fields, change, rules)
    return first or CheckpointInfo(**hydrate.fields(handle, row, row.label, row.status, row.parent_id))


class Saved(NamedTuple):
    """A checkpoint that is stored."""

    row: CheckpointRow
    after: Located  # where the thread is now
    first: CheckpointInfo | None = None  # the same checkpoint, if it was saved before


async def store(engine: Engine, handle: Handle, fields: SaveFields, change: Change, rules: IdRules = NATIVE) -> Saved:
    """Plan, commit, and plan again while other writers are faster."""
    engine.check_open()
    work = _Save(engine, handle, fields, change, rules, fields.id is not None)
    here = await location.recalled(engine, handle)
    saved = await work.from_memory(here) if here is not None else None
    if saved is None:
        saved = await until_applied(handle.name, work.from_store, attempts=_ATTEMPTS)
    retention = saved.after.policy.retention or engine.default_policy.retention
    if engine.after_save is not None and retention is not None and saved.first is None:
        await engine.after_save(engine, handle, saved.after, retention)
    return saved


class _Plan(NamedTuple):
    """One save, ready to be committed."""

    row: CheckpointRow
    changed: Changed
    batch: Batch
    after: Located  # where the thread is, once the batch is applied
    settles: bool  # whether the step before it may be settled
    outer: Located | None  # the enclosing namespace, where its head was read for this save


@dataclass(slots=True, eq=False)
class _Save:
    """One save, through as many attempts as it takes."""

    engine: Engine
    handle: Handle
    fields: SaveFields
    change: Change
    rules: IdRules
    _id_is_given: bool
    _again: Again | None = None

    async def from_memory(self, here: Located) -> Saved | None:
        """Save from where this process last saw the thread; None if that may be out of date."""
        engine, handle, start = self.engine, self.handle, Start(here)
        try:
            if handle.metadata or handle.requested != policy.NONE or engine.default_policy != policy.NONE:
                creation.merge_request(engine, handle, start)
            saved = await self._attempt(start, fresh=False)
        except (Decide, FixTheCall, ThreadBusy, Corrupt):
            saved = None  # ask the backend before refusing
        if saved is None:
            location.forget(self.engine, self.handle)
        return saved

    async def from_store(self) -> Saved | None:
        """Save from where the backend has the thread; None if another writer was faster."""
        lookup = await location.find(self.engine, self.handle)
        lookup = await tombstones.vacated(self.engine, self.handle, lookup)
        try:
            return await self._attempt(await creation.start(self.engine, self.handle, lookup), fresh=True)
        except Corrupt as error:
            # Rows that a concurrent delete or collect removes look as if they were missing.
            self._again = self._again or Again()
            self._again.check(error)
            return None

    async def _attempt(self, start: Start, *, fresh: bool) -> Saved | None:
        engine, handle, rules = self.engine, self.handle, self.rules
        if self.fields.id is None:  # once: a retry must not become a second checkpoint
            self.fields = self.fields._replace(id=id_after(_head_id(start.here)))
        if start.here.last:
            await rules.check_generation(engine, handle, start.here, self.fields)
        # An own checkpoint of a remembered line is not looked for: the batch expects that there is none.
        may_exist = self._id_is_given and (fresh or start.here.line.base_line is not None)
        first = await self._same_id(start.here) if may_exist else None
        if first is not None and not (fresh and rules.replaces):
            if not fresh:
                return None
            info = await same_again(engine, handle, self.fields, self.change, start.here, first)
            return Saved(first, start.here, info)
        plan = await self._plan(start, first, fresh)
        if plan is None or not await self._commit(plan, fresh):
            return None
        return Saved(plan.row, plan.after)

    async def _same_id(self, here: Located) -> CheckpointRow | None:
        """The checkpoint that has this id already."""
        return await views.find(self.engine, await views.open_lazily(self.engine, here.line), self.fields.id or "")

    # ---------------------------------------------------------------- planning

    async def _plan(self, start: Start, first: CheckpointRow | None, fresh: bool) -> _Plan | None:
        """None if what is remembered can't be built on."""
        engine, handle, rules = self.engine, self.handle, self.rules
        here = start.here = await self._admitted(start)
        fields = _checked(handle, self.fields, here)
        parent = await self._parent(here)
        compared = rules.base(here) if parent is None else parent
        base = await _base(engine, here, compared, may_continue=first is None)
        changed = await self._changed(base, fresh)
        if changed is None:
            return None
        outer = None
        if handle.namespace and fields.origin is None and not rules.names_origin:
            outer = await self._enclosing()
            if outer is not None and outer.line.tree != here.line.tree:
                return None  # the thread was deleted and started again in between
            fields = fields._replace(origin=_head_id(outer))
        row = checkpoint_row(handle, fields, here, parent, changed, now())
        beside: list[Row] = []
        hides = False
        if first is not None:
            row, beside, hides = await rules.replaced(engine, here, first, row, parent)
        moment = row.created_at if here.policy.ttl is None else await lifetime.store_time(engine)
        before = here.head
        head = row if before is None or row.id >= before.id else rules.head(before, row)
        after = located_after(here, row, changed, head, moment, hides)
        batch = _batch(start, row, changed, after, beside)
        if here.policy.ttl is not None:
            batch.expects += await lifetime.in_time(engine, here.policy)
        self._expect(batch, row, outer, fresh)
        return _Plan(row, changed, batch, after, first is None, outer)

    def _expect(self, batch: Batch, row: CheckpointRow, outer: Located | None, fresh: bool) -> None:
        """Add what the plan relies on besides the line: that an id is free which was not looked for, and that the
        enclosing namespace still has the head that the checkpoint names."""
        if self._id_is_given and not fresh:
            batch.expects.append(IdFree(row.tree, row.line, row.id))
        if outer is not None:
            batch.expects.append(LineAt(outer.line.tree, outer.line.line, outer.line.version))

    async def _admitted(self, start: Start) -> Located:
        """The thread as the lease lets this caller write it. The lease is in the root line, which a save to the root
        namespace writes anyway."""
        engine, handle, here = self.engine, self.handle, start.here
        root = here.root
        if handle.epoch is not None or root.worker:
            root = await leases.admitted(engine, handle, root)
        if not handle.namespace:
            return here if root is here.root else here._replace(root=root, line=root)
        if here.root in start.rows:
            return here
        if here.policy.ttl is not None:
            root = await lifetime.written(engine, here.policy, here.thread, root)
        # Namespaces share the thread's row. Each change of it moves the root line, so that a writer that remembers the
        # row as it was before notices.
        expects, rows = leases.written(here.root, root, always=here.thread in start.rows)
        start.expects += expects
        start.rows += rows
        if not rows:
            return here
        location.forget(engine, handle.inner(""))
        return here._replace(root=rows[0])

    async def _parent(self, here: Located) -> CheckpointRow | None:
        wanted = self.fields.parent
        if wanted is ROOT:
            return None
        if wanted is None or (here.head is not None and wanted == here.head.id):
            return here.head
        view = await views.open_lazily(self.engine, here.line)
        row = await views.find(self.engine, view, str(wanted))
        if row is None:
            self.rules.missing_parent(self.handle, self.fields)
        return row

    async def _changed(self, base: Base, fresh: bool) -> Changed | None:
        try:
            changed = await self.change(self.engine, self.handle, base)
            # Without a call for the many states that are narrow.
            known = changed.manifest
            if len(known.channels) + len(known.open) > manifest.NARROW_UP_TO:
                await log_manifest(self.engine, base, changed)
            return changed
        except Exception as error:
            # A reducer that fails on what is remembered, or values that are gone since: ask the backend first.
            if fresh or is_interrupt(error):
                raise
            return None

    async def _enclosing(self) -> Located | None:
        """A checkpoint of an inner namespace belongs under the head that the enclosing namespace has now."""
        outer = self.handle.inner(location.enclosing(self.handle.namespace))
        return location.remembered(self.engine, outer) or (await location.find(self.engine, outer)).here

    # ---------------------------------------------------------------- committing

    async def _commit(self, plan: _Plan, fresh: bool) -> bool:
        engine, handle, row = self.engine, self.handle, plan.row
        adopted: list[PendingRow] = []
        if self.rules.sends_early:
            adopted = await early_writes.adopt(engine, handle, plan.after, row, plan.batch, fresh)
        # What an older row settled is kept under its number, which a row in its place has too.
        settled = settlement.settle(engine, row, plan.changed, plan.batch) if plan.settles and engine.unsettled else []
        if not await engine.backend.commit(plan.batch):
            lifetime.ask_again(engine)
            if plan.outer is not None:
                location.forget(engine, handle.inner(plan.outer.line.namespace))
            if fresh:  # the writes that it settles may be the reason
                settlement.forget(engine, settled)
            return False
        cached: list[tuple[tuple[int, int], Version, int]] = []
        for ref, version in plan.changed.versions:
            cached.append(((ref.log, ref.pos), version, version.cost))
        engine.cache.put_all(cached)
        if plan.changed.superseded is not None:
            engine.cache.drop(plan.changed.superseded[:2])
        if settled:
            settlement.forget(engine, settled)
        if adopted:
            settlement.note(engine, adopted)
        location.bind(handle, plan.after.thread)
        location.remember(engine, handle, plan.after)
        return True


def _head_id(here: Located | None) -> str | None:
    return None if here is None or here.head is None else here.head.id


def _checked(handle: Handle, fields: SaveFields, here: Located) -> SaveFields:
    """The fields, if the head is the expected one; with the number up to which the checkpoint covers the journal."""
    actual = here.head.id if here.head is not None else ""
    if fields.expect_head is not None and actual != fields.expect_head:
        raise Conflict(
            f"{handle.name}: the head is {actual or 'nothing yet'!r}, not {fields.expect_head or 'nothing yet'!r}; "
            "load it, decide, and save again",
            expected=fields.expect_head,
            actual=actual,
        )
    end = here.root.journal
    if fields.journal_seq is None:
        # An update changes the state, not what has happened.
        keeps = fields.source == "update" and here.head is not None
        return fields._replace(journal_seq=here.head.journal_seq if keeps and here.head is not None else end)
    if fields.journal_seq > end:
        raise InvalidArgument(
            f"{handle.name}: journal_seq {fields.journal_seq} is past the journal's end, which is {end}; append first"
        )
    return fields


async def _base(engine: Engine, here: Located, parent: CheckpointRow | None, *, may_continue: bool) -> Base:
    """The parent's manifest. Only the last checkpoint that the line ever had may be continued in its logs: the logs of
    any other have been continued already, if only for a checkpoint that was removed since, or belong to another line.
    A row that takes the place of an older one does not continue them either: the next save would start from the same
    position."""
    if parent is None:
        return Base(here.line.tree, Manifest({}))
    known = here.manifest if parent is here.head else None
    if known is None:
        known = await loader.manifest_of(engine, parent)
    continues = may_continue and parent.line == here.line.line and parent.seq == here.line.seq
    return Base(here.line.tree, known if continues else manifest.frozen(known), parent.size)


def _batch(start: Start, row: CheckpointRow, changed: Changed, after: Located, beside: list[Row]) -> Batch:
    here, line = start.here, start.here.line
    rows = list(start.rows)
    drops = [*start.drops, *changed.drops]
    if not line.namespace and after.head is row:
        _retag_status(here, row, rows, drops)
    if row.run_id is not None and (here.head is None or here.head.run_id != row.run_id):
        rows.append(with_checksum(RunRow(row.run_id, row.tree, row.line)))
    rows += (after.line, row, *changed.rows, *beside)
    return Batch([*start.expects, LineAt(line.tree, line.line, line.version)], rows, drops)


def _retag_status(here: Located, row: CheckpointRow, rows: list[Row], drops: list[Drop]) -> None:
    """The status is indexed, and written only when it changes."""
    if here.head is not None and here.head.status == row.status:
        return
    if here.head is not None:
        drops.append(drop_of(tags.status(here.thread.id, here.head.status)))
    rows.append(tags.status(here.thread.id, row.status))
