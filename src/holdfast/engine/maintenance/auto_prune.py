"""Applying a retention while a thread is written.

Every few saves, a save also reads a bounded number of the oldest checkpoints and removes those that the retention does
not keep. Values that are no longer needed are freed once they take as much space as those that are. So the cost of a
save stays constant on average, and the length of the thread stays bounded.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from holdfast.backends.rows import CheckpointRow, LineRow
from holdfast.engine.checkpoints import deletion
from holdfast.engine.context import Engine, Handle
from holdfast.engine.maintenance import garbage, journal_trim, retention_rules
from holdfast.engine.maintenance.retention import Plan
from holdfast.engine.threads.location import Located, enclosing
from holdfast.errors import HoldfastError
from holdfast.model import Retention

_AT_ONCE: Final = 512  # checkpoints of one namespace that one pass reads
_PASSES: Final = 64  # before a pass starts from the oldest again: what stayed may be too old by then
_ENTRIES: Final = 2000  # of the journal that one pass reads
_CALLS: Final = 64  # namespaces of single calls that one pass removes
_INTERVAL: Final = 64  # saves between two passes, if the retention does not keep a number of checkpoints
_LEAST: Final = 256 * 1024  # bytes: collecting less is not worth its cost


class _Collected(NamedTuple):
    """The state of a line when its values were last freed."""

    size: int  # bytes that the line had ever stored
    needed: int  # bytes of the tree's values that stayed


async def after_save(engine: Engine, handle: Handle, here: Located, retention: Retention) -> None:
    """The save is stored whatever happens here. If a pass fails, the next one finds the same work."""
    if not _is_due(retention, here.line):
        return
    with suppress(HoldfastError):
        await _prune_oldest(engine, handle, here, retention)


def _is_due(retention: Retention, line: LineRow) -> bool:
    count = retention_rules.keep_last(retention, line.namespace)
    if count is None:
        return line.seq % _INTERVAL == 0
    return line.checkpoints > count and line.seq % max(8, count // 4) == 0


async def _prune_oldest(engine: Engine, handle: Handle, here: Located, retention: Retention) -> None:
    journal = await journal_trim.read(engine, handle, here.root, _ENTRIES)
    now = await engine.backend.now()
    key = ("pruned", here.line.tree, here.line.line)
    after, passes = engine.cache.get(key) or (0, 0)
    plan = Plan(engine, retention, now, handle.namespace, journal, _AT_ONCE, after=after)
    await deletion.hide(engine, handle, plan.choose)
    engine.cache.put(key, (_next_start(plan), passes + 1) if passes < _PASSES else (0, 0), 100)
    if not plan.removed:
        return
    lines = await engine.backend.namespaces(here.root.tree, here.root.line)
    await _prune_calls(engine, handle, plan, _calls(lines, handle.namespace, plan.removed[0]))
    if len(lines) == 1 and plan.saw_all:
        await journal_trim.trim(engine, journal, {"": plan.survivors}, dry_run=False)
    await _free(engine, here.line)


def _next_start(plan: Plan) -> int:
    """Where the next pass starts: after the checkpoints that were read, if all of them stay."""
    if plan.removed or plan.saw_end:
        return plan.after
    return max(row.seq for row in plan.survivors)


async def _prune_calls(engine: Engine, handle: Handle, plan: Plan, lines: Iterable[LineRow]) -> None:
    plans = {plan.namespace: plan}
    for line in lines:
        outer = plans.get(enclosing(line.namespace))
        removed = outer.removed_ids if outer is not None else set()
        inner = Plan(engine, plan.retention, plan.now, line.namespace, plan.journal, _AT_ONCE, removed)
        plans[line.namespace] = inner
        await deletion.hide(engine, handle.inner(line.namespace), inner.choose)


def _calls(lines: Iterable[LineRow], namespace: str, removed: CheckpointRow) -> list[LineRow]:
    """Namespaces inside this one that were not written since, those unused for longest; outer ones come first."""
    inside = [line for line in lines if line.checkpoints and _is_inside(line.namespace, namespace)]
    unused = [line for line in inside if line.updated_at <= removed.created_at]
    return sorted(sorted(unused, key=lambda line: line.updated_at)[:_CALLS], key=lambda line: line.namespace)


def _is_inside(namespace: str, outer: str) -> bool:
    return namespace.startswith(f"{outer}|") if outer else bool(namespace)


async def _free(engine: Engine, line: LineRow) -> None:
    key = ("collected", line.tree, line.line)
    before: _Collected | None = engine.cache.get(key)
    if before is None or line.size - before.size >= max(_LEAST, before.needed):
        needed = await garbage.collect_one(engine, line.tree)
        engine.cache.put(key, _Collected(line.size, needed), 200)
