"""Structural changes: what has to be stored so that one encoded value becomes the next.

Values are compared by their encoded parts, never as Python objects, so that equal bytes mean equal values. A list of
messages that grew by one becomes "insert this item at 1000", wherever in the value the list is::

    old = encode({"plan": [1, 2], "notes": "…"})
    new = encode({"plan": [1, 2, 3], "notes": "…"})
    replay(old, [change(old, new)]) == new

A change is itself msgpack, with the new parts embedded as they are:

===============================  ==========================================================================
``[0, value]``                   the whole value
``[1, i, n, [items], …]``        at `i` of the old list, replace `n` items; or ``i, -1, change``: change item `i`
``[2, [keys], [k, v…], [k, c…]]``  remove keys, set keys, change the values of keys
``[3, i, n, bytes, …]``          at byte `i` of the old text or bytes, replace `n` bytes
===============================  ==========================================================================
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, cast

import msgspec
from msgspec import Raw

from holdfast.engine.values.msgpack_parts import (
    ATOM,
    BYTES,
    LIST,
    MAP,
    TEXT,
    Parts,
    head,
    keyed,
    parts_of,
    shape_of,
    split_items,
)
from holdfast.engine.values.sequence_diff import gaps, text_gaps

_SET, _SPLICE, _KEYED, _CUT = range(4)
_WORTH_COMPARING = 64  # a smaller part is cheaper to store again than to describe
_MAX_DEPTH = 64
_LARGE = 1 << 20
_MANY = 64
_WHOLE: Final = b"\x92\x00"  # the head of ``[0, value]``

Piece = bytes | memoryview | Raw

_encode = msgspec.msgpack.Encoder().encode
_decode_int = msgspec.msgpack.Decoder(int).decode
_decode_bytes = msgspec.msgpack.Decoder(bytes).decode


# ------------------------------------------------------------------------------------------------ comparing


def change(old: bytes, new: bytes) -> bytes:
    """The smallest of the changes that can be described."""
    return change_parts(parts_of(old), parts_of(new))


def change_parts(old: Parts, new: Parts, depth: int = 0) -> bytes:
    """The same for values that are split already."""
    found = partial_change(old, new, depth)
    return whole_change(new.enc) if found is None else found


def partial_change(old: Parts, new: Parts, depth: int = 0) -> bytes | None:
    """A change that takes fewer bytes than the whole value; None if there is none."""
    if old.kind == new.kind and old.kind != ATOM and depth <= _MAX_DEPTH:
        found = _COMPARE[old.kind](old, new, depth)
        if found is not None and len(found) < len(_WHOLE) + new.size:
            return found
    return None


def whole_change(enc: bytes) -> bytes:
    """The change to this value from any other."""
    return _WHOLE + enc


def append_change(size: int, items: list[Raw]) -> bytes:
    """The change that adds items to the end of a list of `size`, without looking at the list."""
    return _encode([_SPLICE, size, 0, items])


def _compare_lists(old: Parts, new: Parts, depth: int) -> bytes:
    edits: list[Any] = [_SPLICE]
    for a0, a1, b0, b1 in gaps(old.items, new.items):
        if a1 - a0 == b1 - b0:
            _edit_in_place(edits, old.items, new.items, a0, b0, a1 - a0, depth)
        else:
            edits += (a0, a1 - a0, new.items[b0:b1])
    return _encode(edits)


def _edit_in_place(edits: list[Any], old: list[Raw], new: list[Raw], a0: int, b0: int, size: int, depth: int) -> None:
    """Describe each item's change where that pays; join the neighbours that remain into one splice."""
    start = 0
    for i in range(size):
        inner = _inner_change(old[a0 + i], new[b0 + i], depth)
        if inner is not None:
            _splice(edits, new, a0 + start, b0 + start, i - start)
            edits += (a0 + i, -1, Raw(inner))
            start = i + 1
    _splice(edits, new, a0 + start, b0 + start, size - start)


def _splice(edits: list[Any], new: list[Raw], a0: int, b0: int, size: int) -> None:
    if size:
        edits += (a0, size, new[b0 : b0 + size])


def _inner_change(old: Raw, new: Raw, depth: int) -> bytes | None:
    """A change smaller than the new part, or None when it is not worth describing."""
    if len(new) < _WORTH_COMPARING:
        return None
    found = partial_change(parts_of(_part(old)), parts_of(_part(new)), depth + 1)
    return found if found is not None and len(found) < len(new) else None


def _part(item: Raw) -> bytes:
    """The encoding of an item: a copy, which is the fastest to look into, unless it is large."""
    return bytes(item) if len(item) < _LARGE else cast(bytes, memoryview(item))


def _compare_maps(old: Parts, new: Parts, depth: int) -> bytes | None:
    before = keyed(old.items)
    after = keyed(new.items)
    if 2 * len(before) < len(old.items) or 2 * len(after) < len(new.items):
        return None  # the encodings of keys that differ only in identity, such as NaNs, are equal
    kept = _kept_in_order(list(before), list(after))
    removed = [Raw(key) for key in before if key not in kept]
    sets: list[Raw] = []
    inner: list[Raw] = []
    for key, value in after.items():
        if key not in kept:
            sets += (Raw(key), value)
        elif value != before[key]:
            found = _inner_change(before[key], value, depth)
            if found is None:
                sets += (Raw(key), value)
            else:
                inner += (Raw(key), Raw(found))
    return _encode([_KEYED, removed, sets, inner])


