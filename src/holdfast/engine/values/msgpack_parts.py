"""Encoded values taken apart, one level at a time: msgpack headers, and the items behind them.

>>> parts_of(b"\\x92\\x01\\x02").items == [Raw(b"\\x01"), Raw(b"\\x02")]
True
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw

from holdfast.errors import Corrupt

ATOM: Final = 0
LIST: Final = 1
MAP: Final = 2
TEXT: Final = 3
BYTES: Final = 4

_SMALL_ITEM: Final = 32  # a list of smaller items is split again instead of being kept split

_split = msgspec.msgpack.Decoder(list[Raw]).decode


def split_items(data: bytes | Raw) -> list[Raw]:
    """The items of an encoded list. How deeply they may nest must not depend on the depth of the caller's stack."""
    try:
        return _split(data)
    except RecursionError:
        return _on_a_fresh_stack(data)
    except msgspec.MsgspecError as error:
        raise Corrupt(f"a stored value can't be taken apart: {error}") from error


def _on_a_fresh_stack(data: bytes | Raw) -> list[Raw]:
    with ThreadPoolExecutor(1) as executor:
        try:
            return executor.submit(_split, data).result()
        except RecursionError as error:
            raise Corrupt("a stored value nests more deeply than any value can") from error


class Shape(NamedTuple):
    """What the header of an encoding says about it."""

    kind: int
    size: int  # items, pairs or bytes
    start: int  # where the payload begins


class Parts:
    """An encoded value and its items: for a map, keys and values in turn.

    A list that grew is its old items and the new ones: it is made without an encoding, which is joined when it is first
    read.
    """

    __slots__ = ("kind", "items", "size", "enc", "is_joined")
    enc: bytes

    def __init__(self, enc: bytes | None, kind: int, items: list[Raw], size: int = 0) -> None:
        self.kind = kind
        self.items = items
        self.is_joined = enc is not None
        if enc is not None:
            self.enc = enc
            size = len(enc)
        self.size = size

    def __getattr__(self, name: str) -> bytes:
        # Python asks here only for an attribute that is not set.
        if name != "enc":
            raise AttributeError(name)
        self.enc = join(self.kind, self.items)
        self.is_joined = True
        return self.enc


_LONG_HEADS: Final = {
    0xDC: (LIST, 2), 0xDD: (LIST, 4), 0xDE: (MAP, 2), 0xDF: (MAP, 4),
    0xD9: (TEXT, 1), 0xDA: (TEXT, 2), 0xDB: (TEXT, 4), 0xC4: (BYTES, 1), 0xC5: (BYTES, 2), 0xC6: (BYTES, 4),
}  # fmt: skip
_FIX_HEADS: Final = {LIST: (0x90, 15), MAP: (0x80, 15), TEXT: (0xA0, 31)}
_SIZED_HEADS: Final = {
    LIST: ((0xDC, 2), (0xDD, 4)),
    MAP: ((0xDE, 2), (0xDF, 4)),
    TEXT: ((0xD9, 1), (0xDA, 2), (0xDB, 4)),
    BYTES: ((0xC4, 1), (0xC5, 2), (0xC6, 4)),
}


def shape_of(enc: bytes) -> Shape:
    first = enc[0]
    if first in _LONG_HEADS:
        kind, width = _LONG_HEADS[first]
        return Shape(kind, int.from_bytes(enc[1 : 1 + width], "big"), 1 + width)
    if 0x80 <= first <= 0x8F:
        return Shape(MAP, first & 15, 1)
    if 0x90 <= first <= 0x9F:
        return Shape(LIST, first & 15, 1)
    if 0xA0 <= first <= 0xBF:
        return Shape(TEXT, first & 31, 1)
    return Shape(ATOM, 0, 0)


def head(kind: int, size: int) -> bytes:
    """The shortest header. The codec writes the same, so that a replayed value has the same bytes."""
    if kind in _FIX_HEADS:
        base, limit = _FIX_HEADS[kind]
        if size <= limit:
            return bytes((base | size,))
    for first, width in _SIZED_HEADS[kind]:
        if size < 1 << (8 * width):
            return bytes((first,)) + size.to_bytes(width, "big")
    raise OverflowError(f"{size} is more than msgpack can hold in one value")


def parts_of(enc: bytes) -> Parts:
    """Split one level deep, in C. A map's payload is that of a list of twice the length."""
    shape = shape_of(enc)
    if shape.kind == LIST:
        return Parts(enc, LIST, split_items(enc))
    if shape.kind == MAP:
        if 2 * shape.size >= len(enc):
            raise Corrupt(f"a stored value states {shape.size} pairs, and has fewer bytes")
        return Parts(enc, MAP, split_items(head(LIST, 2 * shape.size) + enc[shape.start :]))
    return Parts(enc, shape.kind, [])


def with_items(parts: Parts) -> Parts:
    """The same value, split into its items."""
    return parts if parts.items or parts.kind == ATOM else parts_of(parts.enc)


def compact(parts: Parts) -> Parts:
    """The same value as it is kept in memory: many small items take more room than their encoding, and are split again
    when they are needed."""
    if len(parts.items) * _SMALL_ITEM > parts.size:
        return Parts(parts.enc, parts.kind, [])
    return parts


def join(kind: int, items: Sequence[Raw | bytes]) -> bytes:
    size = len(items) // 2 if kind == MAP else len(items)
    return b"".join([head(kind, size), *items])


def keyed(items: list[Raw]) -> dict[bytes, Raw]:
    """A map's items as a dict from encoded key to value."""
    return dict(zip(map(bytes, items[::2]), items[1::2], strict=True))


def is_tagged(first: Raw) -> bool:
    """Whether a list that starts with this item represents something else, such as a tuple or an object."""
    return bytes(first)[:2] == b"\xc7\x00"
