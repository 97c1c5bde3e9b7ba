"""Lists of messages, packed and built in one loop each: a function call for every message would cost as much again.

Both ways are shortcuts. What is unusual is left to the general way, which gives the same bytes and the same messages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NoReturn

from msgspec.msgpack import Decoder, Ext

from holdfast.codec.messages import MARKER, NAMES, Kind, Setter, kind_named, usual
from holdfast.codec.registry import MESSAGE
from holdfast.codec.wire import MARK

_HEAD = b"\x94" + MARK + bytes([MESSAGE])
"""How the record of a message starts, if it has no extra fields."""

_LONGEST_ARRAY_HEADER = 5


def with_records(items: list[Any]) -> list[Any]:
    """The list with records in place of its messages, if it starts with one; the packer sees to all other items."""
    if not items or type(items[0]) not in usual:
        return items
    records: list[Any] = []
    add, find = records.append, usual.get
    known: set[str] | None = None
    names: list[str] = []
    for item in items:
        kind = find(type(item))
        if kind is None or item.__pydantic_extra__:
            add(item)
            continue
        name, size = kind
        fields = item.__dict__
        fields_set = item.__pydantic_fields_set__
        if fields_set != known:  # mostly it is the same as that of the message before
            known, names = fields_set, sorted(fields_set)
        add([MARKER, name, fields, names] if len(fields) == size else item)
    return records


class _Unusual(Exception):
    """Something that only the general way can do."""


def _refuse(code: int, data: Any) -> NoReturn:
    raise _Unusual


def starts_with_message(data: bytes) -> bool:
    return data.find(_HEAD, 1, _LONGEST_ARRAY_HEADER + len(_HEAD)) > 0


def load(data: bytes) -> list[Any] | None:
    """The messages of a list that holds nothing else, and nothing that takes more than msgpack; None if it does."""
    try:
        return _built(_decoder.decode(data))
    except Exception:  # whatever it is, the general way copes with it, or says what is wrong
        return None


_decoder = Decoder(list[tuple[Ext, Literal[NAMES], dict, set[str]]], ext_hook=_refuse)  # type: ignore[valid-type, type-arg]
"""The hook is for extensions inside the fields only: tuples, dates and whatever else has to be built."""


def _built(records: list[tuple[Ext, str, dict[Any, Any], set[str]]]) -> list[Any]:
    new = object.__new__
    kinds = _Kinds()
    set_dict, set_fields_set, set_extra, set_private = kinds.setters(records[0][1])
    messages = []
    for marker, name, fields, fields_set in records:
        cls, size, note = kinds[name]
        if marker.code != MESSAGE or marker.data != b"" or len(fields) != size:
            raise _Unusual
        note(fields)
        message = new(cls)
        set_dict(message, fields)
        set_fields_set(message, fields_set)
        set_extra(message, {})
        set_private(message, None)
        messages.append(message)
    kinds.check()
    return messages


class _Kinds(dict[str, tuple[Any, int, Callable[[Any], None]]]):
    """For each class that is met: the class, how many fields it has, and where to note those of a message."""

    def __init__(self) -> None:
        self._noted: list[tuple[Kind, list[Any]]] = []

    def __missing__(self, name: str) -> tuple[Any, int, Callable[[Any], None]]:
        kind = self._usual(name)
        noted: list[Any] = []
        self._noted.append((kind, noted))
        self[name] = found = kind.cls, len(kind.fields), noted.append
        return found

    def setters(self, name: str) -> tuple[Setter, Setter, Setter, Setter]:
        """Those of one class, which are those of all: they belong to pydantic's base class."""
        return self._usual(name).setters

    def _usual(self, name: str) -> Kind:
        kind = kind_named(name)
        if kind is None or not kind.is_usual:
            raise _Unusual
        return kind

    def check(self) -> None:
        """All names at once: where every message has as many as its class, and none is another's, each has its own."""
        if any(set().union(*noted) != kind.fields for kind, noted in self._noted):
            raise _Unusual
