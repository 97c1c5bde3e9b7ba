"""Values for states: classes of a user's own, LangChain's and LangGraph's, and Python's; and a round trip."""

from __future__ import annotations

import dataclasses
import enum
from collections import deque
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import attrs
import msgspec
import pydantic
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Command, Interrupt, Overwrite, Send

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Side, config, get, put

HERE = __name__


class Mood(enum.Enum):
    CALM = "calm"
    CROSS = ("any", "value")


class Level(enum.IntFlag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclasses.dataclass
class Plan:
    goal: str
    steps: list[Any] = dataclasses.field(default_factory=list)
    hidden: int = dataclasses.field(default=0, init=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    name: str


class Form(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    name: str = pydantic.Field(alias="fullName")
    plan: Any = None


@attrs.define
class Item:
    name: str
    tags: list[str] = attrs.Factory(list)


class Record(msgspec.Struct):
    name: str
    nested: dict[str, Any] = msgspec.field(default_factory=dict)


class Shout(AIMessage):
    """A message class of the user's own."""

    volume: int = 11


class Outer:
    @dataclasses.dataclass
    class Inner:
        n: int


OWN = [
    Mood.CROSS,
    Level.READ | Level.WRITE,
    Point(1, 2),
    Plan("pay", [Plan("nested"), Mood.CALM, (1, 2)]),
    Place("here"),
    Form(fullName="Ada", plan=Plan("x"), more=[1]),  # type: ignore[call-arg]
    Item("i", ["a"]),
    Record("r", {"plan": Plan("deep")}),
    Shout(content="hey", volume=12, id="s"),
    Outer.Inner(1),
]

KNOWN = [
    AIMessage("hi", id="1", tool_calls=[{"name": "f", "args": {"x": [1]}, "id": "c"}], response_metadata={"n": None}),
    AIMessageChunk(content="hi", id="2", tool_call_chunks=[{"name": "f", "args": "{", "id": "c", "index": 0}]),
    HumanMessage([{"type": "text", "text": "x"}], name="ada"),
    SystemMessage("s"),
    ToolMessage("t", tool_call_id="c", artifact=b"\0\1", status="error"),
    ChatMessage(content="c", role="critic"),
    FunctionMessage(content="f", name="f"),
    RemoveMessage("1"),
    Document("page", metadata={"n": [1]}, id="d"),
    Send("node", {"a": 1}),
    Interrupt({"q": ["?"]}, id="i"),
    Overwrite([1, 2]),
    _DeltaSnapshot([1, {"a": 2}]),
    Command(update={"a": 1}, goto=["b"], resume={"x": 1}),
]

STANDARD = [
    (1, (2, [3])),
    {1, 2},
    frozenset({1}),
    deque([1, 2], maxlen=5),
    b"\0\xff",
    2**100,
    -0.0,
    "\ud800 a\0b",
    {1: "a", (1, 2): "b", None: "c"},
    Decimal("1.10"),
    UUID(int=1),
    datetime(2024, 3, 31, 2, 30, tzinfo=ZoneInfo("Europe/Berlin")),
    datetime(2024, 1, 1, tzinfo=UTC),
    date(2024, 2, 29),
    time(1, 2, 3, 4),
    timedelta(days=-1, microseconds=3),
    Path("a/b"),
]


def there_and_back(saver: HoldfastSaver, value: Any) -> list[Any]:
    """As a channel, inside of another value, and as a pending write."""
    with Side(saver, "sync") as side:
        id = put(side.calls, {"plain": value, "inside": [{"deep": [value]}]})
        side.calls.put_writes(config("t", id, ""), [("w", value)], "task")
        found = get(side.calls)
        channels = found.checkpoint["channel_values"]
        return [channels["plain"], channels["inside"][0]["deep"][0], found.pending_writes[0][2]]
