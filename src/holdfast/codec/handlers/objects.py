"""Instances of classes: a record of kind, class name, and fields by name, as the class's family takes them apart."""

from __future__ import annotations

from typing import Any

from holdfast.codec.families.base_family import Family, family_of, fields_in
from holdfast.codec.handler import OBJECT, Build, ClassLookup, Handler, Pack, install
from holdfast.codec.lookup.introspection import name_of
from holdfast.codec.wire import extension

_NAN = float("nan")


class _ObjectHandler(Handler):
    __slots__ = ()

    def packer(self, cls: type) -> Pack | None:
        family = None if issubclass(cls, BaseException) else family_of(cls)
        return None if family is None else _packer(family, cls)

    def builder(self, record: list[Any], classes: ClassLookup) -> Build | None:
        put_together = classes.maker(record)
        return None if put_together is None else lambda parts: put_together(fields_in(parts, 2))

    def label(self, parts: list[Any], index: int) -> str:
        name = parts[index - 1] if index > 3 else ""
        return f".{name}" if isinstance(name, str) and name.isidentifier() else ""


def _packer(family: Family, cls: type) -> Pack:
    head = (extension(OBJECT), family.kind, name_of(cls))
    take_apart = family.take_apart(cls)
    if getattr(cls, "__hash__", None) is object.__hash__:
        # Such instances are distinct dict keys even with equal fields: a NaN keeps their records distinct too.
        return lambda value: [*head, *take_apart(value), _NAN]
    return lambda value: [*head, *take_apart(value)]


def _unused(value: Any) -> Any:
    raise NotImplementedError


install(_ObjectHandler(OBJECT, (), _unused, _unused))
