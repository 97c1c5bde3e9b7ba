"""Stored values come back as they were, or not at all; and nothing in the data is imported or called."""

from __future__ import annotations

import json
import logging
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from holdfast.adapters.langgraph.importer import ImportReport, import_threads
from holdfast.adapters.langgraph.importer.sources.serde_decoder import Decoder, Undecodable
from holdfast.adapters.langgraph.importer.sources.source import Typed
from tests.adapters.langgraph.test_import_samples import Customer, Level, Order, Place, at, chat, everything, place

SERIALIZER = JsonPlusSerializer()


@dataclass
class Changed:
    """Stored by a version of this class that had a field more."""

    left: int


def stored(value: Any) -> Typed:
    return Typed(*SERIALIZER.dumps_typed(value))


def named(module: str, name: str, fields: Any = (), code: int = 2) -> ormsgpack.Ext:
    """An object as the official serializer stores it, of a class that need not exist."""
    return ormsgpack.Ext(code, ormsgpack.packb((module, name, fields)))


def packed(value: Any) -> Typed:
    return Typed("msgpack", ormsgpack.packb(value))


def refused(value: Typed) -> Undecodable:
    with pytest.raises(Undecodable) as caught:
        Decoder().decode(value)
    return caught.value


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("module", ["gone.models", "tests.nowhere"])
def test_a_class_that_is_not_here_is_named_with_the_path_to_it(module):
    error = refused(packed({"channel_values": {"orders": [1, {"x": named(module, "Order", {})}]}}))
    assert error.why == f"the class {module}.Order is not known; import {module} first"
    assert error.path == ("channel_values", "orders", 1, "x")


def test_a_class_inside_another_object_is_missed_too():
    inner = named("gone.models", "Order", {})
    outer = named(Changed.__module__, "Changed", {"left": inner})
    assert refused(packed([outer])).why == "the class gone.models.Order is not known; import gone.models first"


def test_no_module_is_imported_for_a_name_in_the_data(tmp_path, monkeypatch):
    (tmp_path / "sneaky.py").write_text(f"open({str(tmp_path / 'proof')!r}, 'w')\nclass Order: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    for code in (0, 1, 2, 4, 5):
        refused(packed(named("sneaky", "Order", {}, code)))
    refused(Typed("json", json.dumps({"lc": 2, "type": "constructor", "id": ["sneaky", "Order"]})))
    assert "sneaky" not in sys.modules
    assert not (tmp_path / "proof").exists()


@pytest.mark.parametrize(
    ("function", "fields"),
    [
        (subprocess.Popen, [["touch", "proof"]]),
        (logging.FileHandler, ["proof"]),
        (Path.touch, ["proof"]),
        (exec, ["open('proof', 'w')"]),
    ],
)
@pytest.mark.parametrize("code", [0, 1, 2, 4, 5])
def test_only_plain_data_classes_are_called(function, fields, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(packed(named(function.__module__, function.__qualname__, fields if code == 1 else fields[0], code)))
    identity = [*function.__module__.split("."), function.__qualname__]
    refused(Typed("json", json.dumps({"lc": 2, "type": "constructor", "id": identity, "args": fields})))
    assert list(tmp_path.iterdir()) == []


def test_a_class_that_does_not_take_its_fields_is_refused():
    error = refused(packed(named(Changed.__module__, "Changed", {"left": 1, "right": 2})))
    assert error.why == f"LangGraph's serializer can't rebuild an object of {Changed.__module__}.Changed"


@pytest.mark.parametrize(
    "value",
    [
        Order(1, Level.LOW, "no decimal"),  # type: ignore[arg-type]
        Place(1, 2),
        Customer.model_construct(name="Ann", since=None),
        [{"deep": [Level.HIGH]}, {Level.LOW: 1} and {1, 2}],
        re.compile("a+", re.IGNORECASE),
        AIMessage("hello", id="1"),
    ],
)
def test_what_is_imported_and_plain_comes_back(value):
    found = Decoder().decode(stored(value))
    assert found == value
    assert type(found) is type(value)


def test_classes_of_the_application_are_named_to_the_target():
    decoder = Decoder()
    decoder.decode(stored([Order(1, Level.LOW, None), AIMessage("hello")]))  # type: ignore[arg-type]
    assert {"Order", "Level"} <= {name for _, name in decoder.classes}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (Typed("msgpack", b"\xc1"), "its msgpack is damaged"),
        (Typed("msgpack", stored({"a": "long enough"}).data[:-4]), "its msgpack is damaged"),  # type: ignore[index]
        (Typed("msgpack", None), "its msgpack is damaged"),
        (packed(ormsgpack.Ext(2, b"\xc1")), "an object in it is damaged"),
        (packed(ormsgpack.Ext(6, ormsgpack.packb(("<i8", (3,), "C", b"too short")))), "can't rebuild"),
        (packed(ormsgpack.Ext(99, b"")), "damaged"),
        (Typed("json", b"{"), "its json is damaged"),
        (Typed("pickle", b"cos\nsystem\n(S'true'\ntR."), "it is pickled"),
        (Typed("msgpack+aes", b"x"), "it is encrypted"),
        (Typed("yaml", b"x"), "'yaml' is not known"),
        (Typed(None, b"x"), "is not recorded"),
    ],
)
def test_what_can_not_be_decoded_says_why(value, why):
    assert why in str(refused(value))


