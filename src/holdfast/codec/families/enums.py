"""Enum members, found by name, or by value if the class no longer has the name."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from holdfast.codec.families.base_family import Family, Fields, PutTogether, TakeApart, fields_in
from holdfast.codec.lookup.introspection import declared

_SIMPLE = frozenset({type(None), bool, int, float, str, bytes})


class Enums(Family):
    kind = "enum"
    is_record = False

    def claims(self, cls: type) -> bool:
        return issubclass(cls, enum.Enum)

    def names(self, cls: type) -> tuple[str, ...]:
        return ()

    def take_apart(self, cls: type) -> TakeApart:
        return _take_apart

    def put_together(self, cls: type) -> PutTogether:
        return lambda fields: _member(cls, fields)

    def is_quiet(self, cls: type) -> bool:
        # A combination of flags that was not used before is created by the type of the members.
        return not issubclass(cls, enum.Flag) or any(declared(cls, "_member_type_") is plain for plain in (object, int))

    def check(self, cls: type) -> Callable[[list[Any]], bool]:
        return lambda record: _is_member(cls, fields_in(record, 3))


def _take_apart(member: Any) -> tuple[Any, ...]:
    # Only a combination of flags needs its value; other values may be something that can't be stored.
    simple = type(member._value_) in _SIMPLE
    return ("name", member._name_, "value", member._value_) if simple else ("name", member._name_)


def _is_member(cls: Any, fields: Fields) -> bool:
    try:
        _member(cls, fields)
    except (LookupError, ValueError, TypeError):
        return False
    return True


def _member(cls: Any, fields: Fields) -> Any:
    name = fields.get("name")
    if name in cls._member_map_:
        return cls._member_map_[name]
    value = fields["value"]
    if issubclass(cls, enum.Flag) and value not in cls._value2member_map_:
        found: Any = _combined(cls, value) if _combines_plainly(cls) else None
        if type(found) is not cls or found._value_ != value:  # some Python versions drop unknown bits
            raise ValueError(f"{value!r} is not a combination of {cls.__qualname__}")
        return found
    return cls._value2member_map_[value]


def _combines_plainly(cls: Any) -> bool:
    """Whether making a combination that was not used before runs no method of the class: it sets attributes, and
    compares members."""
    return all(
        declared(cls, name) in (declared(enum.Flag, name), declared(enum.IntFlag, name)) for name in _USED_TO_COMBINE
    )


_USED_TO_COMBINE = ("__getattribute__", "__getattr__", "__setattr__", "__eq__", "__ne__", "_numeric_repr_")

# Calling the class would do the same, but would also run a `_missing_` of the class and its metaclass.
_combined: Any = enum.Flag.__dict__["_missing_"].__func__
