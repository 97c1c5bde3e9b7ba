"""Verifying: every row, value, digest, lineage, head and index entry of a store, each read once.

The directory comes first, then one tree after the other. Others may be writing meanwhile, so that what looks wrong may
only be halfway through: a tree that shows a fault is read again, and only what is still there, and the same, is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from holdfast.backends.base import Progress
from holdfast.backends.rows import (
    ChunkRow,
    GraveRow,
    LineRow,
    Row,
    RunRow,
    TagRow,
    ThreadRow,
    WaitingRow,
    describe_key,
    table_name,
)
from holdfast.engine import load, treerows
from holdfast.engine.context import Engine
from holdfast.engine.judging import CHECKSUM, Verdict, judge, say_damaged
from holdfast.engine.proving import Broken, Proof
from holdfast.engine.treerows import key_of
from holdfast.engine.walking import PAGE, Walk
from holdfast.errors import Corrupt, StorageFailed
from holdfast.ids import grave_hash
from holdfast.model import Fault, VerifyReport

_LOWEST: Final = -(1 << 63)
AGAIN: Final = 2  # how often a fault has to show once more


@dataclass
class Directory:
    """What leads to trees, by thread and by tree."""

    threads: dict[str, ThreadRow] = field(default_factory=dict)
    trees: dict[int, list[ThreadRow]] = field(default_factory=dict)
    tags: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    runs: dict[int, set[str]] = field(default_factory=dict)
    graves: dict[bytes, int] = field(default_factory=dict)
    waiting: list[WaitingRow] = field(default_factory=list)  # those that can't be read
    damaged: list[Row] = field(default_factory=list)


@dataclass
class Examined:
    """One tree, with all that was found wrong in it."""

    verdict: Verdict
    broken: list[Broken]
    faults: list[Fault]
    values: int = 0
    orphans: int = 0


async def verify(engine: Engine, progress: Progress | None = None) -> VerifyReport:
    engine.check_open()
    for backlog in list(engine.backlogs.values()):
        backlog.flush()
    walk = Walk(engine.backend)
    faults = [Fault(kind="storage", message=one) for one in await engine.backend.check()]
    directory = await read_directory(walk)
    faults += await _directory_faults(engine, directory)
    numbers = await all_trees(walk, directory)
    checkpoints = values = orphans = 0
    for place, number in enumerate(numbers):
        found = await examine(engine, walk, directory, number, directory.trees.get(number, []))
        faults += await _confirmed(engine, number, found.faults)
        checkpoints += len(found.verdict.seen)
        values, orphans = values + found.values, orphans + found.orphans
        if progress is not None:
            progress(place + 1, len(numbers))
    return VerifyReport(
        faults=tuple(dict.fromkeys([*faults, *walk.faults])), threads=len(directory.threads), checkpoints=checkpoints,
        values=values, rows=walk.rows, bytes=walk.bytes, orphans=orphans,
    )  # fmt: skip


async def all_trees(walk: Walk, directory: Directory) -> list[int]:
    """Those that have rows, and those that something leads to."""
    found = {*directory.trees, *directory.runs}
    after = _LOWEST
    try:
        while page := await walk.backend.trees(after, PAGE):
            found.update(page)
            after = page[-1]
    except (Corrupt, StorageFailed) as error:
        walk.cannot_read(LineRow, None, str(error))
    return in_order(found)


def in_order(trees: Iterable[int]) -> list[int]:
    """A damaged number may not even be one, and is a tree's all the same: so what is there is found."""
    return sorted(trees, key=lambda tree: (type(tree).__name__, tree))


# ------------------------------------------------------------------------------------------------ the directory


