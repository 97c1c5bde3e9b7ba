"""Repairing the directory: threads, tombstones, writes before their checkpoint, and the index."""

from __future__ import annotations

from typing import Final

from holdfast.backends.base import DropRow
from holdfast.backends.rows import (
    EarlyWriteRow,
    Row,
    TagRow,
    ThreadRow,
    TombstoneRow,
    in_bounds,
    is_typed,
    key_of,
    with_checksum,
)
from holdfast.engine.context import Engine, now
from holdfast.engine.integrity.check_index import Directory, is_readable, read_directory
from holdfast.engine.integrity.repair_batch import (
    CHANGED,
    RepairBatch,
    RepairState,
    as_text,
    restore_swapped,
)
from holdfast.engine.table_scan import TolerantScan
from holdfast.model import Fault, Lost

_EARLY_WRITE: Final = "a write that waited for its checkpoint"


async def repair_directory(engine: Engine, state: RepairState) -> None:
    """What a damaged row says is used again if it can be checked."""
    directory = await read_directory(TolerantScan(engine.backend, engine.codec.max_value))
    trees = {fault.key[1]: fault.tree for fault in _unowned_roots(state)}
    batch = RepairBatch()
    restored = restore_swapped(batch, directory.damaged)
    for row in directory.damaged:
        batch.set_aside(row, CHANGED)
        if key_of(row) not in restored:
            _rebuild(batch, row, trees)
    for write in directory.unreadable_writes:
        batch.set_aside(write, "it could not be read")
        batch.lost.append(Lost(what=_EARLY_WRITE, thread_id=write.thread))
    for thread in directory.threads.values():
        _reconnect(batch, directory, thread, trees)
    if batch:
        await batch.commit(engine, state)
    await _repair_threads_in_index(engine, state)


def _unowned_roots(state: RepairState) -> list[Fault]:
    """The root lines that no thread leads to."""
    return [fault for fault in state.faults if fault.kind == "directory" and fault.table == "line"]


def _rebuild(batch: RepairBatch, row: Row, trees: dict[int, int | None]) -> None:
    """A damaged row of the directory, from what it says."""
    row = in_bounds(row, now())  # type: ignore[type-var]  # a row of any kind
    if isinstance(row, ThreadRow) and is_typed(row) and row.id:
        thread = row._replace(
            metadata=row.metadata if is_readable(row) else b"",
            generation=max(1, row.generation),
            tree=trees.get(row.line) or row.tree,
        )
        batch.put(with_checksum(thread))
        batch.mended.append(f"thread {row.id!r}: its row in the directory was rebuilt from what it said")
    elif isinstance(row, TombstoneRow) and is_typed(row):
        batch.put(with_checksum(row))
    elif isinstance(row, EarlyWriteRow):
        batch.lost.append(Lost(what=_EARLY_WRITE, thread_id=as_text(row.thread)))


def _reconnect(batch: RepairBatch, directory: Directory, thread: ThreadRow, trees: dict[int, int | None]) -> None:
    """A sound row that leads to another tree than its root line's, or to a generation that was deleted."""
    generation = max(thread.generation, directory.deleted_generation(thread) + 1)
    tree = trees.get(thread.line) or thread.tree
    if (generation, tree) != (thread.generation, thread.tree):
        batch.put(with_checksum(thread._replace(generation=generation, tree=tree)))
        batch.mended.append(f"thread {thread.id!r}: the directory leads to it again")


async def _repair_threads_in_index(engine: Engine, state: RepairState) -> None:
    """Threads that are in the index but not in the directory. If there is one, and one root line without a thread, they
    belong together; otherwise the index entries are dropped."""
    directory = await read_directory(TolerantScan(engine.backend, engine.codec.max_value))
    missing = sorted(directory.tags.keys() - directory.threads.keys())
    roots = _unowned_roots(state)
    batch = RepairBatch()
    if len(missing) == 1 and len(roots) == 1 and roots[0].tree is not None:
        thread = ThreadRow(missing[0], roots[0].tree, roots[0].key[1], 1, now(), b"", None, None)
        batch.put(with_checksum(thread))
        batch.mended.append(f"thread {thread.id!r}: its row in the directory was rebuilt; its metadata is lost")
        batch.lost.append(Lost(what="the thread's metadata", thread_id=thread.id))
    else:
        for thread_id in missing:
            batch.drops += [DropRow(TagRow, (key, value, thread_id)) for key, value in directory.tags[thread_id]]
            batch.lost.append(Lost(what="the thread's row in the directory", thread_id=thread_id))
    if batch:
        await batch.commit(engine, state)
