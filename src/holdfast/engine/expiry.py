"""Expiring: threads whose time is over are removed, some at a time.

They read as deleted from the moment on at which they expire (see `clocks`), so that this only frees what they take up.
Those that have a ttl are found by an index. Each is looked at again in the batch that removes it: whoever used it
meanwhile keeps it. Whoever is stopped in between starts over, and finds less to do.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

from holdfast.backends.base import Batch, Listed, Progress
from holdfast.backends.rows import TagRow, checked
from holdfast.engine import burial, clocks, places, tags
from holdfast.engine.context import Engine, Handle
from holdfast.engine.places import Here
from holdfast.errors import Corrupt
from holdfast.model import ExpireReport

_PAGE: Final = 500
_AT_ONCE: Final = 50  # threads in one batch: so long others wait
_NAMED: Final = 1000


@dataclass
class _Count:
    expired: int = 0
    held: int = 0
    seen: int = 0
    ids: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def add(self, thread_id: str) -> None:
        self.expired += 1
        if len(self.ids) < _NAMED:
            self.ids.append(thread_id)


async def expire(engine: Engine, limit: int | None, dry_run: bool, progress: Progress | None) -> ExpireReport:
    engine.check_open()
    total = _Count()
    async for page in _pages(engine):
        over = [row for row in page if await _is_over(engine, row, total)]
        if limit is not None:
            over = over[: limit - total.expired]
        for start in range(0, len(over), _AT_ONCE):
            some = over[start : start + _AT_ONCE]
            for thread_id in [row.thread.id for row in some] if dry_run else await _removed(engine, some):
                total.add(thread_id)
        if progress is not None:
            progress(total.seen, total.expired)
        if limit is not None and total.expired >= limit:
            break
    return ExpireReport(
        expired=total.expired, thread_ids=tuple(total.ids), held=total.held, seen=total.seen,
        skipped=tuple(total.skipped), dry_run=dry_run,
    )  # fmt: skip


async def _pages(engine: Engine) -> AsyncIterator[list[Listed]]:
    """The threads that have a ttl. A list of threads leaves out those in which nothing is saved yet."""
    key: tuple[str, ...] = (*tags.TTL, "")
    while True:
        found = [row for row in await engine.backend.scan(TagRow, None, key, _PAGE) if row[:2] == tags.TTL]
        if not found:
            return
        listed = {row.thread.id: row for row in await engine.backend.threads("", [tags.TTL], key[2], len(found))}
        yield [row for one in found if (row := listed.get(one.thread) or await _alone(engine, one.thread)) is not None]
        key = found[-1][:3]


async def _alone(engine: Engine, thread_id: str) -> Listed | None:
    found = await engine.backend.find(thread_id, "", b"")
    return None if found.thread is None else Listed(found.thread, found.root, found.head)


async def _is_over(engine: Engine, row: Listed, total: _Count) -> bool:
    total.seen += 1
    try:
        if row.root is None:
            raise Corrupt("it has no root line: its row is missing")
        end = clocks.end_of(checked(row.thread), checked(row.root))
        if end is None or await clocks.reckoned(engine) < end:
            return False
        is_over = await clocks.has_expired(engine, row.thread, row.root)
        total.held += not is_over and clocks.is_live(row.root, await engine.backend.now())
        return is_over
    except Corrupt as error:
        total.skipped.append(f"thread {row.thread.id!r}: {error}")
        return False


async def _removed(engine: Engine, rows: list[Listed]) -> list[str]:
    """Together, if nobody uses one of them meanwhile; else one by one."""
    plans = [(row.thread.id, await _plan(engine, row)) for row in _apart(rows)]
    found = [(thread_id, batch) for thread_id, batch in plans if batch is not None]
    whole = Batch(
        [one for _, batch in found for one in batch.expects],
        [one for _, batch in found for one in batch.puts],
        [one for _, batch in found for one in batch.drops],
    )
    done = [thread_id for thread_id, _ in found] if found and await engine.backend.commit(whole) else []
    left = [row.thread.id for row in rows if row.thread.id not in done]
    return done + [thread_id for thread_id in left if await burial.bury_expired(engine, thread_id)]


def _apart(rows: list[Listed]) -> list[Listed]:
    """One of each tree: the last of a tree's threads takes it along, and none of them knows of the others."""
    return list({row.thread.tree: row for row in rows}.values())


async def _plan(engine: Engine, row: Listed) -> Batch | None:
    here: Here | None = (await places.find(engine, Handle(row.thread.id, "", engine.codec), even_expired=True)).here
    if here is None or not await clocks.has_expired(engine, here.thread, here.root):
        return None
    return await burial.planned(engine, here)
