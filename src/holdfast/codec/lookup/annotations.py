"""The classes that the annotations of other classes mention, at any depth: ``list[Step] | None`` mentions `Step`."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any

from holdfast._system.interrupts import ignoring, is_interrupt
from holdfast.codec.families.base_family import family_of


def mentioned(roots: Iterable[Any]) -> list[type]:
    """The classes among the roots and in their fields whose instances the codec can build."""
    unvisited = list(roots)
    seen: dict[int, Any] = {}  # by id; holding the hint keeps its id from being reused
    while unvisited:
        hint = unvisited.pop()
        if id(hint) not in seen:
            seen[id(hint)] = hint
            unvisited += _within(hint)
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
    except Exception as error:  # one name does not resolve; those of other fields may
        if is_interrupt(error):
            raise
        hints = list(_resolvable(cls))
    return hints + [field.annotation for field in getattr(cls, "__pydantic_fields__", {}).values()]


def _resolvable(cls: type) -> Iterator[Any]:
    for base in cls.__mro__:
        names = vars(sys.modules.get(base.__module__, types))
        for hint in _annotations(base):
            holder = types.SimpleNamespace(__annotations__={"hint": hint})
            with ignoring(Exception):  # an annotation that does not resolve is left out
                yield typing.get_type_hints(holder, dict(names), dict(vars(base)))["hint"]


def _annotations(cls: type) -> list[Any]:
    try:
        return list(vars(cls).get("__annotations__", {}).values())
    except Exception as error:  # from Python 3.14 on, reading annotations evaluates them
        if is_interrupt(error):
            raise
        return []
