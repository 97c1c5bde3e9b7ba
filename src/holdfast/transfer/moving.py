"""Export, import and copy: a source, a target, and what is between them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from holdfast.engine.context import Engine
from holdfast.engine.steady import Again
from holdfast.errors import (
    Conflict,
    Contended,
    Corrupt,
    Deleted,
    HoldfastError,
    InvalidArgument,
    NotFound,
    ThreadBusy,
)
from holdfast.ids import check_id
from holdfast.transfer import bundle, lines, places, records
from holdfast.transfer.reports import Counts, Listener, TransferProgress, TransferReport
from holdfast.transfer.source import Opened, Source
from holdfast.transfer.standing import Unbased, Unshared
from holdfast.transfer.target import Incoming, Target

_ATTEMPTS: Final = 20
_EVERY: Final = 200  # checkpoints between two calls of a listener


def _ids(thread_ids: Iterable[str] | None) -> list[str] | None:
    if thread_ids is None:
        return None
    if isinstance(thread_ids, str | bytes):
        raise InvalidArgument(f"thread_ids is a list; for one, write [{thread_ids!r}]")
    return [check_id(one, "a thread id") for one in thread_ids]


@dataclass(eq=False)
class _Telling:
    """Calls a listener now and then."""

    listener: Listener | None
    total: int
    counts: Counts
    done: int = 0
    told: int = 0

    def at(self, thread_id: str) -> None:
        if self.listener is not None and self.counts.checkpoints - self.told >= _EVERY:
            self._tell(thread_id)

    def after(self, thread_id: str) -> None:
        self.done += 1
        if self.listener is not None:
            self._tell(thread_id)

    def _tell(self, thread_id: str) -> None:
        self.told = self.counts.checkpoints
        if self.listener is not None:
            self.listener(TransferProgress(
                thread=thread_id, threads_done=self.done, threads_total=max(self.total, self.done),
                checkpoints=self.counts.checkpoints,
            ))  # fmt: skip


# ------------------------------------------------------------------------------------------------ export


async def export(
    engine: Engine, thread_ids: Iterable[str] | None, path: str | os.PathLike[str], json: bool,
    progress: Listener | None,
) -> TransferReport:  # fmt: skip
    """Threads to one file."""
    place = places.named(path)
    source, named = Source(engine, verifying=True), thread_ids is not None
    ids = await source.order(_ids(thread_ids))
    counts = Counts()
    telling = _Telling(progress, len(ids), counts)
    if json:
        with lines.Writer(place) as writer:
            for thread_id in ids:
                with _naming(thread_id):
                    opened = await _opened(source, thread_id, (), named)
                    if opened is None:
                        continue
                    async for line in lines.thread(engine.codec, opened, counts):
                        writer.write(line)
                        telling.at(thread_id)
                counts.threads += 1
                telling.after(thread_id)
        return counts.report()
    with bundle.Writer(place) as out:
        out.write(records.Opening(records.FORMAT, len(ids)))
        written: list[str] = []
        for thread_id in ids:
            with _naming(thread_id):
                opened = await _opened(source, thread_id, written, named)
                if opened is None:
                    continue
                try:
                    await _export(opened, out, counts, telling)
                except Corrupt as error:
                    if not await source.moved_on(opened):
                        raise
                    raise _removed(thread_id) from error
            written.append(thread_id)
        out.write(records.Closing(counts.threads, counts.checkpoints))
    return counts.report()


async def _opened(source: Source, thread_id: str, earlier: Collection[str], named: bool) -> Opened | None:
    """None for one that was deleted meanwhile, unless it was asked for by its name."""
    again = Again()
    while True:
        try:
            return await source.open(thread_id, earlier)
        except (NotFound, Deleted):
            if named:
                raise
            return None
        except Corrupt as error:  # it may have been removed while it was looked at
            again.check(error)


def _removed(thread_id: str) -> Contended:
    return Contended(f"thread {thread_id!r} was pruned or deleted while it was exported; try again")


async def _export(opened: Opened, out: bundle.Writer, counts: Counts, telling: _Telling) -> None:
    out.write(opened.record)
    promised = kept = 0
    async for page in opened.outline():
        out.write(page)
        promised += sum(row[0] > opened.starts(page) for row in page.rows)
    out.write(records.Content())
    async for said in opened.content():
        out.write(said)
        _count(counts, said)
        kept += isinstance(said, records.Point | records.Entry)
        telling.at(opened.thread.id)
    if kept != promised:
        raise _removed(opened.thread.id)
    out.write(records.Done())
    counts.threads += 1
    telling.after(opened.thread.id)


def _count(counts: Counts, said: records.Said) -> None:
    if isinstance(said, records.Point):
        counts.checkpoints += 1
        counts.size += said.size
    elif isinstance(said, records.Writes):
        counts.writes += len(said.writes)
    elif isinstance(said, records.Entry):
        counts.entries += 1


# ------------------------------------------------------------------------------------------------ copy


_OF_ONE_THREAD: Final = (Conflict, Deleted, Corrupt, ThreadBusy, Contended)
"""Errors that concern one thread: the others are moved all the same."""


@contextmanager
def _naming(thread_id: str) -> Iterator[None]:
    """An error about a damaged row says which thread it belongs to."""
    try:
        yield
    except Corrupt as error:
        if repr(thread_id) in str(error):
            raise
        raise Corrupt(f"thread {thread_id!r}: {error}") from error


@dataclass(eq=False)
class _Refused:
    """Threads that could not be moved, and why."""

    errors: list[HoldfastError] = field(default_factory=list)

    def check(self) -> None:
        if len(self.errors) == 1:
            raise self.errors[0]
        if self.errors:
            raise self._kind()(
                f"{len(self.errors)} threads could not be moved, and are as they were; the others are moved. "
                + " ".join(f"[{error}]" for error in self.errors[:20])
            ) from self.errors[0]

    def _kind(self) -> type[HoldfastError]:
        """Theirs, if they have one in common; damage is what somebody has to look at first."""
        kinds = {type(error) for error in self.errors}
        if len(kinds) == 1 and Deleted not in kinds:
            return kinds.pop()
        return Corrupt if Corrupt in kinds else Conflict


async def copy(
    source: Engine, target: Engine, thread_ids: Iterable[str] | None, as_: Mapping[str, str] | None,
    progress: Listener | None,
) -> TransferReport:  # fmt: skip
    """Threads from one store to another: what the target lacks."""
    origin, names = Source(source), _names(as_)
    ids = await origin.order(_ids(thread_ids))
    _check_apart(ids, names)
    there = Target(target, names)
    telling = _Telling(progress, len(ids), there.counts)
    refused, earlier = _Refused(), list[str]()
    try:
        for thread_id in ids:
            earlier.append(thread_id)
            try:
                with _naming(thread_id):
                    await _copy(origin, there, thread_id, earlier[:-1], telling)
            except _OF_ONE_THREAD as error:
                refused.errors.append(error)
                if isinstance(error, Corrupt):  # what forks would share with it, they bring themselves
                    earlier.remove(thread_id)
            except NotFound:
                if thread_ids is not None:
                    raise
                earlier.remove(thread_id)
            telling.after(thread_id)
    finally:  # what is complete stays, whatever stops the rest
        await there.queue.flush()
    for thread_id in _given(there.queue.failed, names):  # somebody made a thread of this id meanwhile
        try:
            with _naming(thread_id):
                await _copy(origin, there, thread_id, earlier, telling)
            await there.queue.flush()
        except _OF_ONE_THREAD as error:
            refused.errors.append(error)
    refused.check()
    return there.counts.report()


def _given(ids: list[str], names: Mapping[str, str]) -> list[str]:
    """The ids that these have in the source."""
    back = {new: old for old, new in names.items()}
    return [back.get(one, one) for one in ids]


def _names(as_: Mapping[str, str] | None) -> dict[str, str]:
    names = {
        check_id(one, "a thread id"): check_id(other, "a thread id") for one, other in (as_ or {}).items()
    }  # fmt: skip
    _check_apart(names, names)
    return names


def _check_apart(ids: Iterable[str], names: Mapping[str, str]) -> None:
    """No two threads become one."""
    taken: dict[str, str] = {}
    for one in ids:
        other = taken.setdefault(names.get(one, one), one)
        if other != one:
            raise InvalidArgument(
                f"the threads {other!r} and {one!r} would both be {names.get(one, one)!r} in the target; "
                "give each another id with as_="
            )


async def _copy(origin: Source, there: Target, thread_id: str, earlier: list[str], telling: _Telling) -> None:
    """Again, if others write to the thread in the target meanwhile: what has been moved is there."""
    sharing, alone = True, False
    for _ in range(_ATTEMPTS):
        opened = await origin.open(thread_id, earlier if sharing else ())
        try:
            incoming = await there.begin(opened.record)
            async for page in opened.outline():
                await incoming.compare(page)
            plan = await incoming.decide()
            if plan is not None:
                plan.alone = alone
                async for said in opened.content(plan):
                    await incoming.take(said)
                    telling.at(thread_id)
            await incoming.finish()
            return
        except Unshared:
            sharing = False
        except Unbased:
            alone = True
        except Contended:
            continue
        except Corrupt:
            if not await origin.moved_on(opened):
                raise
    raise Contended(f"thread {thread_id!r}: other writers were faster {_ATTEMPTS} times meanwhile; try again")


# ------------------------------------------------------------------------------------------------ import


async def import_(
    engine: Engine, path: str | os.PathLike[str], as_: Mapping[str, str] | None, progress: Listener | None
) -> TransferReport:
    """Threads from a bundle: what the store lacks."""
    engine.check_open()
    there = Target(engine, _names(as_))
    telling = _Telling(progress, 0, there.counts)
    refused = _Refused()
    reading = _Import(there, telling, refused)
    try:
        for offset, record in bundle.read(places.named(path)):
            await reading.take(record, f"{path}: in the block at byte {offset}")
    finally:  # what is complete stays, whatever stops the rest
        await there.queue.flush()
    if there.queue.failed:
        raise Contended(f"threads were made meanwhile: {', '.join(map(repr, there.queue.failed[:20]))}; try again")
    refused.check()
    return there.counts.report()


@dataclass(eq=False)
class _Import:
    """Takes one record after the other."""

    target: Target
    telling: _Telling
    refused: _Refused
    incoming: Incoming | None = None
    thread: str = ""
    in_content: bool = False

    async def take(self, record: records.Record, where: str) -> None:
        try:
            await self._take(record)
        except Corrupt as error:
            raise Corrupt(f"{where}: {error}") from error
        except (Conflict, Deleted, ThreadBusy) as error:
            self.refused.errors.append(error)
            self.incoming = None
        except Unshared:
            self.refused.errors.append(Conflict(
                f"thread {self.thread!r} is a fork, and the store does not have the checkpoints that it shares with "
                "another thread of the bundle: that one has other content here, or was pruned"
            ))  # fmt: skip
            self.incoming = None
        except Unbased:
            self.refused.errors.append(Conflict(
                f"thread {self.thread!r} can't go on here: the checkpoints that the bundle goes on from were removed; "
                "import it under another id"
            ))  # fmt: skip
            self.incoming = None

    async def _take(self, record: records.Record) -> None:
        if isinstance(record, records.Opening):
            self.telling.total = record.threads
        elif isinstance(record, records.Thread):
            self.thread, self.incoming, self.in_content = record.id, None, False
            self.incoming = await self.target.begin(record)
        elif isinstance(record, records.Done):
            if self.incoming is not None:
                await self.incoming.finish()
            self.telling.after(self.thread)
        elif self.incoming is not None:
            await self._say(self.incoming, record)

    async def _say(self, incoming: Incoming, record: records.Record) -> None:
        if isinstance(record, records.Outline | records.Entries):
            await incoming.compare(record)
        elif isinstance(record, records.Content):
            await incoming.decide()
        elif isinstance(record, records.Entry | records.Point | records.Words | records.Writes):
            await incoming.take(record)
            self.telling.at(self.thread)
