"""Subclasses of str, int, list, dict and their like: the plain value under an empty name, then the attributes."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from itertools import chain
from typing import Any

from holdfast.codec.objects import Family, Fields, PutTogether, TakeApart

_PLAIN = ""


class Subclasses(Family):
    """Subclasses of one builtin. Its own methods take the value out, since the subclass may have replaced them."""

    is_record = False

    def __init__(self, base: Any, plain: Callable[[Any], Any], fill: Callable[[Any, Any], None] | None = None) -> None:
        self.kind = base.__name__
        self._base = base
        self._plain = plain
        self._fill = fill

    def claims(self, cls: type) -> bool:
        return issubclass(cls, self._base) and cls is not self._base and not issubclass(cls, defaultdict)

    def names(self, cls: type) -> tuple[str, ...]:
        return ()

    def take_apart(self, cls: type) -> TakeApart:
        slots = _slots(cls)
        return lambda value: (_PLAIN, self._plain(value), *chain.from_iterable(_attributes(value, slots).items()))

    def put_together(self, cls: type) -> PutTogether:
        return lambda fields: self._build(cls, dict(fields))

    def _build(self, cls: type, fields: Fields) -> Any:
        plain = fields.pop(_PLAIN)
        if self._fill is None:
            instance = self._base.__new__(cls, plain)
        else:
            instance = self._base.__new__(cls)
            self._fill(instance, plain)
        for name, value in fields.items():
            object.__setattr__(instance, name, value)
        return instance


def _slots(cls: type) -> tuple[str, ...]:
    found = [vars(base).get("__slots__", ()) for base in cls.__mro__]
    names = chain.from_iterable((slots,) if isinstance(slots, str) else slots for slots in found)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _attributes(value: Any, slots: tuple[str, ...]) -> Fields:
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
