"""Enum members, found again by name, and by value if the name is gone."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from holdfast.codec.objects import Family, Fields, PutTogether, TakeApart, fields_in
from holdfast.codec.statics import declared

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
        # A combination of flags that was not used before is made by the type that the members have.
        return not issubclass(cls, enum.Flag) or any(declared(cls, "_member_type_") is plain for plain in (object, int))

    def check(self, cls: type) -> Callable[[list[Any]], bool]:
        return lambda record: _is_member(cls, fields_in(record, 3))


def _take_apart(member: Any) -> tuple[Any, ...]:
    # Only a flag's combination needs its value; any other value may be something that can't be stored.
    simple = type(member._value_) in _SIMPLE
    return ("name", member._name_, "value", member._value_) if simple else ("name", member._name_)


def _is_member(cls: Any, fields: Fields) -> bool:
    try:
        _member(cls, fields)
    except (LookupError, ValueError):
        return False
    return True


def _member(cls: Any, fields: Fields) -> Any:
    name = fields.get("name")
    if name in cls._member_map_:
        return cls._member_map_[name]
    value = fields["value"]
    if issubclass(cls, enum.Flag) and value not in cls._value2member_map_:
        found = _combined(cls, value)
        if type(found) is not cls or found._value_ != value:  # some Pythons drop bits that the class does not know
            raise ValueError(f"{value!r} is no combination of {cls.__qualname__}")
        return found
    return cls._value2member_map_[value]


# Calling the class would do as well, but would also ask a `_missing_` of the class's own, and its metaclass.
_combined: Any = enum.Flag.__dict__["_missing_"].__func__
