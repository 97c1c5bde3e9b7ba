"""Lists of messages, packed and built in one loop each: a function call for every message would double the time.

Both are shortcuts. Unusual messages are left to the general way, which gives the same bytes and the same messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import repeat
from operator import attrgetter
from typing import Any, Literal, NoReturn

from msgspec import Raw
from msgspec.msgpack import Decoder, Ext

from holdfast._system.interrupts import is_interrupt
from holdfast.codec.handler import MESSAGE
from holdfast.codec.handlers.langchain_messages import MARKER, NAMES, Kind, kind_named, usual
from holdfast.codec.wire import MARK

_HEAD = b"\x94" + MARK + bytes([MESSAGE])
"""The first bytes of a message's record without extra fields."""

_LONGEST_ARRAY_HEADER = 5


def with_records(items: list[Any]) -> list[Any]:
    """The list with its messages replaced by records; the packer packs all other items."""
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
        if fields_set != known:  # usually equal to that of the message before
            known, names = fields_set, sorted(fields_set)
        add([MARKER, name, fields, names] if len(fields) == size else item)
    return records


class _Unusual(Exception):
    """Only the general way can build this."""


def _refuse(code: int, data: Any) -> NoReturn:
    raise _Unusual


def starts_with_message(data: bytes) -> bool:
    return data.find(_HEAD, 1, _LONGEST_ARRAY_HEADER + len(_HEAD)) > 0


def load(data: bytes) -> list[Any] | None:
    """The messages, if the list holds nothing else and their fields have only msgpack's own types; else None."""
    try:
        return _built(_decoder.decode(data))
    except Exception as error:  # the general way handles it, or reports what is wrong
        if is_interrupt(error):
            raise
        return None


def is_message(item: Raw) -> bool:
    """Whether an encoded item is a message, by its first bytes."""
    return memoryview(item)[: len(_HEAD)] == _HEAD


def load_items(items: Sequence[Raw]) -> list[Any] | None:
    """`load` for items that are encoded one by one."""
    try:
        return _built([*map(_item_decoder.decode, items)])
    except Exception as error:
        if is_interrupt(error):
            raise
        return None


_Record = tuple[Ext, Literal[NAMES], dict, set[str]]  # type: ignore[valid-type, type-arg]
_decoder = Decoder(list[_Record], ext_hook=_refuse)
_item_decoder = Decoder(_Record, ext_hook=_refuse)
"""The hook sees only extensions inside the fields: tuples, dates and other values that have to be built."""


def _built(records: list[tuple[Ext, str, dict[Any, Any], set[str]]]) -> list[Any]:
    """One step at a time for all messages: a loop in C for each step takes two thirds of the time of a Python loop."""
    markers, names, fields, fields_sets = zip(*records, strict=True)
    kinds = {name: _usual(name) for name in {*names}}
    classes = {name: kind.cls for name, kind in kinds.items()}
    if {*map(_content, markers)} != _MESSAGE or not all(
        _have_fields(kinds[name], name, names, fields) for name in kinds
    ):
        raise _Unusual
    set_dict, set_fields_set, set_extra, set_private = kinds[names[0]].setters  # pydantic's own, the same for all
    messages = [*map(object.__new__, map(classes.__getitem__, names))]
    _do(map(set_dict, messages, fields))
    _do(map(set_fields_set, messages, fields_sets))
    _do(map(set_extra, messages, [{} for _ in messages]))
    _do(map(set_private, messages, repeat(None)))
    return messages


def _usual(name: str) -> Kind:
    kind = kind_named(name)
    if kind is None or not kind.is_usual:
        raise _Unusual
    return kind


def _have_fields(kind: Kind, name: str, names: Sequence[str], fields: Sequence[dict[Any, Any]]) -> bool:
    """Whether all messages of this kind have exactly the fields of their class, checked for all at once: each has as
    many fields as the class, and together they have no others."""
    own = [of_message for of_message, kind_name in zip(fields, names, strict=True) if kind_name == name]
    return {*map(len, own)} == {len(kind.fields)} and set().union(*own) == kind.fields


_MESSAGE = {(MESSAGE, b"")}
_content = attrgetter("code", "data")
_nowhere: deque[object] = deque(maxlen=0)
_do = _nowhere.extend
