"""The packers for values: a type that msgpack lacks is packed by its handler."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holdfast.codec.handler import dispatch
from holdfast.codec.wire import Packers, unpack_raw

_values = Packers(lambda value: dispatch[type(value)](value))

pack = _values.pack
"""Pack a value in C, or raise what prevented it; `slow_encoder` then finds out where."""

_NATIVE = frozenset({type(None), bool, int, float, str, bytes})


def in_order(members: Iterable[Any]) -> list[Any]:
    """Members of a set in the order of their encodings, so that equal sets give equal bytes."""
    packed = sorted((pack(member), type(member) in _NATIVE, index, member) for index, member in enumerate(members))
    # Members that took Python to encode stay encoded: sets within sets would double the work at every level.
    return [member if native else unpack_raw(data) for data, native, _, member in packed]
