"""Classes with plain ``__slots__``. Nothing in such a class says how to build an instance, so the caller declares it.

::

    slots_class("langgraph.types.Send", ("node", "arg", "timeout"), defaults={"timeout": None})

Instances of that class are then taken apart by these slots, and put together by ``object.__new__`` and the slots' own
setters. Declaring a class imports nothing, and makes no class loadable that is neither in `types` nor imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.codec.families.base_family import Family, Fields, PutTogether, TakeApart
from holdfast.codec.families.field_classes import by_attribute
from holdfast.codec.handler import dispatch
from holdfast.codec.lookup.introspection import name_of, slot


class _Layout(NamedTuple):
    fields: tuple[str, ...]
    defaults: Mapping[str, Any]


_layouts: dict[str, _Layout] = {}


def slots_class(name: str, fields: Iterable[str], defaults: Mapping[str, Any] | None = None) -> None:
    """Store instances of the class with this full name by these slots.

    A slot with a default may be missing from the class, in a version before it was added, and from older records. They
    get the default itself, not a copy.
    """
    _layouts[name] = _Layout(tuple(fields), dict(defaults or {}))
    dispatch.clear()  # the class may have been refused before


class SlotClasses(Family):
    kind = "slots"

    def claims(self, cls: type) -> bool:
        layout = _layouts.get(name_of(cls))
        if layout is None:
            return False
        return all(slot(cls, name) for name in layout.fields if name not in layout.defaults)

    def names(self, cls: type) -> tuple[str, ...]:
        return tuple(name for name in _layouts[name_of(cls)].fields if slot(cls, name))

    def required(self, cls: type) -> frozenset[str]:
        return frozenset(self.names(cls)).difference(_layouts[name_of(cls)].defaults)

    def take_apart(self, cls: type) -> TakeApart:
        return by_attribute(self.names(cls))

    def put_together(self, cls: type) -> PutTogether:
        slots = {name: found for name in self.names(cls) if (found := slot(cls, name))}
        defaults = _layouts[name_of(cls)].defaults

        def build(values: Fields) -> Any:
            instance: Any = object.__new__(cls)
            for name, value in {**defaults, **values}.items():
                if name in slots:
                    slots[name].__set__(instance, value)
            return instance

        return build