async def read_directory(walk: Walk) -> Directory:
    directory = Directory()
    known = len(walk.damaged)

    def take_thread(row: ThreadRow) -> None:
        directory.threads[row.id] = row
        directory.trees.setdefault(row.tree, []).append(row)

    def take_waiting(row: WaitingRow) -> None:
        try:
            load.decode_write(row.body)
        except msgspec.MsgspecError:
            directory.waiting.append(row)

    await walk.each(ThreadRow, None, take_thread)
    await walk.each(GraveRow, None, lambda row: directory.graves.update({row.hash: row.generation}))
    await walk.each(TagRow, None, lambda row: directory.tags.setdefault(row.thread, set()).add((row.key, row.value)))
    await walk.each(RunRow, None, lambda row: directory.runs.setdefault(row.tree, set()).add(row.run_id))
    await walk.each(WaitingRow, None, take_waiting)
    directory.damaged = walk.damaged[known:]
    return directory


async def _directory_faults(engine: Engine, directory: Directory) -> list[Fault]:
    found = judge_directory(directory)
    for _ in range(AGAIN):
        if found:
            again = judge_directory(await read_directory(Walk(engine.backend)))
            found = [one for one in found if one in again]
    return found


def judge_directory(directory: Directory) -> list[Fault]:
    """What can be told without the trees."""
    found = [
        _fault("checksum", row, CHECKSUM.format(table_name(type(row)), describe_key(row))) for row in directory.damaged
    ]
    for thread_id in sorted(directory.tags.keys() - directory.threads.keys()):
        key, value = min(directory.tags[thread_id])
        found.append(Fault(
            kind="directory", thread_id=thread_id, table="tag", key=(key, value, thread_id),
            message=f"thread {thread_id!r}: the index knows it, and the directory does not: its row is missing",
        ))  # fmt: skip
    for row in directory.threads.values():
        buried = directory.graves.get(grave_hash(row.id), 0)
        if buried >= row.generation:
            found.append(_fault("directory", row, f"thread {row.id!r}: life {row.generation}, which has ended"))
    return found + [
        _fault("write", row, f"thread {row.thread!r}: a write that waits for its checkpoint can't be read")
        for row in directory.waiting
    ]


def _fault(kind: str, row: Row, message: str) -> Fault:
    thread = row.id if isinstance(row, ThreadRow) else getattr(row, "thread", None)
    known = thread if isinstance(thread, str) else None
    return Fault(kind=kind, table=table_name(type(row)), key=key_of(row), message=message, thread_id=known)


# ------------------------------------------------------------------------------------------------ trees


async def examine(
    engine: Engine, walk: Walk, directory: Directory, number: int, threads: Sequence[ThreadRow]
) -> Examined:
    """Read one tree, once, and judge it."""
    tree = await treerows.read(walk, number, threads)
    verdict = await judge(tree, directory.tags, directory.runs.get(number, set()), engine.codec)
    proof = Proof(number, tree.logs, {log: dict(needs) for log, needs in verdict.needs.items()})
    known = len(walk.damaged)
    await walk.each(ChunkRow, number, proof.take)
    proof.finish()
    tree.damaged += walk.damaged[known:]
    say_damaged(verdict, walk.damaged[known:])
    for one in _by_log(proof.broken):
        _say_broken(verdict, one)
    orphans = sum(point not in verdict.seen for point in tree.points) + proof.orphans
    return Examined(verdict, proof.broken, verdict.faults, proof.proven, orphans)


def _by_log(broken: list[Broken]) -> list[Broken]:
    """The first of each log: what comes after it is broken for the same reason."""
    return list({one.log: one for one in reversed(broken)}.values())


def _say_broken(verdict: Verdict, broken: Broken) -> None:
    need = verdict.needs[broken.log][broken.pos]
    row = verdict.tree.points[need.point]
    verdict.say("value", row, f"a value of it can't be had (log {broken.log}, position {broken.pos}): {broken.why}; "
                "repair() sets aside the checkpoints that need it", row.id)  # fmt: skip


async def _confirmed(engine: Engine, number: int, found: list[Fault]) -> list[Fault]:
    for _ in range(AGAIN):
        if found:
            again = (await look_again(engine, number))[1].faults
            found = [one for one in found if one in again]
    return found


async def look_again(engine: Engine, number: int) -> tuple[Directory, Examined]:
    """The tree as it is now, with what leads to it."""
    walk = Walk(engine.backend)
    directory = await read_directory(walk)
    return directory, await examine(engine, walk, directory, number, directory.trees.get(number, []))
