"""LangChain's messages, which have a tag of their own: they are what most agents keep, a thousand at a time.

A message is ``[marker 26, "module.QualName", fields, names of the fields that were set]``. The fields are the model's
own dict, packed in C without a look at them; as those of any other pydantic model, Python would take them apart.

The classes are a fixed list, found among what the program has imported. Loading a message imports nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.codec.models import EXTRA, PRIVATE, SET
from holdfast.codec.objects import Fields, PutTogether
from holdfast.codec.registry import MESSAGE, Build, Handler, Pack, install
from holdfast.codec.statics import contents, is_class, name_of
from holdfast.codec.wire import extension

if TYPE_CHECKING:
    from holdfast.codec.classes import Classes

_MODULES = {
    "ai": ("AIMessage", "AIMessageChunk"),
    "chat": ("ChatMessage", "ChatMessageChunk"),
    "function": ("FunctionMessage", "FunctionMessageChunk"),
    "human": ("HumanMessage", "HumanMessageChunk"),
    "modifier": ("RemoveMessage",),
    "system": ("SystemMessage", "SystemMessageChunk"),
    "tool": ("ToolMessage", "ToolMessageChunk"),
    "base": ("BaseMessage", "BaseMessageChunk"),
}
_PLACES = {
    f"langchain_core.messages.{module}.{name}": (f"langchain_core.messages.{module}", name)
    for module, names in _MODULES.items()
    for name in names
}
NAMES = tuple(_PLACES)
"""The full name of every message class."""

MARKER = extension(MESSAGE)

Setter = Callable[[Any, Any], None]


class Kind(NamedTuple):
    """What packing and building have to know about one message class."""

    cls: Any
    fields: frozenset[str]
    is_usual: bool
    """Whether it allows extra fields and has no private ones. All of LangChain's are so, and faster for it."""
    setters: tuple[Setter, Setter, Setter, Setter]
    """They fill pydantic's own slots: the fields, the names that were set, the extra fields, the private ones."""


_kinds: dict[type, Kind] = {}
usual: dict[type, tuple[str, int]] = {}
"""Name and number of fields of each usual class that was packed before."""


def message_class(name: str) -> Any:
    """The message class of this full name, or None if it is not one, or not imported."""
    kind = kind_named(name)
    return None if kind is None else kind.cls


def kind_named(name: str) -> Kind | None:
    place = _PLACES.get(name)
    if place is None:
        return None
    # The module is asked each time: the class may have been imported since, or imported anew.
    cls: Any = contents(sys.modules.get(place[0])).get(place[1])
    return _kinds.get(cls) or _kind_of(cls, name) if is_class(cls) else None


def _kind_of(cls: Any, name: str) -> Kind | None:
    if name_of(cls) != name:
        return None
    is_usual = cls.model_config.get("extra") == "allow" and not cls.__private_attributes__
    _kinds[cls] = kind = Kind(cls, frozenset(cls.__pydantic_fields__), is_usual, _setters(cls))
    return kind


def _setters(cls: type) -> Any:
    slots = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
    return tuple(next(vars(base)[slot] for base in cls.__mro__ if slot in vars(base)).__set__ for slot in slots)


class _MessageHandler(Handler):
    __slots__ = ()
    attributes_at = (2, 4, 5)

    def packer(self, cls: type) -> Pack | None:
        name = name_of(cls)
        kind = kind_named(name)
        if kind is None or kind.cls is not cls:  # a class that derives from a message is an object like any other
            return None
        if kind.is_usual:
            usual[cls] = name, len(kind.fields)
        return _packer(name, kind.fields)

    def builder(self, record: list[Any], classes: Classes) -> Build | None:
        """As for any other model: a field may have been added since, or another class may stand for this one."""
        _, name, fields, names_set, *more = record
        if type(names_set) is not list or any(type(part) is not dict for part in (fields, *more)):
            raise ValueError("the record of a message is malformed")
        put_together = classes.maker([record[0], "pydantic", name, *chain.from_iterable(fields.items())])
        return None if put_together is None else partial(_built, put_together)


def _packer(name: str, known: frozenset[str]) -> Pack:
    size = len(known)

    def pack(message: Any) -> list[Any]:
        fields = message.__dict__
        if len(fields) != size:  # a cached property, or a field that was deleted
            fields = {field: value for field, value in fields.items() if field in known}
        record = [MARKER, name, fields, sorted(message.__pydantic_fields_set__)]
        if message.__pydantic_private__:
            record += message.__pydantic_extra__ or {}, message.__pydantic_private__
        elif message.__pydantic_extra__:
            record.append(message.__pydantic_extra__)
        return record

    return pack


def started(record: list[Any], classes: Classes) -> tuple[Any, Fields] | None:
    """A message and its fields, which are built in place afterwards; None if the record takes more than that."""
    if len(record) != 4 or not classes.usual_messages:
        return None
    _, name, fields, names_set = record
    kind = kind_named(name)
    if kind is None or not kind.is_usual or type(fields) is not dict or fields.keys() != kind.fields:
        return None
    if type(names_set) is not list or not _are_texts(names_set):
        return None
    set_dict, set_fields_set, set_extra, set_private = kind.setters
    message = object.__new__(kind.cls)
    set_dict(message, fields)
    set_fields_set(message, set(names_set))
    set_extra(message, {})
    set_private(message, None)
    return message, fields


def _built(put_together: PutTogether, parts: list[Any]) -> Any:
    fields = as_fields(parts)
    if not _are_texts(fields[SET]):
        raise ValueError("the names of a message's fields are not texts")
    return put_together(fields)


def as_fields(parts: list[Any]) -> Fields:
    """The parts of a message's record as the fields that the record of another model has."""
    _, fields, names_set, *more = parts
    return {**fields, SET: names_set, **dict(zip((EXTRA, PRIVATE), more, strict=False))}


_TEXT = frozenset({str})


def _are_texts(parts: list[Any]) -> bool:
    return _TEXT.issuperset(map(type, parts))


def _unused(value: Any) -> Any:
    raise NotImplementedError


install(_MessageHandler(MESSAGE, (), _unused, _unused))
