"""The namespaces that a thread has written to, and those that it sees through what it was forked from."""

from __future__ import annotations

from collections.abc import AsyncIterator

from holdfast.backends.rows import LineRow, ThreadRow
from holdfast.engine.context import Engine, Handle
from holdfast.engine.threads import location, views
from holdfast.engine.threads.views import View


async def names_of(engine: Engine, root: LineRow) -> list[str]:
    names: set[str] = set()
    for line in await engine.backend.ancestry(root.tree, root.line):
        names |= {inner.namespace for inner in await engine.backend.namespaces(line.tree, line.line)}
    return sorted(names)


async def views_of(engine: Engine, thread: ThreadRow) -> AsyncIterator[tuple[str, View]]:
    """What a thread sees, by namespace, even if it has expired."""
    handle = Handle(thread.id, "", engine.codec)
    root = (await location.find(engine, handle, even_expired=True)).here
    for namespace in await names_of(engine, root.root) if root is not None else []:
        here = (await location.find(engine, handle.inner(namespace), even_expired=True)).here
        if here is not None:
            yield namespace, await views.open_view(engine, here.line)


async def sees_any(engine: Engine, handle: Handle, root: LineRow) -> bool:
    """Whether the thread has a checkpoint. A fork whose own checkpoints are all removed may still see those of inner
    namespaces, through its origin."""
    for namespace in await names_of(engine, root):
        lookup = await location.find(engine, handle.inner(namespace))
        if lookup.line is not None and lookup.line.checkpoints:
            return True
    return False
