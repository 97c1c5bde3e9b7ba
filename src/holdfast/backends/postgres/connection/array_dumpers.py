"""Dumpers for lists of numbers, texts and bytes as binary arrays.

psycopg's own dumper inspects the type of every element; these lists declare it.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import pack
from typing import Any, ClassVar, Final

from psycopg.abc import AdaptContext
from psycopg.adapt import AdaptersMap, Dumper
from psycopg.pq import Format

_NULL: Final = b"\xff\xff\xff\xff"


class Numbers(list[int | None]):
    """A ``bigint[]``."""


class Texts(list[str | None]):
    """A ``text[]``."""


class Bodies(list[bytes | None]):
    """A ``bytea[]``."""


class LargeBody:
    """A ``bytea`` that is sent as it is, where the element of an array would be copied into it."""

    __slots__ = ("content",)

    def __init__(self, content: bytes) -> None:
        self.content = content


class LargeBodyDumper(Dumper):
    format = Format.BINARY
    oid = 17

    def dump(self, obj: LargeBody) -> bytes:
        return obj.content


class _ArrayDumper(Dumper):
    format = Format.BINARY
    element: ClassVar[int]

    def dump(self, obj: Any) -> bytes:
        if not obj:
            return pack("!iiI", 0, 0, self.element)
        head = pack("!iiIii", 1, None in obj, self.element, len(obj), 1)
        return b"".join([head, *self.elements(obj)])

    def elements(self, obj: Any) -> Iterable[bytes]:
        raise NotImplementedError


class NumbersDumper(_ArrayDumper):
    oid = 1016
    element = 20

    def elements(self, obj: Numbers) -> Iterable[bytes]:
        return [_NULL if element is None else pack("!iq", 8, element) for element in obj]


class BodiesDumper(_ArrayDumper):
    oid = 1001
    element = 17

    def elements(self, obj: Bodies) -> Iterable[bytes]:
        return _sized(obj)


class TextsDumper(_ArrayDumper):
    oid = 1009
    element = 25

    def elements(self, obj: Texts) -> Iterable[bytes]:
        return _sized(None if element is None else element.encode() for element in obj)


def _sized(parts: Iterable[bytes | None]) -> Iterable[bytes]:
    for part in parts:
        if part is None:
            yield _NULL
        else:
            yield pack("!i", len(part))
            yield part


def register(context: AdaptContext) -> None:
    """Make a connection or cursor use these dumpers."""
    adapters: AdaptersMap = context.adapters
    adapters.register_dumper(Numbers, NumbersDumper)
    adapters.register_dumper(Texts, TextsDumper)
    adapters.register_dumper(Bodies, BodiesDumper)
    adapters.register_dumper(LargeBody, LargeBodyDumper)
