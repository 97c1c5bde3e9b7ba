"""Removing: from a thread's own view first, and from the disk when nobody else sees it.

A thread alone in its tree is dropped whole. In a tree with forks, rows that another thread may see stay, hidden from
this one; `collect` frees what no one sees.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable

from holdfast.backends.base import Batch, Drop, DropRow, DropWaiting
from holdfast.backends.rows import CheckpointRow, LineRow, TagRow, ThreadRow
from holdfast.engine import burial, places, tags, views
from holdfast.engine.context import Engine, Handle, now
from holdfast.engine.history import matching
from holdfast.engine.places import Here
from holdfast.engine.views import View
from holdfast.engine.writes import marking
from holdfast.errors import Contended

_ATTEMPTS = 100
_ALL = 1 << 62

Chosen = Callable[[View], Awaitable[list[CheckpointRow]]]


async def delete(engine: Engine, handle: Handle) -> None:
    """The whole thread, all namespaces; also one whose time is over. Deleting what is not there is a no-op."""
    root = Handle(handle.thread_id, "", handle.codec, None, False, handle.generation)
    for _ in range(_ATTEMPTS):
        here = (await places.find(engine, root, even_expired=True)).here
        if here is None:  # writes may wait for a first checkpoint
            await engine.backend.commit(Batch([], [], [DropWaiting(handle.thread_id, now() + 1)]))
            return
        places.bind(root, here.thread)
        handle.generation = root.generation
        lines = await engine.backend.namespaces(here.root.tree, here.root.line)
        if await engine.backend.commit(await burial.planned(engine, here)):
            for line in lines:
                places.forget(engine, handle.inner(line.namespace))
            return
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times while it was deleted; try again")


async def delete_checkpoints(engine: Engine, handle: Handle, ids: Iterable[str]) -> int:
    """Remove single checkpoints from this namespace; the survivors keep their nearest surviving ancestor as parent."""
    wanted = set(ids)

    async def chosen(view: View) -> list[CheckpointRow]:
        found = [await views.find(engine, view, one) for one in sorted(wanted)]
        return [row for row in found if row is not None]

    return await hide(engine, handle, chosen)


async def delete_run(engine: Engine, handle: Handle, run_id: str, *, by_id: bool = False) -> int:
    """Remove what one run saved, in every namespace of the thread. A record without a run id is never touched."""

    async def chosen(view: View) -> list[CheckpointRow]:
        where, keep = matching(handle, view, {"run_id": run_id})
        return await views.scan(engine, view, view.line.seq, _ALL, where, keep)

    return await _hide_everywhere(engine, handle, chosen, by_id)


async def keep_heads(engine: Engine, handle: Handle) -> int:
    """Remove everything but the latest checkpoint of each namespace."""

    async def chosen(view: View) -> list[CheckpointRow]:
        line = view.line
        head = (line.head_line, line.head_seq)
        return await views.scan(engine, view, line.seq, _ALL, keep=lambda row: (row.line, row.seq) != head)

    return await _hide_everywhere(engine, handle, chosen, by_id=False)


async def _hide_everywhere(engine: Engine, handle: Handle, chosen: Chosen, by_id: bool) -> int:
    """In every namespace of the thread."""
    here = await places.read(engine, handle.inner(""))
    found = await namespaces(engine, here.root) if here is not None else []
    return sum([await hide(engine, handle.inner(one), chosen, by_id=by_id) for one in found])


async def namespaces(engine: Engine, root: LineRow) -> list[str]:
    """Those the thread has written, and those it sees through what it was forked from."""
    found: set[str] = set()
    for line in await engine.backend.ancestry(root.tree, root.line):
        found |= {one.namespace for one in await engine.backend.namespaces(line.tree, line.line)}
    return sorted(found)


async def views_of(engine: Engine, thread: ThreadRow) -> AsyncIterator[tuple[str, View]]:
    """What a thread sees, by namespace; also of one whose time is over."""
    handle = Handle(thread.id, "", engine.codec)
    root = (await places.find(engine, handle, even_expired=True)).here
    for namespace in await namespaces(engine, root.root) if root is not None else []:
        here = (await places.find(engine, handle.inner(namespace), even_expired=True)).here
        if here is not None:
            yield namespace, await views.open_view(engine, here.line)


async def sees_any(engine: Engine, handle: Handle, root: LineRow) -> bool:
    """Whether the thread has a checkpoint. A fork whose own are all removed may still see those of inner namespaces,
    through its origin."""
    for namespace in await namespaces(engine, root):
        place = await places.find(engine, handle.inner(namespace))
        if place.line is not None and place.line.checkpoints:
            return True
    return False


async def delete_run_everywhere(engine: Engine, run_id: str, *, by_id: bool = False) -> int:
    """Remove a run from every thread that sees it, forks included."""
    removed = 0
    for tree in sorted({row.tree for row in await engine.backend.run_lines(run_id)}):
        for thread in await engine.backend.tree_threads(tree):
            removed += await delete_run(engine, Handle(thread.id, "", engine.codec), run_id, by_id=by_id)
    return removed


async def hide(engine: Engine, handle: Handle, chosen: Chosen, *, dry_run: bool = False, by_id: bool = False) -> int:
    """Remove the chosen checkpoints from this namespace's view; says how many. The head then is the last that is left,
    by number or by id."""
    for _ in range(_ATTEMPTS):
        here = await places.read(engine, handle)
        if here is None:
            return 0
        view = await views.open_view(engine, here.line)
        rows = await chosen(view)
        if not rows or dry_run:
            return len(rows)
        after, head = await _line_without(engine, view, here.head, {row.seq for row in rows}, by_id)
        batch = await marking(engine, here, [(row.seq, views.REMOVED, None, None) for row in rows], after)
        if not handle.namespace:
            batch = _retagged(batch, here, head and head._replace(status=view.status(head)))
        if await engine.backend.commit(batch):
            places.forget(engine, handle)
            return len(rows)
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times; try again")


async def _line_without(
    engine: Engine, view: View, head: CheckpointRow | None, removed: Collection[int], by_id: bool
) -> tuple[LineRow, CheckpointRow | None]:
    """The line once these are gone, and its head."""
    line = view.line
    if head is not None and head.seq not in removed:
        return line._replace(checkpoints=line.checkpoints - len(removed)), head
    if by_id:
        left = await views.scan_by_id(engine, view, None, 1, lambda row: row.seq not in removed)
    else:
        left = await views.scan(engine, view, line.seq, 1, keep=lambda row: row.seq not in removed)
    head = left[0] if left else None
    after = line._replace(
        checkpoints=line.checkpoints - len(removed),
        head_line=head.line if head is not None else 0,
        head_seq=head.seq if head is not None else 0,
    )
    return after, head


def _retagged(batch: Batch, here: Here, head: CheckpointRow | None) -> Batch:
    """The thread's status is that of its head."""
    drops: list[Drop] = []
    puts = list(batch.puts)
    if here.head is not None:
        drops.append(DropRow(TagRow, tags.status(here.thread.id, here.head.status)[:3]))
    if head is not None:
        puts.append(tags.status(here.thread.id, head.status))
    return Batch(batch.expects, puts, drops)
