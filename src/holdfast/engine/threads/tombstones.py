"""Deleting a thread: its rows are removed where no other thread of its tree may see them, and a tombstone stays.

The tombstone holds a hash of the id and the generation that was deleted, so that a late writer is refused and the id
can be used again only on purpose.
"""

from __future__ import annotations

from typing import Final

from holdfast.backends.base import (
    Batch,
    Claim,
    Drop,
    DropEarlyWrites,
    DropRow,
    DropTree,
    Expect,
    LineAt,
    ThreadAt,
    drop_of,
)
from holdfast.backends.rows import NO_LIMIT, CheckpointRow, Row, ThreadRow, TombstoneRow, with_checksum
from holdfast.engine.context import Engine, Handle
from holdfast.engine.retry import until_applied
from holdfast.engine.threads import lifetime, location, tags
from holdfast.engine.threads.location import Located, Lookup
from holdfast.ids import is_frameworks, tombstone_hash

_APART: Final = 100_000  # microseconds: processes know the store's clock no better


async def planned(engine: Engine, here: Located, *, silent: bool = False) -> Batch:
    """The batch that deletes a thread with all its namespaces; it is refused if any of them changes before it is
    applied. With `silent` the tombstone keeps no id that a user has chosen."""
    thread = here.thread
    lines = await engine.backend.namespaces(thread.tree, thread.line)
    # The root as the caller saw it: the status that is removed from the index is its head's.
    seen = [here.root, *(line for line in lines if line.line != here.root.line)]
    expects: list[Expect] = [ThreadAt(thread.id, thread.line)]
    expects += [LineAt(line.tree, line.line, line.version) for line in seen]
    early = DropEarlyWrites(thread.id, NO_LIMIT) if silent else await drop_early_writes(engine, thread.id)
    drops: list[Drop] = [DropRow(ThreadRow, (thread.id,)), early, *_untag(thread, here.head)]
    tombstone = await _tombstone(engine, here, silent)
    others = [other for other in await engine.backend.tree_threads(thread.tree) if other.id != thread.id]
    if not others:
        return Batch(expects, [tombstone], [*drops, DropTree(thread.tree)], claims=[Claim(thread.id)])
    # Deleting the last thread of a tree drops the tree, so another thread has to be left.
    expects.append(ThreadAt(others[0].id, others[0].line))
    # Any writer that planned from these lines finds them changed.
    moved = [with_checksum(line._replace(version=line.version + 1, forks=line.forks + 1)) for line in lines]
    puts: list[Row] = [tombstone, *moved]
    return Batch(expects, puts, drops, claims=[Claim(thread.id)])


async def drop_early_writes(engine: Engine, thread_id: str) -> DropEarlyWrites:
    """What removes the writes that wait for a checkpoint of this thread, and none that come later."""
    return DropEarlyWrites(thread_id, await lifetime.store_time(engine) + _APART)


async def _tombstone(engine: Engine, here: Located, silent: bool) -> TombstoneRow:
    last = await location.last_id(engine, here)
    kept = last if is_frameworks(last) or not silent else ""
    return with_checksum(TombstoneRow(tombstone_hash(here.thread.id), here.thread.generation, kept))


def _untag(thread: ThreadRow, head: CheckpointRow | None) -> list[Drop]:
    rows = [*tags.of_thread(thread), tags.run(thread.id, tags.HELD), tags.run(thread.id, tags.LEFT)]
    if head is not None:
        rows.append(tags.status(thread.id, head.status))
    return [drop_of(row) for row in rows]


async def vacated(engine: Engine, handle: Handle, lookup: Lookup) -> Lookup:
    """The lookup for a new thread: an expired one is deleted first, if the caller may start it again."""
    if not lookup.expired:
        return lookup

    async def attempt() -> Lookup | None:
        nonlocal lookup
        location.check_not_deleted(handle, lookup)
        await delete_expired(engine, handle.thread_id)
        lookup = await location.find(engine, handle, flush=False)
        return None if lookup.expired else lookup

    return await until_applied(handle.name, attempt)


async def delete_expired(engine: Engine, thread_id: str) -> bool:
    """Delete a thread if it has expired; returns whether it had."""

    async def attempt() -> bool | None:
        here = (await location.find(engine, Handle(thread_id, "", engine.codec), even_expired=True)).here
        if here is None or not await lifetime.has_expired(engine, here.thread, here.root):
            return False
        return True if await engine.backend.commit(await planned(engine, here)) else None

    return await until_applied(f"thread {thread_id!r}", attempt)
