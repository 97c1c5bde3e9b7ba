"""Calls that can't pass say why, name the place, and leave what was stored as it was."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Send

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.adapters.langgraph.importer import import_threads
from tests.adapters.langgraph.driver import Side, Twin, checkpoint, config, get, new_id, put, values


@dataclass
class Plan:
    goal: str
    steps: list[Any] = field(default_factory=list)


class Log(TypedDict, total=False):
    lines: Annotated[list[Any], add]


# ------------------------------------------------------------------------------------------------ where

NOWHERE: list[Any] = [
    {"configurable": {"checkpoint_ns": "", "checkpoint_id": "c"}},
    {"configurable": {}},
    {},
    {"configurable": {"thread_id": None, "checkpoint_ns": "", "checkpoint_id": "c"}},
    {"configurable": {"thread_id": "", "checkpoint_ns": "", "checkpoint_id": "c"}},
]


@pytest.mark.parametrize("nowhere", NOWHERE, ids=["absent", "empty", "nothing", "none", "no text"])
@pytest.mark.parametrize("verb", ["put", "put_writes", "get_tuple", "list", "get_delta_channel_history"])
def test_a_call_without_a_thread_id_says_so(calls: Twin, verb: str, nowhere: Any) -> None:
    arguments: dict[str, Any] = {
        "put": (nowhere, checkpoint({"a": 1}), {}, {"a": 1}),
        "put_writes": (nowhere, [("a", 1)], "task"),
        "get_tuple": (nowhere,),
        "list": (nowhere,),
        "get_delta_channel_history": (),
    }
    options = {"config": nowhere, "channels": ["a"]} if verb == "get_delta_channel_history" else {}
    with pytest.raises(holdfast.FixTheCall, match="thread"):
        getattr(calls, verb)(*arguments[verb], **options)
    assert calls.list(None) == []


def test_a_graph_run_without_a_thread_id_says_so(side: Side) -> None:
    builder = StateGraph(Log)
    builder.add_node("a", lambda state: {"lines": ["a"]})
    builder.add_edge(START, "a")
    with pytest.raises(holdfast.FixTheCall, match="thread_id"):
        side.graph(builder).invoke({"lines": []}, {"configurable": {"user": "ada"}})


def test_writes_need_a_checkpoint_to_belong_to(calls: Twin) -> None:
    put(calls)
    with pytest.raises(holdfast.FixTheCall, match="checkpoint_id"):
        calls.put_writes(config("t", None, ""), [("a", 1)], "task")
    assert get(calls).pending_writes == []


def test_a_checkpoint_that_is_not_there_is_none(calls: Twin) -> None:
    put(calls)
    assert calls.get_tuple(config("t", new_id(), "")) is None
    assert calls.get_tuple(config("t", "no uuid at all", "")) is None
    assert calls.get_tuple(config("nobody")) is None
    assert calls.get_tuple(config("t", ns="nowhere:1")) is None


def test_a_get_does_not_make_a_thread(calls: Twin, saver: HoldfastSaver) -> None:
    calls.get_tuple(config("nobody"))
    calls.list(config("nobody"))
    calls.delete_thread("nobody")
    calls.prune(["nobody"])
    assert (saver.store.threads(), calls.list(None)) == ([], [])


def test_one_text_is_not_a_list_of_its_letters(calls: Twin, saver: HoldfastSaver) -> None:
    for thread_id in "ab":
        put(calls, {"a": 1}, thread_id=thread_id, metadata={"run_id": thread_id})
    asked: list[Any] = [
        lambda: calls.prune("ab", strategy="delete"),
        lambda: calls.prune("ab"),
        lambda: calls.delete_for_runs("ab"),
        lambda: calls.get_delta_channel_history(config=config("a"), channels="ab"),
        lambda: import_threads("never.db", saver, threads="ab"),
    ]
    for call in asked:
        with pytest.raises(holdfast.InvalidArgument, match="is a list; for one item, write"):
            call()
    assert sorted(one.config["configurable"]["thread_id"] for one in calls.list(None)) == ["a", "b"]


@pytest.mark.parametrize(
    "thread_id", ["a/b", "../x", "é 日本", "x" * 200, "'; drop table x; --", " ", "|", ":", "user@host", 7]
)
def test_thread_ids_are_any_text(calls: Twin, thread_id: Any) -> None:
    put(calls, {"a": 1}, thread_id=thread_id)
    put(calls, {"a": 2}, thread_id="another")
    assert values(calls, thread_id=thread_id) == {"a": 1}
    assert values(calls, thread_id=str(thread_id)) == {"a": 1}
    calls.delete_thread(thread_id if isinstance(thread_id, str) else str(thread_id))
    assert [one.config["configurable"]["thread_id"] for one in calls.list(None)] == ["another"]


@pytest.mark.parametrize("ns", ["node:1", "a:1|b:2|c:3", "a|1", "x" * 300, "é:日本", "a'b", "%", "plan/execute:0"])
def test_namespaces_are_any_text(calls: Twin, ns: str) -> None:
    put(calls, {"a": "root"})
    id = put(calls, {"a": "inner"}, ns=ns)
    calls.put_writes(config("t", id, ns), [("a", 1)], "task")
    assert (values(calls, ns=ns), values(calls)) == ({"a": "inner"}, {"a": "root"})
    assert get(calls, ns=ns).pending_writes == [("task", "a", 1)]


# ------------------------------------------------------------------------------------------------ what


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (object(), []),
        ({"steps": [1, threading.Lock()]}, ["steps", "1"]),
        (Plan("pay", [print]), ["steps", "0"]),
        ([{"deep": {"er": lambda: None}}], ["0", "deep", "er"]),
        (Send("node", {"tool": open}), ["tool"]),
        (iter("abc"), []),
    ],
    ids=["object", "lock", "dataclass", "lambda", "send", "iterator"],
)
def test_a_channel_that_cant_be_stored_is_named_with_the_path(calls: Twin, value: Any, path: list[str]) -> None:
    good = put(calls, {"plan": "good"})
    for attempt in (
        lambda: put(calls, {"fine": 1, "plan": value}, parent=good, versions={"fine": 1, "plan": 2}),
        lambda: calls.put_writes(config("t", good, ""), [("fine", 1), ("plan", value)], "task"),
    ):
        with pytest.raises(holdfast.EncodeError) as refused:
            attempt()
        assert all(part in str(refused.value) for part in ("plan", *path))
        assert "fine" not in refused.value.path
    assert [one.checkpoint["id"] for one in calls.list(config())] == [good]
    assert (values(calls), get(calls).pending_writes) == ({"plan": "good"}, [])


def test_a_value_that_contains_itself_is_refused(calls: Twin) -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(holdfast.EncodeError, match="plan"):
        put(calls, {"plan": loop})
    assert calls.list(config()) == []


def test_a_saver_works_on_after_a_refusal(calls: Twin) -> None:
    with pytest.raises(holdfast.EncodeError):
        put(calls, {"a": object()})
    put(calls, {"a": 1})
    assert values(calls) == {"a": 1}


@pytest.mark.parametrize("mode", ["sync", "async", "exit"])
def test_a_graph_whose_state_cant_be_stored_fails_with_the_place(side: Side, mode: str) -> None:
    builder = StateGraph(Log)
    builder.add_node("good", lambda state: {"lines": ["good"]})
    builder.add_node("bad", lambda state: {"lines": [{"client": threading.Lock()}]})
    builder.add_edge(START, "good")
    builder.add_edge("good", "bad")
    graph = side.graph(builder)
    with pytest.raises(holdfast.EncodeError) as refused:
        graph.invoke({"lines": []}, config(), durability=mode)
    assert all(part in str(refused.value) for part in ("lines", "client"))
    if mode != "exit":  # there nothing at all was stored before the end
        state = graph.get_state(config())
        assert (state.values, state.next) == ({"lines": ["good"]}, ("bad",))


@pytest.mark.parametrize("url", ["", "memory:x"], ids=repr)
def test_a_url_that_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises((holdfast.FixTheCall, holdfast.LookAtTheStorage)):
        HoldfastSaver.from_url(url).setup()


def test_a_file_that_is_not_a_store_is_left_alone(tmp_path: Any) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and never was one\n" * 100)
    with pytest.raises(holdfast.NotAStore):
        HoldfastSaver.from_url(str(path)).get_tuple(config())
    assert path.read_text().startswith("not a database")


@pytest.mark.parametrize("name", ["\0", "\ud800"], ids=["NUL", "half of a pair"])
def test_a_node_whose_name_no_column_can_hold(calls: Twin, name: str) -> None:
    first = put(calls, {"a": 1})
    with pytest.raises(holdfast.InvalidArgument, match="the name of a node"):
        put(calls, {"a": 2}, parent=first, versions_seen={name: {"a": 1}})
