"""Repairing: damaged rows are set aside, sound ones are connected again, and what was lost is reported.

A tree is repaired in rounds. Each round checks the tree again and does the first of eight steps that has something to
do: damaged rows are set aside, then what can't be read without them; then lineages, journals and lines are closed over
the gaps; and last, heads, counters and index entries are set from what is stored. A round is one batch that expects the
lines as they were read, so that concurrent writers are safe.

Nothing is deleted: every row that is removed is kept in the quarantine as it was found.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from msgspec import MsgspecError
from msgspec.msgpack import Decoder

from holdfast.backends.memory.scratch import RowSnapshot
from holdfast.backends.rows import OF_TREES, EarlyWriteRow, QuarantineRow, Row, RunRow, TagRow, ThreadRow, TombstoneRow
from holdfast.engine.context import Engine, as_datetime
from holdfast.engine.integrity import repair_counters, repair_lineage, repair_rows, verification
from holdfast.engine.integrity.check_index import read_directory
from holdfast.engine.integrity.repair_batch import RepairBatch, RepairState, TreeRepair
from holdfast.engine.integrity.repair_directory import repair_directory
from holdfast.engine.table_scan import TolerantScan
from holdfast.errors import Corrupt, InvalidArgument
from holdfast.model import Fault, Quarantined, RepairReport, VerifyReport

_ROUNDS: Final = 40
_OF_DIRECTORY: Final[tuple[Any, ...]] = (ThreadRow, TombstoneRow, TagRow, RunRow, EarlyWriteRow)
_OF_TREES: Final[tuple[Any, ...]] = OF_TREES
_STEPS: Final[tuple[Callable[[TreeRepair], Awaitable[RepairBatch]], ...]] = (
    repair_rows.set_damaged_aside,
    repair_lineage.reconnect_lines,
    repair_rows.set_unreadable_aside,
    repair_rows.set_incomplete_aside,
    repair_lineage.reparent_checkpoints,
    repair_lineage.recount_depths,
    repair_counters.fill_journals,
    repair_counters.recount,
    repair_counters.reindex,
)
_decode = Decoder(list[Any]).decode


async def repair(engine: Engine, plan: VerifyReport, dry_run: bool) -> RepairReport:
    engine.check_open()
    if not isinstance(plan, VerifyReport):
        raise InvalidArgument(f"repair() takes what verify() returned, not {type(plan).__name__}")
    state = RepairState(plan.faults)
    state.mended += await _repair_storage(engine, plan, dry_run)
    if dry_run:
        engine = await _copy_in_memory(engine, plan)
    await repair_directory(engine, state)
    for number in await _trees(engine, plan):
        await _repair_tree(engine, state, number)
    engine.cache.clear()
    engine.unsettled.clear()
    left = () if dry_run or not plan.faults else (await verification.verify(engine)).faults
    return RepairReport(
        lost=tuple(dict.fromkeys(state.lost)), mended=tuple(dict.fromkeys(state.mended)),
        quarantined=state.quarantined, unrepaired=left, dry_run=dry_run,
    )  # fmt: skip


async def _repair_storage(engine: Engine, plan: VerifyReport, dry_run: bool) -> list[str]:
    """Damage below the rows, which only the backend can repair."""
    faults = [fault for fault in plan.faults if fault.kind == "storage"]
    if dry_run:
        return [f"below the rows: {fault.message}" for fault in faults]
    return await engine.backend.mend() if faults else []


async def _repair_tree(engine: Engine, state: RepairState, number: int) -> None:
    for _ in range(_ROUNDS):
        directory, checked = await verification.check_tree_again(engine, number)
        batch = await _next_batch(TreeRepair(state, directory, checked, engine))
        if batch is None:
            return
        try:
            await batch.commit(engine, state, checked.findings.tree.lines.values())
        except Corrupt:  # the backend could not repair its storage: the report lists it as unrepaired
            return


async def _next_batch(work: TreeRepair) -> RepairBatch | None:
    """What the first step that has something to do would change."""
    for step in _STEPS:
        batch = await step(work)
        if batch:
            return batch
    return None


async def _trees(engine: Engine, plan: VerifyReport) -> list[int]:
    """Those that the plan names. A repair below the rows or in the directory may concern any tree."""
    if any(map(_concerns_all_trees, plan.faults)):
        scan = TolerantScan(engine.backend, engine.codec.max_value)
        return await verification.all_trees(scan, await read_directory(scan))
    return verification.in_order({fault.tree for fault in plan.faults if fault.tree is not None})


def _concerns_all_trees(fault: Fault) -> bool:
    return fault.kind in ("storage", "directory") or fault.table == "thread"


async def _copy_in_memory(engine: Engine, plan: VerifyReport) -> Engine:
    """The rows that a repair would read, to be repaired in memory."""
    scan, rows = TolerantScan(engine.backend, engine.codec.max_value), list[Row]()
    for kind in _OF_DIRECTORY:
        await scan.each(kind, None, rows.append)
    for number in await _trees(engine, plan):
        for kind in _OF_TREES:
            await scan.each(kind, number, rows.append)
    return Engine(RowSnapshot([*rows, *scan.damaged]), engine.codec, engine.url)


def _columns(body: bytes) -> tuple[Any, ...]:
    """The columns of a row that was set aside; the bytes themselves, if they are no columns."""
    try:
        return tuple(_decode(body))
    except (MsgspecError, RecursionError):
        return (body,)


async def quarantined(engine: Engine) -> list[Quarantined]:
    """The rows that were set aside, oldest first."""
    engine.check_open()
    found: list[Quarantined] = []

    def take(row: QuarantineRow) -> None:
        columns = _columns(row.body)
        created = as_datetime(row.created_at)
        found.append(
            Quarantined(number=row.number, table=row.kind, columns=columns, reason=row.reason, created_at=created)
        )

    await TolerantScan(engine.backend, engine.codec.max_value).each(QuarantineRow, None, take)
    return sorted(found, key=lambda row: row.created_at)
