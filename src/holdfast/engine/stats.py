"""Stats: what a store holds, added up where it is kept, a page of trees at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from heapq import nlargest
from typing import Final

from holdfast.backends.base import Listed, Progress, Tally
from holdfast.engine import clocks, heirs
from holdfast.engine.context import Engine
from holdfast.errors import Corrupt
from holdfast.model import DayStats, StoreStats, ThreadStats

_TREES: Final = 500
_THREADS: Final = 500
_LARGEST: Final = 10
_FIRST_DAY: Final = date(1970, 1, 1)


async def stats(engine: Engine, progress: Progress | None = None) -> StoreStats:
    engine.check_open()
    for backlog in list(engine.backlogs.values()):
        backlog.flush()
    threads, over, bases = await _threads(engine)
    orphaned = await heirs.orphaned(engine, bases, over)
    total = _Total(over)
    after, done = 0, 0
    while trees := await engine.backend.trees(after, _TREES):
        tallies = await engine.backend.tally(trees[0], trees[-1])
        for tree in orphaned.intersection(trees):
            tallies += await heirs.inherited(engine, tree, over)
        total.add(tallies)
        after, done = trees[-1], done + len(trees)
        if progress is not None:
            progress(done, done)
    return StoreStats(
        threads=threads,
        checkpoints=sum(day.checkpoints for day in total.days.values()),
        logical_bytes=sum(day.bytes for day in total.days.values()),
        stored_bytes=await engine.backend.bytes_stored(),
        largest=tuple(total.largest),
        days=tuple(total.days[day] for day in sorted(total.days)),
    )


async def _threads(engine: Engine) -> tuple[int, set[str], set[heirs.Base]]:
    """How many there are, the ids of those whose time is over, and what the others were forked from."""
    now = await engine.backend.now()
    count, over, bases, after = 0, set[str](), set[heirs.Base](), ""
    while rows := await engine.backend.threads("", [], after, _THREADS):
        gone = {row.thread.id for row in rows if _is_over(row, now)}
        count, over, after = count + len(rows) - len(gone), over | gone, rows[-1].thread.id
        bases.update(base for row in rows if row.thread.id not in gone for base in heirs.base_of(row))
    return count, over, bases


def _is_over(row: Listed, now: int) -> bool:
    if row.root is None:
        return False
    try:
        end = clocks.end_of(row.thread, row.root)
    except Corrupt:
        return False
    return end is not None and end <= now and not clocks.is_live(row.root, now)


@dataclass
class _Total:
    over: set[str]
    days: dict[int, DayStats] = field(default_factory=dict)
    largest: list[ThreadStats] = field(default_factory=list)

    def add(self, tallies: Iterable[Tally]) -> None:
        """A page of trees. Of the threads in it only those are kept that may be among the largest."""
        threads: dict[str, tuple[int, int, int]] = {}
        stored: dict[int, int] = {}
        for one in tallies:
            stored[one.tree] = stored.get(one.tree, 0) + one.stored
            if one.thread and one.thread not in self.over:
                self._add_day(one)
                _, checkpoints, size = threads.get(one.thread, (0, 0, 0))
                threads[one.thread] = (one.tree, checkpoints + one.checkpoints, size + one.size)
        found = [
            ThreadStats(id=name, checkpoints=checkpoints, logical_bytes=size, stored_bytes=stored[tree])
            for name, (tree, checkpoints, size) in threads.items()
        ]
        self.largest = nlargest(_LARGEST, [*self.largest, *found], key=lambda thread: thread.logical_bytes)

    def _add_day(self, one: Tally) -> None:
        known = self.days.get(one.day)
        self.days[one.day] = DayStats(
            day=_FIRST_DAY + timedelta(days=one.day),
            checkpoints=one.checkpoints + (known.checkpoints if known else 0),
            bytes=one.size + (known.bytes if known else 0),
        )
