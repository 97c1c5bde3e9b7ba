"""A family is a way of making classes: dataclasses, enums, pydantic models, ...

It says which classes belong to it, how an instance is taken apart, and how one is put together without running its
``__init__`` or its validators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Fields = dict[str, Any]
TakeApart = Callable[[Any], Iterable[Any]]
PutTogether = Callable[[Fields], Any]


class Family:
    """One way of making classes."""

    kind: str
    is_record = True
    """Whether instances consist of named fields. A class may change between such families; its records still load."""

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
        """Whether `put_together` runs no code of the class other than the factories of its defaults."""
        return True

    def channels(self, state: Any) -> Fields:
        """The fields of an instance, not copied."""
        return {name: getattr(state, name) for name in self.names(type(state)) if hasattr(state, name)}

    def required(self, cls: type) -> frozenset[str]:
        """The fields that a record must have because the class has no default for them."""
        return frozenset()

    def check(self, cls: type) -> Callable[[list[Any]], bool] | None:
        """A function that tests whether a record can become an instance of `cls`, or None if every record can."""
        required = self.required(cls)
        return (lambda record: required.issubset(record[3::2])) if required else None


families: list[Family] = []
"""In the order in which a class is tried; `order.py` fills it."""


def family_of(cls: type) -> Family | None:
    return next((family for family in families if family.claims(cls)), None)


_TEXT = frozenset({str})


def are_texts(parts: Iterable[Any]) -> bool:
    return _TEXT.issuperset(map(type, parts))


def fields_in(record: list[Any], start: int) -> Fields:
    values = record[start + 1 :: 2]
    names = record[start : start + 2 * len(values) : 2]  # after the fields there may be one part more
    if not are_texts(names):
        raise ValueError("the name of a field is not a string")
    return dict(zip(names, values, strict=True))
