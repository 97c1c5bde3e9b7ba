"""Erasing: every thread that has some metadata goes, and so does whatever only it could see.

A thread matches if its own metadata has all that is asked for, or if that of a checkpoint has which it sees or which
stands in one of its lines. With it go its forks and copies, and theirs: they were made of it. A thread that it was
forked from stays, unless it matches too, and with it stays what that thread sees.

Before anything goes, nobody may hold one of these threads. Then they are buried one by one, what nobody reaches any
more is collected, indexes and the quarantine are gone through, and the backend scrubs what it has left over. Whoever is
stopped in between runs it again: it does whatever is left to do, also if no thread is found any more.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final

import msgspec

from holdfast.backends.base import Batch, Drop, DropRow, Filter, GraveAt, Progress
from holdfast.backends.rows import (
    KEYS,
    AnyRow,
    CheckpointRow,
    ChunkRow,
    GraveRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    QuarantineRow,
    Row,
    RunRow,
    SealedRow,
    TagRow,
    ThreadRow,
    WaitingRow,
    checked,
    sealed,
    table_name,
)
from holdfast.engine import burial, clocks, collect, leases, places, removal, tags, terms, views
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.errors import Contended, Corrupt, InvalidArgument, ThreadBusy
from holdfast.ids import grave_hash, is_frameworks
from holdfast.model import EraseCertificate

_ATTEMPTS: Final = 100
_PAGE: Final = 500
_ALL: Final = 1 << 62
OF_TREES: Final[tuple[Any, ...]] = (
    LineRow, CheckpointRow, MarkRow, LogRow, ChunkRow, PendingRow, SealedRow, JournalRow,
)  # fmt: skip
_OF_LINES: Final = {
    table_name(kind) for kind in (LineRow, CheckpointRow, MarkRow, PendingRow, SealedRow, JournalRow, RunRow)
}
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


async def erase(engine: Engine, where: Mapping[str, Any], dry_run: bool, progress: Progress | None) -> EraseCertificate:
    engine.check_open()
    if not where:
        raise InvalidArgument("erase() takes the metadata of what is to go: an empty where would be everything")
    started, before = await engine.backend.now(), await engine.backend.bytes_stored()
    work = _Work(engine, frozenset(tags.metadata_tag(key, value) for key, value in where.items()))
    await _find(work, progress)
    await _check_free(work)
    await _count(work)
    remains: list[str] = []
    if not dry_run:
        await _remove(work)
        remains = await engine.backend.scrub()
    if not all(work.quarantined.values()):
        remains.append("the quarantine, whose other rows are too damaged to tell for sure whose they were")
    return _certified(EraseCertificate(
        where_digest=blake2b(_encode(sorted(work.wanted)), digest_size=16).hexdigest(),
        threads=len(work.going),
        thread_digests=tuple(sorted(grave_hash(one).hex() for one in work.going)),
        thread_ids=tuple(sorted(work.going)),
        checkpoints=work.of(CheckpointRow),
        writes=work.of(PendingRow, SealedRow, WaitingRow),
        journal=work.of(JournalRow),
        values=work.of(ChunkRow),
        index=work.of(TagRow, RunRow),
        quarantined=work.of(QuarantineRow),
        rows=sum(work.rows.values()),
        bytes_before=before,
        bytes_after=await engine.backend.bytes_stored(),
        started_at=as_datetime(started),
        finished_at=as_datetime(await engine.backend.now()),
        skipped=tuple(dict.fromkeys(work.skipped)),
        remains=tuple(remains),
        dry_run=dry_run,
    ))  # fmt: skip


def _certified(certificate: EraseCertificate) -> EraseCertificate:
    told = {key: value for key, value in certificate.record().items() if key != "digest"}
    return replace(certificate, digest=blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=32).hexdigest())


@dataclass
class _Work:
    engine: Engine
    wanted: frozenset[tuple[str, str]]
    going: dict[str, ThreadRow] = field(default_factory=dict)
    trees: set[int] = field(default_factory=set)  # that lose something
    skipped: list[str] = field(default_factory=list)
    rows: dict[type[Row], int] = field(default_factory=dict)
    quarantined: dict[int, bool] = field(default_factory=dict)  # which of those rows go

    def of(self, *kinds: type[Row]) -> int:
        return sum(self.rows.get(kind, 0) for kind in kinds)

    def add(self, kind: type[Row], count: int = 1) -> None:
        self.rows[kind] = self.rows.get(kind, 0) + count

    def skip_tree(self, number: int, error: Exception) -> None:
        self.skipped.append(f"tree {number}: {error}")

    def matches(self, metadata: bytes) -> bool:
        return bool(metadata) and self.wanted <= set(tags.of_encoded(metadata))


async def _each(engine: Engine, kind: type[AnyRow], tree: int | None = None) -> AsyncIterator[AnyRow]:
    after: tuple[object, ...] = ()
    while page := await engine.backend.scan(kind, tree, after, _PAGE):
        for row in page:
            yield row
        after = page[-1][: KEYS[kind]]


# ------------------------------------------------------------------------------------------------ who goes


async def _find(work: _Work, progress: Progress | None) -> None:
    engine, done, after = work.engine, 0, 0
    work.skipped += await engine.backend.unlisted()
    await _find_by_thread(work)
    while numbers := await engine.backend.trees(after, _PAGE):
        known = done + len(numbers)
        for number in numbers:
            try:
                await _find_in_tree(work, number)
            except (Corrupt, msgspec.MsgspecError, ValueError) as error:  # nobody can say what it holds
                work.skip_tree(number, error)
            done += 1
            if progress is not None:
                progress(done, known)
        after = numbers[-1]
    await _add_forks(work)


async def _find_by_thread(work: _Work) -> None:
    async for row in _each(work.engine, ThreadRow):
        try:
            if work.matches(terms.metadata_of(checked(row))):
                work.going[row.id] = row
        except (Corrupt, msgspec.MsgspecError, ValueError) as error:
            work.skipped.append(f"thread {row.id!r}: {error}")


async def _find_in_tree(work: _Work, number: int) -> None:
    """By the metadata of checkpoints."""
    rows = _each(work.engine, CheckpointRow, number)
    found = [row async for row in rows if work.matches(checked(row).metadata)]
    if not found:
        return
    work.trees.add(number)
    lines = {line.line: line async for line in _each(work.engine, LineRow, number)}
    owners = {lines[row.line].thread for row in found if row.line in lines}
    for thread in await work.engine.backend.tree_threads(number):
        if thread.line in owners or await _sees(work.engine, thread, found):
            work.going[thread.id] = thread


async def _sees(engine: Engine, thread: ThreadRow, rows: list[CheckpointRow]) -> bool:
    async for _, view in removal.views_of(engine, thread):
        for row in rows:
            seen = await views.find(engine, view, row.id)
            if seen is not None and (seen.line, seen.seq) == (row.line, row.seq):
                return True
    return False


async def _add_forks(work: _Work) -> None:
    """Whoever was forked or copied from one that goes, in its tree or as another store had it."""
    fresh = dict(work.going)
    while fresh:
        lines = {row.line for row in fresh.values()}
        names = {row.id: row.created_at for row in fresh.values()}
        trees = {row.tree for row in fresh.values()}
        fresh = {}
        async for row in _each(work.engine, ThreadRow):
            named = row.from_thread in names and row.created_at >= names[row.from_thread or ""]
            if row.id not in work.going and (named or (row.tree in trees and await _comes_from(work, row, lines))):
                fresh[row.id] = row
        work.going |= fresh
    work.trees |= {row.tree for row in work.going.values()}


async def _comes_from(work: _Work, thread: ThreadRow, lines: set[int]) -> bool:
    try:
        return any(line.line in lines for line in await work.engine.backend.ancestry(thread.tree, thread.line))
    except Corrupt as error:
        work.skip_tree(thread.tree, error)
        return False


async def _check_free(work: _Work) -> None:
    """Before anything goes: nobody holds one of them, and each can be read as far as removing it takes."""
    now = await work.engine.backend.now()
    for thread_id in sorted(work.going):
        handle = Handle(thread_id, "", work.engine.codec)
        try:
            here = (await places.find(work.engine, handle, even_expired=True)).here
            if here is not None:
                leases.check_free(handle, here.root, now)
        except Corrupt as error:
            work.skipped.append(f"{handle.name}: {error}")
            del work.going[thread_id]


# ------------------------------------------------------------------------------------------------ what goes


async def _count(work: _Work) -> None:
    """What goes, counted before any of it does: of a tree that goes whole all, else what nobody will reach."""
    runs: dict[int, set[tuple[str | None, int]]] = {}
    for number in sorted(work.trees):
        threads = await work.engine.backend.tree_threads(number)
        try:
            if all(thread.id in work.going for thread in threads):
                runs[number] = set()
                for kind in OF_TREES:
                    async for _ in _each(work.engine, kind, number):
                        work.add(kind)
            else:
                rows, runs[number] = await collect.would_free(work.engine, number, work.going)
                for kind, count in rows.items():
                    work.add(kind, count)
        except Corrupt as error:
            work.skip_tree(number, error)
    work.add(ThreadRow, len(work.going))
    async for tag in _each(work.engine, TagRow):
        work.add(TagRow, tag.thread in work.going)
    async for waiting in _each(work.engine, WaitingRow):
        work.add(WaitingRow, waiting.thread in work.going)
    async for run in _each(work.engine, RunRow):
        work.add(RunRow, run.tree in runs and (run.run_id, run.line) not in runs[run.tree])
    lines = {number: left for number in work.trees if (left := await _lines_left(work, number)) is not None}
    async for row in _each(work.engine, QuarantineRow):
        work.quarantined[row.number] = _whose(work, row, lines)
    work.add(QuarantineRow, sum(is_gone is True for is_gone in work.quarantined.values()))


async def _remove(work: _Work) -> None:
    for thread_id in sorted(work.going):
        await _bury(work, thread_id)
    report = await collect.collect(work.engine, all_staged=True)  # nobody can say whose they are
    work.skipped += report.skipped
    await _drop_index(work)
    await _empty_graves(work)
    await _drop_quarantined(work)
    work.engine.cache.clear()
    work.engine.noted.clear()


async def _bury(work: _Work, thread_id: str) -> None:
    engine, handle = work.engine, Handle(thread_id, "", work.engine.codec)
    for _ in range(_ATTEMPTS):
        place = await places.find(engine, handle, even_expired=True)
        if place.here is None:
            return
        now = await engine.backend.now()
        if clocks.is_live(place.here.root, now):
            raise ThreadBusy(
                f"{handle.name} was taken by worker {place.here.root.worker!r} while it was erased; what is gone "
                "by now stays gone: erase again once it is free"
            )
        if await engine.backend.commit(await burial.planned(engine, place.here, silent=True)):
            return
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times while it was erased; try again")


async def _drop_index(work: _Work) -> None:
    """What the index says about threads that are gone, and about runs that nobody sees any more."""
    found = _each(work.engine, TagRow)
    drops: list[Drop] = [DropRow(TagRow, tag[:3]) async for tag in found if tag.thread in work.going]
    async for run in _each(work.engine, RunRow):
        try:
            if await _is_over(work, run):
                drops.append(DropRow(RunRow, run[:3]))
        except Corrupt as error:
            work.skip_tree(run.tree, error)
    await _commit(work, drops)


async def _is_over(work: _Work, run: RunRow) -> bool:
    backend = work.engine.backend
    if run.tree not in work.trees and await backend.ancestry(run.tree, run.line):
        return False
    return not await backend.checkpoints(run.tree, run.line, 0, _ALL, 1, Filter(run_id=run.run_id))


async def _empty_graves(work: _Work) -> None:
    """Graves of other threads may name a checkpoint, by an id that somebody has chosen."""
    after: tuple[object, ...] = ()
    while page := await work.engine.backend.scan(GraveRow, None, after, _PAGE):
        named = [grave for grave in page if grave.last and not is_frameworks(grave.last)]
        if named and not await work.engine.backend.commit(_emptying(named)):
            for grave in named:  # somebody is buried again, with an id that nobody asked to erase
                await work.engine.backend.commit(_emptying([grave]))
        after = page[-1][:1]


def _emptying(graves: list[GraveRow]) -> Batch:
    return Batch(
        [GraveAt(grave.hash, grave.generation) for grave in graves],
        [sealed(grave._replace(last="")) for grave in graves],
    )


async def _drop_quarantined(work: _Work) -> None:
    await _commit(work, [DropRow(QuarantineRow, (one,)) for one, is_gone in work.quarantined.items() if is_gone])


async def _lines_left(work: _Work, number: int) -> set[int] | None:
    """The lines of a tree that belong to threads that stay; None if it can't be read."""
    gone = {thread.line for thread in work.going.values()}
    try:
        return {line.line async for line in _each(work.engine, LineRow, number) if line.thread not in gone}
    except Corrupt as error:
        work.skip_tree(number, error)
        return None


def _whose(work: _Work, row: QuarantineRow, lines: Mapping[int, set[int]]) -> bool:
    """Whether a damaged row was one of what goes. Of values nobody can say whose they were: all go that were in such a
    tree."""
    columns = _decode(row.body)
    if row.kind in ("thread", "waiting"):
        return columns[0] in work.going
    if row.kind == "tag":
        return columns[2] in work.going
    if row.kind == "run":
        columns = columns[1:]
    if columns[0] not in lines:
        return False
    return row.kind not in _OF_LINES or columns[1] not in lines[columns[0]]


async def _commit(work: _Work, drops: Iterable[Drop]) -> None:
    for some in _parts(list(drops)):
        await work.engine.backend.commit(Batch([], [], some))


def _parts(drops: list[Drop]) -> Iterator[list[Drop]]:
    for start in range(0, len(drops), _PAGE):
        yield drops[start : start + _PAGE]
