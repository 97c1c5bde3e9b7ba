"""Checkpoints whose thread is gone, and which forks of it still show: they count for the first of these."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from holdfast.backends.base import Listed, Tally
from holdfast.backends.rows import LineRow
from holdfast.engine import reach, removal, views
from holdfast.engine.context import Engine
from holdfast.engine.foreign import DAY
from holdfast.errors import Corrupt

_ALL: Final = 1 << 62
Base = tuple[int, int]  # tree and root line of what a thread was forked from


def base_of(row: Listed) -> list[Base]:
    return [] if row.root is None or row.root.base_line is None else [(row.root.tree, row.root.base_line)]


async def orphaned(engine: Engine, bases: Collection[Base], over: Collection[str]) -> set[int]:
    """The trees in which a thread was forked from one that is gone, or whose time is over."""
    found = set()
    for tree, line in bases:
        origin = await engine.backend.thread_of(tree, line)
        if origin is None or origin.id in over:
            found.add(tree)
    return found


async def inherited(engine: Engine, number: int, over: Collection[str]) -> list[Tally]:
    """What the living threads of a tree show of those that are gone. Nothing, if it is damaged: verify() tells."""
    try:
        return await _inherited(engine, number, over)
    except Corrupt:
        return []


async def _inherited(engine: Engine, number: int, over: Collection[str]) -> list[Tally]:
    threads = await engine.backend.tree_threads(number)
    living = {thread.line: thread for thread in threads if thread.id not in over}
    known = {thread.line for thread in threads}
    owners = {line.line: line.thread for line in await reach.scanned(engine, LineRow, number)}
    seen: set[tuple[int, int]] = set()
    found = []
    for thread in sorted(living.values()):
        async for _, view in removal.views_of(engine, thread):
            below = await views.inherited(engine, view) if view.line.base_line is not None else []
            for row in await views.scan_segments(engine, view, below, _ALL, _ALL):
                owner = owners.get(row.line)
                if owner not in living and (row.line, row.seq) not in seen:
                    seen.add((row.line, row.seq))
                    stored = 0 if owner in known else len(row.metadata) + len(row.manifest)  # else it is counted there
                    found.append(Tally(thread.id, number, row.created_at // DAY, 1, row.size, stored))
    return found
