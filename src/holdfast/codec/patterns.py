"""Compiled regular expressions: the pattern and its flags, compiled again when they are loaded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from holdfast.codec.registry import Build, Scalar, install
from holdfast.codec.scalars import SURROGATES, build_surrogates
from holdfast.codec.wire import Marker

if TYPE_CHECKING:
    from holdfast.codec.classes import Classes


_DEBUG = int(re.DEBUG)
"""It only prints while compiling, which loading should not do."""


def _pack(value: re.Pattern[Any]) -> list[Any]:
    pattern = value.pattern  # may be an instance of a subclass, which compiles to the same
    plain = str.__str__(pattern) if isinstance(pattern, str) else bytes(memoryview(pattern))
    return [plain, value.flags & ~_DEBUG]


class _Patterns(Scalar):
    __slots__ = ()

    def builder(self, record: list[Any], classes: Classes) -> Build | None:
        """The pattern is compiled first: one that only a later Python understands still lets the rest load."""
        _, pattern, flags = record
        source = build_surrogates(pattern[1:]) if _is_marked(pattern, SURROGATES) else pattern
        if type(source) not in (str, bytes) or type(flags) is not int or flags & _DEBUG:
            raise ValueError("the record of a regular expression is malformed")
        try:
            compiled = re.compile(source, flags)
        except (re.error, ValueError, OverflowError, RecursionError, Warning):
            return None
        return lambda parts: compiled


def _is_marked(part: Any, tag: int) -> bool:
    return type(part) in (list, tuple) and len(part) > 0 and type(part[0]) is Marker and part[0].code == tag


def _unused(parts: list[Any]) -> Any:
    raise NotImplementedError


install(_Patterns(28, (re.Pattern,), _pack, _unused))
