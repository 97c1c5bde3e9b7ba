"""Values as JSON: a program that knows the table of docs/reference/bundle.md gets back what was stored."""

from __future__ import annotations

import json
import math
from base64 import b64decode
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Network
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import pytest

import holdfast
from holdfast._json import record_to_json, to_json


@dataclass(frozen=True)
class Plan:
    goal: str
    steps: tuple[str, ...]


class Colour(Enum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: int


class Names(list):
    pass


READERS: dict[str, Callable[[Any], Any]] = {
    "$bytes": b64decode,
    "$bytearray": lambda text: bytearray(b64decode(text)),
    "$tuple": tuple,
    "$set": set,
    "$frozenset": frozenset,
    "$deque": deque,
    "$map": dict,
    "$OrderedDict": OrderedDict,
    "$Counter": lambda pairs: Counter(dict(pairs)),
    "$defaultdict": lambda pairs: defaultdict(None, pairs),
    "$datetime": datetime.fromisoformat,
    "$date": date.fromisoformat,
    "$time": time.fromisoformat,
    "$timedelta": lambda parts: timedelta(*parts),
    "$float": float,
    "$int": lambda text: int(text, 16),
    "$str": lambda text: json.loads(f'"{text}"'),
    "$complex": lambda parts: complex(*parts),
    "$range": lambda parts: range(*parts),
    "$slice": lambda parts: slice(*parts),
    "$Decimal": Decimal,
    "$Fraction": Fraction,
    "$UUID": UUID,
    "$PurePosixPath": PurePosixPath,
    "$IPv4Address": IPv4Address,
    "$IPv6Network": IPv6Network,
}


def read(found: dict[str, Any]) -> Any:
    if len(found) == 1 and (tag := next(iter(found))).startswith("$"):
        return READERS[tag](found[tag])
    return found


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        7,
        -(10**5000),
        2.5,
        math.inf,
        "text",
        'a "\ud800" b\\',
        b"\x00\xff",
        bytearray(b"x"),
        [1, [2]],
        (1, (2,)),
        {1, 2},
        frozenset({1}),
        deque([1]),
        {"a": {"b": 1}},
        {1: "a", "1": "b"},
        {"$bytes": "not bytes"},
        {"\ud800": 1},
        {(1, 2): 3},
        OrderedDict(a=1),
        Counter("aab"),
        defaultdict(None, {"a": 1}),
        datetime(2025, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
        date(2025, 1, 2),
        time(3, 4),
        timedelta(days=-1, seconds=2, microseconds=3),
        complex(1, -math.inf),
        range(1, 9, 2),
        slice(1, None),
        Decimal("9.90"),
        Fraction(1, 3),
        UUID(int=1),
        PurePosixPath("/x"),
        IPv4Address("10.0.0.1"),
        IPv6Network("fe80::/10"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_program_reads_back_what_was_stored(value: Any) -> None:
    text = json.dumps(to_json(value), ensure_ascii=False, allow_nan=False)
    again = json.loads(text.encode(), object_hook=read)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (Plan("pay", ("a",)), {"goal": "pay", "steps": {"$tuple": ["a"]}}),
        (Colour.RED, {"name": "RED", "value": 1}),
        (Point(1, 2), {"x": 1, "y": 2}),
        (Names(["a"]), {"": ["a"]}),
    ],
)
def test_an_object_looks_the_same_where_its_class_is_not_known(value: Any, fields: dict[str, Any]) -> None:
    with holdfast.open("memory:") as store:
        store.thread("t").save({"it": value})
        checkpoint = store.thread("t").latest()
    assert checkpoint is not None
    stored = checkpoint.state["it"]
    assert isinstance(stored, holdfast.Opaque)
    expected = {"$class": f"{__name__}.{type(value).__name__}", **fields}
    assert to_json(value) == to_json(stored) == expected


def test_what_has_no_fields_is_its_repr() -> None:
    assert to_json(ValueError("x")) == {"$class": "builtins.ValueError", "$repr": "ValueError('x')"}


def test_fields_of_the_library_are_plain_and_those_of_users_are_not() -> None:
    with holdfast.open("memory:") as store:
        saved = store.thread("t").save({"$a": (1,)}, metadata={"k": (2,)}, next=("b",))
        found = record_to_json(store.thread("t").latest())
    assert found["created_at"] == saved.created_at.isoformat()
    assert found["next"] == ["b"]
    assert found["metadata"] == {"k": {"$tuple": [2]}}
    assert found["state"] == {"$a": {"$tuple": [1]}}
    assert found["pending_writes"] == []
