"""What a graph showed, as plain data that compares equal for two runs of the same scenario.

Ids are numbered in the order in which they are seen, times are blanked, and the random part of a channel's version is
dropped. A tuple is written as a list, since LangGraph's own serializer does not distinguish them.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

import pydantic
from langgraph.checkpoint.memory import InMemorySaver

from tests.adapters.langgraph.driver import Side

_ID: Final = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b")
_VERSION: Final = re.compile(r"(\d{32})\.\S+")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_PLACE: Final = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")


Scenario = Callable[..., Any]
"""Takes a side, and gives all that it showed."""


def plain(value: Any) -> Any:
    return _Teller().tell(value)


def blanked(value: Any) -> str:
    """A text to sort by that is the same in every run."""
    return _ID.sub("#", repr(_Teller().tell(value)))


def check_as_in_memory(side: Side, scenario: Scenario, *options: Any) -> None:
    """Run it, and compare everything that it showed with what it shows on LangGraph's saver in memory."""
    found = list(differences(plain(scenario(side, *options)), expected(scenario, side.name, *options)))
    assert not found, "\n".join(["", *found[:20]])


@cache
def expected(scenario: Scenario, side: str, *options: Any) -> Any:
    with Side(InMemorySaver(), side) as official:
        return plain(scenario(official, *options))


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where two plain values differ, so that a failure can be read."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            yield from differences(one.get(key, "(absent)"), other.get(key, "(absent)"), f"{path}[{key!r}]")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{path}[{index}]")
    elif (type(one), one) != (type(other), other):
        yield f"{path}: {one!r} is not {other!r}"


class _Teller:
    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def tell(self, value: Any) -> Any:
        if isinstance(value, enum.Enum):
            return [_name(value), value.name]
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            return [_name(value), self._mapping(value._asdict())]
        if isinstance(value, list | tuple):
            return [self.tell(one) for one in value]
        if isinstance(value, set | frozenset):
            return [_name(value), [self.tell(one) for one in sorted(value, key=blanked)]]
        if isinstance(value, deque):
            return [_name(value), [self.tell(one) for one in value]]
        return self._object(value)

    def _text(self, text: str) -> str:
        if _TIME.fullmatch(text):
            return "(a time)"
        if version := _VERSION.fullmatch(text):
            return f"version {int(version[1])}"
        return _ID.sub(lambda found: self._names.setdefault(found[0], f"#{len(self._names) + 1}"), text)

    def _mapping(self, value: Mapping[Any, Any]) -> dict[Any, Any]:
        """In the order of the keys, so that ids get the same numbers however a saver orders them."""
        if isinstance(
            value.get("configurable"), Mapping
        ):  # a config: only what says where, since some savers add to it
            place = value["configurable"]
            return {key: self.tell(place[key]) for key in _PLACE if key in place}
        ordered = sorted(value.items(), key=lambda item: _ID.sub("#", str(item[0])))
        return {self.tell(key) if isinstance(key, str) else key: self.tell(one) for key, one in ordered}

    def _object(self, value: Any) -> Any:
        if isinstance(value, pydantic.BaseModel):
            return [_name(value), self._mapping(dict(value))]
        if dataclasses.is_dataclass(value):
            return [
                _name(value),
                self._mapping({one.name: getattr(value, one.name) for one in dataclasses.fields(value)}),
            ]
        if slots := getattr(type(value), "__slots__", ()):
            return [_name(value), self._mapping({name: getattr(value, name) for name in slots if hasattr(value, name)})]
        if value is None or isinstance(value, bool | int | float | bytes):
            return value
        return [_name(value), self._text(repr(value))]


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
