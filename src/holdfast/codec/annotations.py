"""Which classes the annotations of other classes mention, however deep: ``list[Step] | None`` mentions `Step`."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from holdfast.codec.objects import family_of


def mentioned(roots: Iterable[Any]) -> list[type]:
    """The classes among the roots and in their fields that have instances the codec can build."""
    waiting = list(roots)
    seen: dict[int, Any] = {}  # keeps each hint alive, so that no other gets its id
    while waiting:
        hint = waiting.pop()
        if id(hint) not in seen:
            seen[id(hint)] = hint
            waiting += _within(hint)
    return [hint for hint in seen.values() if _is_class(hint) and family_of(hint)]


def _within(hint: Any) -> list[Any]:
    if _is_class(hint):
        return _hints_of(hint) if family_of(hint) or typing.is_typeddict(hint) else []
    named = [getattr(hint, name, None) for name in ("__value__", "__supertype__", "__bound__")]
    return [*named, *typing.get_args(hint), typing.get_origin(hint)]


def _is_class(hint: Any) -> bool:
    return isinstance(hint, type) and typing.get_origin(hint) is None


def _hints_of(cls: type) -> list[Any]:
    try:
        hints = [hint for name, hint in typing.get_type_hints(cls).items() if not name.startswith("__")]
    except Exception:  # a name that does not resolve; the other fields' may
        hints = list(_resolvable(cls))
    return hints + [field.annotation for field in getattr(cls, "__pydantic_fields__", {}).values()]


def _resolvable(cls: type) -> Iterator[Any]:
    for base in cls.__mro__:
        names = vars(sys.modules.get(base.__module__, types))
        for hint in _annotations(base):
            holder = types.SimpleNamespace(__annotations__={"hint": hint})
            with suppress(Exception):  # one that does not resolve stays unknown
                yield typing.get_type_hints(holder, dict(names), dict(vars(base)))["hint"]


def _annotations(cls: type) -> list[Any]:
    try:
        return list(vars(cls).get("__annotations__", {}).values())
    except Exception:  # annotations evaluated when read, from Python 3.14
        return []
