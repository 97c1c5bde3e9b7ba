"""LangChain's messages. They have a tag of their own because most agents store them, often by the thousand.

A message is ``[marker 26, "module.QualName", fields, names of the fields that were set]``. The fields are the model's
own dict, packed in C. The fields of any other pydantic model are taken apart in Python.

The classes are a fixed list, looked up among the imported ones. Loading a message imports nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from holdfast.codec.families.base_family import Fields, PutTogether, are_texts
from holdfast.codec.families.pydantic_models import EXTRA, PRIVATE, SET
from holdfast.codec.handler import MESSAGE, Build, ClassLookup, Handler, Pack, install
from holdfast.codec.lookup.introspection import contents, is_class, name_of
from holdfast.codec.wire import extension

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
_IMPORT_PATHS = {
    f"langchain_core.messages.{module}.{name}": (f"langchain_core.messages.{module}", name)
    for module, names in _MODULES.items()
    for name in names
}
NAMES = tuple(_IMPORT_PATHS)
"""The full name of every message class."""

MARKER = extension(MESSAGE)

Setter = Callable[[Any, Any], None]


class Kind(NamedTuple):
    """What packing and building need about one message class."""

    cls: Any
    fields: frozenset[str]
    is_usual: bool
    """Whether it allows extra fields and has no private ones, which is faster. True for all of LangChain's."""
    setters: tuple[Setter, Setter, Setter, Setter]
    """They fill pydantic's own slots: the fields, the names that were set, the extra fields, the private ones."""


_kinds: dict[type, Kind] = {}
usual: dict[type, tuple[str, int]] = {}
"""Name and number of fields of each usual class that was packed so far."""


def message_class(name: str) -> Any:
    """The message class of this full name, or None if it is not one, or not imported."""
    kind = kind_named(name)
    return None if kind is None else kind.cls


def kind_named(name: str) -> Kind | None:
    path = _IMPORT_PATHS.get(name)
    if path is None:
        return None
    # Looked up each time: the module may be imported later, or reloaded.
    cls: Any = contents(sys.modules.get(path[0])).get(path[1])
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
        if kind is None or kind.cls is not cls:  # a subclass of a message is stored as an object
            return None
        if kind.is_usual:
            usual[cls] = name, len(kind.fields)
        return _packer(name, kind.fields)

    def builder(self, record: list[Any], classes: ClassLookup) -> Build | None:
        """Built as any other model: the class may have gained a field, or another class may stand for it."""
        _, name, fields, names_set, *more = record
        if type(names_set) is not list or not all(type(part) is dict and are_texts(part) for part in (fields, *more)):
            raise ValueError("the record of a message is malformed")
        put_together = classes.maker([record[0], "pydantic", name, *chain.from_iterable(fields.items())])
        return None if put_together is None else partial(_built, put_together)


def _packer(name: str, field_names: frozenset[str]) -> Pack:
    size = len(field_names)

    def pack(message: Any) -> list[Any]:
        fields = message.__dict__
        if len(fields) != size:  # a cached property, or a field that was deleted
            fields = {field: value for field, value in fields.items() if field in field_names}
        record = [MARKER, name, fields, sorted(message.__pydantic_fields_set__)]
        if message.__pydantic_private__:
            record += message.__pydantic_extra__ or {}, message.__pydantic_private__
        elif message.__pydantic_extra__:
            record.append(message.__pydantic_extra__)
        return record

    return pack


def begin_message(record: list[Any], classes: ClassLookup) -> tuple[Any, Fields] | None:
    """A message and its fields, whose values are then built in place; None if the record needs the general way."""
    if len(record) != 4 or not classes.usual_messages:
        return None
    _, name, fields, names_set = record
    kind = kind_named(name)
    if kind is None or not kind.is_usual or type(fields) is not dict or fields.keys() != kind.fields:
        return None
    if type(names_set) is not list or not are_texts(names_set):
        return None
    set_dict, set_fields_set, set_extra, set_private = kind.setters
    message = object.__new__(kind.cls)
    set_dict(message, fields)
    set_fields_set(message, set(names_set))
    set_extra(message, {})
    set_private(message, None)
    return message, fields


def _built(put_together: PutTogether, parts: list[Any]) -> Any:
    return put_together(as_fields(parts))


def as_fields(parts: list[Any]) -> Fields:
    """The parts of a message's record as the fields that the record of any other model has."""
    _, fields, names_set, *more = parts
    return {**fields, SET: names_set, **dict(zip((EXTRA, PRIVATE), more, strict=False))}


def _unused(value: Any) -> Any:
    raise NotImplementedError


install(_MessageHandler(MESSAGE, (), _unused, _unused))
