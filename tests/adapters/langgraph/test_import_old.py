"""Files that older versions of LangGraph made: checkpoints of the formats 1, 2 and 3, in JSON too."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Send

from holdfast.adapters.langgraph.importer import import_threads
from tests.adapters.langgraph.test_import_samples import TARGETS, Saver, assert_same, at, crowd, everything

SERIALIZER = JsonPlusSerializer()
SCHEMA = """
CREATE TABLE checkpoints (
    thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
    parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
);
CREATE TABLE writes (
    thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
);
"""  # without task_path, as it was then


class Old:
    """A file as an older LangGraph left it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(SCHEMA)

    def add(self, id: str, parent: str | None, checkpoint: dict[str, Any], *, as_json: bool = False) -> None:
        whole = {"id": id, "ts": "2024-01-01", "versions_seen": {}, "channel_values": {}, "channel_versions": {}}
        whole |= checkpoint
        stored = ("json", json.dumps(whole)) if as_json else SERIALIZER.dumps_typed(whole)
        metadata = json.dumps({"source": "loop", "step": 1, "writes": {"a": {"lc": 1, "type": "constructor"}}})
        with closing(sqlite3.connect(self.path)) as connection:
            row = (id, parent, *stored, metadata)
            connection.execute("INSERT INTO checkpoints VALUES ('old', '', ?, ?, ?, ?, ?)", row)
            connection.commit()

    def write(self, id: str, task: str, idx: int, channel: str, value: Any) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            row = (id, task, idx, channel, *SERIALIZER.dumps_typed(value))
            connection.execute("INSERT INTO writes VALUES ('old', '', ?, ?, ?, ?, ?, ?)", row)
            connection.commit()


@pytest.fixture
def old(tmp_path: Path) -> Old:
    return Old(tmp_path / "old.sqlite")


@pytest.fixture(params=list(TARGETS))
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Saver]:
    with TARGETS[request.param](tmp_path) as saver:
        yield saver


@pytest.mark.parametrize("v", [1, 2, 3])
def test_old_checkpoints_arrive_as_the_official_saver_reads_them(old, v, target):
    sends = [Send("first", {"n": 0}), Send("second", 1)]
    values = {"channel_values": {"a": "x"}, "channel_versions": {"a": 1, "b": 2}}
    old.add("1", None, {"v": v, "pending_sends": []})
    old.add("2", "1", {"v": v, "pending_sends": sends, **values})
    for idx, send in enumerate(sends):
        old.write("1", "task", idx, "__pregel_tasks", send)
    report = import_threads(old.path, target)
    assert (report.checkpoints, report.writes, report.problems) == (2, 2, ())
    found = everything(target)[1].checkpoint
    assert (found["v"], found["pending_sends"]) == (v, sends)  # type: ignore[typeddict-item]
    with SqliteSaver.from_conn_string(str(old.path)) as source:
        assert_same(target, source)


@pytest.mark.parametrize("v", [1, 2, 3])
def test_sends_that_a_checkpoint_does_not_have_itself_come_from_its_parent(old, v, target):
    old.add("1", None, {"v": v})
    old.add("2", "1", {"v": v, "channel_versions": {"a": 1, "b": 2}})
    old.write("1", "task", 1, "__pregel_tasks", Send("second", 1))
    old.write("1", "task", 0, "__pregel_tasks", Send("first", 0))
    assert import_threads(old.path, target).problems == ()
    found = everything(target)[1].checkpoint
    assert found["v"] == v
    assert found["channel_values"]["__pregel_tasks"] == [Send("first", 0), Send("second", 1)]
    assert found["channel_versions"] == {"a": 1, "b": 2, "__pregel_tasks": 2}


def test_sends_that_failed_are_not_brought_back(old, target):
    """The checkpoint says that there are none: a step was begun, and the state was then changed by hand instead."""
    old.add("1", None, {"v": 3, "pending_sends": []})
    old.add("2", "1", {"v": 3, "pending_sends": []})
    old.write("1", "task", 0, "__pregel_tasks", Send("first", 0))
    assert import_threads(old.path, target).problems == ()
    assert everything(target)[1].checkpoint["channel_values"] == {}


def test_a_missing_parent_is_not_a_problem(old, target):
    old.add("2", "1", {"v": 1, "channel_versions": {"a": 1}, "channel_values": {"a": "x"}})
    assert import_threads(old.path, target).problems == ()
    (found,) = everything(target)
    assert found.parent_config is not None
    assert found.parent_config["configurable"]["checkpoint_id"] == "1"
    assert found.checkpoint["channel_values"] == {"a": "x"}


def test_checkpoints_in_json_arrive(old, target):
    message = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"]}
    values = {"messages": [{**message, "kwargs": {"content": "hello", "id": "1"}}], "n": 1.5}
    old.add("1", None, {"v": 1, "channel_values": values, "channel_versions": {"messages": 1, "n": 1}}, as_json=True)
    assert import_threads(old.path, target).problems == ()
    assert everything(target)[0].checkpoint["channel_values"] == {"messages": [AIMessage("hello", id="1")], "n": 1.5}


def test_a_graph_continues_from_an_old_checkpoint_with_sends(tmp_path, target):
    """Made by a graph of today, and turned into what a graph of format 3 would have stored."""
    path = tmp_path / "made.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        graph = crowd(saver)
        for _ in graph.stream({"items": ["start"]}, at("t"), stream_mode="values"):
            break
        latest = saver.get_tuple(at("t"))
        assert latest is not None
        checkpoint: Any = {**latest.checkpoint, "v": 3}
        checkpoint["pending_sends"] = checkpoint["channel_values"].pop("__pregel_tasks")
        del checkpoint["channel_versions"]["__pregel_tasks"]
        saver.put({**(latest.parent_config or {})}, checkpoint, latest.metadata, {})
    assert import_threads(path, target).problems == ()
    assert crowd(target).invoke(None, at("t"))["items"] == ["start", 0, 1, 2]
