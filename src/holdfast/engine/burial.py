"""Burying: a thread's rows go, as far as no other thread of its tree may see them, and a grave says that it was."""

from __future__ import annotations

from holdfast.backends.base import Batch, Drop, DropRow, DropTree, DropWaiting, Expect, LineAt, ThreadAt
from holdfast.backends.rows import CheckpointRow, GraveRow, Row, TagRow, ThreadRow, sealed
from holdfast.engine import clocks, places, tags
from holdfast.engine.context import Engine, Handle, now
from holdfast.engine.places import Here, Place
from holdfast.errors import Contended
from holdfast.ids import grave_hash, is_frameworks

_ATTEMPTS = 100
_ALL = 1 << 62


async def planned(engine: Engine, here: Here, *, silent: bool = False) -> Batch:
    """The batch that removes a thread with all its namespaces, if nobody changes any of them meanwhile. With `silent`
    the grave keeps no id that somebody has chosen."""
    thread = here.thread
    lines = await engine.backend.namespaces(thread.tree, thread.line)
    seen = [
        here.root,
        *(line for line in lines if line.line != here.root.line),
    ]  # what goes from the index is its head's
    others = [one for one in await engine.backend.tree_threads(thread.tree) if one.id != thread.id]
    last = await places.last_id(engine, here)
    kept = last if is_frameworks(last) or not silent else ""
    grave = sealed(GraveRow(grave_hash(thread.id), thread.generation, kept))
    expects: list[Expect] = [
        ThreadAt(thread.id, thread.line),
        *(LineAt(line.tree, line.line, line.version) for line in seen),
    ]
    waiting = DropWaiting(thread.id, _ALL if silent else now() + 1)
    drops: list[Drop] = [DropRow(ThreadRow, (thread.id,)), waiting, *_untag(thread, here.head)]
    if not others:
        return Batch(expects, [grave], [*drops, DropTree(thread.tree)])
    expects.append(ThreadAt(others[0].id, others[0].line))  # the last one to go takes the tree along
    moved: list[Row] = [
        sealed(line._replace(version=line.version + 1, forks=line.forks + 1)) for line in lines
    ]  # whoever planned to write here finds the line changed  # fmt: skip
    return Batch(expects, [grave, *moved], drops)


def _untag(thread: ThreadRow, head: CheckpointRow | None) -> list[Drop]:
    rows = [*tags.of_thread(thread), tags.run(thread.id, tags.HELD), tags.run(thread.id, tags.LEFT)]
    if head is not None:
        rows.append(tags.status(thread.id, head.status))
    return [DropRow(TagRow, row[:3]) for row in rows]


async def vacated(engine: Engine, handle: Handle, place: Place) -> Place:
    """The place for a new thread: one whose time is over is buried first, if the caller may start it anew."""
    for _ in range(_ATTEMPTS):
        if not place.expired:
            return place
        places.check_not_deleted(handle, place)
        await bury_expired(engine, handle.thread_id)
        place = await places.find(engine, handle, flush=False)
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times while it was started anew; try again")


async def bury_expired(engine: Engine, thread_id: str) -> bool:
    """Remove a thread whose time is over now; says whether it was so."""
    for _ in range(_ATTEMPTS):
        here = (await places.find(engine, Handle(thread_id, "", engine.codec), even_expired=True)).here
        if here is None or not await clocks.has_expired(engine, here.thread, here.root):
            return False
        if await engine.backend.commit(await planned(engine, here)):
            return True
    raise Contended(f"thread {thread_id!r}: other writers were faster {_ATTEMPTS} times while it expired; try again")
