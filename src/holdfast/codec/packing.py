"""The packers for values: whatever msgpack does not know goes through the registry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holdfast.codec.registry import dispatch
from holdfast.codec.wire import Packers, unpack_raw

_values = Packers(lambda value: dispatch[type(value)](value))

pack = _values.pack
"""Pack a value in C, or raise whatever was in the way; `walk` then finds out where."""

_NATIVE = frozenset({type(None), bool, int, float, str, bytes})


def in_order(members: Iterable[Any]) -> list[Any]:
    """Members of a set in the order of their encodings, so that equal sets give equal bytes."""
    packed = sorted((pack(member), type(member) in _NATIVE, index, member) for index, member in enumerate(members))
    # What took Python to encode is handed on encoded: sets within sets would double the work at every level.
    return [member if native else unpack_raw(data) for data, native, _, member in packed]
