"""From rows to what callers get: values, checkpoints, and the records that lists show."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from holdfast.backends.base import CheckpointRow, PendingRow, Want, checked
from holdfast.codec import Codec
from holdfast.engine import manifest, values, views
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.engine.manifest import Entry, Manifest, Ref
from holdfast.engine.values import Version
from holdfast.errors import Corrupt
from holdfast.model import Checkpoint, CheckpointInfo, PendingWrite

encode = msgspec.msgpack.Encoder().encode
decode_next = msgspec.msgpack.Decoder(tuple[str, ...]).decode
decode_write = msgspec.msgpack.Decoder(tuple[str, bytes]).decode


async def versions(engine: Engine, tree: int, entries: Iterable[Entry]) -> dict[Ref, Version]:
    """The content of these references: from the cache, and the rest with one question to the backend."""
    found: dict[Ref, Version] = {}
    missing: list[Ref] = []
    for ref in {entry._replace(frozen=False) for entry in entries if isinstance(entry, Ref)}:
        version = engine.cache.get((ref.log, ref.pos))
        if version is None:
            missing.append(ref)
        else:
            found[ref] = version
    if missing:
        answers = await engine.backend.chunks(tree, [Want(ref.log, ref.pos) for ref in missing])
        for ref, pieces in zip(missing, answers, strict=True):
            found[ref] = version = values.read(ref, pieces)
            engine.cache.put((ref.log, ref.pos), version, version.cost)
    return found


def version_of(ref: Ref, known: dict[Ref, Version]) -> Version:
    return known[ref._replace(frozen=False)]


def encoding(entry: Entry, known: dict[Ref, Version]) -> bytes:
    if isinstance(entry, Ref):
        return version_of(entry, known).parts.enc
    return entry.enc


def manifest_of(row: CheckpointRow) -> Manifest:
    try:
        return manifest.unpack(row.manifest)
    except msgspec.MsgspecError as error:
        raise Corrupt(f"the manifest of checkpoint {row.id!r} can't be read: {error}") from error


async def channels(
    engine: Engine, codec: Codec, row: CheckpointRow, names: Collection[str] | None = None
) -> tuple[dict[str, Any], Any]:
    """The decoded channels of a checkpoint (all, or those named), and its extra."""
    known_names = manifest_of(row)
    wanted = {name: entry for name, entry in known_names.channels.items() if names is None or name in names}
    extra = known_names.extra
    known = await versions(engine, row.tree, [*wanted.values(), *([extra] if extra else [])])
    state = {name: codec.decode(encoding(entry, known)) for name, entry in wanted.items()}
    return state, None if extra is None else codec.decode(encoding(extra, known))


async def info(engine: Engine, handle: Handle, view: views.View, row: CheckpointRow) -> CheckpointInfo:
    return CheckpointInfo(**await _fields(engine, handle, view, row))


async def checkpoint(
    engine: Engine, handle: Handle, view: views.View, row: CheckpointRow, names: Collection[str] | None = None
) -> Checkpoint[dict[str, Any]]:
    state, extra = await channels(engine, handle.codec, row, names)
    writes = await pending_writes(engine, handle.codec, view, row)
    fields = await _fields(engine, handle, view, row)
    return Checkpoint(**fields, state=state, pending_writes=writes, extra=extra)


async def _fields(engine: Engine, handle: Handle, view: views.View, row: CheckpointRow) -> dict[str, Any]:
    parent, _ = await views.parent_of(engine, view, row)
    return fields(handle, row, view.label(row), parent)


def fields(handle: Handle, row: CheckpointRow, label: str, parent_id: str | None) -> dict[str, Any]:
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
        "status": row.status,
        "label": label,
        "metadata": handle.codec.decode(row.metadata) if row.metadata else {},
        "created_at": as_datetime(row.created_at),
        "journal_seq": row.journal_seq,
        "size": row.size,
        "digest": row.digest.hex(),
        "origin": row.origin,
    }


# ------------------------------------------------------------------------------------------------ pending writes


async def pending_writes(
    engine: Engine, codec: Codec, view: views.View, row: CheckpointRow
) -> tuple[PendingWrite, ...]:
    """In the order of task path, task and index."""
    merged: dict[tuple[str, int], PendingRow] = {}
    for one in await engine.backend.pending(view.line, row.seq):
        _merge(merged, checked(one))
    rows = sorted(merged.values(), key=lambda one: (one.task_path, one.task_id, one.idx))
    return tuple(_write(codec, one) for one in rows)


def _merge(known: dict[tuple[str, int], PendingRow], row: PendingRow) -> None:
    """A repeated data write is ignored; a control write (a negative index) replaces."""
    key = (row.task_id, row.idx)
    if key not in known or row.idx < 0:
        known[key] = row


def _write(codec: Codec, row: PendingRow) -> PendingWrite:
    channel, value = decode_write(row.body)
    return PendingWrite(row.task_id, row.idx, channel, codec.decode(value), row.task_path)
