"""Subclasses of str, int, list, dict and so on: the plain value under an empty name, then the attributes."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from types import MemberDescriptorType
from typing import Any

from holdfast.codec.families.base_family import Family, Fields, PutTogether, TakeApart, are_texts
from holdfast.codec.lookup.introspection import ancestors, has_plain_dict, is_python_class, own

_PLAIN = ""
_Slots = dict[str, MemberDescriptorType]


class Subclasses(Family):
    """Subclasses of one builtin. The builtin's own methods read the value, since the subclass may override them."""

    is_record = False

    def __init__(self, base: Any, plain: Callable[[Any], Any], fill: Callable[[Any, Any], None] | None = None) -> None:
        self.kind = base.__name__
        self._base = base
        self._plain = plain
        self._fill = fill
        self._plain_type = dict if base is OrderedDict else base

    def claims(self, cls: type) -> bool:
        return issubclass(cls, self._base) and cls is not self._base and not issubclass(cls, defaultdict)

    def names(self, cls: type) -> tuple[str, ...]:
        return ()

    def take_apart(self, cls: type) -> TakeApart:
        slots = _slots(cls)
        return lambda value: (_PLAIN, self._plain(value), *chain.from_iterable(_attributes(value, slots).items()))

    def put_together(self, cls: type) -> PutTogether:
        slots = _slots(cls)
        return lambda fields: self._build(cls, slots, dict(fields))

    def is_quiet(self, cls: type) -> bool:
        # The value is of the plain type and is set by the builtin's own methods, so the class's __new__, __init__ and
        # __setitem__ do not run, and attributes are set past its properties. Only a class made in C has to create its
        # instances itself.
        derived = (base for base in ancestors(cls) if issubclass(base, self._base) and base is not self._base)
        return all(map(is_python_class, derived)) and has_plain_dict(cls)

    def _build(self, cls: type, slots: _Slots, fields: Fields) -> Any:
        instance = self._new(cls, fields.pop(_PLAIN))
        for name in slots.keys() & fields.keys():
            slots[name].__set__(instance, fields.pop(name))
        if fields:
            _set_attributes(instance, fields)
        return instance

    def _new(self, cls: type, plain: Any) -> Any:
        if type(plain) is not self._plain_type:  # the builtin would call a conversion method of any other type
            raise TypeError(f"the value of a {cls.__qualname__} is not a {self._plain_type.__name__}")
        if self._fill is None:
            return self._base.__new__(cls, plain)
        instance = self._base.__new__(cls)
        self._fill(instance, plain)
        return instance


def _slots(cls: type) -> _Slots:
    """The slots of a class by their names on instances, which are mangled for private ones."""
    found: _Slots = {}
    for base in filter(is_python_class, reversed(ancestors(cls))):
        found |= {name: slot for name, slot in own(base).items() if type(slot) is MemberDescriptorType}
    return found


def _set_attributes(instance: Any, values: Fields) -> None:
    if not are_texts(values):
        raise TypeError("the name of an attribute is not a string")
    with suppress(AttributeError):  # instances of the class no longer have a __dict__
        object.__getattribute__(instance, "__dict__").update(values)


def _attributes(value: Any, slots: _Slots) -> Fields:
    set_slots = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return {**set_slots, **getattr(value, "__dict__", {})}


def _fill_ordered(instance: Any, items: dict[Any, Any]) -> None:
    # OrderedDict.update would call the subclass's own __setitem__.
    for key, value in items.items():
        OrderedDict.__setitem__(instance, key, value)


_ALL = slice(None)

SUBCLASSES = [
    Subclasses(str, str.__str__),
    Subclasses(int, int.__index__),
    Subclasses(float, float.__float__),
    Subclasses(complex, complex.__pos__),
    Subclasses(bytes, lambda value: bytes(memoryview(value))),
    Subclasses(tuple, lambda value: tuple.__getitem__(value, _ALL)),
    Subclasses(frozenset, lambda value: frozenset.__or__(frozenset(), value)),
    Subclasses(set, lambda value: set.__or__(set(), value), set.update),
    Subclasses(list, lambda value: list.__getitem__(value, _ALL), list.extend),
    Subclasses(OrderedDict, lambda value: dict(OrderedDict.items(value)), _fill_ordered),
    Subclasses(dict, dict.copy, dict.update),
]
