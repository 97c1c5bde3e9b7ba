"""Leases: one live worker per thread, identified by an epoch that only grows.

A write checks its holder by epoch, never by a clock, and each write of the holder renews the lease. Only other
callers look at a clock, the store's: while the lease is live they get `ThreadBusy`, and once it has run out any of
them may take the thread, with the next epoch. The old holder's next write then finds another epoch and is `Fenced`.
"""

from __future__ import annotations

from contextlib import suppress

from holdfast.backends.base import Batch, Drop, Expect, LineAt, RootAt, drop_of
from holdfast.backends.rows import LATEST, LineRow, Row, with_checksum
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.engine.retry import until_applied
from holdfast.engine.threads import creation, lifetime, location, tags, tombstones
from holdfast.engine.threads.location import Located
from holdfast.errors import Fenced, HoldfastError, ThreadBusy
from holdfast.model import Lease, is_terminal


def lease_of(root: LineRow, now: int) -> Lease | None:
    if not root.worker:
        return None
    until = as_datetime(min(root.lease_at + root.lease_ttl, LATEST))
    return Lease(worker=root.worker, epoch=root.epoch, until=until, expired=not lifetime.is_live(root, now))


async def admitted(engine: Engine, handle: Handle, root: LineRow) -> LineRow:
    """The root line as a write of this caller leaves its lease: renewed for the holder. Any other caller is refused
    while the lease is live."""
    if handle.epoch is not None:
        check_epoch(handle, root)
        return root._replace(lease_at=await engine.backend.now())
    if root.worker:
        check_free(handle, root, await engine.backend.now())
        return root._replace(worker="", epoch=root.epoch + 1)  # fences the worker that held it
    return root


def written(before: LineRow, after: LineRow, *, always: bool = False) -> tuple[list[Expect], list[LineRow]]:
    """What a write to an inner namespace does to the lease in the root line: nothing, if it was renewed just now.
    `always` writes the root line all the same."""
    soon = after.lease_at - before.lease_at < before.lease_ttl // 10
    if not always and (after == before or (soon and after == before._replace(lease_at=after.lease_at))):
        return [RootAt(before.tree, before.line, before.forks, before.epoch, before.journal)], []
    moved = with_checksum(after._replace(version=before.version + 1))
    return [LineAt(before.tree, before.line, before.version)], [moved]


def check_epoch(handle: Handle, root: LineRow) -> None:
    if root.epoch != handle.epoch or not root.worker:
        raise Fenced(
            f"{handle.name} was taken over (epoch {root.epoch}, this worker had {handle.epoch}); "
            "nothing of this write was stored: stop working on it"
        )


def check_free(handle: Handle, root: LineRow, now: int) -> None:
    if lifetime.is_live(root, now):
        until = as_datetime(min(root.lease_at + root.lease_ttl, LATEST))
        raise ThreadBusy(
            f"{handle.name} is held by worker {root.worker!r} until {until:%H:%M:%S} UTC at most; "
            "wait for it, or write through its run",
            until=until,
        )


async def acquire(engine: Engine, handle: Handle, worker: str, ttl: int) -> None:
    """Take the thread, and make the handle its holder. A thread that does not exist yet starts with its first lease."""
    root_handle = handle.inner("")

    async def attempt() -> bool | None:
        lookup = await tombstones.vacated(engine, root_handle, await location.find(engine, root_handle))
        now = await engine.backend.now()
        start = await creation.start_root(engine, handle, lookup)
        here, root = start.here, start.here.root
        check_free(handle, root, now)
        taken = with_checksum(
            root._replace(version=root.version + 1, epoch=root.epoch + 1, worker=worker, lease_at=now, lease_ttl=ttl)
        )
        expects = [*start.expects, LineAt(taken.tree, taken.line, root.version)]
        puts = [*start.rows, taken, tags.run(here.thread.id, tags.HELD)]
        try:
            if not await engine.backend.commit(Batch(expects, puts, _untag(here, tags.LEFT))):
                return None
            location.bind(handle, here.thread)
            handle.epoch = taken.epoch
        except BaseException:
            await _give_up(engine, handle, taken)
            raise
        location.remember(engine, root_handle, here._replace(root=taken, line=taken))
        return True

    await until_applied(handle.name, attempt)


async def _give_up(engine: Engine, handle: Handle, taken: LineRow) -> None:
    """Release a lease whose commit was interrupted, if it was taken."""
    with suppress(HoldfastError):
        here = (await location.find(engine, handle.inner(""))).here
        if here is not None and here.root[:-1] == taken[:-1]:
            location.bind(handle, here.thread)
            handle.epoch = taken.epoch
            await release(engine, handle, finished=here.head is None or is_terminal(here.head.status))


def _untag(here: Located, value: str) -> list[Drop]:
    return [drop_of(tags.run(here.thread.id, value))]


async def renew(engine: Engine, handle: Handle) -> None:
    """Keep the lease through a long step."""
    await _changed(engine, handle, release=None)


async def release(engine: Engine, handle: Handle, *, finished: bool) -> None:
    """Release the thread. `finished` says that no other worker has to resume it."""
    await _changed(engine, handle, release=finished)
    handle.epoch = None


async def _changed(engine: Engine, handle: Handle, release: bool | None) -> None:
    root_handle = handle.inner("")
    here = await location.recalled(engine, root_handle)

    async def attempt() -> bool | None:
        nonlocal here
        # What is remembered may be out of date: ask the backend before giving up.
        if here is None or here.root.epoch != handle.epoch:
            here = (await location.find(engine, root_handle)).here
        if here is None:
            raise Fenced(f"{handle.name} is gone; this worker no longer holds it")
        check_epoch(handle, here.root)
        if await _change(engine, root_handle, here, release):
            return True
        here = None
        return None

    await until_applied(handle.name, attempt)


async def _change(engine: Engine, root_handle: Handle, here: Located, release: bool | None) -> bool:
    now = await engine.backend.now()
    worker = here.root.worker if release is None else ""
    after = with_checksum(here.root._replace(version=here.root.version + 1, worker=worker, lease_at=now))
    puts: list[Row] = [after]
    drops: list[Drop] = [] if release is None else _untag(here, tags.HELD)
    if release is False:
        puts.append(tags.run(here.thread.id, tags.LEFT))
    if not await engine.backend.commit(Batch([LineAt(after.tree, after.line, here.root.version)], puts, drops)):
        return False
    location.remember(engine, root_handle, here._replace(root=after, line=after))
    return True
