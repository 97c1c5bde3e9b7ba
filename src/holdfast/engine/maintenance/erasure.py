"""Erasing: every thread that has some metadata is removed, with everything that only it could see.

The order: find the threads (`erasure_scope.py`), check that no worker holds one of them, count their rows, remove the
threads one by one, collect what is no longer reached, clear indexes, tombstones and the quarantine, and let the backend
scrub free space. An interrupted erasure is run again: it does what is left to do, even if no thread matches any more.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import Any, Final

import msgspec

from holdfast.backends.base import Batch, Drop, DropRow, Filter, Progress, TombstoneAt
from holdfast.backends.rows import (
    NO_LIMIT,
    OF_TREES,
    AnyRow,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    OverlayRow,
    PendingRow,
    QuarantineRow,
    Row,
    RunRow,
    SettledRow,
    TagRow,
    ThreadRow,
    TombstoneRow,
    key_of,
    table_name,
    with_checksum,
)
from holdfast.engine import table_scan
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.engine.maintenance import erasure_scope, garbage
from holdfast.engine.maintenance.erasure_scope import Scope
from holdfast.engine.retry import until_applied
from holdfast.engine.threads import lifetime, location, tags, tombstones
from holdfast.errors import Corrupt, InvalidArgument, ThreadBusy
from holdfast.ids import is_frameworks, tombstone_hash
from holdfast.model import EraseCertificate

_AT_ONCE: Final = 500  # rows in one batch
_OF_LINES: Final = {
    table_name(kind) for kind in (LineRow, CheckpointRow, OverlayRow, PendingRow, SettledRow, JournalRow, RunRow)
}
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Any]).decode


@dataclass
class _Erasure:
    engine: Engine
    scope: Scope
    rows: dict[type[Row], int] = field(default_factory=dict)  # how many are removed
    quarantined: dict[int, bool] = field(default_factory=dict)  # by number, whether the row is removed

    def of(self, *kinds: type[Row]) -> int:
        return sum(self.rows.get(kind, 0) for kind in kinds)

    def add(self, kind: type[Row], count: int = 1) -> None:
        self.rows[kind] = self.rows.get(kind, 0) + count


async def erase(engine: Engine, where: Mapping[str, Any], dry_run: bool, progress: Progress | None) -> EraseCertificate:
    engine.check_open()
    if not where:
        raise InvalidArgument("erase() needs the metadata of what is to be erased: an empty where would be everything")
    started, before = await engine.backend.now(), await engine.backend.bytes_stored()
    scope = Scope(engine, frozenset(tags.metadata_tag(key, value) for key, value in where.items()))
    await erasure_scope.find(scope, progress)
    await erasure_scope.check_free(scope)
    work = _Erasure(engine, scope)
    await _count(work)
    remains: list[str] = []
    # The rows are counted before they are removed: afterwards nothing says how many there were.
    if not dry_run:
        await _remove(work)
        remains = await engine.backend.scrub()
    if not all(work.quarantined.values()):
        remains.append("the quarantine, whose other rows are too damaged to show whose they were")
    return _certified(EraseCertificate(
        where_digest=blake2b(_encode(sorted(scope.wanted)), digest_size=16).hexdigest(),
        threads=len(scope.going),
        thread_digests=tuple(sorted(tombstone_hash(thread_id).hex() for thread_id in scope.going)),
        thread_ids=tuple(sorted(scope.going)),
        checkpoints=work.of(CheckpointRow),
        writes=work.of(PendingRow, SettledRow, EarlyWriteRow),
        journal=work.of(JournalRow),
        values=work.of(ChunkRow),
        index=work.of(TagRow, RunRow),
        quarantined=work.of(QuarantineRow),
        rows=sum(work.rows.values()),
        bytes_before=before,
        bytes_after=await engine.backend.bytes_stored(),
        started_at=as_datetime(started),
        finished_at=as_datetime(await engine.backend.now()),
        skipped=tuple(dict.fromkeys(scope.skipped)),
        remains=tuple(remains),
        dry_run=dry_run,
    ))  # fmt: skip


def _certified(certificate: EraseCertificate) -> EraseCertificate:
    record = {key: value for key, value in certificate.record().items() if key != "digest"}
    return replace(certificate, digest=blake2b(json.dumps(record, sort_keys=True).encode(), digest_size=32).hexdigest())


# ------------------------------------------------------------------------------------------------ counting


async def _count(work: _Erasure) -> None:
    """Everything that is to be removed, counted beforehand."""
    going = work.scope.going
    runs = await _count_trees(work)
    work.add(ThreadRow, len(going))
    async for tag in _scan(work, TagRow):
        work.add(TagRow, tag.thread in going)
    async for write in _scan(work, EarlyWriteRow):
        work.add(EarlyWriteRow, write.thread in going)
    async for run in _scan(work, RunRow):
        work.add(RunRow, run.tree in runs and (run.run_id, run.line) not in runs[run.tree])
    await _count_quarantined(work)


_Runs = dict[int, set[tuple[str | None, int]]]
"""The runs that are left in each tree, each with its line."""


async def _count_trees(work: _Erasure) -> _Runs:
    runs: _Runs = {}
    for number in sorted(work.scope.trees):
        try:
            runs[number] = await _count_tree(work, number)
        except Corrupt as error:
            work.scope.skip_tree(number, error)
    return runs


async def _count_tree(work: _Erasure, number: int) -> set[tuple[str | None, int]]:
    """All rows of a tree in which no thread stays; of another tree, those that will not be reached. Returns the runs
    that are left."""
    threads = await work.engine.backend.tree_threads(number)
    # The last thread takes the whole tree with it. If one stays, only what it does not reach is garbage.
    if all(thread.id in work.scope.going for thread in threads):
        for kind in OF_TREES:
            await _count_rows(work, kind, number)
        return set()
    rows, runs = await garbage.would_free(work.engine, number, work.scope.going)
    for freed, count in rows.items():
        work.add(freed, count)
    return runs


async def _count_rows(work: _Erasure, kind: Any, number: int) -> None:
    async for page in table_scan.pages(work.engine.backend, kind, number):
        work.add(kind, len(page))


def _scan(work: _Erasure, kind: type[AnyRow], tree: int | None = None) -> AsyncIterator[AnyRow]:
    return table_scan.rows(work.engine.backend, kind, tree)


async def _count_quarantined(work: _Erasure) -> None:
    lines = {number: await _lines_left(work, number) for number in work.scope.trees}
    readable = {number: left for number, left in lines.items() if left is not None}
    async for row in _scan(work, QuarantineRow):
        work.quarantined[row.number] = _goes(work, row, readable)
    work.add(QuarantineRow, sum(work.quarantined.values()))


async def _lines_left(work: _Erasure, number: int) -> set[int] | None:
    """The lines of a tree that belong to threads that stay; None if it can't be read."""
    going = {thread.line for thread in work.scope.going.values()}
    try:
        return {line.line async for line in _scan(work, LineRow, number) if line.thread not in going}
    except Corrupt as error:
        work.scope.skip_tree(number, error)
        return None


