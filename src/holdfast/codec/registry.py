"""Which handler packs which type, and which one builds from which tag.

Tags are the format on disk: a number is never changed and never used again.

====  ==============  =================================================
tag   type            parts after the marker
====  ==============  =================================================
1     tuple           the items
2     set             the members, in the order of their encodings
3     frozenset       the members, in the order of their encodings
4     objects         kind, "module.QualName", field, value, field, value, ...
5     int             beyond 64 bits: signed big-endian bytes
6     str             with lone surrogates: UTF-8 bytes that keep them
7     datetime        ISO text; with a zone or fold also fold and zone
8     date            ISO text
9     time            ISO text; with a zone or fold also fold and zone
10    timedelta       days, seconds, microseconds
11    timezone        none for UTC; else offset, and the name if it has one
12    ZoneInfo        key
13    Decimal         upper-case text; a NaN also a float NaN
14    UUID            16 bytes
15    Fraction        numerator, denominator
16    complex         real, imaginary
17    range           start, stop, step
18    slice           start, stop, step
19    deque           maxlen, then the items
20    OrderedDict     key, value, key, value, ...
21    Counter         key, value, key, value, ...
22    defaultdict     factory's name or nil, key, value, ...
23    path            class name, text
24    numpy array     dtype, shape, order, bytes
25    numpy scalar    dtype, bytes (or dtype kind and value, for text)
26    message         "module.QualName", fields, names set; then extra, private
27    IP address      class name, bytes; prefix of a network; scope if it has one
28    re.Pattern      pattern, flags
64+   yours           whatever your handler packs
====  ==============  =================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from holdfast.codec.wire import Key, Marker, extension
from holdfast.errors import InvalidArgument

if TYPE_CHECKING:
    from holdfast.codec.classes import Classes

Pack = Callable[[Any], list[Any]]
Build = Callable[[list[Any]], Any]

TUPLE, OBJECT, MESSAGE = 1, 4, 26
_FIRST_FREE, _LAST = 64, 127
_CACHE_LIMIT = 10_000
_PLAIN = frozenset({Marker, type(None), bool, int, float, str, bytes})
_DEEPEST = 20


class Unstorable(TypeError):
    """A handler can't pack this value; the caller learns the reason and the path."""


@dataclass(frozen=True, slots=True)
class Handler:
    """How the instances of exactly `types` become parts, and how parts become an instance again."""

    tag: int
    types: tuple[type, ...]
    pack: Callable[[Any], Iterable[Any]]
    build: Build

    attributes_at: ClassVar[tuple[int, ...]] = ()
    """Which parts are dicts of attributes, whose keys a path shows as ``.name``."""

    def packer(self, cls: type) -> Pack | None:
        """The function that packs `cls` with its marker in front, or None if `cls` is not for this handler."""
        return marked(self.tag, self.pack) if cls in self.types else None

    def builder(self, record: list[Any], classes: Classes) -> Build | None:
        """The function that builds from the record's parts, or None if that can't be done here."""
        return self.build

    def label(self, parts: list[Any], index: int) -> str:
        """The step from the value to one of its parts, as a path shows it."""
        return ""


class Scalar(Handler):
    """A handler whose parts are plain values, or made of such: nothing that has methods of a user's to be called."""

    __slots__ = ()

    def builder(self, record: list[Any], classes: Classes) -> Build | None:
        check_plain(record)
        return self.build


def check_plain(record: list[Any]) -> None:
    if not _PLAIN.issuperset(map(type, record)) and any(not _is_plain(part, _DEEPEST) for part in record[1:]):
        raise ValueError(f"{record[0]} has a part of a kind that it can't have")


def _is_plain(part: Any, depth: int) -> bool:
    if type(part) not in (list, tuple):
        return type(part) not in (dict, Key)
    marker = part[0] if part else None
    if type(marker) is Marker and marker.code != TUPLE and not isinstance(handler_of(marker), Scalar):
        return False
    return depth > 0 and all(_is_plain(one, depth - 1) for one in part)


def marked(tag: int, pack: Callable[[Any], Iterable[Any]]) -> Pack:
    marker = extension(tag)
    return lambda value: [marker, *pack(value)]


class _Dispatch(dict[type, Pack]):
    """Type to packing function, filled as types are met."""

    def __missing__(self, cls: type) -> Pack:
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        self[cls] = pack = _find(cls)
        return pack


_handlers: dict[int, Handler] = {}
dispatch = _Dispatch()

already_packed: dict[type, Callable[[Any], Any]] = {
    Marker: lambda marker: extension(marker.code),
    Key: lambda key: key.raw,
}
"""Types that stand for wire values; they appear where an opaque record is written again."""


def register(handler: Handler) -> Handler:
    """Add a handler for types of your own, with a tag from 64 to 127 that stays theirs for ever."""
    if not _FIRST_FREE <= handler.tag <= _LAST:
        raise InvalidArgument(f"a handler's tag must be from {_FIRST_FREE} to {_LAST}, not {handler.tag}")
    return install(handler)


def install(handler: Handler) -> Handler:
    if handler.tag in _handlers:
        raise InvalidArgument(f"tag {handler.tag} is taken by {_handlers[handler.tag]!r}")
    _handlers[handler.tag] = handler
    dispatch.clear()
    return handler


def handler_of(marker: Any) -> Handler | None:
    """The handler for a marker in either of its forms."""
    return _handlers.get(marker.code)


def builder_of(record: list[Any], classes: Classes) -> Build | None:
    marker: Marker = record[0]
    handler = _handlers.get(marker.code)
    return None if handler is None else handler.builder(record, classes)


def _find(cls: type) -> Pack:
    if cls in already_packed:
        return already_packed[cls]
    # A handler for one library or type knows more about it than the families of classes do.
    for handler in sorted(_handlers.values(), key=lambda handler: handler.tag == OBJECT):
        pack = handler.packer(cls)
        if pack is not None:
            return pack
    return _refuse(cls)


def _refuse(cls: type) -> Pack:
    name = f"{cls.__module__}.{cls.__qualname__}".removeprefix("builtins.")

    def refuse(value: Any) -> list[Any]:
        raise Unstorable(
            f"a {name} can't be stored; put what you need of it into plain data or a dataclass,"
            " or register a holdfast.codec.Handler for it"
        )

    return refuse
