"""Expiry: threads whose ttl has passed are removed.

An expired thread reads as deleted from the moment at which it expires (see `threads/lifetime.py`). `expire` only frees
the space that it takes. An index finds the threads that have a ttl. Each expired thread is removed by a batch of its
own, which checks again that it has expired and that no writer used it in between. An interrupted call can be repeated,
and finds less to do.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

from holdfast.backends.base import Batch, Listed, Progress
from holdfast.backends.rows import TagRow, checked, key_of
from holdfast.engine.context import Engine, Handle
from holdfast.engine.threads import lifetime, location, tags, tombstones
from holdfast.errors import Contended, Corrupt
from holdfast.model import ExpireReport

_PAGE: Final = 500
_AT_ONCE: Final = 50  # threads whose batches are committed together
_NAMED: Final = 1000


@dataclass
class _Expiry:
    engine: Engine
    limit: int | None
    dry_run: bool
    expired: int = 0
    held: int = 0
    seen: int = 0
    ids: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        return self.limit is not None and self.expired >= self.limit

    async def handle_page(self, page: list[Listed]) -> None:
        """Every row of the page is checked, even those past the limit, so that the report counts them."""
        ids = [row.thread.id for row in page if await self._has_expired(row)]
        if self.limit is not None:
            ids = ids[: self.limit - self.expired]
        for start in range(0, len(ids), _AT_ONCE):
            removed = await self._remove(ids[start : start + _AT_ONCE])
            self.expired += len(removed)
            self.ids += removed[: _NAMED - len(self.ids)]

    async def _has_expired(self, row: Listed) -> bool:
        self.seen += 1
        try:
            if row.root is None:
                raise Corrupt("its root line is missing")
            end = lifetime.end_of(checked(row.thread), checked(row.root))
            if end is None or await lifetime.store_time(self.engine) < end:
                return False
            expired = await lifetime.has_expired(self.engine, row.thread, row.root)
        except Corrupt as error:
            self._skip(row.thread.id, error)
            return False
        self.held += not expired and lifetime.is_live(row.root, await self.engine.backend.now())
        return expired

    async def _remove(self, ids: list[str]) -> list[str]:
        """Remove threads by a batch each; the batches may share one wait for the disk. Returns those that were
        removed."""
        if self.dry_run:
            return ids
        plans = {thread_id: batch for thread_id in ids if (batch := await self._plan(thread_id)) is not None}
        applied = await self.engine.backend.commit_each(list(plans.values()))
        removed = [thread_id for thread_id, done in zip(plans, applied, strict=True) if done]
        # A writer was faster, or another thread of the same tree was removed: these are checked again.
        left = [thread_id for thread_id in ids if thread_id not in removed]
        return removed + [thread_id for thread_id in left if await self._remove_alone(thread_id)]

    async def _plan(self, thread_id: str) -> Batch | None:
        try:
            handle = Handle(thread_id, "", self.engine.codec)
            here = (await location.find(self.engine, handle, even_expired=True)).here
            if here is None or not await lifetime.has_expired(self.engine, here.thread, here.root):
                return None
            return await tombstones.planned(self.engine, here)
        except Corrupt:
            return None

    async def _remove_alone(self, thread_id: str) -> bool:
        """False if a writer used the thread in between, or if it can't be removed."""
        try:
            return await tombstones.delete_expired(self.engine, thread_id)
        except (Contended, Corrupt) as error:
            self._skip(thread_id, error)
            return False

    def _skip(self, thread_id: str, error: Exception) -> None:
        self.skipped.append(f"thread {thread_id!r}: {error}")


async def expire(engine: Engine, limit: int | None, dry_run: bool, progress: Progress | None) -> ExpireReport:
    engine.check_open()
    lifetime.ask_again(engine)
    expiry = _Expiry(engine, limit, dry_run)
    async for page in _pages(engine):
        await expiry.handle_page(page)
        if progress is not None:
            progress(expiry.seen, expiry.expired)
        if expiry.is_full:
            break
    return ExpireReport(
        expired=expiry.expired, thread_ids=tuple(expiry.ids), held=expiry.held, seen=expiry.seen,
        skipped=tuple(expiry.skipped), dry_run=dry_run,
    )  # fmt: skip


async def _pages(engine: Engine) -> AsyncIterator[list[Listed]]:
    """The threads that have a ttl."""
    after: tuple[str, ...] = (*tags.TTL, "")
    while True:
        page = await engine.backend.scan(TagRow, None, after, _PAGE)
        ids = [row.thread for row in page if (row.key, row.value) == tags.TTL]
        if not ids:
            return
        listed = {row.thread.id: row for row in await engine.backend.threads("", [tags.TTL], after[2], len(ids))}
        # A list of threads leaves out those without a checkpoint.
        rows = [listed.get(thread_id) or await _unlisted(engine, thread_id) for thread_id in ids]
        yield [row for row in rows if row is not None]
        after = key_of(page[len(ids) - 1])


async def _unlisted(engine: Engine, thread_id: str) -> Listed | None:
    found = await engine.backend.find(thread_id, "", b"")
    return None if found.thread is None else Listed(found.thread, found.root, found.head)
