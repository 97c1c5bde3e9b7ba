"""Instances of classes: a record of kind, class name, and fields by name.

A family is a way of making classes (dataclasses, enums, pydantic models, ...). It says which classes are its own, how
an instance is taken apart, and how one is put together without running its ``__init__`` or its validators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from holdfast.codec.registry import OBJECT, Build, Handler, Pack, install
from holdfast.codec.statics import name_of
from holdfast.codec.wire import extension

if TYPE_CHECKING:
    from holdfast.codec.classes import Classes

Fields = dict[str, Any]
TakeApart = Callable[[Any], Iterable[Any]]
PutTogether = Callable[[Fields], Any]

_NAN = float("nan")


class Family:
    """One way of making classes."""

    kind: str
    is_record = True
    """Whether instances are fields by name. A class may move between such families; its records still load."""

    def claims(self, cls: type) -> bool:
        raise NotImplementedError

    def names(self, cls: type) -> tuple[str, ...]:
        """The fields of a record class."""
        raise NotImplementedError

    def take_apart(self, cls: type) -> TakeApart:
        """A function from an instance to name, value, name, value, ..."""
        raise NotImplementedError

    def put_together(self, cls: type) -> PutTogether:
        """A function from fields to an instance. Missing fields take their defaults, unknown ones are left out."""
        raise NotImplementedError

    def is_quiet(self, cls: type) -> bool:
        """Whether `put_together` runs nothing that the class has written, but for the factories of its defaults."""
        return True

    def channels(self, state: Any) -> Fields:
        """The fields of an instance, not copied."""
        return {name: getattr(state, name) for name in self.names(type(state)) if hasattr(state, name)}

    def required(self, cls: type) -> frozenset[str]:
        """The fields that a record must have, since the class has no default for them."""
        return frozenset()

    def check(self, cls: type) -> Callable[[list[Any]], bool] | None:
        """A function that says whether a record can become an instance of `cls`, or None if every one can."""
        required = self.required(cls)
        return (lambda record: required.issubset(record[3::2])) if required else None


families: list[Family] = []
"""In the order in which they are asked; `families.py` fills it."""


def family_of(cls: type) -> Family | None:
    return next((family for family in families if family.claims(cls)), None)


def fields_in(record: list[Any], start: int) -> Fields:
    return dict(zip(record[start::2], record[start + 1 :: 2], strict=False))


class _ObjectHandler(Handler):
    __slots__ = ()

    def packer(self, cls: type) -> Pack | None:
        family = None if issubclass(cls, BaseException) else family_of(cls)
        return None if family is None else _packer(family, cls)

    def builder(self, record: list[Any], classes: Classes) -> Build | None:
        put_together = classes.maker(record)
        return None if put_together is None else lambda parts: put_together(fields_in(parts, 2))

    def label(self, parts: list[Any], index: int) -> str:
        name = parts[index - 1] if index > 3 else ""
        return f".{name}" if isinstance(name, str) and name.isidentifier() else ""


def _packer(family: Family, cls: type) -> Pack:
    head = (extension(OBJECT), family.kind, name_of(cls))
    take_apart = family.take_apart(cls)
    if getattr(cls, "__hash__", None) is object.__hash__:
        # As dict keys such instances are all different, however equal their fields: a NaN keeps their records so.
        return lambda value: [*head, *take_apart(value), _NAN]
    return lambda value: [*head, *take_apart(value)]


def _unused(value: Any) -> Any:
    raise NotImplementedError


install(_ObjectHandler(OBJECT, (), _unused, _unused))