# ---------------------------------------------------------------- JSON, as LangGraph stored until the end of 2024


def test_messages_in_json_come_back():
    envelope = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "AIMessage"],
        "kwargs": {"content": "hello", "type": "ai", "id": "1"},
    }
    assert Decoder().decode(Typed("json", json.dumps([envelope]))) == [AIMessage("hello", id="1")]


def test_objects_in_json_come_back():
    values = [
        {"lc": 2, "type": "constructor", "id": ["builtins", "set"], "args": [[1, 2]]},
        {"lc": 2, "type": "constructor", "id": [*Level.__module__.split("."), "Level"], "args": [1]},
        {"lc": 2, "type": "constructor", "id": ["langgraph", "types", "Send"], "kwargs": {"node": "a", "arg": 1}},
    ]
    found = Decoder().decode(Typed("json", json.dumps({"values": values})))["values"]
    assert found[:2] == [{1, 2}, Level.LOW]
    assert (found[2].node, found[2].arg) == ("a", 1)


@pytest.mark.parametrize(
    "envelope",
    [
        {"lc": 2, "type": "constructor", "id": ["gone", "Order"]},
        {"lc": 2, "type": "constructor", "id": ["builtins", "set"], "args": [5]},
        {"lc": 1, "type": "constructor", "id": ["langchain", "llms", "openai", "OpenAI"], "kwargs": {}},
        {"lc": 1, "type": "not_implemented", "id": ["somewhere", "Thing"]},
        {"lc": 1, "type": "secret", "id": ["PATH"]},
    ],
)
def test_what_json_names_and_can_not_be_rebuilt_is_refused(envelope):
    assert refused(Typed("json", json.dumps({"a": [envelope]}))).path == ("a", 0)


def test_a_dict_that_only_looks_like_an_object_is_kept():
    value = {"lc": 3, "id": ["os", "system"], "args": ["true"]}
    assert Decoder().decode(Typed("json", json.dumps(value))) == value
    assert Decoder().decode(packed({"lc": 2, "type": "constructor", "id": ["os", "system"]}))["lc"] == 2


# ---------------------------------------------------------------- checkpoints that have such values


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "checkpoints.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        chat(saver).invoke({"messages": ["hello"]}, at("t"))
    return path


