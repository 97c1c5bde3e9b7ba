"""Reads versions of a value from the chunks of its log. `value_log` explains these."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, islice
from operator import itemgetter
from typing import Final, Literal, Protocol

import msgspec
from msgspec import Raw

from holdfast import _zstd
from holdfast._system.interrupts import is_interrupt
from holdfast.backends.base import Frames, Piece
from holdfast.backends.rows import KEY, OP, checked
from holdfast.codec.codec import MAX_VALUE
from holdfast.engine.values.manifest import Ref
from holdfast.engine.values.msgpack_parts import LIST, Parts, compact, head, shape_of, split_items, with_items
from holdfast.engine.values.patch import Replay
from holdfast.engine.values.value_log import PLAIN, ZSTD, Op, StoredChunk, Tail, Version
from holdfast.errors import Corrupt, TooLarge

_ROOM: Final = 4
"""A key, and the changes since: these take at most twice the bytes of the value, or a new key is written. A fork may
leave a part of a frame unused."""
_LEAST_ROOM: Final = 1 << 20

Append = tuple[Literal[1], int, Literal[0], list[Raw]]
_append = msgspec.msgpack.Decoder(Append).decode
_appends = msgspec.msgpack.Decoder(list[Append]).decode


def read(refs: Sequence[Ref], pieces: Sequence[Piece], frames: Frames, most: int = MAX_VALUE) -> list[Version | None]:
    """These versions of one log, lowest first, from the chunks that make up the last of them; None for a version older
    than the last key. Chunks that do not fit raise `Corrupt`, with the log and position; values of more than `most`
    bytes `TooLarge`."""
    try:
        return _versions(refs, _chunks(refs[-1], pieces, most), frames[0], most)
    except (Corrupt, TooLarge):
        raise
    except Exception as error:
        if is_interrupt(error):
            raise
        raise _unreadable(refs[-1], error) from error


def walk(refs: Sequence[Ref], pieces: Sequence[Piece], most: int) -> Iterator[Parts]:
    """The same versions one at a time, split into items, for callers that can't hold them all; without those that are
    older than the last key."""
    last = refs[-1]
    try:
        chunks = _chunks(last, pieces, most)
        key = _last_key(chunks)
        if key is None:
            raise Corrupt(f"value log {last.log} has no key at or before position {last.pos}")
        base, changes = chunks[key], chunks[key + 1 :]
        wanted = _after_key(refs, base)
        done = 0
        try:
            for parts in _passed(_GrowingList(base.plain), changes, last.log, wanted):
                done += 1
                yield with_items(parts)
        except (_NotAppended, msgspec.ValidationError):
            for parts in islice(_passed(_PatchedValue(base.plain), changes, last.log, wanted), done, None):
                yield with_items(parts)
    except (Corrupt, TooLarge):
        raise
    except Exception as error:
        if is_interrupt(error):
            raise
        raise _unreadable(last, error) from error


def changes(refs: Sequence[Ref], pieces: Sequence[Piece], most: int) -> dict[tuple[int, int], bytes]:
    """By log and position, the change that makes each version from the one before it. Versions that are stored as keys
    have none."""
    try:
        return _changes(refs, pieces, most)
    except (Corrupt, TooLarge):
        raise
    except Exception as error:
        if is_interrupt(error):
            raise
        raise _unreadable(refs[-1], error) from error


def _changes(refs: Sequence[Ref], pieces: Sequence[Piece], most: int) -> dict[tuple[int, int], bytes]:
    found: dict[tuple[int, int], bytes] = {}
    wanted = {ref.pos for ref in refs}
    for chunk in _chunks(None, pieces, most):
        if chunk.log == refs[-1].log and chunk.kind != KEY:
            for pos in wanted:
                if chunk.lo <= pos <= chunk.hi:
                    found[chunk.log, pos] = bytes(chunk.ops[pos - chunk.lo])
    return found


def _unreadable(ref: Ref, error: Exception) -> Corrupt:
    return Corrupt(f"value log {ref.log} can't be read up to position {ref.pos}: {error!r}")


# ------------------------------------------------------------------------------------------------ chunks


class _Chunk:
    """A chunk, decompressed. Its changes are split once, for all versions that need them."""

    __slots__ = ("log", "lo", "hi", "kind", "upto", "plain", "stored", "_ops", "_appends")

    def __init__(self, piece: Piece, most: int) -> None:
        row = piece.chunk
        self.log, self.lo, self.hi, self.kind, self.upto = row.log, row.lo, row.hi, row.kind, piece.upto
        self.plain = _content(row.body, most)
        self.stored = len(row.body)
        self._ops: list[Op] | None = [self.plain] if row.kind == OP else None
        self._appends: list[Append] | None = None

    @property
    def ops(self) -> list[Op]:
        """The changes. For a key there are none to ask for."""
        if self._ops is None:
            self._ops = [*split_items(self.plain)]
        return self._ops

    @property
    def appends(self) -> list[Append]:
        """The changes, if each adds to the end of a list; raises `ValidationError` otherwise."""
        if self._appends is None:
            self._appends = [_append(self.plain)] if self.kind == OP else _appends(self.plain)
        return self._appends


def _content(body: bytes, most: int) -> bytes:
    first = body[:1]
    if first == ZSTD:
        return _zstd.decompress(memoryview(body)[1:], most)
    return body[1:] if first == PLAIN else body


def _chunks(last: Ref | None, pieces: Sequence[Piece], most: int) -> list[_Chunk]:
    """The chunks up to the version `last`, checked. Checksums show that a row is as it was written; positions show that
    no row is missing."""
    for piece in pieces:
        checked(piece.chunk)
    chunks: list[_Chunk] = []
    room = _ROOM * most + _LEAST_ROOM
    for piece in pieces:
        chunks.append(_Chunk(piece, room))
        room -= len(chunks[-1].plain)
    _check_gaps(chunks)
    if last is not None and not (chunks and chunks[-1].log == last.log and chunks[-1].hi >= last.pos):
        raise Corrupt(f"value log {last.log} ends before position {last.pos}: a row is missing")
    return chunks


def _check_gaps(chunks: Sequence[_Chunk]) -> None:
    before: _Chunk | None = None
    for chunk in chunks:
        if before is not None and before.log == chunk.log:
            follows = chunk.lo == before.hi + 1
        else:
            follows = (chunk.kind == KEY or chunk.lo == 0) and (before is None or before.hi >= before.upto)
        if not follows:
            raise Corrupt(f"value log {chunk.log} has a gap before position {chunk.lo}: a row is missing")
        before = chunk


def _last_key(chunks: Sequence[_Chunk]) -> int | None:
    for index in reversed(range(len(chunks))):
        if chunks[index].kind == KEY:
            return index
    return None


def _after_key(refs: Sequence[Ref], base: _Chunk) -> Sequence[Ref]:
    """The versions that are made from this key: all, if it is in a log that theirs continues."""
    if base.log != refs[-1].log or base.lo <= refs[0].pos:
        return refs
    return [ref for ref in refs if ref.pos >= base.lo]


# ------------------------------------------------------------------------------------------------ versions


def _versions(refs: Sequence[Ref], chunks: list[_Chunk], full: int, most: int) -> list[Version | None]:
    """From the last key on, one pass over the changes, which stops at each version that is wanted."""
    key = _last_key(chunks)
    if key is None:
        return [None for _ in refs]
    base, changes = chunks[key], chunks[key + 1 :]
    wanted = _after_key(refs, base)
    log = refs[-1].log
    try:
        passed = [*_passed(_GrowingList(base.plain), changes, log, wanted)]
    except (_NotAppended, msgspec.ValidationError):
        passed = [*_passed(_PatchedValue(base.plain), changes, log, wanted)]
    for parts in passed:
        if parts.size > most:
            raise TooLarge(f"a stored value has {parts.size} bytes; to load it, open the store with a larger max_value")
    found: list[Version | None] = [None] * (len(refs) - len(wanted))
    found += [Version(parts, ref.digest, 0) for ref, parts in zip(wanted, passed, strict=True)]
    # Only the last one may be built on.
    last = found[-1]
    if last is not None:
        last.tail, last.weight = _tail(refs[-1], changes, full)
    return found


def _tail(ref: Ref, changes: Sequence[_Chunk], full: int) -> tuple[Tail, int]:
    """The changes of the log since its last full frame, to be framed together later; and the bytes of all changes since
    the key."""
    weight = 0
    ops: list[Op] = []
    chunks: list[StoredChunk] = []
    for chunk in changes:
        weight += len(chunk.plain) if chunk.kind == OP else len(chunk.plain) - shape_of(chunk.plain).start
        if chunk.log != ref.log or chunk.hi - chunk.lo + 1 >= full:
            ops, chunks = [], []
        else:
            fresh = chunk.ops[: ref.pos - chunk.lo + 1]
            ops += fresh
            chunks.append(StoredChunk(len(fresh), chunk.stored))
    return Tail(tuple(ops), tuple(chunks), sum(map(len, ops))), weight


class _Building(Protocol):
    """A value to which the changes of a log are applied in order."""

    def apply(self, chunk: _Chunk, start: int, end: int) -> None: ...

    def parts(self) -> Parts: ...


class _PatchedValue:
    """Any value, changed by any change."""

    def __init__(self, base: bytes) -> None:
        self._replay = Replay(base)

    def apply(self, chunk: _Chunk, start: int, end: int) -> None:
        self._replay.apply(chunk.ops[start:end])

    def parts(self) -> Parts:
        enc = self._replay.enc()
        return Parts(enc, shape_of(enc).kind, [])


class _NotAppended(Exception):
    """A change that does more than add to the end of a list."""


class _GrowingList:
    """A list that only grows, as in nearly all long logs: its items are put together without being decoded."""

    def __init__(self, base: bytes) -> None:
        if shape_of(base).kind != LIST:
            raise _NotAppended
        self._items = split_items(base)
        self._enc: bytes | None = base  # until it grows

    def apply(self, chunk: _Chunk, start: int, end: int) -> None:
        self._enc = None
        appends = chunk.appends[start:end]
        fresh = [*map(_items_of, appends)]
        sizes = [*accumulate(map(len, fresh), initial=len(self._items))]
        if [*map(_index_of, appends)] != sizes[:-1]:
            raise _NotAppended
        self._items += chain.from_iterable(fresh)

    def parts(self) -> Parts:
        items = self._items.copy()
        size = 0 if self._enc is not None else len(head(LIST, len(items))) + sum(map(len, items))
        return compact(Parts(self._enc, LIST, items, size))


_items_of = itemgetter(3)
_index_of = itemgetter(1)


def _passed(value: _Building, changes: Sequence[_Chunk], log: int, wanted: Sequence[Ref]) -> Iterator[Parts]:
    """Apply the changes in order, and yield the value at each version that is wanted."""
    left = deque([ref.pos for ref in wanted])
    for chunk in changes:
        if chunk.log != log:
            value.apply(chunk, 0, chunk.upto - chunk.lo + 1)
            continue
        while left and left[0] < chunk.lo:
            left.popleft()
            yield value.parts()
        start = 0
        while left and left[0] < chunk.hi:
            end = left.popleft() - chunk.lo + 1
            value.apply(chunk, start, end)
            yield value.parts()
            start = end
        if left:
            value.apply(chunk, start, chunk.hi - chunk.lo + 1)
    for _ in left:
        yield value.parts()