def _kept_in_order(before: list[bytes], after: list[bytes]) -> set[bytes]:
    """The keys that may stay in place. A dict keeps its order, and a key that is set again goes to the end: so the kept
    keys are a prefix of the new order, and are in the same order in the old one."""
    position = {key: i for i, key in enumerate(before)}
    kept = set()
    last = -1
    for key in after:
        if position.get(key, -1) <= last:
            break
        last = position[key]
        kept.add(key)
    return kept


def _compare_texts(old: Parts, new: Parts, depth: int) -> bytes | None:
    start = shape_of(new.enc).start
    text = memoryview(new.enc)[start:]
    cuts: list[Any] = [_CUT]
    for a0, a1, b0, b1 in text_gaps(old.enc, new.enc, shape_of(old.enc).start, start):
        cuts += (a0, a1 - a0, text[b0:b1])
    return _encode(cuts)


_COMPARE: Final[dict[int, Callable[[Parts, Parts, int], bytes | None]]] = {
    LIST: _compare_lists,
    MAP: _compare_maps,
    TEXT: _compare_texts,
    BYTES: _compare_texts,
}

# ------------------------------------------------------------------------------------------------ replaying


class _Open:
    """A value taken apart while changes are replayed on it, so that a thousand of them cost one join at the end."""

    __slots__ = ("kind", "text", "items", "keyed")

    def __init__(self, enc: bytes) -> None:
        parts = parts_of(enc)
        self.kind = parts.kind
        self.items: list[Any] = parts.items if parts.kind == LIST else []
        self.keyed: dict[bytes, Any] = keyed(parts.items) if parts.kind == MAP else {}
        self.text: list[Piece] = [] if parts.kind in (LIST, MAP) else [memoryview(enc)[shape_of(enc).start :]]

    def pieces(self) -> Iterator[Piece]:
        """The encoding, in pieces to be joined."""
        if self.kind == LIST:
            yield head(LIST, len(self.items))
            for item in self.items:
                yield from _pieces(item)
        elif self.kind == MAP:
            yield head(MAP, len(self.keyed))
            for key, value in self.keyed.items():
                yield key
                yield from _pieces(value)
        else:
            if self.kind != ATOM:
                yield head(self.kind, sum(map(len, self.text)))
            yield from self.text


def _pieces(part: Any) -> Iterable[Piece]:
    return part.pieces() if isinstance(part, _Open) else (part,)


def _opened(part: Any) -> _Open:
    return part if isinstance(part, _Open) else _Open(part if isinstance(part, bytes) else _part(part))


class Replay:
    """A value to which changes are applied in order. It can be read in between."""

    def __init__(self, base: bytes | None) -> None:
        self._value: Any = base

    def apply(self, changes: Iterable[bytes | Raw]) -> None:
        """Raises on changes that do not fit."""
        for change in changes:
            self._value = _apply(self._value, split_items(change))

    def enc(self) -> bytes:
        value = self._value
        return b"".join(value.pieces()) if isinstance(value, _Open) else bytes(value)


def replay(base: bytes | None, changes: Iterable[bytes | Raw]) -> bytes:
    """The encoding that results from applying the changes to `base` in order. Raises on changes that do not fit."""
    value = Replay(base)
    value.apply(changes)
    return value.enc()


def _apply(value: Any, change: list[Raw]) -> Any:
    code = _decode_int(change[0])
    if code == _SET:
        return change[1]
    opened = _opened(value)
    _REPLAY[code](opened, change)
    return opened


def _replay_splice(value: _Open, change: list[Raw]) -> None:
    for n in range(len(change) - 3, 0, -3):  # from the end, so that the indexes of the old list stay valid
        i, size = _decode_int(change[n]), _decode_int(change[n + 1])
        if size < 0:
            value.items[i] = _apply(value.items[i], split_items(change[n + 2]))
        else:
            value.items[i : i + size] = split_items(change[n + 2])


def _replay_keyed(value: _Open, change: list[Raw]) -> None:
    removed, sets, inner = (split_items(part) for part in change[1:4])
    for key in removed:
        del value.keyed[bytes(key)]
    for key, change_of_value in zip(inner[::2], inner[1::2], strict=True):
        name = bytes(key)
        value.keyed[name] = _apply(value.keyed[name], split_items(change_of_value))
    value.keyed.update(keyed(sets))


def _replay_cut(value: _Open, change: list[Raw]) -> None:
    whole = sum(map(len, value.text))
    rest = deque(value.text)
    pieces: list[Piece] = []
    done = 0
    for i, size, fresh in zip(change[1::3], change[2::3], change[3::3], strict=True):
        at, end = _decode_int(i), _decode_int(i) + _decode_int(size)
        # Cuts that overlap would repeat parts of the text: thirty such changes make a gigabyte of one byte.
        if not done <= at <= end <= whole:
            raise ValueError(f"a cut from byte {at} to {end} is not within the {whole} bytes of a text")
        pieces += _taken(rest, at - done)
        _taken(rest, end - at)
        pieces.append(_decode_bytes(fresh))
        done = end
    pieces += rest
    # A small text is joined at once, a large one when it is in many pieces: each join takes its size in memory.
    value.text = pieces if whole >= _LARGE and len(pieces) <= _MANY else [memoryview(b"".join(pieces))]


def _taken(rest: deque[Piece], size: int) -> list[Piece]:
    """The first `size` bytes, which are removed from the rest."""
    taken: list[Piece] = []
    while size:
        piece = rest.popleft()
        if len(piece) > size:
            rest.appendleft(memoryview(piece)[size:])
            piece = memoryview(piece)[:size]
        taken.append(piece)
        size -= len(piece)
    return taken


_REPLAY: Final[dict[int, Callable[[_Open, list[Raw]], None]]] = {
    _SPLICE: _replay_splice,
    _KEYED: _replay_keyed,
    _CUT: _replay_cut,
}
