"""Finding what a handle means: its thread, its line and its head.

A namespace that a fork has not written to yet has no line of its own. The fork sees it through the thread it was forked
from, up to where that namespace was under the checkpoints that the fork sees.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Final, NamedTuple

from holdfast.backends.base import Batch, Expect, LineAt, NamespaceFree, RootAt
from holdfast.backends.rows import LARGEST, CheckpointRow, LineRow, ThreadRow, checked, with_checksum
from holdfast.engine import policy
from holdfast.engine.context import Engine, Handle
from holdfast.engine.policy import Policy
from holdfast.engine.threads import lifetime, views
from holdfast.engine.values.manifest import Manifest
from holdfast.errors import Corrupt, Deleted, NotFound, ReadOnly, TryAgain
from holdfast.ids import new_number, tombstone_hash

_ENTRY: Final = 250  # bytes of memory that a channel takes in a manifest, about


class Located(NamedTuple):
    """Where the checkpoints of a handle are, at one moment."""

    thread: ThreadRow
    root: LineRow
    line: LineRow  # version 0 if it is only seen through a fork's origin, and not written yet
    head: CheckpointRow | None  # with the status that it has now
    last: str = ""  # the highest checkpoint id of an earlier generation of the thread
    policy: Policy = policy.NONE  # the thread's own, decoded
    manifest: Manifest | None = None  # of the head, if it is in memory

    def unchanged(self) -> list[Expect]:
        """The line is as it was read, and its thread has been neither forked nor deleted since."""
        line, root = self.line, self.root
        expects: list[Expect] = [
            LineAt(line.tree, line.line, line.version),
            RootAt(root.tree, root.line, root.forks, root.epoch, root.journal),
        ]
        if line.version == 0:
            expects.append(NamespaceFree(line.tree, line.thread, line.namespace))
        return expects


class Lookup(NamedTuple):
    """The answer to a search: the same rows, those that exist."""

    thread: ThreadRow | None
    root: LineRow | None
    line: LineRow | None
    head: CheckpointRow | None
    generation: int  # of the thread's tombstone, if it has one
    last: str = ""
    wanted: int | None = None  # the generation that the caller meant; another thread may have started one since
    policy: Policy = policy.NONE
    expired: bool = False  # it reads as deleted, and is removed before the id is used again

    @property
    def here(self) -> Located | None:
        if self.thread is None or self.root is None or self.line is None:
            return None
        return Located(self.thread, self.root, self.line, self.head, self.last, self.policy)


async def read(engine: Engine, handle: Handle) -> Located | None:
    """For reads: None if it does not exist. Another generation of the thread is `Deleted`."""
    lookup = await find(engine, handle)
    if lookup.thread is not None:
        bind(handle, lookup.thread)
    return lookup.here


async def used(engine: Engine, handle: Handle) -> Located | None:
    """The same for reads that count as a use of the thread, if its policy says that reads count."""
    here = await read(engine, handle)
    if here is not None and here.policy.refresh:
        root = await lifetime.read(engine, here.policy, here.thread, here.root)
        if root is not here.root:
            await _record_use(engine, handle, here.policy, root)
    return here


async def _record_use(engine: Engine, handle: Handle, thread_policy: Policy, root: LineRow) -> None:
    """If the line has moved, another writer has used the thread. A reader that may not write still reads."""
    after = with_checksum(root._replace(version=root.version + 1))
    expects = [LineAt(root.tree, root.line, root.version), *await lifetime.in_time(engine, thread_policy)]
    with suppress(ReadOnly, TryAgain):
        if not await engine.backend.commit(Batch(expects, [after])):
            lifetime.ask_again(engine)
            return
        forget(engine, handle)
        forget(engine, handle.inner(""))


async def existing(engine: Engine, handle: Handle) -> Located:
    """For writes about a checkpoint: the thread and the namespace have to exist."""
    lookup = await find(engine, handle)
    if lookup.thread is None:
        check_not_deleted(handle, lookup)
        raise NotFound(f"{handle.name} does not exist yet: save a checkpoint first")
    bind(handle, lookup.thread)
    if lookup.here is None:
        raise NotFound(f"{handle.name} has no checkpoint yet: save one first")
    return lookup.here


async def find(engine: Engine, handle: Handle, *, flush: bool = True, even_expired: bool = False) -> Lookup:
    """What the backend has now. With `flush`, waits for queued writes first. Expired threads are returned only with
    `even_expired`."""
    engine.check_open()
    if flush and engine.backlogs:
        engine.flush(handle.thread_id)
    wanted = handle.generation
    rows = await engine.backend.find(handle.thread_id, handle.namespace, tombstone_hash(handle.thread_id))
    lookup = Lookup(*rows, wanted)
    _check(lookup)
    thread, root = rows.thread, rows.root
    if thread is None or root is None:
        return lookup
    lookup = lookup._replace(policy=policy.of(thread))
    may_expire = lookup.policy.ttl is not None and not even_expired
    if may_expire and await lifetime.has_expired(engine, thread, root):
        return await _as_deleted(engine, lookup)
    # A fork that has not written to this namespace sees it through its origin.
    if handle.namespace and lookup.line is None and root.base_line is not None:
        lookup = await _through_origin(engine, handle, lookup, root, even_expired)
    return await _with_status(engine, lookup)


async def _with_status(engine: Engine, lookup: Lookup) -> Lookup:
    """The head with the status that an overlay may have given it."""
    if lookup.head is None or lookup.line is None or not lookup.line.overlays:
        return lookup
    view = await views.open_lazily(engine, lookup.line)
    await views.know(engine, view, lookup.head.seq, lookup.head.seq)
    return lookup._replace(head=lookup.head._replace(status=view.status(lookup.head)))


async def _as_deleted(engine: Engine, lookup: Lookup) -> Lookup:
    generation = lookup.thread.generation if lookup.thread is not None else 0
    return Lookup(None, None, None, None, generation, await last_id(engine, lookup), lookup.wanted, expired=True)


async def last_id(engine: Engine, lookup: Lookup | Located) -> str:
    """The highest checkpoint id that the thread ever had."""
    root = lookup.root
    # The head need not have the highest id, and checkpoints of inner namespaces have ids too.
    lines = [] if root is None else await engine.backend.namespaces(root.tree, root.line)
    highest = [await engine.backend.checkpoints_by_id(line.tree, line.line, None, 1) for line in lines]
    heads = [lookup.head] if lookup.head is not None else []
    return max([lookup.last, *(row.id for rows in (*highest, heads) for row in rows)])


def _check(lookup: Lookup) -> None:
    thread, root, line, head, generation, last = lookup[:6]
    if type(generation) is not int or not 0 <= generation < LARGEST or type(last) is not str:
        raise Corrupt("the row that is left of a deleted thread of this id can't be read; verify() reports it")
    if thread is not None:
        if root is None:
            raise Corrupt(f"thread {thread.id!r} has no root line: its row is missing")
        checked(thread)
        checked(root)
    if line is not None:
        if line.head_seq and head is None:
            raise Corrupt(f"line {line.line} has no checkpoint {line.head_seq}, its head: the row is missing")
        # For the root namespace both are the same row, which is checked already.
        if line is not root and line != root:
            checked(line)
    if head is not None:
        checked(head)


def bind(handle: Handle, thread: ThreadRow) -> None:
    """The first use fixes which generation of the thread the handle means."""
    if handle.generation is None:
        handle.generation = thread.generation
    elif handle.generation != thread.generation:
        raise Deleted(f"{handle.name} was deleted and started again since this handle was made; ask for a new handle")


def check_not_deleted(handle: Handle, lookup: Lookup) -> None:
    """A thread that does not exist may be started, unless it was deleted and the caller did not ask to start it
    again."""
    if lookup.wanted is not None or (lookup.generation and not handle.reuse):
        how = "has expired" if lookup.expired else "was deleted"
        raise Deleted(f"{handle.name} {how}; store.thread({handle.thread_id!r}, reuse=True) starts it again")


def remembered(engine: Engine, handle: Handle) -> Located | None:
    """Where the handle's line was when this process last wrote to it. Another process may have moved it since, so a
    batch that is planned from here says which version of the line it expects."""
    here: Located | None = engine.cache.get((handle.thread_id, handle.namespace))
    if here is None or handle.generation not in (None, here.thread.generation):
        return None
    return here


async def recalled(engine: Engine, handle: Handle) -> Located | None:
    """The same, unless the thread has expired since."""
    here = remembered(engine, handle)
    if here is None or here.policy.ttl is None:
        return here
    return None if await lifetime.has_expired(engine, here.thread, here.root) else here


def remember(engine: Engine, handle: Handle, here: Located) -> None:
    weight = 1500 + len(here.head.manifest if here.head is not None else b"")
    if here.manifest is not None and here.manifest.logged is not None:
        weight += _ENTRY * len(here.manifest.channels)
    engine.cache.put((handle.thread_id, handle.namespace), here, weight)


def forget(engine: Engine, handle: Handle) -> None:
    engine.cache.drop((handle.thread_id, handle.namespace))


async def _through_origin(engine: Engine, handle: Handle, lookup: Lookup, root: LineRow, even_expired: bool) -> Lookup:
    outer = await find(engine, handle.inner(enclosing(handle.namespace)), even_expired=even_expired)
    seen = await _newest_seen(engine, handle, root, outer.line)
    if seen is None:
        return lookup
    base, row, era = seen
    # The line as the first save of the fork in this namespace will store it. Until then it is only read through.
    line = LineRow(
        root.tree, new_number(), root.line, handle.namespace, seq=row.seq, head_line=row.line, head_seq=row.seq,
        updated_at=root.updated_at, overlays=base.overlays, base_line=base.line, base_seq=row.seq, base_era=era,
    )  # fmt: skip
    shown = await views.count(engine, await views.open_view(engine, line), row)
    return lookup._replace(line=line._replace(checkpoints=shown), head=row)


async def _newest_seen(
    engine: Engine, handle: Handle, root: LineRow, outer: LineRow | None
) -> tuple[LineRow, CheckpointRow, int] | None:
    """The newest checkpoint of this namespace in the threads that the fork came from, that belongs under what the fork
    sees; with the line and the era that it is seen through."""
    outer_view = None if outer is None else await views.open_view(engine, _as_forked(outer))
    # The nearest origin that has written to the namespace decides: what it sees of those below is part of its line.
    for above, below in pairwise(await engine.backend.ancestry(root.tree, root.line)):
        base = await engine.backend.namespace(root.tree, below.line, handle.namespace)
        if base is not None:
            row = await _newest_under(engine, checked(base), above.base_era, outer_view)
            return None if row is None else (base, row, above.base_era)
    return None


def _as_forked(line: LineRow) -> LineRow:
    """The line as it was when it was forked off: without the checkpoints and overlays that it has added since."""
    return line._replace(line=0, seq=line.base_seq)


async def _newest_under(engine: Engine, base: LineRow, era: int, outer: views.View | None) -> CheckpointRow | None:
    """Searches a copy of the line as of that era, so that checkpoints removed later are still found."""
    copy = base._replace(line=0, base_line=base.line, base_seq=base.seq, base_era=era, is_copy=1)
    view = await views.open_view(engine, copy)
    before = base.seq
    while rows := await views.scan(engine, view, before, 20):
        for row in rows:
            # What the origin saved after the fork is not seen, even if it belongs under a checkpoint that is.
            late = row.line == base.line and row.era >= era
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
