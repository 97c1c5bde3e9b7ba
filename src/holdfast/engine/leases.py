"""Leases: one live worker a thread, told apart by an epoch that only grows.

A holder is checked by its epoch inside every write, never by a clock; each of its writes renews the hold. Only others
look at a clock, the store's: while the hold lives they get `ThreadBusy`, and once it has run out anyone may take the
thread, with the next epoch. The old holder's next write then finds another epoch and is `Fenced`.
"""

from __future__ import annotations

from holdfast.backends.base import Batch, Drop, DropRow, Expect, GraveAt, LineAt, RootAt, ThreadAbsent
from holdfast.backends.rows import LineRow, Row, TagRow, sealed
from holdfast.engine import burial, clocks, places, tags
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.engine.places import Here, Place
from holdfast.engine.rows import new_thread
from holdfast.engine.terms import Terms
from holdfast.errors import Contended, Fenced, ThreadBusy
from holdfast.ids import grave_hash
from holdfast.model import Lease

_ATTEMPTS = 100


def lease_of(root: LineRow, now: int) -> Lease | None:
    if not root.worker:
        return None
    until = as_datetime(root.lease_at + root.lease_ttl)
    return Lease(worker=root.worker, epoch=root.epoch, until=until, expired=not clocks.is_live(root, now))


async def admitted(engine: Engine, handle: Handle, root: LineRow) -> LineRow:
    """The root line as a write of this caller leaves its lease: renewed for the holder. Others must not be here while
    it is held."""
    if handle.epoch is not None:
        check_epoch(handle, root)
        return root._replace(lease_at=await engine.backend.now())
    if root.worker:
        check_free(handle, root, await engine.backend.now())
        return root._replace(worker="", epoch=root.epoch + 1)  # whoever held it comes too late from here on
    return root


def written(before: LineRow, after: LineRow) -> tuple[list[Expect], list[LineRow]]:
    """What a write to an inner namespace does to the lease that the root keeps: nothing, if it was renewed just now."""
    soon = after.lease_at - before.lease_at < before.lease_ttl // 10
    if after == before or (soon and after == before._replace(lease_at=after.lease_at)):
        return [RootAt(before.tree, before.line, before.forks, before.epoch, before.journal)], []
    moved = sealed(after._replace(version=before.version + 1))
    return [LineAt(before.tree, before.line, before.version)], [moved]


def check_epoch(handle: Handle, root: LineRow) -> None:
    if root.epoch != handle.epoch or not root.worker:
        raise Fenced(
            f"{handle.name} was taken over (epoch {root.epoch}, this worker had {handle.epoch}); "
            "nothing of this write was stored: stop working on it"
        )


def check_free(handle: Handle, root: LineRow, now: int) -> None:
    if clocks.is_live(root, now):
        until = as_datetime(root.lease_at + root.lease_ttl)
        raise ThreadBusy(
            f"{handle.name} is held by worker {root.worker!r} until {until:%H:%M:%S} UTC at most; "
            "wait for it, or write through its run",
            until=until,
        )


async def acquire(engine: Engine, handle: Handle, worker: str, ttl: int) -> None:
    """Take the thread, and make the handle its holder."""
    root_handle = handle.inner("")
    for _ in range(_ATTEMPTS):
        place = await burial.vacated(engine, root_handle, await places.find(engine, root_handle))
        now = await engine.backend.now()
        expects, puts, here = _entered(handle, place, engine.usual)
        check_free(handle, here.root, now)
        taken = sealed(
            here.root._replace(
                version=here.root.version + 1, epoch=here.root.epoch + 1, worker=worker, lease_at=now, lease_ttl=ttl
            )
        )
        expects.append(LineAt(taken.tree, taken.line, here.root.version))
        puts += (taken, tags.run(here.thread.id, tags.HELD))
        if await engine.backend.commit(Batch(expects, puts, _untag(here, tags.LEFT))):
            places.bind(handle, here.thread)
            handle.epoch = taken.epoch
            places.remember(engine, root_handle, here._replace(root=taken, line=taken))
            return
    raise Contended(f"{handle.name}: other workers were faster {_ATTEMPTS} times; try again")


def _entered(handle: Handle, place: Place, usual: Terms) -> tuple[list[Expect], list[Row], Here]:
    """A thread that does not exist yet may be taken: it is made with its first lease."""
    here, generation = place.here, place.generation
    if here is not None:
        places.bind(handle, here.thread)
        return [], [], here
    places.check_not_deleted(handle, place)
    thread, root = new_thread(handle, generation + 1, usual)
    expects: list[Expect] = [ThreadAbsent(thread.id), GraveAt(grave_hash(thread.id), generation)]
    return expects, [thread, *tags.of_thread(thread)], Here(thread, root, root, None)


def _untag(here: Here, value: str) -> list[Drop]:
    return [DropRow(TagRow, tags.run(here.thread.id, value)[:3])]


async def renew(engine: Engine, handle: Handle) -> None:
    """Keep the hold through a long step."""
    await _changed(engine, handle, release=None)


async def release(engine: Engine, handle: Handle, *, finished: bool) -> None:
    """Give the thread back; `finished` says that nobody has to pick it up."""
    await _changed(engine, handle, release=finished)
    handle.epoch = None


async def _changed(engine: Engine, handle: Handle, release: bool | None) -> None:
    root_handle = handle.inner("")
    here = await places.recalled(engine, root_handle)
    for _ in range(_ATTEMPTS):
        if here is None or here.root.epoch != handle.epoch:  # what was remembered may be old: ask before giving up
            here = (await places.find(engine, root_handle)).here
        if here is None:
            raise Fenced(f"{handle.name} is gone; this worker no longer holds it")
        check_epoch(handle, here.root)
        now = await engine.backend.now()
        worker = here.root.worker if release is None else ""
        after = sealed(here.root._replace(version=here.root.version + 1, worker=worker, lease_at=now))
        puts: list[Row] = [after]
        drops: list[Drop] = [] if release is None else _untag(here, tags.HELD)
        if release is False:
            puts.append(tags.run(here.thread.id, tags.LEFT))
        if await engine.backend.commit(Batch([LineAt(after.tree, after.line, here.root.version)], puts, drops)):
            places.remember(engine, root_handle, here._replace(root=after, line=after))
            return
        here = None
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times; try again")
