"""Pydantic models, with the fields that were set, the extra ones and the private ones."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from holdfast.codec.families.base_family import Family, Fields, PutTogether, TakeApart, are_texts
from holdfast.codec.lookup.introspection import declares, has_plain_dict, sets_plainly

SET, EXTRA, PRIVATE = "+set", "+extra", "+private"
"""These are not identifiers, so no field can have such a name."""

_flatten = chain.from_iterable


class Models(Family):
    kind = "pydantic"

    def claims(self, cls: type) -> bool:
        return declares(cls, "__pydantic_fields__", "__pydantic_private__")

    def names(self, cls: type) -> tuple[str, ...]:
        return tuple(cls.__pydantic_fields__)  # type: ignore[attr-defined]

    def required(self, cls: type) -> frozenset[str]:
        fields = cls.__pydantic_fields__  # type: ignore[attr-defined]
        return frozenset(name for name, field in fields.items() if field.is_required())

    def take_apart(self, cls: type) -> TakeApart:
        names = frozenset(self.names(cls))
        usual = len(names)

        def take_apart(model: Any) -> Iterable[Any]:
            values = model.__dict__
            if len(values) != usual:  # a cached property, or a field that was deleted
                values = {name: value for name, value in values.items() if name in names}
            more = _more(model) if model.__pydantic_extra__ or model.__pydantic_private__ else ()
            return (*_flatten(values.items()), SET, sorted(model.__pydantic_fields_set__), *more)

        return take_apart

    def channels(self, state: Any) -> Fields:
        return super().channels(state) | (state.__pydantic_extra__ or {})

    def put_together(self, cls: type) -> PutTogether:
        return _maker(cls)

    def is_quiet(self, cls: type) -> bool:
        own_slots = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
        return sets_plainly(cls, own_slots) and has_plain_dict(cls)


def _more(model: Any) -> list[Any]:
    parts: list[Any] = []
    if model.__pydantic_extra__:
        parts += EXTRA, model.__pydantic_extra__
    if model.__pydantic_private__:
        parts += PRIVATE, model.__pydantic_private__
    return parts


def _maker(cls: Any) -> PutTogether:
    names = cls.__pydantic_fields__.keys()
    allows_extra = cls.model_config.get("extra") == "allow"

    def build(values: Fields) -> Any:
        private, extra, fields_set = check_parts(values)
        if values.keys() != names:
            extra |= {name: value for name, value in values.items() if name not in names}
            values = _completed(cls, values)
        model = object.__new__(cls)
        _assign(model, "__dict__", values)
        _assign(model, "__pydantic_fields_set__", fields_set)
        _assign(model, "__pydantic_extra__", extra if allows_extra else None)
        _assign(model, "__pydantic_private__", _private(cls, private))
        return model

    return build


_assign = object.__setattr__


def check_parts(values: Fields) -> tuple[Fields, Fields, set[str]]:
    """Takes what is not a field out of a record: private and extra attributes, and the names that were set."""
    private = _attributes(values.pop(PRIVATE, {}))
    extra = _attributes(values.pop(EXTRA, {}))
    return private, extra, _names(values.pop(SET, None), values)


def _attributes(stored: Any) -> Fields:
    """A plain dict, whose methods are those of Python."""
    if type(stored) is not dict or not are_texts(stored):
        raise ValueError("the attributes of a model are not a dict of them by name")
    return stored


def _names(stored: Any, values: Fields) -> set[str]:
    if stored is None:
        return set(values)
    if type(stored) is not list or not are_texts(stored):
        raise ValueError("the names of the fields of a model that were set are not a list of strings")
    return set(stored)


def _completed(cls: Any, values: Fields) -> Fields:
    """The class's fields in stored order, then those that were added to the class since."""
    fields = cls.__pydantic_fields__
    known = {name: value for name, value in values.items() if name in fields}
    for name, field in fields.items():
        if name not in known and not field.is_required():
            known[name] = field.get_default(call_default_factory=True, validated_data=known)
    return known


def _private(cls: Any, stored: Fields) -> Fields | None:
    if not cls.__private_attributes__:
        return None
    values = dict(stored)
    for name in cls.__private_attributes__.keys() - stored.keys():
        default = cls.__private_attributes__[name].get_default()
        if type(default).__name__ != "PydanticUndefinedType":
            values[name] = default
    return values
