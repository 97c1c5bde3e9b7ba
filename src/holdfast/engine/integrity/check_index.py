"""Checks of the directory: threads, tombstones, the index of tags and runs, and writes before their checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from holdfast.backends.rows import (
    CheckpointRow,
    EarlyWriteRow,
    Row,
    RunRow,
    TagRow,
    ThreadRow,
    TombstoneRow,
    describe_key,
    key_of,
    table_name,
)
from holdfast.engine import policy
from holdfast.engine.integrity.findings import CHECKSUM, TreeFindings
from holdfast.engine.integrity.tree_rows import TreeRows, is_value
from holdfast.engine.table_scan import TolerantScan
from holdfast.engine.threads import staged_thread, tags
from holdfast.engine.writes import write_format
from holdfast.errors import Corrupt, TooLarge
from holdfast.ids import tombstone_hash
from holdfast.model import Fault

Tags = set[tuple[str, str]]


@dataclass
class Directory:
    """The rows that belong to no tree."""

    threads: dict[str, ThreadRow] = field(default_factory=dict)
    trees: dict[int, list[ThreadRow]] = field(default_factory=dict)
    tags: dict[str, Tags] = field(default_factory=dict)  # by thread
    runs: dict[int, set[str]] = field(default_factory=dict)  # by tree
    generations: dict[bytes, int] = field(default_factory=dict)  # of deleted threads, by the hash of the id
    unreadable_writes: list[EarlyWriteRow] = field(default_factory=list)
    damaged: list[Row] = field(default_factory=list)

    def deleted_generation(self, thread: ThreadRow) -> int:
        return self.generations.get(tombstone_hash(thread.id), 0)


async def read_directory(scan: TolerantScan) -> Directory:
    directory = Directory()
    damaged_before = len(scan.damaged)

    def take_thread(row: ThreadRow) -> None:
        directory.threads[row.id] = row
        directory.trees.setdefault(row.tree, []).append(row)

    def take_early_write(row: EarlyWriteRow) -> None:
        try:
            write_format.decode_write(row.body, scan.max_value)
        except TooLarge:
            pass
        except Corrupt:
            directory.unreadable_writes.append(row)

    await scan.each(ThreadRow, None, take_thread)
    await scan.each(TombstoneRow, None, lambda row: directory.generations.update({row.hash: row.generation}))
    await scan.each(TagRow, None, lambda row: directory.tags.setdefault(row.thread, set()).add((row.key, row.value)))
    await scan.each(RunRow, None, lambda row: directory.runs.setdefault(row.tree, set()).add(row.run_id))
    await scan.each(EarlyWriteRow, None, take_early_write)
    directory.damaged = scan.damaged[damaged_before:]
    return directory


def directory_faults(directory: Directory) -> list[Fault]:
    """What can be checked without reading the trees."""
    faults = [
        _fault("checksum", row, CHECKSUM.format(table_name(type(row)), describe_key(row))) for row in directory.damaged
    ]
    for thread_id in sorted(directory.tags.keys() - directory.threads.keys()):
        key, value = min(directory.tags[thread_id])
        faults.append(Fault(
            kind="directory", thread_id=thread_id, table="tag", key=(key, value, thread_id),
            message=f"thread {thread_id!r}: the index has it, but the directory does not: its row is missing",
        ))  # fmt: skip
    for thread in directory.threads.values():
        if directory.deleted_generation(thread) >= thread.generation:
            message = f"thread {thread.id!r}: its generation {thread.generation} was deleted, but it is still there"
            faults.append(_fault("directory", thread, message))
    for row in directory.unreadable_writes:
        message = f"thread {row.thread!r}: a write that came before its checkpoint can't be read"
        faults.append(_fault("write", row, message))
    return faults


def _fault(kind: str, row: Row, message: str) -> Fault:
    thread = row.id if isinstance(row, ThreadRow) else getattr(row, "thread", None)
    thread_id = thread if isinstance(thread, str) else None
    return Fault(kind=kind, table=table_name(type(row)), key=key_of(row), message=message, thread_id=thread_id)


# ------------------------------------------------------------------------------------------------ the threads of a tree


def check_threads(findings: TreeFindings) -> None:
    """Whether the directory leads to the tree, and to a root line for each thread."""
    tree = findings.tree
    taken: set[int] = set()
    for thread in tree.threads:
        root = tree.lines.get(thread.line)
        if root is None or root.thread != root.line:
            findings.add("directory", thread, f"the directory leads to root line {thread.line}, which is missing")
        elif thread.line in taken:
            findings.add("directory", thread, f"another thread has the root line {thread.line} too")
        taken.add(thread.line)
        if not is_readable(thread):
            findings.add("directory", thread, "its metadata or its policy can't be decoded")
        if thread.generation < 1:
            findings.add("directory", thread, f"its generation is {thread.generation}; the first one is 1")
    if has_lost_its_thread(tree):
        message = f"no thread leads to tree {tree.number}, which has lines: its row is missing"
        findings.add("directory", next(iter(tree.lines.values())), message)


def is_readable(thread: ThreadRow) -> bool:
    """Whether its metadata and its policy can be decoded."""
    try:
        policy.of(thread)
    except Corrupt:
        return False
    metadata = policy.metadata_of(thread)
    return not metadata or is_value(metadata)


def has_lost_its_thread(tree: TreeRows) -> bool:
    """A tree without threads is either that of an unfinished copy, or its directory entry is lost."""
    return not tree.threads and bool(tree.lines) and not staged_thread.all_staged(tree.lines.values())


def check_tags(findings: TreeFindings, stored: Mapping[str, Tags]) -> None:
    # These may stay behind when a lease runs out.
    allowed = {("run", tags.HELD), ("run", tags.LEFT)}
    for thread in findings.tree.threads:
        expected = expected_tags(findings, thread)
        if expected is None:
            continue
        found = stored.get(thread.id, set())
        for key, value in sorted(expected - found):
            findings.add("tag", thread, f"the index lacks {key} {value!r}: repair() adds it")
        for key, value in sorted(found - expected - allowed):
            findings.add("tag", thread, f"the index has {key} {value!r}, which is not true: repair() removes it")


def expected_tags(findings: TreeFindings, thread: ThreadRow) -> Tags | None:
    """What the index should contain about a thread; None if the rows do not say it."""
    # Without a root line or a head there is nothing to compare with. The check of the lines reports that.
    root = findings.tree.lines.get(thread.line)
    if root is None or thread.line not in findings.heads:
        return None
    try:
        expected = set(tags.of_row(thread))
    except (Corrupt, msgspec.MsgspecError, ValueError):
        return None
    head = findings.heads[thread.line]
    expected |= {tags.status_tag(head.status)} if head is not None else set()
    return expected | ({("run", tags.HELD)} if root.worker else set())


def check_runs(findings: TreeFindings, stored: set[str]) -> None:
    for run_id, row in sorted(expected_runs(findings).items()):
        if run_id not in stored:
            findings.add("tag", row, f"the index of runs lacks {run_id!r}: repair() adds it", row.id)


def expected_runs(findings: TreeFindings) -> dict[str, CheckpointRow]:
    """The runs that saved the checkpoints which are seen, each with the first of these."""
    rows = [row for row, _ in findings.seen_rows()]
    return {row.run_id: row for row in reversed(rows) if row.run_id is not None}
