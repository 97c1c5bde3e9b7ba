"""Removing checkpoints and threads: from the thread's own view first, and from storage once no other thread sees them.

A thread that is alone in its tree is dropped with the tree. In a tree with forks, rows that another thread may see
stay, hidden from this one; `collect` frees what no thread sees.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable

from holdfast.backends.base import Batch, Drop, drop_of
from holdfast.backends.rows import NO_LIMIT, CheckpointRow, LineRow, checked
from holdfast.engine.checkpoints.id_rules import NATIVE, IdRules
from holdfast.engine.checkpoints.overlays import Change, overlay_batch
from holdfast.engine.checkpoints.read import matching
from holdfast.engine.context import Engine, Handle
from holdfast.engine.retry import until_applied
from holdfast.engine.threads import location, namespaces, tags, tombstones, views
from holdfast.engine.threads.location import Located
from holdfast.engine.threads.views import View

Chosen = Callable[[View], Awaitable[list[CheckpointRow]]]


async def delete(engine: Engine, handle: Handle) -> None:
    """Delete the whole thread with all its namespaces, even if it has expired. Deleting a thread that does not exist is
    a no-op."""
    root = Handle(handle.thread_id, "", handle.codec, None, False, handle.generation)

    async def attempt() -> bool | None:
        here = (await location.find(engine, root, even_expired=True)).here
        if here is None:  # early writes may exist before a first checkpoint
            waiting = await tombstones.drop_early_writes(engine, handle.thread_id)
            return await engine.backend.commit(Batch([], [], [waiting]))
        location.bind(root, here.thread)
        handle.generation = root.generation
        # Read before the commit, which may remove them: what is cached of them is dropped afterwards.
        lines = await engine.backend.namespaces(here.root.tree, here.root.line)
        if not await engine.backend.commit(await tombstones.planned(engine, here)):
            return None
        for line in lines:
            location.forget(engine, handle.inner(line.namespace))
        return True

    await until_applied(handle.name, attempt)


async def delete_checkpoints(engine: Engine, handle: Handle, ids: Iterable[str]) -> int:
    """Remove single checkpoints from this namespace; the survivors keep their nearest surviving ancestor as parent."""
    wanted = set(ids)

    async def chosen(view: View) -> list[CheckpointRow]:
        found = [await views.find(engine, view, checkpoint_id) for checkpoint_id in sorted(wanted)]
        return [row for row in found if row is not None]

    return await hide(engine, handle, chosen)


async def delete_run(engine: Engine, handle: Handle, run_id: str, rules: IdRules = NATIVE) -> int:
    """Remove what one run saved, in every namespace of the thread. A record without a run id is never touched."""

    async def chosen(view: View) -> list[CheckpointRow]:
        where, keep = matching(handle, view, {"run_id": run_id})
        return await views.scan(engine, view, view.line.seq, NO_LIMIT, where, keep)

    return await _hide_everywhere(engine, handle, chosen, rules)


async def keep_heads(engine: Engine, handle: Handle) -> int:
    """Remove everything but the latest checkpoint of each namespace. A namespace of a single call, such as ``tool:1``,
    goes with the checkpoint of the enclosing namespace that the call started from, unless it waits for an answer."""
    count = 0
    removed: dict[str, set[str]] = {}  # ids, by namespace; an enclosing namespace comes first
    for name in await _namespaces(engine, handle):
        count += await hide(engine, handle.inner(name), _all_but_the_head(engine, name, removed))
    return count


def _all_but_the_head(engine: Engine, namespace: str, removed: dict[str, set[str]]) -> Chosen:
    is_call = ":" in namespace.rpartition("|")[2]
    removed_outside = removed.get(location.enclosing(namespace), set()) if is_call else set()

    async def chosen(view: View) -> list[CheckpointRow]:
        head = (view.line.head_line, view.line.head_seq)
        rows = await views.scan(engine, view, view.line.seq, NO_LIMIT)
        found = [row for row in rows if not ((row.line, row.seq) == head and _stays(view, row, removed_outside))]
        removed[namespace] = {row.id for row in found}
        return found

    return chosen


def _stays(view: View, head: CheckpointRow, removed_outside: Collection[str]) -> bool:
    return head.origin not in removed_outside or view.status(head).lower() == "interrupted"


async def _namespaces(engine: Engine, handle: Handle) -> list[str]:
    here = await location.read(engine, handle.inner(""))
    return await namespaces.names_of(engine, here.root) if here is not None else []


async def _hide_everywhere(engine: Engine, handle: Handle, chosen: Chosen, rules: IdRules) -> int:
    """In every namespace of the thread."""
    names = await _namespaces(engine, handle)
    return sum([await hide(engine, handle.inner(name), chosen, rules=rules) for name in names])


async def delete_run_everywhere(engine: Engine, run_id: str, rules: IdRules = NATIVE) -> int:
    """Remove a run from every thread that sees it, forks included."""
    removed = 0
    # Forks see a run that only their origin has written, so every thread of the tree is asked.
    for tree in sorted({checked(row).tree for row in await engine.backend.run_lines(run_id)}):
        for thread in map(checked, await engine.backend.tree_threads(tree)):
            removed += await delete_run(engine, Handle(thread.id, "", engine.codec), run_id, rules)
    return removed


async def hide(
    engine: Engine, handle: Handle, chosen: Chosen, *, dry_run: bool = False, rules: IdRules = NATIVE
) -> int:
    """Remove the chosen checkpoints from this namespace's view; returns how many. The newest one left, by the rules for
    ids, becomes the head."""

    async def attempt() -> int | None:
        here = await location.read(engine, handle)
        if here is None:
            return 0
        view = await views.open_view(engine, here.line)
        rows = await chosen(view)
        if not rows or dry_run:
            return len(rows)
        after, head = await _line_without(engine, view, here.head, {row.seq for row in rows}, rules)
        batch = await overlay_batch(engine, here, [Change(row.seq, views.REMOVED) for row in rows], after)
        if not handle.namespace:
            batch = _retagged(batch, here, head and head._replace(status=view.status(head)))
        if not await engine.backend.commit(batch):
            return None
        location.forget(engine, handle)
        return len(rows)

    return await until_applied(handle.name, attempt)


async def _line_without(
    engine: Engine, view: View, head: CheckpointRow | None, removed: Collection[int], rules: IdRules
) -> tuple[LineRow, CheckpointRow | None]:
    """The line once these are removed, and its head."""
    line = view.line._replace(checkpoints=view.line.checkpoints - len(removed))
    if head is not None and head.seq not in removed:
        return line, head
    head = await rules.newest_but(engine, view, removed)
    if head is None:
        return line._replace(head_line=0, head_seq=0), None
    return line._replace(head_line=head.line, head_seq=head.seq), head


def _retagged(batch: Batch, here: Located, head: CheckpointRow | None) -> Batch:
    """The thread's status is that of its head."""
    drops: list[Drop] = []
    puts = list(batch.puts)
    if here.head is not None:
        drops.append(drop_of(tags.status(here.thread.id, here.head.status)))
    if head is not None:
        puts.append(tags.status(here.thread.id, head.status))
    return Batch(batch.expects, puts, drops)
