"""Classes of plain ``__slots__``, which say nothing about how to make an instance: somebody has to vouch for them.

::

    slots_class("langgraph.types.Send", ("node", "arg", "timeout"), defaults={"timeout": None})

From then on instances of that class are taken apart by these slots, and put together by ``object.__new__`` and the
slots' own setters. Naming a class imports nothing, and lets nothing load that is neither in `types` nor imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.codec.objects import Family, Fields, PutTogether, TakeApart
from holdfast.codec.records import by_attribute
from holdfast.codec.registry import dispatch
from holdfast.codec.statics import name_of, slot


class _Layout(NamedTuple):
    fields: tuple[str, ...]
    defaults: Mapping[str, Any]


_layouts: dict[str, _Layout] = {}


def slots_class(name: str, fields: Iterable[str], defaults: Mapping[str, Any] | None = None) -> None:
    """Let instances of the class of this full name be stored by these slots.

    A slot with a default may be missing: from the class, in a version before it was added, and from older records,
    which then get the default itself, not a copy.
    """
    _layouts[name] = _Layout(tuple(fields), dict(defaults or {}))
    dispatch.clear()  # it may have been met and refused


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