def change(path: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(statement, values).rowcount == 1
        connection.commit()


def second(path: Path) -> str:
    """The id of a checkpoint in the middle."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT checkpoint_id FROM checkpoints ORDER BY 1 LIMIT 1 OFFSET 1").fetchone()[0]


def imported(path: Path) -> tuple[ImportReport, set[str]]:
    target = InMemorySaver()
    report = import_threads(path, target)
    return report, {place(one)[1] for one in everything(target)}


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("checkpoint", b"\xc1", "the checkpoint: its msgpack is damaged"),
        ("checkpoint", None, "the checkpoint: its msgpack is damaged"),
        ("checkpoint", ormsgpack.packb([1]), "the checkpoint is damaged: it has no channel_versions"),
        ("checkpoint", ormsgpack.packb({"id": "x", "channel_versions": {}}), "contains the id 'x'"),
        ("metadata", b"{", "the metadata is damaged"),
        ("metadata", b"[]", "the metadata is damaged: it is not a JSON object"),
        ("type", "pickle", "the checkpoint: it is pickled"),
    ],
)
def test_a_damaged_checkpoint_is_a_problem_and_the_others_are_imported(path, column, value, why):
    bad = second(path)
    change(path, f"UPDATE checkpoints SET {column} = ? WHERE checkpoint_id = ?", value, bad)  # noqa: S608  from above
    report, there = imported(path)
    (problem,) = report.problems
    assert (problem.thread, problem.namespace, problem.checkpoint) == ("t", "", bad)
    assert why in problem.what
    assert report.checkpoints == len(there) == 3
    assert bad not in there


def test_a_class_that_is_not_here_is_a_problem_of_its_channel(path):
    bad = second(path)
    value = {"v": 4, "id": bad, "channel_versions": {}, "channel_values": {"order": [named("gone", "Order", {})]}}
    change(path, "UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = ?", ormsgpack.packb(value), bad)
    report, there = imported(path)
    (problem,) = report.problems
    assert problem.what == "the channel 'order', at [0]: the class gone.Order is not known; import gone first"
    assert bad not in there


def test_a_write_that_can_not_be_decoded_keeps_its_checkpoint_out(path):
    bad = second(path)
    change(
        path,
        "UPDATE writes SET value = ? WHERE checkpoint_id = ? AND channel = 'messages'",
        ormsgpack.packb(named("gone", "Message", {})),
        bad,
    )
    report, there = imported(path)
    (problem,) = report.problems
    assert re.fullmatch(r"the write of task \S+ to the channel 'messages': the class gone.Message is .*", problem.what)
    assert bad not in there


def test_a_problem_reads_as_a_sentence(path):
    bad = second(path)
    change(path, "UPDATE checkpoints SET metadata = '[]' WHERE checkpoint_id = ?", bad)
    (problem,) = imported(path)[0].problems
    assert str(problem) == f"thread 't', checkpoint {bad}: the metadata is damaged: it is not a JSON object"


def test_a_value_that_is_nested_very_deeply_stops_nothing(path):
    bad = second(path)
    value = {"v": 4, "id": bad, "channel_versions": {"deep": 1}, "channel_values": {"deep": "DEEP"}}
    nested = ormsgpack.packb(value).replace(ormsgpack.packb("DEEP"), b"\x91" * 900 + b"\x90")
    change(path, "UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = ?", nested, bad)
    report = imported(path)[0]
    assert report.checkpoints + len(report.problems) == 4


def test_a_checkpoint_without_metadata_has_none(path):
    change(path, "UPDATE checkpoints SET metadata = NULL WHERE checkpoint_id = ?", second(path))
    assert imported(path)[0].problems == ()


def test_metadata_comes_back_as_it_was_stored(path):
    metadata = {"step": 1, "writes": {"a": {"lc": 1, "id": ["x"]}}, "__secret": 1, "n": 1.0, "deep": ["\x00"]}
    change(path, "UPDATE checkpoints SET metadata = ? WHERE checkpoint_id = ?", json.dumps(metadata), second(path))
    target = InMemorySaver()
    assert import_threads(path, target).problems == ()
    (found,) = [one.metadata for one in everything(target) if one.checkpoint["id"] == second(path)]
    assert json.dumps(found) == json.dumps(metadata)


def test_metadata_that_a_target_changes_is_reported(path):
    change(path, "UPDATE checkpoints SET metadata = ? WHERE checkpoint_id = ?", '{"text": "\\u0000"}', second(path))
    (problem,) = imported(path)[0].problems
    assert "metadata['text']" in problem.what
