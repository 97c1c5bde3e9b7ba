"""Values for people and for programs: readable, cut where they are long, with stand-ins where JSON has no form."""

from __future__ import annotations

import doctest
import json
import math
from collections import deque
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

import holdfast
from holdfast._json import to_json
from holdfast.cli.ui import branch_graph, layout
from holdfast.cli.ui.render_value import Values
from tests.unit.codec_values import values as any_value


@dataclass
class Plan:
    goal: str
    steps: list[str]


class Colour(Enum):
    RED = 1


def stored(value):
    """The value as a program sees it that does not know its class."""
    with holdfast.open("memory:") as store:
        store.thread("t").save({"it": value})
        checkpoint = store.thread("t").latest()
        assert checkpoint is not None
        return checkpoint.state["it"]


def text_of(value, *, width=80, full=False):
    return "\n".join(line.plain for line in Values(width, full).lines(value))


# ------------------------------------------------------------------------------------------------ JSON


@pytest.mark.parametrize(
    ("value", "stand_in"),
    [
        ({"a": [1, 2.5, None, True, "x"]}, {"a": [1, 2.5, None, True, "x"]}),
        ((1, (2,)), {"$tuple": [1, {"$tuple": [2]}]}),
        ({3, 1, 2}, {"$set": [1, 2, 3]}),
        (deque([1]), {"$deque": [1]}),
        ({1: "a", "1": "b"}, {"$map": [[1, "a"], ["1", "b"]]}),
        (b"\x00\xff", {"$bytes": "AP8="}),
        (datetime(2025, 1, 2, 3, 4, tzinfo=UTC), {"$datetime": "2025-01-02T03:04:00+00:00"}),
        (date(2025, 1, 2), {"$date": "2025-01-02"}),
        (Decimal("9.90"), {"$Decimal": "9.90"}),
        (UUID(int=1), {"$UUID": "00000000-0000-0000-0000-000000000001"}),
        (PurePosixPath("/x"), {"$PurePosixPath": "/x"}),
        (math.inf, {"$float": "inf"}),
        (-math.inf, {"$float": "-inf"}),
        (math.nan, {"$float": "nan"}),
        (Fraction(1, 3), {"$Fraction": "1/3"}),
        (10**5000, {"$int": hex(10**5000)}),
        (Plan("pay", ["a"]), {"$class": f"{__name__}.Plan", "goal": "pay", "steps": ["a"]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_lacks_has_a_stand_in(value, stand_in):
    assert to_json(stored(value)) == stand_in


def test_the_class_comes_before_the_fields():
    assert list(to_json(stored(Plan("pay", [])))) == ["$class", "goal", "steps"]


def test_what_nests_too_deeply_is_cut():
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    found = to_json(stored(deep))
    assert json.dumps(found) == "[" * 100 + '{"$cut": "\\u2026"}' + "]" * 100


@settings(max_examples=150, deadline=None)
@given(any_value)
def test_every_value_that_can_be_stored_can_be_written(value):
    found = stored(value)
    json.dumps(to_json(found), allow_nan=False)
    for full in (True, False):
        text_of(found, full=full).encode()


# ------------------------------------------------------------------------------------------------ for people


def test_a_short_value_is_written_as_python_writes_it():
    value = {"a": [1, (2,), {3}], "b": {"c": None, 1: b"x"}, "d": (), "s": set(), "l": [[], {}], "e": 'it\'s "x"'}
    assert text_of(value, width=120) == repr(value)


@pytest.mark.parametrize("module", [branch_graph, layout], ids=["graph", "layout"])
def test_the_examples_in_the_code_are_right(module):
    done = doctest.testmod(module)
    assert done.attempted
    assert not done.failed


def test_a_wide_value_is_laid_out():
    assert text_of({"first": [1, 2], "second": {"x": "y" * 30}}, width=30).splitlines() == [
        "{",
        "  'first': [1, 2],",
        "  'second': {",
        "    'x': '" + "y" * 30 + "'",
        "  }",
        "}",
    ]


def test_an_object_is_shown_by_its_fields():
    assert text_of(stored(Plan("pay", ["a"]))) == "Plan(goal='pay', steps=['a'])"
    assert "Colour" in text_of(stored(Colour.RED))


def test_long_lists_texts_and_bytes_are_cut_unless_all_is_wanted():
    value = {"items": list(range(50)), "text": "x" * 1000, "bytes": b"x" * 1000, "deep": [[[[[[[1]]]]]]]}
    values = Values(80)
    shown = "\n".join(line.plain for line in values.lines(value))
    assert values.has_cut
    for part in ("… 38 more", "… 600 more characters", "… 600 more bytes", "…"):
        assert part in shown
    whole = Values(80, full=True)
    assert "x" * 1000 in "\n".join(line.plain for line in whole.lines(value))
    assert not whole.has_cut


def test_a_text_of_several_lines_is_shown_as_lines():
    assert text_of("one\n\ttwo\x1b[0m") == "one\n\ttwo\\x1b[0m"


def test_a_long_text_is_cut_by_lines_too():
    assert text_of("\n".join("abcd" for _ in range(20))).splitlines()[-2:] == ["abcd", "… 40 more characters"]


SAID = [
    HumanMessage("hi"),
    AIMessage("", tool_calls=[{"name": "search", "args": {"q": "x"}, "id": "c1"}]),
    ToolMessage([{"type": "text", "text": "42"}, {"type": "image_url", "url": "…"}], tool_call_id="c1", status="error"),
]


def test_messages_of_langchain_are_shown_by_role_and_text():
    assert text_of(SAID).splitlines() == [
        "human: hi",
        "ai: ",
        "  tool_calls: [{'name': 'search', 'args': {'q': 'x'}, 'id': 'c1', 'type': 'tool_call'}]",
        "tool: 42 ['image_url']",
        "  tool_call_id: 'c1'",
        "  status: 'error'",
    ]


def test_messages_as_dicts_are_shown_the_same_way():
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "a\nb", "tokens": 3}]
    assert text_of(messages).splitlines() == ["user: hi", "assistant: a", "  b", "  tokens: 3"]


def test_of_a_long_conversation_the_end_is_shown():
    messages = [{"role": "user", "content": f"m{n}"} for n in range(20)]
    assert text_of(messages).splitlines() == ["… 14 earlier messages", *(f"user: m{n}" for n in range(14, 20))]
    assert len(text_of(messages, full=True).splitlines()) == 20


def test_roles_names_and_keys_are_harmless():
    value = [{"role": "\x1b[31m", "content": "\x1b[2J\u202e", "\x1b": "\x1b"}]
    shown = text_of(value) + text_of({"\x1b": ["\x1b\n\u202e"]})
    assert shown.replace("\n", "").isprintable()
