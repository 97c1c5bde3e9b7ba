"""Repairing: what is damaged is set aside, what is sound is hung together again, and what was lost is said.

A tree is mended in rounds. Each looks at it anew and does one kind of thing: first damaged rows are set aside (and made
anew from what they say, where that can be checked), then what can't be read without them; then lineages, journals and
lines are closed over the gaps; and at last heads, counters and index entries are made from what is there. A round is
one batch that expects the lines as they were seen, so that whoever writes meanwhile is not in the way.

Nothing is thrown away: every row that goes is kept in the quarantine as it was found.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec.msgpack import Decoder

from holdfast.backends.rows import (
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
)
from holdfast.backends.snapshot import Snapshot
from holdfast.engine import verify
from holdfast.engine.context import Engine, as_datetime
from holdfast.engine.mend_directory import mend_directory
from holdfast.engine.mend_tree import mend_tree
from holdfast.engine.mending import Mending
from holdfast.engine.verify import read_directory
from holdfast.engine.walking import Walk
from holdfast.errors import InvalidArgument
from holdfast.model import Quarantined, RepairReport, VerifyReport

_decode = Decoder().decode
_OF_DIRECTORY: Final[tuple[Any, ...]] = (ThreadRow, GraveRow, TagRow, RunRow, WaitingRow)
_OF_TREES: Final[tuple[Any, ...]] = (
    LineRow,
    CheckpointRow,
    MarkRow,
    LogRow,
    ChunkRow,
    PendingRow,
    SealedRow,
    JournalRow,
)


async def repair(engine: Engine, plan: VerifyReport, dry_run: bool) -> RepairReport:
    engine.check_open()
    if not isinstance(plan, VerifyReport):
        raise InvalidArgument(f"repair() takes what verify() returned, not {type(plan).__name__}")
    work = Mending(plan.faults)
    storage = [fault for fault in plan.faults if fault.kind == "storage"]
    everywhere = any(fault.kind in ("storage", "directory") or fault.table == "thread" for fault in plan.faults)
    if storage:
        work.mended += (
            [f"below the rows: {fault.message}" for fault in storage] if dry_run else await engine.backend.mend()
        )
    if dry_run:
        engine = await _scratch(engine, plan, everywhere)
    await mend_directory(engine, work)
    for number in await _trees(engine, plan, everywhere):
        await mend_tree(engine, work, number)
    engine.cache.clear()
    engine.noted.clear()
    left = () if dry_run or not plan.faults else (await verify.verify(engine)).faults
    return RepairReport(
        lost=tuple(dict.fromkeys(work.lost)), mended=tuple(dict.fromkeys(work.mended)), quarantined=work.quarantined,
        unrepaired=left, dry_run=dry_run,
    )  # fmt: skip


async def quarantined(engine: Engine) -> list[Quarantined]:
    """What was set aside, in the order in which it is found."""
    engine.check_open()
    found: list[Quarantined] = []

    def take(row: QuarantineRow) -> None:
        columns = tuple(_decode(row.body))
        moment = as_datetime(row.created_at)
        found.append(
            Quarantined(number=row.number, table=row.kind, columns=columns, reason=row.reason, created_at=moment)
        )

    await Walk(engine.backend).each(QuarantineRow, None, take)
    return sorted(found, key=lambda one: one.created_at)


async def _trees(engine: Engine, plan: VerifyReport, everywhere: bool) -> list[int]:
    """Those that the plan names. What was mended below the rows, or in the directory, may concern any."""
    if everywhere:
        walk = Walk(engine.backend)
        return await verify.all_trees(walk, await read_directory(walk))
    return verify.in_order({fault.tree for fault in plan.faults if fault.tree is not None})


async def _scratch(engine: Engine, plan: VerifyReport, everywhere: bool) -> Engine:
    """The rows that a repair would look at, in memory, to be mended there."""
    walk, rows = Walk(engine.backend), list[Row]()
    for kind in _OF_DIRECTORY:
        await walk.each(kind, None, rows.append)
    for number in await _trees(engine, plan, everywhere):
        for kind in _OF_TREES:
            await walk.each(kind, number, rows.append)
    return Engine(Snapshot([*rows, *walk.damaged]), engine.codec, engine.url)