def _goes(work: _Erasure, row: QuarantineRow, lines: Mapping[int, set[int]]) -> bool:
    """Whether a damaged row belongs to what is removed. A row whose columns can't be read may be anyone's, and goes."""
    try:
        return _belongs(work, row, _decode(row.body), lines)
    except (msgspec.MsgspecError, IndexError, TypeError, ValueError, RecursionError):
        return True


def _belongs(work: _Erasure, row: QuarantineRow, columns: list[Any], lines: Mapping[int, set[int]]) -> bool:
    """A value has no owner: all those of an affected tree belong to what is removed."""
    if row.kind in ("thread", "early_write"):
        return columns[0] in work.scope.going
    if row.kind == "tag":
        return columns[2] in work.scope.going
    # All other rows start with the tree, except those of runs, which start with the id of the run.
    tree, line = columns[1:3] if row.kind == "run" else columns[:2]
    if tree not in lines:
        return False
    return row.kind not in _OF_LINES or line not in lines[tree]


# ------------------------------------------------------------------------------------------------ removing


async def _remove(work: _Erasure) -> None:
    for thread_id in sorted(work.scope.going):
        await _remove_thread(work, thread_id)
    # All staged threads are removed, because they do not say yet whose they are.
    report = await garbage.collect(work.engine, all_staged=True)
    work.scope.skipped += report.skipped
    await _drop_index(work)
    await _clear_tombstones(work)
    await _drop(work, [DropRow(QuarantineRow, (number,)) for number, goes in work.quarantined.items() if goes])
    work.engine.cache.clear()
    work.engine.unsettled.clear()


async def _remove_thread(work: _Erasure, thread_id: str) -> None:
    handle = Handle(thread_id, "", work.engine.codec)
    await until_applied(f"{handle.name}, while it was erased", partial(_remove_once, work.engine, handle))


async def _remove_once(engine: Engine, handle: Handle) -> bool | None:
    here = (await location.find(engine, handle, even_expired=True)).here
    if here is None:
        return True
    if lifetime.is_live(here.root, await engine.backend.now()):
        raise ThreadBusy(
            f"{handle.name} was taken by worker {here.root.worker!r} while it was erased; what was removed before "
            "stays removed: erase again when the thread is free"
        )
    return await engine.backend.commit(await tombstones.planned(engine, here, silent=True)) or None


async def _drop_index(work: _Erasure) -> None:
    """Index entries of removed threads, and of runs of which no checkpoint is left."""
    entries = _scan(work, TagRow)
    drops = [DropRow(TagRow, key_of(tag)) async for tag in entries if tag.thread in work.scope.going]
    async for run in _scan(work, RunRow):
        try:
            if await _is_over(work, run):
                drops.append(DropRow(RunRow, key_of(run)))
        except Corrupt as error:
            work.scope.skip_tree(run.tree, error)
    await _drop(work, drops)


async def _is_over(work: _Erasure, run: RunRow) -> bool:
    backend = work.engine.backend
    # A run outside of the affected trees stays, unless an earlier, interrupted erasure has removed its line.
    if run.tree not in work.scope.trees and await backend.ancestry(run.tree, run.line):
        return False
    return not await backend.checkpoints(run.tree, run.line, 0, NO_LIMIT, 1, Filter(run_id=run.run_id))


async def _clear_tombstones(work: _Erasure) -> None:
    """A tombstone names the last checkpoint of its thread, and a user may have chosen that id. If a thread was deleted
    again, its new tombstone is not part of this erasure."""
    backend = work.engine.backend
    async for page in table_scan.pages(backend, TombstoneRow):
        named = [row for row in page if row.last and not is_frameworks(row.last)]
        await backend.commit_each([
            Batch([TombstoneAt(row.hash, row.generation)], [with_checksum(row._replace(last=""))]) for row in named
        ])  # fmt: skip


async def _drop(work: _Erasure, drops: Iterable[DropRow]) -> None:
    """Each batch lies in one tree: index entries are dropped by thread, runs by tree. The quarantine is in none."""
    column = {TagRow: 2, RunRow: 1, QuarantineRow: 0}
    parts: dict[object, list[Drop]] = {}
    for drop in drops:
        parts.setdefault((drop.table, drop.key[column[drop.table]]), []).append(drop)
    batches = [Batch([], [], part) for part in parts.values()]
    while batches:
        await work.engine.backend.commit_each(batches[:_AT_ONCE])
        batches = batches[_AT_ONCE:]
