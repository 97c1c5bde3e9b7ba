"""Statistics: what a store holds, added up by the backend, one page of trees at a time.

The backend counts a checkpoint for the thread that saved it. If that thread is gone and forks still see the checkpoint,
it counts for the first of these forks.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from heapq import nlargest
from typing import Final

from holdfast.backends.base import Listed, Progress, Tally
from holdfast.backends.rows import DAY, LATEST, NO_LIMIT, CheckpointRow, LineRow, ThreadRow, checked
from holdfast.engine import table_scan
from holdfast.engine.context import Engine
from holdfast.engine.threads import lifetime, namespaces, views
from holdfast.errors import Corrupt
from holdfast.model import DayStats, StoreStats, ThreadStats

_THREADS: Final = 500
_LARGEST: Final = 10
_FIRST_DAY: Final = date(1970, 1, 1)
_LAST_DAY: Final = LATEST // DAY
_RootKey = tuple[int, int]
"""The tree and the number of a root line."""


async def stats(engine: Engine, progress: Progress | None = None) -> StoreStats:
    engine.check_open()
    engine.flush_all()
    threads = await _count_threads(engine)
    with_orphans = await _trees_with_orphans(engine, threads)
    total, done = _Total(threads.expired), 0
    async for trees in table_scan.tree_pages(engine.backend):
        tallies = await engine.backend.tally(trees[0], trees[-1])
        for tree in with_orphans.intersection(trees):
            tallies += await _orphan_tallies(engine, tree, threads.expired)
        total.add(tallies)
        done += len(trees)
        if progress is not None:
            progress(done, done)
    return StoreStats(
        threads=threads.count,
        checkpoints=sum(day.checkpoints for day in total.days.values()),
        logical_bytes=sum(day.bytes for day in total.days.values()),
        stored_bytes=await engine.backend.bytes_stored(),
        largest=tuple(total.largest),
        days=tuple(total.days[day] for day in sorted(total.days)),
    )


@dataclass
class _Threads:
    count: int = 0
    expired: set[str] = field(default_factory=set)
    origins: set[_RootKey] = field(default_factory=set)  # what the others were forked from


async def _count_threads(engine: Engine) -> _Threads:
    now = await engine.backend.now()
    threads, after = _Threads(), ""
    while page := await engine.backend.threads("", [], after, _THREADS):
        for row in page:
            if _has_expired(row, now):
                threads.expired.add(row.thread.id)
                continue
            threads.count += 1
            if row.root is not None and row.root.base_line is not None:
                threads.origins.add((row.root.tree, row.root.base_line))
        after = page[-1].thread.id
    return threads


def _has_expired(row: Listed, now: int) -> bool:
    if row.root is None:
        return False
    try:
        end = lifetime.end_of(checked(row.thread), checked(row.root))
    except Corrupt:
        return False
    return end is not None and end <= now and not lifetime.is_live(row.root, now)


@dataclass
class _Total:
    expired: set[str]
    days: dict[int, DayStats] = field(default_factory=dict)
    largest: list[ThreadStats] = field(default_factory=list)

    def add(self, tallies: Iterable[Tally]) -> None:
        """One page of trees. Only the threads that may be among the largest are kept."""
        threads: dict[str, tuple[int, int, int]] = {}
        stored: dict[int, int] = {}
        for tally in filter(_is_sound, tallies):
            stored[tally.tree] = stored.get(tally.tree, 0) + tally.stored
            if tally.thread and tally.thread not in self.expired:
                self._add_day(tally)
                _, checkpoints, size = threads.get(tally.thread, (0, 0, 0))
                threads[tally.thread] = (tally.tree, checkpoints + tally.checkpoints, size + tally.size)
        candidates = [
            ThreadStats(id=name, checkpoints=checkpoints, logical_bytes=size, stored_bytes=stored[tree])
            for name, (tree, checkpoints, size) in threads.items()
        ]
        self.largest = nlargest(_LARGEST, [*self.largest, *candidates], key=lambda thread: thread.logical_bytes)

    def _add_day(self, tally: Tally) -> None:
        before = self.days.get(tally.day)
        self.days[tally.day] = DayStats(
            day=_FIRST_DAY + timedelta(days=tally.day),
            checkpoints=tally.checkpoints + (before.checkpoints if before else 0),
            bytes=tally.size + (before.bytes if before else 0),
        )


def _is_sound(tally: Tally) -> bool:
    """A backend adds up rows without looking at their checksums, so damaged ones may give anything."""
    return all(type(number) is int for number in tally[1:]) and 0 <= tally.day <= _LAST_DAY


# ------------------------------------------------------------------------------------------------ orphaned checkpoints


async def _trees_with_orphans(engine: Engine, threads: _Threads) -> set[int]:
    """The trees in which a thread was forked from one that is deleted or expired."""
    trees = set()
    for tree, line in threads.origins:
        origin = await engine.backend.thread_of(tree, line)
        if origin is None or origin.id in threads.expired:
            trees.add(tree)
    return trees


async def _orphan_tallies(engine: Engine, tree: int, expired: Collection[str]) -> list[Tally]:
    """What the living threads of a tree show of those that are gone. A damaged tree adds nothing: `verify` reports
    it."""
    try:
        return [tally async for tally in _each_orphan(engine, tree, expired)]
    except Corrupt:
        return []


async def _each_orphan(engine: Engine, tree: int, expired: Collection[str]) -> AsyncIterator[Tally]:
    threads = await engine.backend.tree_threads(tree)
    living = {thread.line: thread for thread in threads if thread.id not in expired}
    listed = {thread.line for thread in threads}
    owners = {line.line: line.thread for line in await table_scan.sound_rows(engine.backend, LineRow, tree)}
    counted: set[tuple[int, int]] = set()
    for thread in sorted(living.values()):
        async for row in _inherited_rows(engine, thread):
            owner = owners.get(row.line)
            if owner in living or (row.line, row.seq) in counted:
                continue
            counted.add((row.line, row.seq))
            # The bytes of an expired thread that is still listed are in its own tally.
            stored = 0 if owner in listed else len(row.metadata) + len(row.manifest)
            yield Tally(thread.id, tree, row.created_at // DAY, 1, row.size, stored)


async def _inherited_rows(engine: Engine, thread: ThreadRow) -> AsyncIterator[CheckpointRow]:
    """The checkpoints that a thread sees through the lines it was forked from."""
    async for _, view in namespaces.views_of(engine, thread):
        if view.line.base_line is not None:
            segments = await views.inherited(engine, view)
            for row in await views.scan_segments(engine, view, segments, NO_LIMIT, NO_LIMIT):
                yield row
