"""The classes a codec may build: those it was given, those their fields mention, and LangChain's messages.

Nothing else is ever looked up, imported or called because of a name in the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.codec.annotations import mentioned
from holdfast.codec.messages import message_class
from holdfast.codec.objects import Family, PutTogether, families, family_of, name_of

Types = Iterable[Any] | Mapping[str, Any]


class _Known(NamedTuple):
    family: Family
    check: Callable[[list[Any]], bool] | None
    put_together: PutTogether


class Classes:
    """Names to classes, and how to put an instance of each together."""

    def __init__(self, by_name: Mapping[str, type]) -> None:
        self.by_name = dict(by_name)
        self._known: dict[str, _Known] = {}

    def maker(self, record: list[Any]) -> PutTogether | None:
        """The function that turns the record's fields into an instance, or None if no known class takes them."""
        _, kind, name, *_ = record
        known = self._known.get(name) or self._find(name)
        if known is None:
            return None
        if kind != known.family.kind and not _is_same_shape(kind, known.family):
            return None
        if known.check is not None and not known.check(record):
            return None
        return known.put_together

    def _find(self, name: str) -> _Known | None:
        cls = self.by_name.get(name) or message_class(name)
        family = cls and family_of(cls)
        if not family:
            return None
        self._known[name] = found = _Known(family, family.check(cls), family.put_together(cls))
        return found


def _is_same_shape(kind: str, family: Family) -> bool:
    return family.is_record and any(other.kind == kind for other in families if other.is_record)


def named(types: Types) -> dict[str, type]:
    """Every class given or mentioned, by the name its records carry."""
    given = types if isinstance(types, Mapping) else {}
    roots = list(types.values()) if isinstance(types, Mapping) else list(types)
    found = {name_of(cls): cls for cls in mentioned(roots)}
    return {**found, **{name_of(cls): cls for cls in roots if isinstance(cls, type)}, **given}
