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
64+   yours           what your handler packs
====  ==============  =================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from holdfast.codec.wire import Key, Marker, extension
from holdfast.errors import InvalidArgument

Pack = Callable[[Any], list[Any]]
Build = Callable[[list[Any]], Any]

TUPLE, OBJECT, MESSAGE = 1, 4, 26
_FIRST_FREE, _LAST = 64, 127
_CACHE_LIMIT = 10_000
_PLAIN = frozenset({Marker, type(None), bool, int, float, str, bytes})
_DEEPEST = 20


class Unstorable(TypeError):
    """Raised by a handler that can't pack a value. The caller gets an `EncodeError` with this reason and the path."""


class ClassLookup(Protocol):
    """The classes that a codec may build, as handlers see them."""

    usual_messages: bool
    """False if another class stands for one of LangChain's messages."""
    mappings: bool
    """Whether models and dataclasses that are not known are dicts of their fields."""
    own_handlers: bool
    """Whether handlers that users registered are called."""

    def maker(self, record: list[Any]) -> Callable[[dict[str, Any]], Any] | None:
        """The function that turns a record's fields into an instance, or None if no known class takes them."""


@dataclass(frozen=True, slots=True)
class Handler:
    """How instances of exactly `types` become parts, and how an instance is built from parts."""

    tag: int
    types: tuple[type, ...]
    pack: Callable[[Any], Iterable[Any]]
    build: Build

    attributes_at: ClassVar[tuple[int, ...]] = ()
    """Which parts are dicts of attributes, whose keys a path shows as ``.name``."""

    def packer(self, cls: type) -> Pack | None:
        """The function that packs `cls`, with the marker first, or None if this handler does not take `cls`."""
        return marked(self.tag, self.pack) if cls in self.types else None

    def builder(self, record: list[Any], classes: ClassLookup) -> Build | None:
        """The function that builds a value from the record's parts, or None if this process can't build it."""
        return self.build

    def label(self, parts: list[Any], index: int) -> str:
        """The step from the value to one of its parts, as a path shows it."""
        return ""


class Scalar(Handler):
    """A handler whose parts are plain values or consist of them, so that building calls no method of a user's class."""

    __slots__ = ()

    def builder(self, record: list[Any], classes: ClassLookup) -> Build | None:
        check_plain(record)
        return self.build


def check_plain(record: list[Any]) -> None:
    if not _PLAIN.issuperset(map(type, record)) and any(not _is_plain(part, _DEEPEST) for part in record[1:]):
        raise ValueError(f"{record[0]} has a part of a type that it can't have")


def _is_plain(part: Any, depth: int) -> bool:
    if type(part) not in (list, tuple):
        return type(part) not in (dict, Key)
    marker = part[0] if part else None
    if type(marker) is Marker and marker.code != TUPLE and not isinstance(handler_of(marker), Scalar):
        return False
    return depth > 0 and all(_is_plain(inner, depth - 1) for inner in part)


def check_types(parts: list[Any], *types: type) -> None:
    """`ValueError` unless the parts are of exactly these types. C functions do something else with a part of another
    type: ``bytes(10**9)`` allocates a gigabyte."""
    if [*map(type, parts)] != [*types]:
        raise ValueError("the parts of a value have the wrong types")


def marked(tag: int, pack: Callable[[Any], Iterable[Any]]) -> Pack:
    marker = extension(tag)
    return lambda value: [marker, *pack(value)]


class _Dispatch(dict[type, Pack]):
    """Type to packing function; filled on first use of a type."""

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
"""Types that stand for wire values; they occur when an opaque record is saved again."""


def register(handler: Handler) -> Handler:
    """Add a handler for types of your own. Its tag, from 64 to 127, is stored with the values and must never change."""
    if not _FIRST_FREE <= handler.tag <= _LAST:
        raise InvalidArgument(f"a handler's tag must be from {_FIRST_FREE} to {_LAST}, not {handler.tag}")
    return install(handler)


def install(handler: Handler) -> Handler:
    if handler.tag in _handlers:
        raise InvalidArgument(f"tag {handler.tag} is already used by {_handlers[handler.tag]!r}; choose another")
    _handlers[handler.tag] = handler
    dispatch.clear()
    return handler


def handler_of(marker: Any) -> Handler | None:
    """The handler for a marker, packed or decoded."""
    return _handlers.get(marker.code)


def builder_of(record: list[Any], classes: ClassLookup) -> Build | None:
    marker: Marker = record[0]
    handler = _handlers.get(marker.code)
    if handler is None or (handler.tag >= _FIRST_FREE and not classes.own_handlers):
        return None
    return handler.builder(record, classes)


def _find(cls: type) -> Pack:
    if cls in already_packed:
        return already_packed[cls]
    # The handler for objects comes last: a handler for one type or library knows more about it.
    for handler in sorted(_handlers.values(), key=lambda handler: handler.tag == OBJECT):
        pack = handler.packer(cls)
        if pack is not None:
            return pack
    return _refuse(cls)


def _refuse(cls: type) -> Pack:
    name = f"{cls.__module__}.{cls.__qualname__}".removeprefix("builtins.")

    def refuse(value: Any) -> list[Any]:
        raise Unstorable(
            f"a {name} can't be stored; copy what you need from it into plain data or a dataclass,"
            " or register a holdfast.codec.Handler for it"
        )

    return refuse
