"""From rows to what callers get: values, checkpoints, and the records that lists show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from holdfast import _zstd
from holdfast.backends.base import Want
from holdfast.backends.rows import CheckpointRow, PendingRow, SealedRow, checked
from holdfast.codec import Codec
from holdfast.engine import manifest, values, views
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.engine.manifest import Entry, Manifest, Ref
from holdfast.engine.parts import LIST, join, split_items
from holdfast.engine.values import Version
from holdfast.errors import Corrupt
from holdfast.model import Checkpoint, CheckpointInfo, PendingWrite

encode = msgspec.msgpack.Encoder().encode
decode_next = msgspec.msgpack.Decoder(tuple[str, ...]).decode
_decode_write = msgspec.msgpack.Decoder(tuple[str, bytes]).decode
_ZSTD: Final = b"\x01"  # no pair begins so
_WORTH_COMPRESSING: Final = 2048


async def versions(
    engine: Engine, tree: int, entries: Iterable[Entry], changes: dict[tuple[int, int], bytes] | None = None
) -> dict[Ref, Version]:
    """The content of these references: from the cache, and the rest with one question to the backend, unless there are
    versions among them that are older than their log's last key. Whoever wants to know how each came about gives a dict
    for the changes, which has those that are at hand."""
    found: dict[Ref, Version] = {}
    missing: dict[int, list[Ref]] = {}
    for ref in sorted({entry._replace(frozen=False) for entry in entries if isinstance(entry, Ref)}):
        version = engine.cache.get((ref.log, ref.pos))
        if version is None:
            missing.setdefault(ref.log, []).append(ref)
        else:
            found[ref] = version
    while missing:
        logs = list(missing.values())
        answers = await engine.backend.chunks(tree, [Want(refs[-1].log, refs[-1].pos) for refs in logs])
        missing = {}
        for refs, pieces in zip(logs, answers, strict=True):
            if changes is not None:
                changes |= values.changes(refs, pieces)
            for ref, version in zip(refs, values.read(refs, pieces, engine.backend.capabilities.frames), strict=True):
                if version is None:
                    missing.setdefault(ref.log, []).append(ref)
                else:
                    found[ref] = version
            _remember(engine, refs[-1], found.get(refs[-1]))
    return found


def _remember(engine: Engine, ref: Ref, version: Version | None) -> None:
    """The newest of a log's versions is the one that somebody may build on."""
    if version is None:
        raise Corrupt(f"value log {ref.log} has no key at or before position {ref.pos}")
    if ref.digest:
        engine.cache.put((ref.log, ref.pos), version, version.cost)


def version_of(ref: Ref, known: dict[Ref, Version]) -> Version:
    return known[ref._replace(frozen=False)]


def encoding(entry: Entry, known: dict[Ref, Version]) -> bytes:
    if isinstance(entry, Ref):
        return version_of(entry, known).parts.enc
    return entry.enc


def value(codec: Codec, entry: Entry, known: dict[Ref, Version]) -> Any:
    """Made anew. A list that grew need not be joined first, if it is one of messages."""
    if not isinstance(entry, Ref):
        return codec.decode(entry.enc)
    parts = version_of(entry, known).parts
    messages = codec.messages(parts.items) if parts.kind == LIST and not parts.is_joined else None
    return codec.decode(parts.enc) if messages is None else messages


def manifest_of(row: CheckpointRow) -> Manifest:
    try:
        return manifest.unpack(row.manifest)
    except (msgspec.MsgspecError, ValueError, TypeError, AttributeError) as error:
        raise Corrupt(f"the manifest of checkpoint {row.id!r} can't be read: {error}") from error


async def channels(
    engine: Engine, codec: Codec, row: CheckpointRow, names: Collection[str] | None = None
) -> tuple[dict[str, Any], Any]:
    """The decoded channels of a checkpoint (all, or those named), and its extra."""
    known_names = manifest_of(row)
    wanted = {name: entry for name, entry in known_names.channels.items() if names is None or name in names}
    extra = known_names.extra
    known = await versions(engine, row.tree, [*wanted.values(), *([extra] if extra else [])])
    state = {name: value(codec, entry, known) for name, entry in wanted.items()}
    return state, None if extra is None else value(codec, extra, known)


async def info(engine: Engine, handle: Handle, view: views.View, row: CheckpointRow) -> CheckpointInfo:
    return CheckpointInfo(**await _fields(engine, handle, view, row))


async def checkpoint(
    engine: Engine, handle: Handle, view: views.View, row: CheckpointRow, names: Collection[str] | None = None
) -> Checkpoint[dict[str, Any]]:
    state, extra = await channels(engine, handle.codec, row, names)
    writes = (await pending_writes(engine, handle.codec, view, [row]))[row.seq]
    fields = await _fields(engine, handle, view, row)
    return Checkpoint(**fields, state=state, pending_writes=writes, extra=extra)


