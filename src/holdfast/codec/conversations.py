"""Lists of messages, packed and built in one loop each: a function call for every message would cost as much again.

Both ways are shortcuts. What is unusual is left to the general way, which gives the same bytes and the same messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import repeat
from operator import attrgetter
from typing import Any, Literal, NoReturn

from msgspec import Raw
from msgspec.msgpack import Decoder, Ext

from holdfast.codec.messages import MARKER, NAMES, Kind, kind_named, usual
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


def load_items(items: Sequence[Raw]) -> list[Any] | None:
    """The same, of items that stand apart."""
    if memoryview(items[0])[: len(_HEAD)] != _HEAD:
        return None
    try:
        return _built([*map(_item_decoder.decode, items)])
    except Exception:
        return None


_Record = tuple[Ext, Literal[NAMES], dict, set[str]]  # type: ignore[valid-type, type-arg]
_decoder = Decoder(list[_Record], ext_hook=_refuse)
_item_decoder = Decoder(_Record, ext_hook=_refuse)
"""The hook is for extensions inside the fields only: tuples, dates and whatever else has to be built."""


def _built(records: list[tuple[Ext, str, dict[Any, Any], set[str]]]) -> list[Any]:
    """Step by step for all of them: a loop in C for each step takes two thirds of the time of one loop in Python."""
    markers, names, fields, fields_sets = zip(*records, strict=True)
    kinds = {name: _usual(name) for name in {*names}}
    classes = {name: kind.cls for name, kind in kinds.items()}
    if {*map(_content, markers)} != _MESSAGE or not all(
        _have_fields(kinds[name], name, names, fields) for name in kinds
    ):
        raise _Unusual
    set_dict, set_fields_set, set_extra, set_private = kinds[names[0]].setters  # pydantic's own, and so those of all
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
    """All messages of a kind at once: where each has as many fields as its class, and none is another's, each has its
    own."""
    own = [one for one, called in zip(fields, names, strict=True) if called == name]
    return {*map(len, own)} == {len(kind.fields)} and set().union(*own) == kind.fields


_MESSAGE = {(MESSAGE, b"")}
_content = attrgetter("code", "data")
_nowhere: deque[object] = deque(maxlen=0)
_do = _nowhere.extend
