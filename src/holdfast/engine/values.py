"""Value logs: how the versions of one channel are stored, and read back.

A log starts with a key (a whole value), or with a change to a version of another log that it continues. Each save adds
one small chunk with one change; every 64th replaces the chunks since the last frame by one frame, compressed together
with the end of what came before as a prefix. A new key is written only when the changes since the last one weigh more
than twice the value: never for their number.

::

    position   0     1 … 64       65 … 128     129   130
    chunk     key   frame        frame         op    op
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import msgspec

from holdfast import _zstd
from holdfast.backends.base import FRAME, KEY, OP, ChunkRow, Drop, DropChunks, LogRow, Piece, Row, checked, sealed
from holdfast.engine.changes import append_change, change_parts, replay
from holdfast.engine.digests import item_digests, value_digest
from holdfast.engine.manifest import INLINE_UP_TO, Entry, Inline, Ref
from holdfast.engine.parts import ATOM, LIST, Parts, head, is_tagged, parts_of, shape_of, split_items
from holdfast.errors import Corrupt
from holdfast.ids import new_number

FRAME_OF: Final = 64
PREFIX: Final = 32 * 1024
_LIGHT: Final = 4096  # changes below this never ask for a new key
_SMALL_ITEM: Final = 32  # a list of smaller items is split anew instead of being kept split

_PLAIN, _ZSTD = b"\x00", b"\x01"
_ROW_LEVEL, _FRAME_LEVEL = 1, 3
_WORTH_COMPRESSING = 256
_encode = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a value, with what it takes to write the next."""

    parts: Parts
    digest: bytes
    digests: bytes  # of the items, one after the other
    weight: int  # bytes of changes since the last key
    tail: tuple[bytes, ...]  # the changes since the last frame or key of this log
    stored: int  # what the tail takes as single rows
    prefix: bytes  # the end of that frame or key

    @property
    def cost(self) -> int:
        kept = len(self.parts.enc) + 96 * len(self.parts.items) + len(self.digests) + len(self.prefix)
        return kept + sum(map(len, self.tail)) + 40 * len(self.tail) + 600


class Written(NamedTuple):
    """What storing a new version takes."""

    entry: Entry
    version: Version | None
    rows: list[Row]
    drops: list[Drop]
    bytes: int  # how much larger the store gets


# ------------------------------------------------------------------------------------------------ writing


def write(tree: int, enc: bytes, base: Ref | None, old: Version | None) -> Written:
    """Store `enc` as the version after `base`, whose content is `old`; without a base, as the start of a new log."""
    if len(enc) <= INLINE_UP_TO:
        return Written(Inline(enc), None, [], [], 0)
    parts = parts_of(enc)
    if base is None or old is None:
        return _write_key(tree, new_number(), 0, parts, None)
    return _write_change(tree, parts, change_parts(_split(old.parts), parts), base, old)


def append(tree: int, items_enc: bytes, base: Ref, old: Version) -> Written | None:
    """Store the old list with these items added, without comparing the old ones. None if there is no list."""
    shape = shape_of(old.parts.enc)
    if shape.kind != LIST or shape_of(items_enc).kind != LIST:
        return None
    fresh = split_items(items_enc)
    known = _split(old.parts)
    if known.items and is_tagged(known.items[0]):
        return None
    size = len(known.items) + len(fresh)
    payload = items_enc[shape_of(items_enc).start :]
    enc = b"".join([head(LIST, size), memoryview(old.parts.enc)[shape.start :], payload])
    parts = Parts(enc, LIST, known.items + fresh)
    return _write_change(tree, parts, append_change(len(known.items), fresh), base, old)


def _write_change(tree: int, parts: Parts, op: bytes, base: Ref, old: Version) -> Written:
    weight = old.weight + len(op)
    if weight > max(_LIGHT, 2 * len(parts.enc)):
        if base.frozen:
            return _write_key(tree, new_number(), 0, parts, old)
        sealed_tail = (
            _seal_tail(tree, base.log, base.pos, old.tail, old.stored, old.prefix) if len(old.tail) > 1 else None
        )
        return _write_key(tree, base.log, base.pos + 1, parts, old, sealed_tail)
    if base.frozen:
        log = new_number()
        start = sealed(LogRow(tree, log, base.log, base.pos))
        return _write_op(tree, log, 0, parts, op, weight, replace(old, tail=(), stored=0, prefix=b""), [start])
    return _write_op(tree, base.log, base.pos + 1, parts, op, weight, old, [])


def _write_key(
    tree: int, log: int, pos: int, parts: Parts, old: Version | None, before: _Sealed | None = None
) -> Written:
    digests = _digests(parts, old)
    digest = value_digest(parts, digests)
    body = _compressed(parts.enc)
    row = sealed(ChunkRow(tree, log, pos, pos, KEY, body))
    version = Version(_kept(parts), digest, digests, 0, (), 0, parts.enc[-PREFIX:])
    rows: list[Row] = [row]
    if before is None:
        return Written(Ref(log, pos, digest), version, rows, [], len(body))
    return Written(Ref(log, pos, digest), version, [before.row, row], [before.drop], len(body) + before.bytes)


