"""The bytes: msgpack, where an array that starts with a marker stands for something msgpack has no type for.

A marker is a zero-length extension (``c7 00 code``), so ``(1, 2)`` is ``[marker 1, 1, 2]``. No list in a value can
start with one, so the format is unambiguous. Packing and unpacking happen in C; Python runs for marked arrays only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import msgpack
import msgspec

MARK = b"\xc7\x00"
"""Bytes without this sequence contain no marked array."""

_LARGE = 1 << 20
_FEW = 100


class Marker:
    """A decoded marker; one instance for each code."""

    __slots__ = ("code",)

    def __init__(self, code: int) -> None:
        self.code = code

    def __repr__(self) -> str:
        return f"Marker({self.code})"


class Key:
    """A dict key in its decoded form, which may be a list; hashed by identity."""

    __slots__ = ("raw",)

    def __init__(self, raw: Any) -> None:
        self.raw = raw


_MARKERS = {code: Marker(code) for code in range(-128, 128)}


def extension(code: int) -> msgpack.ExtType:
    """The marker as msgpack packs it."""
    return tuple.__new__(msgpack.ExtType, (code, b""))


class Packers:
    """A pool of packers with one hook, so that threads and nested calls never share a packer."""

    def __init__(self, hook: Callable[[Any], Any]) -> None:
        self._hook = hook
        self._free: list[msgpack.Packer] = []

    def pack(self, value: Any) -> bytes:
        try:
            packer = self._free.pop()
        except IndexError:
            packer = msgpack.Packer(strict_types=True, use_bin_type=True, default=self._hook)
        packed: bytes = packer.pack(value)
        # A packer keeps the largest buffer it ever needed, and one that raised can't be trusted: both are dropped.
        if len(packed) < _LARGE:
            self._free.append(packer)
        return packed


_PLAIN: dict[type, Callable[[Any], Any]] = {
    Marker: lambda marker: extension(marker.code),
    Key: lambda key: key.raw,
    tuple: list,
}


def _nested(value: list[Any], _: int) -> list[Any]:
    return [value]


def _deepest() -> int:
    # msgpack 1.1 takes 511 levels, 1.2 takes 1024.
    try:
        msgpack.packb(reduce(_nested, range(1024), []))
    except ValueError:
        return 511
    return 1024


MAX_DEPTH = _deepest()
"""How deeply containers may nest: the packer's own limit."""

_raw_packers = Packers(lambda value: _PLAIN[type(value)](value))


def pack_raw(raw: Any) -> bytes:
    """Pack what `unpack` returned, to the same bytes."""
    return _raw_packers.pack(raw)


def unpack(data: bytes) -> tuple[Any, bool]:
    """Decode to plain containers and markers; the second item is True if that is the value already.

    An array in a dict key is a tuple, or a list inside a `Key`.
    """
    # The scan costs less than a walk through the value, and most states contain no marked array.
    is_plain = not _has_marker(data)
    try:
        return (_unmarked if is_plain else _marked).decode(data), is_plain
    except (RecursionError, TypeError, msgspec.DecodeError):  # too deep for this stack, or an unhashable key
        return unpack_raw(data), False


def _has_marker(data: bytes) -> bool:
    # A search for one byte is 30 times as fast as one for two, unless that byte is frequent.
    offset = data.find(MARK[0])
    for _ in range(_FEW):
        if offset < 0 or data[offset + 1 : offset + 2] == MARK[1:]:
            return offset >= 0
        offset = data.find(MARK[0], offset + 1)
    return offset >= 0 and data.find(MARK, offset) >= 0


def unpack_raw(data: bytes) -> Any:
    """`unpack` for any depth and any key: slower, and every dict key that is an array is a `Key`."""
    try:
        return msgpack.unpackb(data, **_OPTIONS)
    except msgpack.StackError:
        return _unpack_outermost(data)


def _unpack_outermost(data: bytes) -> Any:
    # The packer takes one level more than the unpacker, if the innermost container is empty.
    unpacker = msgpack.Unpacker(**_OPTIONS, max_buffer_size=len(data))
    unpacker.feed(data)
    if data[0] & 0xF0 == 0x80 or data[0] in b"\xde\xdf":
        size = unpacker.read_map_header()
        return _raw_dict([(unpacker.unpack(), unpacker.unpack()) for _ in range(size)])
    return [unpacker.unpack() for _ in range(unpacker.read_array_header())]


def _raw_dict(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    return {Key(key) if type(key) in (list, dict) else key: value for key, value in pairs}


def _extension_or_marker(code: int, data: Any) -> Any:
    # Before msgspec 0.20 the view's own length was wrong; that of its bytes is right.
    content = bytes(data)
    return msgpack.ExtType(code, content) if content else _MARKERS[code]


def _extension_only(code: int, data: Any) -> Any:
    content = bytes(data)
    if not content:
        raise ValueError("a marker in an unusual form")
    return msgpack.ExtType(code, content)


_marked = msgspec.msgpack.Decoder(ext_hook=_extension_or_marker)
_unmarked = msgspec.msgpack.Decoder(ext_hook=_extension_only)
_OPTIONS: dict[str, Any] = {
    "object_pairs_hook": _raw_dict,
    "strict_map_key": False,
    "ext_hook": _extension_or_marker,
}
