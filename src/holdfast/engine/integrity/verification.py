"""Verifying: every row, value, digest, lineage, head and index entry of a store, each read once.

The directory is read first, then one tree after the other. Writers may be active, so that a fault may be a change that
is half visible: a tree that shows a fault is read again twice, and only faults that are there each time are reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from holdfast.backends.base import Progress
from holdfast.backends.rows import ChunkRow, LineRow
from holdfast.engine import table_scan
from holdfast.engine.context import Engine
from holdfast.engine.integrity import check_checkpoints, check_index, check_lines, tree_rows
from holdfast.engine.integrity.check_index import Directory, directory_faults, read_directory
from holdfast.engine.integrity.check_values import BrokenVersion, ValueCheck
from holdfast.engine.integrity.findings import TreeFindings
from holdfast.engine.integrity.tree_rows import TreeRows
from holdfast.engine.table_scan import TolerantScan
from holdfast.errors import Corrupt, StorageFailed
from holdfast.model import Fault, VerifyReport

_CONFIRMATIONS: Final = 2


@dataclass
class CheckedTree:
    """One tree, with everything that is wrong in it."""

    findings: TreeFindings
    broken: list[BrokenVersion]
    values: int = 0
    orphans: int = 0
    too_large: int = 0

    @property
    def faults(self) -> list[Fault]:
        return self.findings.faults


async def verify(engine: Engine, progress: Progress | None = None) -> VerifyReport:
    engine.check_open()
    engine.flush_all()
    scan = TolerantScan(engine.backend, engine.codec.max_value)
    faults = [Fault(kind="storage", message=message) for message in await engine.backend.check()]
    directory = await read_directory(scan)
    faults += await _confirmed_in_directory(engine, directory_faults(directory))
    numbers = await all_trees(scan, directory)
    checkpoints = values = orphans = too_large = 0
    for done, number in enumerate(numbers, start=1):
        checked = await check_tree(engine, scan, directory, number)
        faults += await _confirmed_in_tree(engine, number, checked.faults)
        checkpoints += len(checked.findings.seen)
        values, orphans = values + checked.values, orphans + checked.orphans
        too_large += checked.too_large
        if progress is not None:
            progress(done, len(numbers))
    return VerifyReport(
        faults=tuple(dict.fromkeys([*faults, *scan.faults])), threads=len(directory.threads), checkpoints=checkpoints,
        values=values, rows=scan.rows, bytes=scan.bytes, orphans=orphans, too_large=too_large,
    )  # fmt: skip


async def all_trees(scan: TolerantScan, directory: Directory) -> list[int]:
    """Those that have rows, and those that the directory leads to."""
    numbers = {*directory.trees, *directory.runs}
    try:
        async for page in table_scan.tree_pages(scan.backend):
            numbers.update(page)
    except (Corrupt, StorageFailed) as error:
        scan.report_unreadable(LineRow, None, str(error))
    return in_order(numbers)


def in_order(trees: Iterable[int]) -> list[int]:
    """A damaged number may be of any type. Its rows are found under it all the same."""
    return sorted(trees, key=lambda tree: (type(tree).__name__, tree))


async def check_tree(engine: Engine, scan: TolerantScan, directory: Directory, number: int) -> CheckedTree:
    """Read one tree, once, and check it."""
    tree = await tree_rows.read(scan, number, directory.trees.get(number, []))
    findings = await _check_rows(engine, scan, tree, directory)
    values = ValueCheck(number, tree.logs, findings.needs, engine.codec, findings.manifests)
    damaged_before = len(scan.damaged)
    await scan.each(ChunkRow, number, values.take)
    values.finish()
    damaged = scan.damaged[damaged_before:]
    tree.damaged += damaged
    findings.add_damaged(damaged)
    for version in _first_of_each_log(values.broken):
        _add_broken(findings, version)
    orphans = sum(point not in findings.seen for point in tree.points) + values.orphans
    return CheckedTree(findings, values.broken, values.checked, orphans, values.too_large + findings.too_large)


async def _check_rows(engine: Engine, scan: TolerantScan, tree: TreeRows, directory: Directory) -> TreeFindings:
    findings = TreeFindings(tree)
    check_lines.check_lines(findings)
    check_index.check_threads(findings)
    threads = check_lines.ThreadCheck(tree_rows.snapshot_engine(tree, engine.codec), findings)
    for thread in tree.threads:
        await threads.check(thread)
    try:
        await check_checkpoints.check_checkpoints(engine, findings)
    except StorageFailed as error:  # the lists of wide manifests; checkpoints that were not read are not faults
        scan.report_unreadable(ChunkRow, tree.number, str(error))
    check_checkpoints.check_overlays(findings)
    check_checkpoints.check_writes(findings)
    check_index.check_tags(findings, directory.tags)
    check_index.check_runs(findings, directory.runs.get(tree.number, set()))
    findings.add_damaged(tree.damaged)
    return findings


def _first_of_each_log(broken: Sequence[BrokenVersion]) -> list[BrokenVersion]:
    """Later versions of the same log are broken for the same reason."""
    return list({version.log: version for version in reversed(broken)}.values())


def _add_broken(findings: TreeFindings, version: BrokenVersion) -> None:
    row = findings.tree.points[findings.needs[version.log][version.pos].point]
    where = f"log {version.log}, position {version.pos}"
    findings.add("value", row, f"one of its values can't be read ({where}): {version.why}; "
                 "repair() sets aside the checkpoints that need it", row.id)  # fmt: skip


# ------------------------------------------------------------------------------------------------ confirmation


async def _confirmed_in_directory(engine: Engine, faults: list[Fault]) -> list[Fault]:
    for _ in range(_CONFIRMATIONS):
        if faults:
            again = directory_faults(await read_directory(TolerantScan(engine.backend, engine.codec.max_value)))
            faults = [fault for fault in faults if fault in again]
    return faults


async def _confirmed_in_tree(engine: Engine, number: int, faults: list[Fault]) -> list[Fault]:
    for _ in range(_CONFIRMATIONS):
        if faults:
            _, checked = await check_tree_again(engine, number)
            faults = [fault for fault in faults if fault in checked.faults]
    return faults


async def check_tree_again(engine: Engine, number: int) -> tuple[Directory, CheckedTree]:
    """The tree as it is now, with what leads to it."""
    scan = TolerantScan(engine.backend, engine.codec.max_value)
    directory = await read_directory(scan)
    return directory, await check_tree(engine, scan, directory, number)
