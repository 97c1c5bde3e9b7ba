"""Copies threads from one store to another: what the target lacks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from holdfast.engine.context import Engine
from holdfast.errors import Contended, Corrupt, NotFound
from holdfast.transfer.report import Listener, ProgressReporter, TransferReport
from holdfast.transfer.source.thread_reader import OpenedThread, Source
from holdfast.transfer.target.target_thread import DeltaBaseMissing, SharedHistoryMissing
from holdfast.transfer.target.thread_writer import Target
from holdfast.transfer.thread_failures import OF_ONE_THREAD, ThreadFailures, naming_thread
from holdfast.transfer.thread_ids import check_distinct, checked_ids, checked_names, source_ids

_ATTEMPTS: Final = 20


async def copy(
    source: Engine, target: Engine, thread_ids: Iterable[str] | None, as_: Mapping[str, str] | None,
    progress: Listener | None,
) -> TransferReport:  # fmt: skip
    """Copy threads, or all; `as_` gives some of them another id in the target."""
    origin, renamed = Source(source), checked_names(as_)
    ids = await origin.order(checked_ids(thread_ids))
    check_distinct(ids, renamed)
    destination = Target(target, renamed)
    copying = _Copy(origin, destination, ProgressReporter(progress, len(ids), destination.counts))
    try:
        await copying.all(ids, named=thread_ids is not None)
    finally:
        # Threads that are complete are stored, even if an error ends the transfer.
        await destination.queue.flush()
    await copying.again(source_ids(destination.queue.take_conflicts(), renamed))
    copying.failures.check()
    return destination.counts.report()


@dataclass(eq=False)
class _Copy:
    """A copy of several threads."""

    source: Source
    target: Target
    reporter: ProgressReporter
    failures: ThreadFailures = field(default_factory=ThreadFailures)
    copied: list[str] = field(default_factory=list)
    """Threads that later ones may share checkpoints with."""

    async def all(self, ids: list[str], *, named: bool) -> None:
        """Copy these threads. One that is no longer there is an error only if the caller named it."""
        for thread_id in ids:
            try:
                await self._one(thread_id)
                self.copied.append(thread_id)
            except Corrupt as error:
                # Its forks are copied with the checkpoints that they would share with it.
                self.failures.add(error)
            except OF_ONE_THREAD as error:
                self.failures.add(error)
                self.copied.append(thread_id)
            except NotFound:
                if named:
                    raise
            self.reporter.after(thread_id)

    async def again(self, ids: list[str]) -> None:
        """Threads that another writer created in the target while they were in the queue."""
        for thread_id in ids:
            try:
                await self._one(thread_id)
                await self.target.queue.flush()
                if self.target.queue.take_conflicts():
                    raise Contended(f"thread {thread_id!r}: another writer created it in the target again; try again")
            except OF_ONE_THREAD as error:
                self.failures.add(error)

    async def _one(self, thread_id: str) -> None:
        with naming_thread(thread_id):
            await self._until_copied(thread_id)

    async def _until_copied(self, thread_id: str) -> None:
        """Try again if the thread changes on either side. What was moved by then is not moved again."""
        earlier: Collection[str] = self.copied
        self_contained = False
        for _ in range(_ATTEMPTS):
            opened = await self.source.open(thread_id, earlier)
            try:
                await self._attempt(opened, self_contained)
                return
            except SharedHistoryMissing:
                earlier = ()
            except DeltaBaseMissing:
                self_contained = True
            except Contended:
                continue
            except Corrupt:
                if not await self.source.has_changed(opened):
                    raise
        raise Contended(f"thread {thread_id!r}: other writers were faster {_ATTEMPTS} times; try again")

    async def _attempt(self, opened: OpenedThread, self_contained: bool) -> None:
        writer = await self.target.open(opened.record)
        async for page in opened.outline():
            await writer.compare(page)
        request = await writer.request()
        if request is not None:
            request.self_contained = self_contained
            async for record in opened.content(request):
                await writer.write(record)
                self.reporter.within(opened.thread.id)
        await writer.finish()
