"""Value logs: how the versions of one channel are stored, and read back.

A log starts with a key (a whole value), or with a change to a version of another log that it continues. Each save adds
one small chunk with one change. At every 16th change the last 16 become one frame, compressed together; at every 64th
the last 64; at every 256th the last 256, in a frame that stays. So a read is few rows and few frames, and a change is
compressed four times at most. (These are the usual numbers; `Capabilities.frames` has those of a backend.) A new key is
written only when the changes since the last one weigh more than twice the value: never for their number.

::

    position   0     1 … 256      257 … 320    321 … 336    337   338
    chunk     key   frame        frame        frame         op    op
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple, Protocol

import msgspec
from msgspec import Raw

from holdfast import _zstd
from holdfast.backends.base import Drop, DropChunks, Frames, Piece
from holdfast.backends.rows import FRAME, KEY, OP, ChunkRow, LogRow, Row, checked, sealed
from holdfast.engine.changes import Replay, append_change, change_parts
from holdfast.engine.digests import item_digests, value_digest
from holdfast.engine.manifest import INLINE_UP_TO, Entry, Inline, Ref
from holdfast.engine.parts import ATOM, LIST, Parts, head, is_tagged, parts_of, shape_of, split_items
from holdfast.errors import Corrupt
from holdfast.ids import new_number

_OLD_PREFIX: Final = 32 * 1024  # formats 1 and 2 compressed a frame after the end of what came before
_LIGHT: Final = 8 * 1024  # changes below this never ask for a new key
_SMALL_ITEM: Final = 32  # a list of smaller items is split anew instead of being kept split

_PLAIN, _ZSTD, _ZSTD_FRAME = b"\x00", b"\x01", b"\x02"
_ROW_LEVEL: Final = 1
_FRAME_LEVELS: Final = {256: 5, 64: 3, 32: 3, 16: 1}  # measured: above 5 it costs more time and saves nothing
_WORTH_COMPRESSING: Final = 256
_OP_WORTH_COMPRESSING: Final = 2048  # a smaller one is in a frame soon, and until then is read and written faster so
_encode = msgspec.msgpack.Encoder().encode
Op = bytes | Raw
Append = tuple[Literal[1], int, Literal[0], list[Raw]]
_append = msgspec.msgpack.Decoder(Append).decode
_appends = msgspec.msgpack.Decoder(list[Append]).decode


class Stored(NamedTuple):
    """One chunk of a tail: how many changes it holds, in how many bytes."""

    changes: int
    bytes: int


class Tail(NamedTuple):
    """The changes since the last full frame or key, and the chunks they are in: what later frames are made from."""

    ops: tuple[Op, ...] = ()
    chunks: tuple[Stored, ...] = ()
    bytes: int = 0


@dataclass(slots=True)
class Version:
    """One version of a value, with what it takes to write the next."""

    parts: Parts
    digest: bytes
    weight: int  # bytes of changes since the last key
    tail: Tail = field(default_factory=Tail)
    known: bytes | None = None  # the digests of the items, once somebody needed them
    kept: Any = None  # whatever an adapter knows about the value, as long as it is remembered

    @property
    def digests(self) -> bytes:
        """Of the items, one after the other. The first to build on a version that was read checks what it is."""
        if self.known is None:
            parts = split(self.parts)
            digests = item_digests(parts, None, b"")
            if value_digest(parts, digests) != self.digest:
                raise Corrupt("a stored value does not match its digest; verify() tells which")
            self.known = digests
        return self.known

    @property
    def cost(self) -> int:
        return self.parts.size + 96 * len(self.parts.items) + len(self.known or b"") + self.tail.bytes + 800


class Home(NamedTuple):
    """Where values go: into logs of this tree, whose changes become frames after so many."""

    tree: int
    frames: Frames


class Written(NamedTuple):
    """What storing a new version takes."""

    entry: Entry
    version: Version | None
    rows: list[Row]
    drops: list[Drop]
    bytes: int  # how much larger the store gets


# ------------------------------------------------------------------------------------------------ writing


def write(home: Home, enc: bytes, base: Ref | None, old: Version | None) -> Written:
    """Store `enc` as the version after `base`, whose content is `old`; without a base, as the start of a new log."""
    if len(enc) <= INLINE_UP_TO:
        return Written(Inline(enc), None, [], [], 0)
    parts = parts_of(enc)
    if base is None or old is None:
        return _write_key(home, new_number(), 0, parts, None)
    return _write_change(home, parts, change_parts(split(old.parts), parts), base, old)


def write_change(home: Home, enc: bytes, op: bytes, base: Ref, old: Version) -> Written:
    """Store `enc`, which this change makes of the old version: for whoever knows what changed."""
    return _write_change(home, parts_of(enc), op, base, old)


def append(home: Home, items_enc: bytes, base: Ref, old: Version) -> Written | None:
    """Store the old list with these items added, without comparing the old ones. None if there is no list."""
    if old.parts.kind != LIST or shape_of(items_enc).kind != LIST:
        return None
    fresh = split_items(items_enc)
    known = split(old.parts)
    if known.items and is_tagged(known.items[0]):
        return None
    old.parts = known
    items = known.items + fresh
    heads = len(head(LIST, len(items))) - len(head(LIST, len(known.items)))
    size = known.size + heads + len(items_enc) - shape_of(items_enc).start
    parts = Parts(None, LIST, items, size)
    return _write_change(home, parts, append_change(len(known.items), fresh), base, old)


def _write_change(home: Home, parts: Parts, op: bytes, base: Ref, old: Version) -> Written:
    weight = old.weight + len(op)
    if weight > max(_LIGHT, 2 * parts.size):
        if base.frozen:
            return _write_key(home, new_number(), 0, parts, old)
        before = _frame(home, base.log, base.pos, old.tail, len(old.tail.ops)) if len(old.tail.chunks) > 1 else None
        return _write_key(home, base.log, base.pos + 1, parts, old, before)
    if base.frozen:
        log = new_number()
        start = sealed(LogRow(home.tree, log, base.log, base.pos))
        return _write_op(home, log, 0, parts, op, weight, old, Tail(), [start])
    return _write_op(home, base.log, base.pos + 1, parts, op, weight, old, old.tail, [])


def _write_key(
    home: Home, log: int, pos: int, parts: Parts, old: Version | None, before: _Framed | None = None
) -> Written:
    digests = _digests(parts, old)
    digest = value_digest(parts, digests)
    body = _compressed(parts.enc)
    row = sealed(ChunkRow(home.tree, log, pos, pos, KEY, body))
    version = Version(_kept(parts), digest, 0, Tail(), digests)
    rows: list[Row] = [row]
    if before is None:
        return Written(Ref(log, pos, digest), version, rows, [], len(body))
    return Written(Ref(log, pos, digest), version, [before.row, row], [before.drop], len(body) + before.bytes)


def _write_op(
    home: Home, log: int, pos: int, parts: Parts, op: bytes, weight: int, old: Version, tail: Tail, rows: list[Row]
) -> Written:
    digests = _digests(parts, old)
    ref = Ref(log, pos, value_digest(parts, digests))
    ops = (*tail.ops, op)
    size = next((size for size in home.frames if len(ops) % size == 0), 0)
    if size:
        framed = _frame(home, log, pos, tail._replace(ops=ops), size)
        left = Tail() if size == home.frames[0] else Tail(ops, framed.chunks, tail.bytes + len(op))
        version = Version(_kept(parts), ref.digest, weight, left, digests)
        return Written(ref, version, [*rows, framed.row], [framed.drop], framed.bytes)
    body = _compressed(op) if len(op) >= _OP_WORTH_COMPRESSING else _PLAIN + op
    tail = Tail(ops, (*tail.chunks, Stored(1, len(body))), tail.bytes + len(op))
    version = Version(_kept(parts), ref.digest, weight, tail, digests)
    return Written(ref, version, [*rows, sealed(ChunkRow(home.tree, log, pos, pos, OP, body))], [], len(body))


class _Framed(NamedTuple):
    row: ChunkRow
    drop: DropChunks
    chunks: tuple[Stored, ...]  # what the tail is stored in now
    bytes: int  # how much larger the store gets


def _frame(home: Home, log: int, last: int, tail: Tail, size: int) -> _Framed:
    """One frame in place of whatever holds the last `size` changes, which end at `last`."""
    plain = _encode([Raw(op) for op in tail.ops[-size:]])
    body = _ZSTD_FRAME + _zstd.compress(plain, _FRAME_LEVELS.get(size, 3))
    kept = len(tail.ops) - size
    chunks: list[Stored] = []
    for chunk in tail.chunks:
        if kept <= 0:
            break
        kept -= chunk.changes
        chunks.append(chunk)
    replaced = sum(chunk.bytes for chunk in tail.chunks[len(chunks) :])
    row = sealed(ChunkRow(home.tree, log, last - size + 1, last, FRAME, body))
    drop = DropChunks(home.tree, log, last - size + 1, last)
    return _Framed(row, drop, (*chunks, Stored(size, len(body))), len(body) - replaced)


def _digests(parts: Parts, old: Version | None) -> bytes:
    if old is None:
        return item_digests(parts, None, b"")
    return item_digests(parts, split(old.parts), old.digests)


def split(parts: Parts) -> Parts:
    """The same value with its items at hand."""
    return parts if parts.items or parts.kind == ATOM else parts_of(parts.enc)


def _kept(parts: Parts) -> Parts:
    """Many small items weigh more taken apart than the value itself: those are split again when needed."""
    if len(parts.items) * _SMALL_ITEM > parts.size:
        return Parts(parts.enc, parts.kind, [])
    return parts


def _compressed(data: bytes) -> bytes:
    smaller = _zstd.compress_if_worth_it(data, _ROW_LEVEL) if len(data) >= _WORTH_COMPRESSING else None
    return _PLAIN + data if smaller is None else _ZSTD + smaller


# ------------------------------------------------------------------------------------------------ reading


def read(refs: Sequence[Ref], pieces: Sequence[Piece], frames: Frames) -> list[Version | None]:
    """These versions of one log, lowest first, from the chunks that make up the last of them; None for one that is
    older than the last key. Anything that does not fit is `Corrupt`, with the log and position."""
    ref = refs[-1]
    try:
        return _versions(refs, _reaching(ref, pieces), frames[0])
    except Corrupt:
        raise
    except Exception as error:
        raise _unreadable(ref, error) from error


def walk(refs: Sequence[Ref], pieces: Sequence[Piece]) -> Iterator[Parts]:
    """The same versions, one after the other and taken apart, for whoever can't hold them all; not those before the
    last key."""
    ref = refs[-1]
    try:
        base, changes, wanted = _from_last_key(refs, _reaching(ref, pieces))
        done = 0
        try:
            for parts in _passing(_Appending(base.plain), changes, ref.log, wanted):
                done += 1
                yield split(parts)
        except (_NotAppending, msgspec.ValidationError):
            for place, parts in enumerate(_passing(_Replaying(base.plain), changes, ref.log, wanted)):
                if place >= done:
                    yield split(parts)
    except Corrupt:
        raise
    except Exception as error:
        raise _unreadable(ref, error) from error


def _reaching(ref: Ref, pieces: Sequence[Piece]) -> list[_Chunk]:
    chunks = _opened(pieces)
    if not chunks or chunks[-1].log != ref.log or chunks[-1].hi < ref.pos:
        raise Corrupt(f"value log {ref.log} ends before position {ref.pos}: a row is missing")
    return chunks


def _unreadable(ref: Ref, error: Exception) -> Corrupt:
    return Corrupt(f"value log {ref.log} can't be read up to position {ref.pos}: {error!r}")


def changes(refs: Sequence[Ref], pieces: Sequence[Piece]) -> dict[tuple[int, int], bytes]:
    """By log and position, the change that made a version of the one before it. A key is no change."""
    found: dict[tuple[int, int], bytes] = {}
    wanted = {ref.pos for ref in refs}
    for chunk in _opened(pieces):
        if chunk.log == refs[-1].log and chunk.kind != KEY:
            for pos in wanted.intersection(range(chunk.lo, chunk.hi + 1)):
                found[chunk.log, pos] = bytes(chunk.ops[pos - chunk.lo])
    return found


class _Chunk:
    """A chunk, decompressed; taken apart when somebody asks, and then once for all versions that need it."""

    __slots__ = ("log", "lo", "hi", "kind", "upto", "plain", "stored", "is_old", "_ops", "_appends")

    def __init__(self, piece: Piece, plain: bytes) -> None:
        chunk = piece.chunk
        self.log, self.lo, self.hi, self.kind, self.upto = chunk.log, chunk.lo, chunk.hi, chunk.kind, piece.upto
        self.plain = plain
        self.stored = len(chunk.body)
        self.is_old = chunk.kind == FRAME and chunk.body[:1] == _ZSTD
        self._ops: list[Op] | None = None
        self._appends: list[Append] | None = None

    @property
    def ops(self) -> list[Op]:
        if self._ops is None:
            self._ops = [self.plain] if self.kind == OP else [*split_items(self.plain)]
        return self._ops

    @property
    def appends(self) -> list[Append]:
        """The changes, if each adds to the end of a list; raises if one does not."""
        if self._appends is None:
            self._appends = [_append(self.plain)] if self.kind == OP else _appends(self.plain)
        return self._appends


def _opened(pieces: Sequence[Piece]) -> list[_Chunk]:
    """Checksums tell that a row is as it was written; that none is missing shows in the positions."""
    found: list[_Chunk] = []
    prefix = b""
    for piece in pieces:
        before = found[-1] if found else None
        if before is None or before.log != piece.chunk.log:
            prefix = b""
        one = _Chunk(piece, _plain(checked(piece.chunk), prefix))
        if before is not None and before.log == one.log:
            follows = one.lo == before.hi + 1
        else:
            follows = (one.kind == KEY or one.lo == 0) and (before is None or before.hi >= before.upto)
        if not follows:
            raise Corrupt(f"value log {one.log} has a gap before position {one.lo}: a row is missing")
        if one.kind != OP:
            prefix = one.plain[-_OLD_PREFIX:]
        found.append(one)
    return found


def _versions(refs: Sequence[Ref], chunks: list[_Chunk], full: int) -> list[Version | None]:
    """From the last key on, once through the changes; each version is closed as it is passed."""
    if not any(chunk.kind == KEY for chunk in chunks):
        return [None for _ in refs]
    base, changes, wanted = _from_last_key(refs, chunks)
    log = refs[-1].log
    try:
        passed = [*_passing(_Appending(base.plain), changes, log, wanted)]
    except (_NotAppending, msgspec.ValidationError):
        passed = [*_passing(_Replaying(base.plain), changes, log, wanted)]
    found: list[Version | None] = [None for _ in refs[: len(refs) - len(wanted)]]
    found += [Version(parts, ref.digest, 0) for ref, parts in zip(wanted, passed, strict=True)]
    last = found[-1]
    if last is not None:  # the one that may be built on
        last.tail = _tail(refs[-1], changes, full)
        last.weight = sum(len(chunk.plain) - _overhead(chunk) for chunk in changes)
    return found


def _from_last_key(refs: Sequence[Ref], chunks: list[_Chunk]) -> tuple[_Chunk, list[_Chunk], list[Ref]]:
    """The last key, the changes after it, and those of the versions that are made from it."""
    keys = [n for n, chunk in enumerate(chunks) if chunk.kind == KEY]
    if not keys:
        raise Corrupt(f"value log {refs[-1].log} has no key at or before position {refs[-1].pos}")
    base = chunks[keys[-1]]
    first = base.lo if base.log == refs[-1].log else 0
    return base, chunks[keys[-1] + 1 :], [ref for ref in refs if ref.pos >= first]


def _overhead(chunk: _Chunk) -> int:
    """What a frame is larger than its changes."""
    return 0 if chunk.kind == OP else shape_of(chunk.plain).start


class _Building(Protocol):
    """A value on its way through its changes."""

    def apply(self, chunk: _Chunk, start: int, end: int) -> None: ...

    def parts(self) -> Parts: ...


class _Replaying:
    def __init__(self, base: bytes) -> None:
        self._replay = Replay(base)

    def apply(self, chunk: _Chunk, start: int, end: int) -> None:
        self._replay.apply(chunk.ops[start:end])

    def parts(self) -> Parts:
        enc = self._replay.enc()
        return Parts(enc, shape_of(enc).kind, [])


class _NotAppending(Exception):
    """A change that does more than add to the end of a list."""


class _Appending:
    """A list that only grows, as nearly all long logs do: its items are put together without a look at them."""

    def __init__(self, base: bytes) -> None:
        if shape_of(base).kind != LIST:
            raise _NotAppending
        self._items = split_items(base)

    def apply(self, chunk: _Chunk, start: int, end: int) -> None:
        appends = chunk.appends[start:end]
        fresh = [*map(_items_of, appends)]
        sizes = [*accumulate(map(len, fresh), initial=len(self._items))]
        if [*map(_place_of, appends)] != sizes[:-1]:
            raise _NotAppending
        self._items += chain.from_iterable(fresh)

    def parts(self) -> Parts:
        items = self._items.copy()
        return _kept(Parts(None, LIST, items, len(head(LIST, len(items))) + sum(map(len, items))))


_items_of = itemgetter(3)
_place_of = itemgetter(1)


def _passing(value: _Building, changes: Sequence[_Chunk], log: int, wanted: Sequence[Ref]) -> Iterator[Parts]:
    """Apply the changes in order, and look at the value wherever a version is wanted."""
    left = deque(ref.pos for ref in wanted)
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


def _tail(ref: Ref, changes: Sequence[_Chunk], full: int) -> Tail:
    """What the log was given since its last full frame, to be framed together later."""
    ops: list[Op] = []
    stored: list[Stored] = []
    for chunk in changes:
        if chunk.log != ref.log or chunk.is_old or chunk.hi - chunk.lo + 1 >= full:
            ops, stored = [], []
        else:
            fresh = chunk.ops[: ref.pos - chunk.lo + 1]
            ops += fresh
            stored.append(Stored(len(fresh), chunk.stored))
    return Tail(tuple(ops), tuple(stored), sum(map(_size, ops)))


def _size(op: Op) -> int:
    return len(memoryview(op))


def _plain(chunk: ChunkRow, prefix: bytes) -> bytes:
    code, body = chunk.body[:1], memoryview(chunk.body)[1:]
    if code == _PLAIN:
        return bytes(body)
    return _zstd.decompress(body, prefix if chunk.kind == FRAME and code == _ZSTD else b"")
