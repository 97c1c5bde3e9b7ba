"""Which earlier thread a fork can share its inherited checkpoints with."""

from __future__ import annotations

from collections.abc import Collection

from holdfast.backends.rows import LineRow, ThreadRow
from holdfast.engine.context import Engine
from holdfast.engine.threads import views
from holdfast.engine.threads.segments import Segment
from holdfast.engine.threads.views import View
from holdfast.transfer import outline


async def candidates(engine: Engine, root: LineRow, earlier: Collection[str]) -> list[str]:
    """Threads that a fork may share with: its origins, nearest first, then one that has a common origin."""
    backend = engine.backend
    bases = [line.line for line in (await backend.ancestry(root.tree, root.line))[1:]]
    origins = [await backend.thread_of(root.tree, line) for line in bases]
    found = [origin.id for origin in origins if origin is not None and origin.id in earlier]
    for thread in await backend.tree_threads(root.tree):
        if thread.id in earlier and thread.id not in found and await _descends(engine, thread, bases):
            return [*found, thread.id]
    return found


async def _descends(engine: Engine, thread: ThreadRow, bases: list[int]) -> bool:
    """Whether a thread was forked from one of these lines."""
    lines = await engine.backend.ancestry(thread.tree, thread.line)
    return any(line.line in bases for line in lines[1:])


async def covers(engine: Engine, base: View, view: View) -> bool:
    """Whether a view of another thread has every checkpoint that this one inherits."""
    available = await outline.segments(engine, base)
    if not all(_is_covered(segment, available) for segment in await views.inherited(engine, view)):
        return False
    overlaid = [seq for seq in base.overlays if seq <= view.line.base_seq]
    return all(_is_seen_alike(base, view, seq) for seq in overlaid)


def _is_covered(segment: Segment, available: list[Segment]) -> bool:
    low = segment.lo
    for other in available:
        if other.line == segment.line and other.lo <= low <= other.hi:
            low = other.hi + 1
    return low > segment.hi


def _is_seen_alike(base: View, view: View, seq: int) -> bool:
    # A checkpoint that was saved again has another parent in views that see the second save than in those that do not.
    if base.was_replaced(seq):
        return view.was_replaced(seq)
    return view.hides(seq) or not base.hides(seq)


async def last_shared(engine: Engine, view: View) -> int:
    """The last checkpoint that a view inherits: the fork point, or the nearest one below it that is not removed."""
    inherited = await views.inherited(engine, view)
    rows = await views.scan_segments(engine, view, inherited, view.line.base_seq, 1)
    return rows[0].seq if rows else 0


async def annotations_differ(engine: Engine, base: View, view: View) -> bool:
    """Whether two views have different labels, statuses or writes for the checkpoints that one inherits."""
    last = view.line.base_seq
    async for rows in outline.pages(engine, view):
        shared = [row for row in rows if row.seq <= last]
        ours = await outline.annotation_hashes(engine, view, shared, last)
        if ours != await outline.annotation_hashes(engine, base, shared, last):
            return True
        if len(shared) < len(rows):
            break
    return False
