"""The classes a codec may build: those it was given, those their fields mention, and LangChain's messages.

With `imported`, also classes that the program has imported. A name in the data never causes an import or a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.codec.families.base_family import Family, PutTogether, families, family_of
from holdfast.codec.handlers.langchain_messages import NAMES, message_class
from holdfast.codec.lookup.annotations import mentioned
from holdfast.codec.lookup.imported_classes import class_named, quiet_family
from holdfast.codec.lookup.introspection import name_of
from holdfast.codec.lookup.unknown_log import report_unknown

Types = Iterable[Any] | Mapping[str, Any]
Imported = bool | frozenset[str]
"""Whether a name is looked up among the imported classes; or the names for which that is allowed."""


class _Known(NamedTuple):
    cls: type
    family: Family
    check: Callable[[list[Any]], bool] | None
    put_together: PutTogether


class Classes:
    """Classes by name, with the function that puts an instance of each together."""

    def __init__(self, by_name: Mapping[str, type], imported: Imported = False, mappings: bool = False) -> None:
        self.by_name = dict(by_name)
        self.imported = imported
        self.mappings = mappings
        self.own_handlers = True
        self.usual_messages = all(message_class(name) is self.by_name[name] for name in NAMES if name in self.by_name)
        """False if another class stands for one of LangChain's."""
        self._known: dict[int, _Known] = {}  # by id: a metaclass may define the hash of a class

    def maker(self, record: list[Any]) -> PutTogether | None:
        """The function that turns the record's fields into an instance, or None if no known class takes them."""
        _, kind, name, *_ = record
        if type(name) is not str or type(kind) is not str:
            raise ValueError("the name or the kind of a class is not a string")
        known = self._find(name)
        if known is None:
            report_unknown(name, imports_help=self._may_look_up(name) or name in NAMES)
            return None
        if kind != known.family.kind and not _is_same_shape(kind, known.family):
            return None
        if known.check is not None and not known.check(record):
            return None
        return known.put_together

    def _find(self, name: str) -> _Known | None:
        # The name is looked up each time: the class may be imported later, or reloaded. How to build it is remembered.
        cls = self.by_name.get(name)
        if cls is None:
            cls = message_class(name)
        if cls is not None:
            return self._known.get(id(cls)) or self._learn(cls, family_of(cls))
        cls = class_named(name) if self._may_look_up(name) else None
        return None if cls is None else self._known.get(id(cls)) or self._learn(cls, quiet_family(cls))

    def _may_look_up(self, name: str) -> bool:
        return self.imported if isinstance(self.imported, bool) else name in self.imported

    def _learn(self, cls: type, family: Family | None) -> _Known | None:
        if family is None:
            return None
        self._known[id(cls)] = known = _Known(cls, family, family.check(cls), family.put_together(cls))
        return known


def _is_same_shape(kind: str, family: Family) -> bool:
    return family.is_record and any(other.kind == kind for other in families if other.is_record)


def named(types: Types) -> dict[str, type]:
    """Every class given or mentioned, by the name its records carry."""
    given = types if isinstance(types, Mapping) else {}
    roots = list(types.values()) if isinstance(types, Mapping) else list(types)
    found = {name_of(cls): cls for cls in mentioned(roots)}
    return {**found, **{name_of(cls): cls for cls in roots if isinstance(cls, type)}, **given}
