"""Classes with named fields: dataclasses, attrs, msgspec Structs and named tuples."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from holdfast.codec.families.base_family import Family, Fields, PutTogether, TakeApart
from holdfast.codec.lookup.introspection import declared, declares, sets_plainly

_MISSING = object()
_NODEFAULT: Any = msgspec.NODEFAULT
_DEFAULT_INIT_SUBCLASS = declared(object, "__init_subclass__")


class Dataclasses(Family):
    kind = "dataclass"

    def claims(self, cls: type) -> bool:
        return declares(cls, "__dataclass_fields__")

    def names(self, cls: type) -> tuple[str, ...]:
        return tuple(field.name for field in dataclasses.fields(cls))

    def required(self, cls: type) -> frozenset[str]:
        return frozenset(field.name for field in dataclasses.fields(cls) if field.init and not _has_default(field))

    def take_apart(self, cls: type) -> TakeApart:
        return by_attribute(self.names(cls))

    def put_together(self, cls: type) -> PutTogether:
        fields = {field.name: field for field in dataclasses.fields(cls)}
        return lambda values: _filled(object.__new__(cls), fields, values, _dataclass_default)

    def is_quiet(self, cls: type) -> bool:
        return sets_plainly(cls, self.names(cls))


class Attrs(Family):
    kind = "attrs"

    def claims(self, cls: type) -> bool:
        return declares(cls, "__attrs_attrs__")

    def names(self, cls: type) -> tuple[str, ...]:
        return tuple(field.name for field in _attrs_of(cls))

    def required(self, cls: type) -> frozenset[str]:
        return frozenset(field.name for field in _attrs_of(cls) if field.init and _is_nothing(field.default))

    def take_apart(self, cls: type) -> TakeApart:
        return by_attribute(self.names(cls))

    def put_together(self, cls: type) -> PutTogether:
        fields = {field.name: field for field in _attrs_of(cls)}
        caches_hash = _CACHED_HASH in getattr(getattr(cls.__hash__, "__code__", None), "co_names", ())

        def build(values: Fields) -> Any:
            instance = _filled(object.__new__(cls), fields, values, _attrs_default)
            if caches_hash:
                object.__setattr__(instance, _CACHED_HASH, None)
            return instance

        return build

    def is_quiet(self, cls: type) -> bool:
        return sets_plainly(cls, self.names(cls))


class Structs(Family):
    kind = "msgspec"

    def claims(self, cls: type) -> bool:
        return issubclass(cls, msgspec.Struct)

    def names(self, cls: type) -> tuple[str, ...]:
        return tuple(cls.__struct_fields__)  # type: ignore[attr-defined]

    def required(self, cls: type) -> frozenset[str]:
        # msgspec.structs.fields has this too, but evaluates every annotation first.
        names, defaults = self.names(cls), cls.__struct_defaults__  # type: ignore[attr-defined]
        all_defaults = (_NODEFAULT,) * (len(names) - len(defaults)) + defaults
        return frozenset(name for name, default in zip(names, all_defaults, strict=True) if default is _NODEFAULT)

    def take_apart(self, cls: type) -> TakeApart:
        return by_attribute(self.names(cls))

    def put_together(self, cls: type) -> PutTogether:
        return _struct_maker(cls, self.required(cls))

    def is_quiet(self, cls: type) -> bool:
        # A Struct is created by a call, which its metaclass may define. A class with __post_init__ is built through a
        # subclass, and creating that runs the class's __init_subclass__.
        if declared(type(cls), "__call__") is not declared(type(msgspec.Struct), "__call__"):
            return False
        has_own_hook = declared(cls, "__init_subclass__") is not _DEFAULT_INIT_SUBCLASS
        return not (declares(cls, "__post_init__") and has_own_hook)


class NamedTuples(Family):
    kind = "namedtuple"

    def claims(self, cls: type) -> bool:
        return issubclass(cls, tuple) and declares(cls, "_fields", "_field_defaults")

    def names(self, cls: type) -> tuple[str, ...]:
        return tuple(cls._fields)  # type: ignore[attr-defined]

    def take_apart(self, cls: type) -> TakeApart:
        names = self.names(cls)
        return lambda value: chain.from_iterable(zip(names, tuple.__iter__(value), strict=True))

    def put_together(self, cls: type) -> PutTogether:
        names, defaults = self.names(cls), cls._field_defaults  # type: ignore[attr-defined]
        return lambda values: tuple.__new__(cls, [values[name] if name in values else defaults[name] for name in names])

    def required(self, cls: type) -> frozenset[str]:
        return frozenset(self.names(cls)).difference(cls._field_defaults)  # type: ignore[attr-defined]


def by_attribute(names: tuple[str, ...]) -> TakeApart:
    """A function that takes an instance apart with one C call. Attributes that were never set are left out."""
    if len(names) < 2:
        return lambda value: _set_fields(value, names)
    get = attrgetter(*names)

    def take_apart(value: Any) -> Iterable[Any]:
        try:
            return chain.from_iterable(zip(names, get(value), strict=True))
        except AttributeError:
            return _set_fields(value, names)

    return take_apart


def _set_fields(value: Any, names: tuple[str, ...]) -> Iterable[Any]:
    found = ((name, getattr(value, name, _MISSING)) for name in names)
    return chain.from_iterable(pair for pair in found if pair[1] is not _MISSING)


def _filled(instance: Any, fields: Fields, values: Fields, default: Callable[[Any, Any], Any]) -> Any:
    for name, field in fields.items():
        value = values[name] if name in values else default(field, instance)
        if value is not _MISSING:
            object.__setattr__(instance, name, value)
    return instance


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _dataclass_default(field: Any, instance: Any) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return _MISSING if field.default is dataclasses.MISSING else field.default


_CACHED_HASH = "_attrs_cached_hash"


def _attrs_of(cls: type) -> tuple[Any, ...]:
    return tuple(cls.__attrs_attrs__)  # type: ignore[attr-defined]


def _attrs_default(field: Any, instance: Any) -> Any:
    default = field.default
    if hasattr(default, "takes_self"):
        return default.factory(instance) if default.takes_self else default.factory()
    return _MISSING if _is_nothing(default) else default


def _is_nothing(default: Any) -> bool:
    # Compared by name so that attrs need not be imported; only classes made by attrs get here.
    return type(default).__name__ == "_Nothing"


def _struct_maker(cls: Any, required: frozenset[str]) -> PutTogether:
    names = frozenset(cls.__struct_fields__)
    make = _without_post_init(cls) if declares(cls, "__post_init__") else cls

    def build(values: Fields) -> Any:
        known = {name: value for name, value in values.items() if name in names}
        missing = [name for name in required if name not in known]
        instance = make(**known, **dict.fromkeys(missing))
        for name in missing:
            getattr(cls, name).__delete__(instance)
        return instance

    return build


def _without_post_init(cls: Any) -> Callable[..., Any]:
    # A Struct can't be created by __new__, and its constructor runs __post_init__. So an instance of a subclass with
    # the same layout and an empty __post_init__ is created, and its __class__ is then set.
    subclass = msgspec.defstruct(cls.__name__, [], bases=(cls,), namespace={"__post_init__": lambda self: None})
    set_class = object.__dict__["__class__"].__set__

    def make(**fields: Any) -> Any:
        instance = subclass(**fields)
        set_class(instance, cls)
        return instance

    return make
