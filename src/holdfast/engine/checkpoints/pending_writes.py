"""Storing what the tasks of a step produce before the step's checkpoint is saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.backends.base import Batch, CheckpointThere
from holdfast.backends.rows import CheckpointRow, LineRow, PendingRow, Row, with_checksum
from holdfast.engine.checkpoints.id_rules import NATIVE, IdRules
from holdfast.engine.context import Engine, Handle
from holdfast.engine.retry import until_applied
from holdfast.engine.threads import leases, lifetime, location, views
from holdfast.engine.threads.location import Located
from holdfast.engine.writes import early_writes, settlement
from holdfast.engine.writes.write_format import encode_write
from holdfast.errors import Fenced, ThreadBusy


class Write(NamedTuple):
    """One encoded pending write. A control write has an index below 0."""

    channel: str
    enc: bytes
    idx: int


class TaskWrites(NamedTuple):
    """What one task wrote to one checkpoint."""

    checkpoint_id: str
    writes: Sequence[Write]
    task_id: str
    task_path: str


async def put_writes(engine: Engine, handle: Handle, task: TaskWrites, rules: IdRules = NATIVE) -> None:
    """Store what a task produced. A repeated data write is ignored; a control write replaces the one before it."""
    engine.check_open()
    here = await location.recalled(engine, handle)
    if here is not None and here.head is not None and here.head.id == task.checkpoint_id:
        try:
            if await _put(engine, handle, here, here.head, task):
                return
        except (Fenced, ThreadBusy):
            pass  # what is remembered may be out of date: ask the backend before refusing

    async def attempt() -> bool | None:
        lookup = await rules.look_up(engine, handle, task.checkpoint_id)
        row = await _checkpoint(engine, lookup.here, task.checkpoint_id)
        if lookup.here is None or row is None:
            rules.missing_checkpoint(handle, lookup, task.checkpoint_id)
            return await early_writes.keep(engine, handle, lookup, *task) or None
        return await _put(engine, handle, lookup.here, row, task) or None

    await until_applied(handle.name, attempt)


async def _checkpoint(engine: Engine, here: Located | None, checkpoint_id: str) -> CheckpointRow | None:
    if here is None:
        return None
    return await views.find(engine, await views.open_lazily(engine, here.line), checkpoint_id)


async def _put(engine: Engine, handle: Handle, here: Located, row: CheckpointRow, task: TaskWrites) -> bool:
    root = await leases.admitted(engine, handle, here.root)
    if here.policy.ttl is not None:
        root = await lifetime.written(engine, here.policy, here.thread, root)
    unchanged, moved = leases.written(here.root, root)
    batch = _batch(here, row, task, moved)
    batch.expects += [*unchanged, *await lifetime.in_time(engine, here.policy)]
    if not await engine.backend.commit(batch):
        lifetime.ask_again(engine)
        return False
    settlement.note(engine, [put for put in batch.puts_if_free if isinstance(put, PendingRow)])
    if moved:
        location.forget(engine, handle.inner(""))
        location.forget(engine, handle)
    return True


def _batch(here: Located, row: CheckpointRow, task: TaskWrites, moved: Sequence[LineRow]) -> Batch:
    line = here.line
    era = here.root.forks
    control: list[PendingRow] = []
    data: list[PendingRow] = []
    for write in task.writes:
        body = encode_write(write.channel, write.enc)
        put = PendingRow(line.tree, line.line, row.seq, task.task_id, write.idx, era, task.task_path, body)
        (control if write.idx < 0 else data).append(with_checksum(put))
    puts: list[Row] = [*moved, *control]
    if line.version == 0:
        puts.append(with_checksum(line._replace(version=1)))
    expects = [*here.unchanged(), CheckpointThere(row.tree, row.line, row.seq)]
    return Batch(expects, puts, (), data)
