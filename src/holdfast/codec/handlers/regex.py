"""Compiled regular expressions: the pattern and its flags, compiled again when loaded.

Compiling may take thousands of times as long as reading the pattern. So a pattern that may take long loads as `Opaque`,
and so do the others of a value once many were compiled.
"""

from __future__ import annotations

import re
from typing import Any, Final

from holdfast.codec.handler import Build, ClassLookup, Scalar, install
from holdfast.codec.handlers.scalars import SURROGATES, build_surrogates
from holdfast.codec.wire import Marker

PATTERN: Final = 28
MOST_EFFORT: Final = 50_000
"""Of all patterns of one value."""

_MOST_OF_ONE: Final = 4_000
_LEAST: Final = 30
_WIDEST: Final = 1 << 16
_WIDTH_PER_EFFORT: Final = 64
_DEBUG = int(re.DEBUG)
"""Prints while compiling, which loading must not do."""

_ESCAPE = r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{1,3}|.)"
_RANGES: Final = re.compile(rf"(?=({_ESCAPE}|.)-({_ESCAPE}|.))", re.DOTALL)
"""All that may be a range of characters, wherever it is in a pattern."""


def _pack(value: re.Pattern[Any]) -> list[Any]:
    pattern = value.pattern  # may be an instance of a subclass, which compiles to the same
    plain = str.__str__(pattern) if isinstance(pattern, str) else bytes(memoryview(pattern))
    return [plain, value.flags & ~_DEBUG]


class _Patterns(Scalar):
    __slots__ = ()

    def builder(self, record: list[Any], classes: ClassLookup) -> Build | None:
        """Compiles the pattern before the rest is built, so that a pattern for a later Python loads as `Opaque`."""
        source, flags = _source(record), record[2]
        if type(flags) is not int or flags & _DEBUG:
            raise ValueError("the record of a regular expression is malformed")
        if effort(record) > _MOST_OF_ONE:
            return None
        try:
            compiled = re.compile(source, flags)
        except (re.error, ValueError, OverflowError, RecursionError, Warning):
            return None
        return lambda parts: compiled


def effort(record: list[Any]) -> int:
    """About how long compiling takes, in units of at most 40 microseconds: long patterns and wide ranges take long."""
    source = _source(record)
    if len(source) > _MOST_OF_ONE:
        return MOST_EFFORT
    text = source if isinstance(source, str) else source.decode("latin-1")
    ranges = ((_code_point(low), _code_point(high)) for low, high in _RANGES.findall(text)) if "-" in text else ()
    return _LEAST + len(text) + sum(min(max(high - low, 0), _WIDEST) // _WIDTH_PER_EFFORT for low, high in ranges)


def _code_point(text: str) -> int:
    """What one end of a range means. A name (``\\N{...}``) may mean any character."""
    if len(text) == 1:
        return ord(text)
    if text[1] in "01234567":
        return int(text[1:], 8)
    if len(text) > 2:
        return int(text[2:], 16)
    return _WIDEST if text[1] == "N" else ord(text[1])


def _source(record: list[Any]) -> str | bytes:
    _, pattern, _ = record
    source = build_surrogates(pattern[1:]) if _is_marked(pattern, SURROGATES) else pattern
    if type(source) is str or type(source) is bytes:
        return source
    raise ValueError("the record of a regular expression is malformed")


def _is_marked(part: Any, tag: int) -> bool:
    return type(part) in (list, tuple) and len(part) > 0 and type(part[0]) is Marker and part[0].code == tag


def _unused(parts: list[Any]) -> Any:
    raise NotImplementedError


install(_Patterns(PATTERN, (re.Pattern,), _pack, _unused))
