"""Writes the next version of a value to its log: as a key, a change or a frame. `value_log` explains these."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec
from msgspec import Raw

from holdfast import _zstd
from holdfast.backends.base import DropChunks
from holdfast.backends.rows import FRAME, KEY, OP, ChunkRow, LogRow, Row, with_checksum
from holdfast.engine.values.digests import item_digests, value_digest
from holdfast.engine.values.manifest import INLINE_UP_TO, Inline, Ref
from holdfast.engine.values.msgpack_parts import (
    LIST,
    Parts,
    compact,
    head,
    is_tagged,
    parts_of,
    shape_of,
    split_items,
    with_items,
)
from holdfast.engine.values.patch import append_change, partial_change, whole_change
from holdfast.engine.values.value_log import (
    LARGE,
    NO_TAIL,
    PLAIN,
    ZSTD,
    LogSettings,
    StoredChunk,
    Tail,
    Version,
    Written,
)
from holdfast.ids import new_number

_LIGHT: Final = 8 * 1024  # changes of fewer bytes never cause a new key
_ROW_LEVEL: Final = 1
_FRAME_LEVELS: Final = {256: 5, 64: 3, 32: 3, 16: 1}  # measured: above 5 it costs more time and saves nothing
_WORTH_COMPRESSING: Final = 256
_OP_WORTH_COMPRESSING: Final = 2048  # a smaller change is in a frame soon, and is faster to write and read plain
_encode = msgspec.msgpack.Encoder().encode


def write(settings: LogSettings, enc: bytes, base: Ref | None, old: Version | None) -> Written:
    """Store `enc` as the version after `base`, whose content is `old`; without a base, as the start of a new log."""
    if len(enc) <= INLINE_UP_TO:
        return Written(Inline(enc), None, [], [], 0)
    parts = parts_of(enc)
    if base is None or old is None:
        digests = item_digests(parts, None, b"")
        version = Version(compact(parts), value_digest(parts, digests), 0, NO_TAIL, digests)
        return _write_key(settings, new_number(), 0, version)
    op = partial_change(with_items(old.parts), parts)
    if op is None and parts.size >= LARGE:
        return _replace(settings, parts, base, old)
    return write_change(settings, parts, whole_change(enc) if op is None else op, base, old)


def append(settings: LogSettings, items_enc: bytes, base: Ref, old: Version) -> Written | None:
    """Store the old list with these items added, without comparing the old ones. None if there is no list."""
    shape = shape_of(items_enc)
    if old.parts.kind != LIST or shape.kind != LIST:
        return None
    before = with_items(old.parts)
    if before.items and is_tagged(before.items[0]):
        return None
    old.parts = before
    fresh = split_items(items_enc)
    items = before.items + fresh
    heads = len(head(LIST, len(items))) - len(head(LIST, len(before.items)))
    parts = Parts(None, LIST, items, before.size + heads + len(items_enc) - shape.start)
    return write_change(settings, parts, append_change(len(before.items), fresh), base, old)


def write_change(settings: LogSettings, parts: Parts, op: bytes, base: Ref, old: Version) -> Written:
    """Store `parts`, which `op` makes of the old version, as the version after `base`: in a chunk of its own, or in a
    frame with the changes before it. A frozen base is continued in a new log."""
    if old.known is None:
        old.check()
    digests = item_digests(parts, old.parts, old.known or b"")
    digest = value_digest(parts, digests)
    version = Version(compact(parts), digest, old.weight + len(op), old.tail, digests)
    if version.weight > max(_LIGHT, 2 * parts.size):
        return _write_next_key(settings, base, version)
    log, pos, before = base.log, base.pos + 1, old.tail
    rows: list[Row] = []
    if base.frozen:
        log, pos, before = new_number(), 0, NO_TAIL
        rows.append(with_checksum(LogRow(settings.tree, log, base.log, base.pos)))
    ref = Ref(log, pos, digest)
    tail = Tail((*before.ops, op), before.chunks, before.bytes + len(op))
    for size in settings.frames:
        if len(tail.ops) % size == 0:
            frame = _frame(settings, log, pos, tail, size)
            version.tail = NO_TAIL if size == settings.frames[0] else tail._replace(chunks=frame.chunks)
            return Written(ref, version, [*rows, frame.row], [frame.drop], frame.bytes)
    body = _compressed(op) if len(op) >= _OP_WORTH_COMPRESSING else PLAIN + op
    version.tail = tail._replace(chunks=(*before.chunks, StoredChunk(1, len(body))))
    rows.append(with_checksum(ChunkRow(settings.tree, log, pos, pos, OP, body)))
    return Written(ref, version, rows, [], len(body))


def _replace(settings: LogSettings, parts: Parts, base: Ref, old: Version) -> Written:
    """Store a large value that has little in common with the old one as a key: a change would be a copy of it."""
    digests = item_digests(parts, None, b"")
    version = Version(compact(parts), value_digest(parts, digests), 0, old.tail, digests)
    return _write_next_key(settings, base, version)


def _write_next_key(settings: LogSettings, base: Ref, version: Version) -> Written:
    """A key after changes that take more bytes than it. The changes before it are framed first, since later frames
    start after the key."""
    tail = version.tail
    version.weight, version.tail = 0, NO_TAIL
    if base.frozen:
        return _write_key(settings, new_number(), 0, version)
    key = _write_key(settings, base.log, base.pos + 1, version)
    if len(tail.chunks) < 2:
        return key
    frame = _frame(settings, base.log, base.pos, tail, len(tail.ops))
    return key._replace(rows=[frame.row, *key.rows], drops=[frame.drop], bytes=key.bytes + frame.bytes)


def _write_key(settings: LogSettings, log: int, pos: int, version: Version) -> Written:
    body = _compressed(version.parts.enc)
    row = with_checksum(ChunkRow(settings.tree, log, pos, pos, KEY, body))
    return Written(Ref(log, pos, version.digest), version, [row], [], len(body))


class _Frame(NamedTuple):
    row: ChunkRow
    drop: DropChunks
    chunks: tuple[StoredChunk, ...]  # what the tail is stored in now
    bytes: int  # by how much the store grows


def _frame(settings: LogSettings, log: int, last: int, tail: Tail, size: int) -> _Frame:
    """One frame that replaces the chunks of the last `size` changes, which end at position `last`."""
    plain = _encode([Raw(op) for op in tail.ops[-size:]])
    body = ZSTD + _zstd.compress(plain, _FRAME_LEVELS.get(size, 3))
    left = len(tail.ops) - size
    chunks: list[StoredChunk] = []
    for chunk in tail.chunks:
        if left <= 0:
            break
        left -= chunk.changes
        chunks.append(chunk)
    replaced = sum(chunk.bytes for chunk in tail.chunks[len(chunks) :])
    row = with_checksum(ChunkRow(settings.tree, log, last - size + 1, last, FRAME, body))
    drop = DropChunks(settings.tree, log, last - size + 1, last)
    return _Frame(row, drop, (*chunks, StoredChunk(size, len(body))), len(body) - replaced)


def _compressed(data: bytes) -> bytes:
    smaller = _zstd.compress_if_worth_it(data, _ROW_LEVEL) if len(data) >= _WORTH_COMPRESSING else None
    if smaller is not None:
        return ZSTD + smaller
    return PLAIN + data if len(data) < LARGE else data