def _write_op(
    tree: int, log: int, pos: int, parts: Parts, op: bytes, weight: int, old: Version, rows: list[Row]
) -> Written:
    digests = _digests(parts, old)
    ref = Ref(log, pos, value_digest(parts, digests))
    tail = (*old.tail, op)
    if len(tail) >= FRAME_OF:
        merged = _seal_tail(tree, log, pos, tail, old.stored, old.prefix)
        version = Version(_kept(parts), ref.digest, digests, weight, (), 0, merged.prefix)
        return Written(ref, version, [*rows, merged.row], [merged.drop], merged.bytes)
    body = _compressed(op)
    version = Version(_kept(parts), ref.digest, digests, weight, tail, old.stored + len(body), old.prefix)
    return Written(ref, version, [*rows, sealed(ChunkRow(tree, log, pos, pos, OP, body))], [], len(body))


class _Sealed(NamedTuple):
    row: ChunkRow
    drop: DropChunks
    prefix: bytes
    bytes: int


def _seal_tail(tree: int, log: int, last: int, ops: Sequence[bytes], stored: int, prefix: bytes) -> _Sealed:
    """One frame in place of the single changes that end at `last`."""
    plain = _encode([msgspec.Raw(op) for op in ops])
    body = _ZSTD + _zstd.compress(plain, _FRAME_LEVEL, prefix)
    first = last - len(ops) + 1
    row = sealed(ChunkRow(tree, log, first, last, FRAME, body))
    return _Sealed(row, DropChunks(tree, log, first, last), plain[-PREFIX:], len(body) - stored)


def _digests(parts: Parts, old: Version | None) -> bytes:
    if old is None:
        return item_digests(parts, None, b"")
    return item_digests(parts, _split(old.parts), old.digests)


def _split(parts: Parts) -> Parts:
    return parts if parts.items or parts.kind == ATOM else parts_of(parts.enc)


def _kept(parts: Parts) -> Parts:
    """Many small items weigh more taken apart than the value itself: those are split again when needed."""
    if len(parts.items) * _SMALL_ITEM > len(parts.enc):
        return parts._replace(items=[])
    return parts


def _compressed(data: bytes) -> bytes:
    if len(data) >= _WORTH_COMPRESSING:
        smaller = _zstd.compress(data, _ROW_LEVEL)
        if len(smaller) < len(data) * 9 // 10:
            return _ZSTD + smaller
    return _PLAIN + data


# ------------------------------------------------------------------------------------------------ reading


def read(ref: Ref, pieces: Sequence[Piece]) -> Version:
    """The version that these chunks make up. Anything that does not fit is `Corrupt`, with the log and position."""
    try:
        return _read(ref, pieces)
    except Corrupt:
        raise
    except Exception as error:
        raise Corrupt(f"value log {ref.log} can't be read up to position {ref.pos}: {error!r}") from error


def _read(ref: Ref, pieces: Sequence[Piece]) -> Version:
    base: bytes | None = None
    ops: list[bytes | msgspec.Raw] = []
    tail: list[bytes] = []
    stored = 0
    prefix = b""
    log = None
    for piece in pieces:
        chunk = checked(piece.chunk)
        if chunk.log != log:
            log, prefix, tail, stored = chunk.log, b"", [], 0
        plain = _plain(chunk, prefix)
        if chunk.kind == KEY:
            base, ops, tail, stored, prefix = plain, [], [], 0, plain[-PREFIX:]
        elif chunk.kind == FRAME:
            ops += split_items(plain)[: piece.upto - chunk.lo + 1]
            tail, stored, prefix = [], 0, plain[-PREFIX:]
        else:
            ops.append(plain)
            tail.append(plain)
            stored += len(chunk.body)
    if base is None:
        raise Corrupt(f"value log {ref.log} has no key at or before position {ref.pos}")
    enc = replay(base, ops) if ops else base
    parts = parts_of(enc)
    digests = item_digests(parts, None, b"")
    if value_digest(parts, digests) != ref.digest:
        raise Corrupt(f"value log {ref.log} at position {ref.pos} does not match its digest")
    return Version(_kept(parts), ref.digest, digests, _weight(ops), tuple(tail), stored, prefix)


def _weight(ops: Iterable[bytes | msgspec.Raw]) -> int:
    return sum(len(memoryview(op)) for op in ops)


def _plain(chunk: ChunkRow, prefix: bytes) -> bytes:
    body = memoryview(chunk.body)[1:]
    if chunk.body[:1] == _PLAIN:
        return bytes(body)
    return _zstd.decompress(body, prefix if chunk.kind == FRAME else b"")
