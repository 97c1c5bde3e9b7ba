"""Descriptions of NumPy's dtypes: exactly those that are written, checked before NumPy sees them.

A description is what `numpy.lib.format` makes of a dtype: ``"<f8"``, or a list of fields ``(name, description)`` and
``(name, description, shape)``. NumPy understands many more, among them dtypes of objects, whose bytes it takes for
addresses in memory. Every other description is refused, so that the size of an item is known from the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import prod
from typing import Any, Final

_LARGEST_ITEM: Final = (1 << 31) - 1  # bytes, of one item: NumPy keeps the number in a C int
_MOST_DIMENSIONS: Final = 64
_DEEPEST: Final = 8
_SIMPLE: Final = re.compile(
    r"\|b1|\|[iu]1|[<>][iu][248]|[<>]f(?:2|4|8|12|16)|[<>]c(?:8|16|24|32)"
    r"|[<>]([mM])8(?:\[(?:[1-9]\d{0,8})?(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?"
    r"|(?:\|([SV])|[<>](U))(\d{1,10})"
)
_NUMBER: Final = re.compile(r"\d+")


def item_size(description: Any) -> int:
    """How many bytes one item takes. `ValueError` if a description is not one that is written."""
    size = _size(description, _DEEPEST)
    if size > _LARGEST_ITEM:
        raise ValueError(f"the items of a numpy array have {size} bytes, more than NumPy can address")
    return size


def count(shape: Any) -> int:
    """How many items an array of this shape has."""
    if len(shape) > _MOST_DIMENSIONS or not all(type(size) is int and 0 <= size < 1 << 63 for size in shape):
        raise ValueError("the shape of a numpy array is not a list of sizes")
    # An empty array may have sizes whose product NumPy can't hold all the same.
    if prod(size or 1 for size in shape) >= 1 << 63:
        raise ValueError("the shape of a numpy array is larger than any memory")
    return prod(shape)


def _size(description: Any, depth: int) -> int:
    if type(description) is str:
        return _size_of_simple(description)
    if type(description) is not list or not depth:
        raise _unknown(description)
    return sum(_size_of_field(field, depth - 1) for field in description)


def _size_of_simple(description: str) -> int:
    found = _SIMPLE.fullmatch(description)
    if found is None:
        raise _unknown(description)
    time, _, text, width = found.groups()
    if time:
        return 8
    return int(width) * (4 if text else 1) if width else int(_NUMBER.findall(description)[0])


def _size_of_field(field: Any, depth: int) -> int:
    if type(field) is not tuple or not 2 <= len(field) <= 3 or not _is_name(field[0]):
        raise _unknown(field)
    shape = field[2] if field[2:] else ()
    if type(shape) is not tuple:
        raise _unknown(field)
    return _size(field[1], depth) * count(shape)


def _is_name(name: Any) -> bool:
    """A name, or a pair of title and name."""
    if type(name) is tuple:
        return len(name) == 2 and _are_texts(name)
    return type(name) is str


def _are_texts(parts: Iterable[Any]) -> bool:
    return all(type(part) is str for part in parts)


def _unknown(description: Any) -> ValueError:
    shown = repr(description)[:100]
    return ValueError(f"a numpy dtype that holds Python objects, or is of an unknown kind, is never stored: {shown}")
