"""A retention that is applied as a thread is written.

Every so many saves the oldest checkpoints are looked at, a bounded number of them, and what the retention does not keep
is removed; values that nobody needs any more are freed once they are as much as what is needed. So the work of a save
stays the same on average, however long the thread goes on, and the thread stays as long as it is meant to be.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from holdfast.backends.rows import CheckpointRow, LineRow
from holdfast.engine import collect, removal, rules, terms, trimming
from holdfast.engine.context import Engine, Handle
from holdfast.engine.places import Here, enclosing
from holdfast.engine.retention import Plan
from holdfast.errors import HoldfastError
from holdfast.model import Retention

_LOOKED_AT: Final = 512  # checkpoints of one namespace, at once
_LOOKS: Final = 64  # before the oldest are looked at again: what stayed may be too old by then
_ENTRIES: Final = 2000  # of the journal
_CALLS: Final = 64  # namespaces that may go with the call that they belong to
_USUAL: Final = 64  # saves between two looks, if no number is to be kept
_LEAST: Final = 256 * 1024  # bytes, for which it is not worth the while to collect


class _Collected(NamedTuple):
    """A line when values were last freed."""

    size: int  # bytes that it has ever stored
    needed: int  # of the tree's values


async def after_save(engine: Engine, handle: Handle, here: Here) -> None:
    """What was saved is stored, whatever happens here: if it does not work out, the next look finds the same."""
    retention = terms.of(here.thread).retention or engine.usual.retention
    if retention is None or not engine.tends or not _is_due(retention, here.line):
        return
    with suppress(HoldfastError):
        await _tend(engine, handle, here, retention)


def _is_due(retention: Retention, line: LineRow) -> bool:
    count = rules.keep_last(retention, line.namespace)
    if count is None:
        return line.seq % _USUAL == 0
    return line.checkpoints > count and line.seq % max(8, count // 4) == 0


async def _tend(engine: Engine, handle: Handle, here: Here, retention: Retention) -> None:
    journal = await trimming.read(engine, handle, here.root, _ENTRIES)
    now = await engine.backend.now()
    key = ("tended", here.line.tree, here.line.line)
    after, looks = engine.cache.get(key) or (0, 0)
    plan = Plan(engine, retention, now, handle.namespace, journal, _LOOKED_AT, after=after)
    await removal.hide(engine, handle, plan.chosen)
    if not plan.removed and not plan.saw_end:  # the next look goes on behind what all stays
        after = max(row.seq for row in plan.survivors)
    engine.cache.put(key, (after, looks + 1) if looks < _LOOKS else (0, 0), 100)
    if not plan.removed:
        return
    lines = await engine.backend.namespaces(here.root.tree, here.root.line)
    plans = {handle.namespace: plan}
    for line in _calls(lines, handle.namespace, plan.removed[0]):
        outer = plans.get(enclosing(line.namespace))
        gone = {row.id for row in outer.removed} if outer is not None else set()
        inner = plans[line.namespace] = Plan(engine, retention, now, line.namespace, journal, _LOOKED_AT, gone)
        await removal.hide(engine, handle.inner(line.namespace), inner.chosen)
    if len(lines) == 1 and plan.saw_all:
        await trimming.trim(engine, journal, {"": plan.survivors}, dry_run=False)
    await _free(engine, here.line)


def _calls(lines: Iterable[LineRow], namespace: str, removed: CheckpointRow) -> list[LineRow]:
    """Namespaces inside this one that were not written to since; the longest ago first, then the outer ones."""
    inside = [
        line for line in lines
        if line.checkpoints and line.updated_at <= removed.created_at and _is_inside(line.namespace, namespace)
    ]  # fmt: skip
    return sorted(sorted(inside, key=lambda line: line.updated_at)[:_CALLS], key=lambda line: line.namespace)


def _is_inside(namespace: str, outer: str) -> bool:
    return namespace.startswith(f"{outer}|") if outer else bool(namespace)


async def _free(engine: Engine, line: LineRow) -> None:
    key = ("collected", line.tree, line.line)
    before: _Collected | None = engine.cache.get(key)
    if before is None or line.size - before.size >= max(_LEAST, before.needed):
        needed = await collect.collect_one(engine, line.tree)
        engine.cache.put(key, _Collected(line.size, needed), 200)