async def _fields(engine: Engine, handle: Handle, view: views.View, row: CheckpointRow) -> dict[str, Any]:
    parent, _ = await views.parent_of(engine, view, row)
    return fields(handle, row, view.label(row), view.status(row), parent)


def fields(handle: Handle, row: CheckpointRow, label: str, status: str, parent_id: str | None) -> dict[str, Any]:
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
        "metadata": handle.codec.decode(row.metadata) if row.metadata else {},
        "created_at": as_datetime(row.created_at),
        "journal_seq": row.journal_seq,
        "size": row.size,
        "digest": row.digest.hex(),
        "origin": row.origin,
    }


# ------------------------------------------------------------------------------------------------ pending writes


class Stored(NamedTuple):
    """A pending write as it is stored: encoded, or as a part of a value that a log holds."""

    task_path: str
    task_id: str
    idx: int
    channel: str
    value: bytes | list[int]  # or log, position, and from which item to which; or log, position, item


Sealed = list[tuple[Any, str, list[tuple[int, str, bytes | list[int]]]]]
"""The writes of a step by task: its id (in bytes, if it is a UUID's), its path; index, channel and value of each."""

decode_sealed = msgspec.msgpack.Decoder(Sealed).decode


async def pending_writes(
    engine: Engine, codec: Codec, view: views.View, rows: Sequence[CheckpointRow],
    loaded: Mapping[Ref, Version] | None = None,
) -> dict[int, tuple[PendingWrite, ...]]:  # fmt: skip
    """By the number of the checkpoint, in the order of task path, task and index. Versions that are `loaded` already
    are not asked for again."""
    merged: dict[int, dict[tuple[str, int], Stored]] = {row.seq: {} for row in rows}
    for one in await engine.backend.pending(view.line, list(merged)):
        for write in writes_in(one):
            _merge(merged[one.seq], write)
    refs = [version_in(one.value) for found in merged.values() for one in found.values() if type(one.value) is list]
    known = {ref._replace(digest=b""): version for ref, version in (loaded or {}).items()} if refs else {}
    missing = [ref for ref in refs if ref not in known]
    known |= await versions(engine, view.line.tree, missing) if missing else {}
    return {
        seq: tuple(
            PendingWrite(one.task_id, one.idx, one.channel, codec.decode(part_of(one.value, known)), one.task_path)
            for one in sorted(found.values())
        )
        for seq, found in merged.items()
    }  # fmt: skip


def encode_write(channel: str, enc: bytes) -> bytes:
    """The body of a pending write. It lives until its step is sealed, and goes over the wire and into the log of what
    was committed all the same."""
    plain = encode((channel, enc))
    smaller = _zstd.compress_if_worth_it(plain, 1) if len(plain) >= _WORTH_COMPRESSING else None
    return plain if smaller is None else _ZSTD + smaller


def decode_write(body: bytes) -> tuple[str, bytes]:
    if body[:1] != _ZSTD:
        return _decode_write(body)
    try:
        return _decode_write(_zstd.decompress(memoryview(body)[1:]))
    except _zstd.ZstdError as error:
        raise msgspec.DecodeError(f"a write that can't be decompressed: {error}") from error


def writes_in(row: PendingRow | SealedRow) -> list[Stored]:
    """The write of a row, or all writes of a step that was sealed."""
    if isinstance(row, PendingRow):
        return [Stored(row.task_path, row.task_id, row.idx, *decode_write(checked(row).body))]
    return [
        Stored(task_path, task_id if isinstance(task_id, str) else str(UUID(bytes=task_id)), *one)
        for task_id, task_path, found in decode_sealed(checked(row).body)
        for one in found
    ]


def short(task_id: str) -> str | bytes:
    """A UUID's text is more than twice as long as the UUID."""
    if len(task_id) == 36:
        with suppress(ValueError):
            short = UUID(task_id)
            return short.bytes if str(short) == task_id else task_id
    return task_id


def _merge(known: dict[tuple[str, int], Stored], write: Stored) -> None:
    """A repeated data write is ignored; a control write (a negative index) replaces."""
    key = (write.task_id, write.idx)
    if key not in known or write.idx < 0:
        known[key] = write


def version_in(value: list[int]) -> Ref:
    return Ref(value[0], value[1], b"")


def part_of(value: bytes | list[int], known: dict[Ref, Version]) -> bytes:
    """The encoding of a pending write's value."""
    if isinstance(value, bytes):
        return value
    parts = known[version_in(value)].parts
    place = value[2:]
    if not place:
        return parts.enc
    items = parts.items or split_items(parts.enc)
    return join(LIST, items[place[0] : place[1]]) if place[1:] else bytes(items[place[0]])
