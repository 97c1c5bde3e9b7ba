"""Writes that arrive before their checkpoint.

A framework may send what its tasks wrote before the checkpoint that they belong to. Such writes are kept under the
checkpoint's id; the save of that checkpoint adopts them. Those whose checkpoint does not come within a day are dropped
by `collect`.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.backends.base import Batch, EarlyWritesAt, Expect, LineAt, NamespaceFree, ThreadAbsent, drop_of
from holdfast.backends.rows import CheckpointRow, EarlyWriteRow, PendingRow, checked, with_checksum
from holdfast.engine.context import Engine, Handle
from holdfast.engine.threads import lifetime
from holdfast.engine.threads.location import Located, Lookup
from holdfast.engine.writes.write_format import encode_write


async def keep(
    engine: Engine, handle: Handle, lookup: Lookup, checkpoint_id: str, writes: Sequence[tuple[str, bytes, int]],
    task_id: str, task_path: str,
) -> bool:  # fmt: skip
    """Keep writes for a checkpoint that may still come; False if it may have come since the thread was looked up."""
    moment = await lifetime.store_time(engine)
    rows = [
        with_checksum(
            EarlyWriteRow(
                handle.thread_id, handle.namespace, checkpoint_id, task_id, idx, task_path, moment,
                encode_write(channel, enc),
            )
        )
        for channel, enc, idx in writes
    ]  # fmt: skip
    control = [row for row in rows if row.idx < 0]
    data = [row for row in rows if row.idx >= 0]
    expects = [*_not_saved_since(handle, lookup), lifetime.near(moment)]
    if await engine.backend.commit(Batch(expects, control, (), data)):
        return True
    lifetime.ask_again(engine)
    return False


def _not_saved_since(handle: Handle, lookup: Lookup) -> list[Expect]:
    if lookup.thread is None or lookup.root is None:
        return [ThreadAbsent(handle.thread_id)]
    if lookup.line is None or lookup.line.version == 0:
        return [NamespaceFree(lookup.root.tree, lookup.root.line, handle.namespace)]
    return [LineAt(lookup.line.tree, lookup.line.line, lookup.line.version)]


async def adopt(
    engine: Engine, handle: Handle, here: Located, row: CheckpointRow, batch: Batch, fresh: bool
) -> list[PendingRow]:
    """Add the early writes of a checkpoint to the batch that saves it.

    They are rare, so a save that starts from what this process remembers expects none, without asking. If there are
    some, its batch is not applied, and the save is planned again.
    """
    key = (handle.thread_id, handle.namespace, row.id)
    early = await engine.backend.early_writes(*key) if fresh else []
    batch.expects.append(EarlyWritesAt(*key, len(early)))
    if not early:
        return []
    adopted = [_as_pending(row, here.root.forks, write) for write in early]
    batch.puts = [*batch.puts, *adopted]
    batch.drops = [*batch.drops, *(drop_of(write) for write in early)]
    return adopted


def _as_pending(row: CheckpointRow, era: int, write: EarlyWriteRow) -> PendingRow:
    body = checked(write).body
    return with_checksum(PendingRow(row.tree, row.line, row.seq, write.task_id, write.idx, era, write.task_path, body))
