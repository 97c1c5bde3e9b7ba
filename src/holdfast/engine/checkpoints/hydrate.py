"""From rows to the records that callers get: checkpoints, their lists, and their pending writes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from holdfast.backends.rows import CheckpointRow, PendingRow, SettledRow
from holdfast.codec import Codec
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.engine.threads import views
from holdfast.engine.values import loader
from holdfast.engine.values.manifest import Ref
from holdfast.engine.values.value_log import Version
from holdfast.engine.writes.write_format import StoredWrite, part_of, version_in, writes_in
from holdfast.errors import Corrupt
from holdfast.model import Checkpoint, CheckpointInfo, PendingWrite

decode_next = msgspec.msgpack.Decoder(tuple[str, ...]).decode


async def channels(
    engine: Engine, codec: Codec, row: CheckpointRow, names: Collection[str] | None = None
) -> tuple[dict[str, Any], Any]:
    """The decoded channels of a checkpoint (all, or those named), and its extra."""
    manifest = await loader.manifest_of(engine, row)
    entries, extra = manifest.channels, manifest.extra
    if names is not None:
        entries = {name: entry for name, entry in entries.items() if name in names}
    wanted = [*entries.values(), extra] if extra is not None else entries.values()
    versions = await loader.versions(engine, row.tree, wanted)
    if len(entries) > len(versions):
        loader.check_repeated(codec, entries.values(), versions)
    state: dict[str, Any] = {}
    for name, entry in entries.items():
        state[name] = loader.value(codec, entry, versions)
    return state, None if extra is None else loader.value(codec, extra, versions)


async def info(engine: Engine, handle: Handle, view: views.View, row: CheckpointRow) -> CheckpointInfo:
    return CheckpointInfo(**await _fields(engine, handle, view, row))


async def checkpoint(
    engine: Engine, handle: Handle, view: views.View, row: CheckpointRow, names: Collection[str] | None = None
) -> Checkpoint[dict[str, Any]]:
    state, extra = await channels(engine, handle.codec, row, names)
    writes = await pending_writes(engine, handle.codec, view, [row])
    fields = await _fields(engine, handle, view, row)
    return Checkpoint(**fields, state=state, pending_writes=writes[row.seq], extra=extra)


async def _fields(engine: Engine, handle: Handle, view: views.View, row: CheckpointRow) -> dict[str, Any]:
    if not view.overlays and view.known is None:
        return fields(handle, row, row.label, row.status, row.parent_id)
    await views.know(engine, view, row.seq, row.seq)
    parent, _ = await views.parent_of(engine, view, row)
    return fields(handle, row, view.label(row), view.status(row), parent)


def fields(handle: Handle, row: CheckpointRow, label: str, status: str, parent_id: str | None) -> dict[str, Any]:
    try:
        return _decoded_fields(handle, row, label, status, parent_id)
    except (msgspec.MsgspecError, ValueError, OverflowError, TypeError, AttributeError) as error:
        raise Corrupt(f"checkpoint {row.id!r} can't be read: {error!r}") from error


def _decoded_fields(
    handle: Handle, row: CheckpointRow, label: str, status: str, parent_id: str | None
) -> dict[str, Any]:
    return {
        "id": row.id,
        "thread_id": handle.thread_id,
        "namespace": handle.namespace,
        "seq": row.seq,
        "parent_id": parent_id,
        "parent_thread_id": (row.parent_thread or handle.thread_id) if parent_id is not None else None,
        "step": row.step,
        "source": row.source,
        "node": row.node,
        "next": decode_next(row.next) if row.next else (),
        "run_id": row.run_id,
        "status": status,
        "label": label,
        "metadata": handle.codec.decode_dict(row.metadata) if row.metadata else {},
        "created_at": as_datetime(row.created_at),
        "journal_seq": row.journal_seq,
        "size": row.size,
        "digest": row.digest.hex(),
        "origin": row.origin,
    }


async def pending_writes(
    engine: Engine, codec: Codec, view: views.View, rows: Sequence[CheckpointRow],
    loaded: Mapping[Ref, Version] | None = None,
) -> dict[int, tuple[PendingWrite, ...]]:  # fmt: skip
    """By the number of the checkpoint, in the order of task path, task and index. Versions that are `loaded` already
    are not read again."""
    merged: dict[int, dict[tuple[str, int], StoredWrite]] = {row.seq: {} for row in rows}
    stored = await engine.backend.pending(view.line, list(merged))
    if not stored:
        return dict.fromkeys(merged, ())
    for row in stored:
        _merge(merged, row, codec.max_value)
    versions = await _referenced(engine, view, merged, loaded)
    return {seq: tuple(_decoded(codec, sorted(writes.values()), versions)) for seq, writes in merged.items()}


def _merge(merged: dict[int, dict[tuple[str, int], StoredWrite]], row: PendingRow | SettledRow, max_value: int) -> None:
    """A repeated data write is ignored; a control write (a negative index) replaces the one before it."""
    # Reading the writes checks the row. The number of a damaged row may be any.
    for write in writes_in(row, max_value):
        task_writes, key = merged[row.seq], (write.task_id, write.idx)
        if key not in task_writes or write.idx < 0:
            task_writes[key] = write


async def _referenced(
    engine: Engine, view: views.View, merged: Mapping[int, Mapping[tuple[str, int], StoredWrite]],
    loaded: Mapping[Ref, Version] | None,
) -> dict[Ref, Version]:  # fmt: skip
    """The versions that settled writes refer to."""
    values = [write.value for writes in merged.values() for write in writes.values()]
    refs = [version_in(value) for value in values if isinstance(value, list)]
    if not refs:
        return {}
    versions = {ref._replace(digest=b""): version for ref, version in (loaded or {}).items()}
    missing = [ref for ref in refs if ref not in versions]
    return versions | await loader.versions(engine, view.line.tree, missing) if missing else versions


def _decoded(codec: Codec, writes: Sequence[StoredWrite], versions: dict[Ref, Version]) -> Iterator[PendingWrite]:
    size = 0
    for write in writes:
        enc = part_of(write.value, versions)
        # A reference takes a few bytes, and any number of them may lead to the same large value.
        size += len(enc) if versions else 0
        if size > loader.ROOM * codec.max_value:
            raise codec.too_large(size, "what the tasks of a step wrote")
        yield PendingWrite(write.task_id, write.idx, write.channel, codec.decode(enc), write.task_path)
