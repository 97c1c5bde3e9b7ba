"""Repairing the directory: threads, graves, writes that wait, and the index."""

from __future__ import annotations

from holdfast.backends.base import DropRow
from holdfast.backends.rows import (
    GraveRow,
    TagRow,
    ThreadRow,
    WaitingRow,
    is_typed,
    sealed,
)
from holdfast.engine.context import Engine, now
from holdfast.engine.judging import is_readable
from holdfast.engine.mending import Mending, Round, as_text, commit, moment, unswapped
from holdfast.engine.treerows import key_of
from holdfast.engine.verify import read_directory
from holdfast.engine.walking import Walk
from holdfast.ids import grave_hash
from holdfast.model import Lost


async def mend_directory(engine: Engine, work: Mending) -> None:
    """Damaged rows of the directory; what they said is used again if it can be checked."""
    directory = await read_directory(Walk(engine.backend))
    one = Round()
    trees = {fault.key[1]: fault.tree for fault in work.plan if fault.kind == "directory" and fault.table == "line"}
    swapped = unswapped(one, directory.damaged)
    for row in directory.damaged:
        one.set_aside(row, "it did not match its checksum")
        if key_of(row) in swapped:
            continue
        if isinstance(row, ThreadRow) and is_typed(row) and row.id:
            metadata = row.metadata if is_readable(row) else b""
            tree = trees.get(row.line) or row.tree
            generation, created = max(1, row.generation), moment(row.created_at)
            one.put(sealed(row._replace(metadata=metadata, generation=generation, created_at=created, tree=tree)))
            one.mended.append(f"thread {row.id!r}: its row in the directory was made anew from what it said")
        elif isinstance(row, GraveRow) and is_typed(row):
            one.put(sealed(row))
        elif isinstance(row, WaitingRow):
            one.lost.append(Lost(what="a write that waited for its checkpoint", thread_id=as_text(row.thread)))
    for waiting in directory.waiting:
        one.set_aside(waiting, "it could not be read")
        one.lost.append(Lost(what="a write that waited for its checkpoint", thread_id=waiting.thread))
    for row in directory.threads.values():
        buried = directory.graves.get(grave_hash(row.id), 0)
        home = trees.get(row.line) or row.tree
        if buried >= row.generation or home != row.tree:
            one.put(sealed(row._replace(generation=max(row.generation, buried + 1), tree=home)))
            one.mended.append(f"thread {row.id!r}: the directory leads to it again")
    if one:
        await commit(engine, work, one, [])
    await _untag(engine, work)


async def _untag(engine: Engine, work: Mending) -> None:
    """Entries of the index about threads that nobody could bring back."""
    directory = await read_directory(Walk(engine.backend))
    lost = sorted(directory.tags.keys() - directory.threads.keys())
    homeless = [fault for fault in work.plan if fault.kind == "directory" and fault.table == "line"]
    one = Round()
    if len(lost) == 1 and len(homeless) == 1 and homeless[0].tree is not None:
        thread = ThreadRow(lost[0], homeless[0].tree, homeless[0].key[1], 1, now(), b"", None, None)
        one.put(sealed(thread))
        one.mended.append(f"thread {thread.id!r}: its row in the directory was made anew; its metadata is lost")
        one.lost.append(Lost(what="the thread's metadata", thread_id=thread.id))
    else:
        for thread_id in lost:
            for key, value in directory.tags[thread_id]:
                one.drops.append(DropRow(TagRow, (key, value, thread_id)))
            one.lost.append(Lost(what="the thread's row in the directory", thread_id=thread_id))
    if one:
        await commit(engine, work, one, [])
