"""Metadata comes back exactly, or is refused with the place that can't be stored; what was absent stays absent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from langgraph.checkpoint.memory import InMemorySaver

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Twin, checkpoint, config, get, ids, put


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"source": "input", "step": -1, "parents": {}},
        {"source": "fork", "step": 7, "parents": {"": "id", "a:1|b:2": "other"}, "run_id": "r"},
        {"step": 0},
        {"source": "loop", "step": 2**62},
        {"source": "loop", "step": -(2**63)},
        {"source": "loop", "step": 2**70},
        {"source": "made up"},
        {"parents": {}},
        {"counters_since_delta_snapshot": {"log": [3, 9]}},
        {"nested": {"list": [1, [2, {"x": None}]], "none": None, "": ""}, "text": "é 日本 🙂"},
        {"numbers": [0, -1, 1.5, 2**60, True, False], "order": {"z": 1, "a": 2}},
        {
            "writes": {"node": {"a": 1}},
            "status": "mine",
            "node": "mine",
            "next": ["mine"],
            "label": "mine",
            "id": "mine",
        },
        {"metadata": {}, "extra": 1, "thread": "x", "holdfast": {"v": 1}, "__private": 1, "langgraph_node": "n"},
    ],
    ids=lambda given: ",".join(given) or "nothing",
)
def test_it_comes_back_exactly(calls: Twin, metadata: dict[str, Any]) -> None:
    put(calls, {"a": 1}, metadata=metadata)
    found = get(calls).metadata
    assert {key: repr(value) for key, value in found.items()} == {key: repr(value) for key, value in metadata.items()}
    assert calls.list(config())[0].metadata == metadata


@pytest.mark.parametrize(
    "outer", [5, ["id"], b"id", "\0", "\ud800", "x" * 3000, ""], ids=lambda outer: repr(outer)[:12]
)
def test_parents_that_are_no_ids_come_back_too(calls: Twin, outer: Any) -> None:
    metadata = {"source": "loop", "step": 1, "parents": {"": outer}}
    put(calls, {"a": 1}, ns="tool:1", metadata=metadata)
    put(calls, {"a": 2}, ns="tool:1")
    assert [found.metadata for found in calls.list(config(ns="tool:1"))][-1] == metadata


def test_scalars_of_the_config_are_folded_in(calls: Twin) -> None:
    """As every saver of LangGraph does it: what filters find a caller's own keys by."""
    asked = {
        "configurable": {
            "thread_id": "t",
            "checkpoint_ns": "",
            "user": "ada",
            "score": 1.5,
            "vip": True,
            "both": "configurable",
            "given": "configurable",
            "deep": {"not": "folded"},
            "__pregel_private": "never",
            "langgraph_step": 3,
            "checkpoint_map": {"": "x"},
        },
        "metadata": {"team": "red", "both": "metadata", "langgraph_node": "n", "tags": ["not folded"]},
        "tags": ["x"],
        "recursion_limit": 9,
    }
    given = {"step": 1, "given": "metadata"}
    calls.put(asked, checkpoint(), given, {})
    official = InMemorySaver()
    official.put(asked, checkpoint(), given, {})  # type: ignore[arg-type]
    expected = official.get_tuple(config())
    assert expected is not None
    found = get(calls).metadata
    assert found == expected.metadata
    assert found == {**given, "team": "red", "both": "metadata", "user": "ada", "score": 1.5, "vip": True}
    assert len(calls.list(config(), filter={"user": "ada", "vip": True})) == 1


def test_live_objects_in_the_config_do_no_harm(calls: Twin) -> None:
    asked = config("t", None, "", __pregel_read=lambda: None, client=object(), model=print)
    calls.put(asked, checkpoint({"a": 1}), {"step": 1}, {"a": 1})
    assert get(calls).metadata == {"step": 1}


@pytest.mark.parametrize(
    "value",
    [
        "a\0b",
        "\ud800",
        {"a\0b": 1},
        float("nan"),
        float("inf"),
        2**70,
        b"bytes",
        (1, 2),
        {1, 2},
        {1: "number key"},
        datetime(2024, 1, 1, tzinfo=UTC),
        UUID(int=7),
    ],
    ids=repr,
)
def test_what_json_does_not_have_is_kept_or_refused_with_its_place(calls: Twin, value: Any) -> None:
    """Never changed on the way: LangGraph's savers strip the NUL, fail on the surrogate, or turn one into the other."""
    refused = ""
    try:
        put(calls, metadata={"step": 1, "outer": {"inner": value}})
    except holdfast.EncodeError as error:
        refused = str(error)
    kept = [one.metadata["outer"]["inner"] for one in calls.list(config())]
    if refused:
        assert ("outer" in refused, "inner" in refused, kept) == (True, True, [])
    else:
        assert [(repr(one), type(one)) for one in kept] == [(repr(value), type(value))]


@pytest.mark.parametrize(
    "value", [object(), print, lambda: None, iter([])], ids=["object", "function", "lambda", "iterator"]
)
def test_what_is_not_data_is_refused_with_its_place(calls: Twin, value: Any) -> None:
    with pytest.raises(holdfast.EncodeError) as refused:
        put(calls, metadata={"outer": {"list": [0, value]}})
    assert "outer" in str(refused.value)
    assert "list" in str(refused.value)
    assert calls.list(config()) == []


# ------------------------------------------------------------------------------------------------ runs


@pytest.mark.parametrize("run_id", [uuid4(), str(uuid4())], ids=["a UUID", "a text"])
def test_the_run_is_that_of_the_config_if_the_metadata_has_none(calls: Twin, saver: HoldfastSaver, run_id: Any) -> None:
    asked = {**config(ns=""), "run_id": run_id}
    calls.put(asked, checkpoint(), {"step": 1}, {})
    latest = saver.store.thread("t").latest()
    assert latest is not None
    assert latest.run_id == str(run_id)
    calls.delete_for_runs([str(run_id)])
    assert calls.list(config()) == []


def test_the_metadata_has_the_first_word_on_the_run(calls: Twin, saver: HoldfastSaver) -> None:
    asked = {**config(ns=""), "run_id": uuid4()}
    calls.put(asked, checkpoint(), {"run_id": "mine"}, {})
    latest = saver.store.thread("t").latest()
    assert latest is not None
    assert (latest.run_id, get(calls).metadata["run_id"]) == ("mine", "mine")


def test_deleting_runs_leaves_what_belongs_to_none(calls: Twin) -> None:
    none = put(calls, metadata={"step": 1})
    kept = put(calls, metadata={"run_id": "kept"}, parent=none)
    put(calls, metadata={"run_id": "gone"}, parent=kept)
    put(calls, metadata={"run_id": "gone"}, ns="child:1")
    put(calls, metadata={"run_id": "gone"}, thread_id="other")
    calls.delete_for_runs(["gone", "unknown", "", "None"])
    assert ids(calls.list(None)) == [kept, none]


def test_a_child_of_a_deleted_run_keeps_its_values(calls: Twin) -> None:
    """Its unchanged channels were stored by the checkpoints that went."""
    first = put(calls, {"a": ["old"], "b": "b"}, metadata={"run_id": "gone"})
    second = put(
        calls,
        {"a": ["old", "new"], "b": "b"},
        parent=first,
        versions={"a": 2, "b": 1},
        new={"a": 2},
        metadata={"run_id": "kept"},
    )
    calls.delete_for_runs(["gone"])
    assert ids(calls.list(config())) == [second]
    assert get(calls).checkpoint["channel_values"] == {"a": ["old", "new"], "b": "b"}


# ------------------------------------------------------------------------------------------------ pruning and copying


def test_pruning_keeps_the_values_and_writes_of_the_latest(calls: Twin) -> None:
    made: list[str] = []
    for n in range(5):
        parent = made[-1] if made else None
        new = {"n": n + 1, "fixed": 1} if n == 0 else {"n": n + 1}
        made.append(put(calls, {"n": n, "fixed": "f"}, parent=parent, versions={"n": n + 1, "fixed": 1}, new=new))
        calls.put_writes(config("t", made[-1], ""), [("n", n)], "task")
    calls.prune(["t"], strategy="keep_latest")
    assert ids(calls.list(config())) == [made[-1]]
    assert get(calls).checkpoint["channel_values"] == {"n": 4, "fixed": "f"}
    assert get(calls).pending_writes == [("task", "n", 4)]


def test_the_latest_of_each_namespace_is_by_its_id(calls: Twin) -> None:
    for id, ns in (("b", ""), ("a", ""), ("z", "child:1"), ("y", "child:1")):
        put(calls, {"a": id}, id=id, ns=ns)
    calls.prune(["t"])
    assert sorted(ids(calls.list(config()))) == ["b", "z"]


def test_an_unknown_strategy_is_refused(calls: Twin) -> None:
    put(calls)
    with pytest.raises(holdfast.InvalidArgument):
        calls.prune(["t"], strategy="keep_some")
    assert len(calls.list(config())) == 1


def test_a_copy_is_whole_and_its_own(calls: Twin) -> None:
    first = put(calls, {"a": 1}, metadata={"step": 0})
    second = put(calls, {"a": 2}, parent=first, versions={"a": 2}, metadata={"step": 1})
    put(calls, {"a": "inner"}, ns="child:1", metadata={"parents": {"": second}})
    calls.put_writes(config("t", first, ""), [("a", 1)], "task", "path")
    calls.copy_thread("t", "copy")
    for one, other in zip(calls.list(config()), calls.list(config("copy")), strict=True):
        assert (other.checkpoint, other.metadata, other.pending_writes) == (
            one.checkpoint,
            one.metadata,
            one.pending_writes,
        )
        assert other.config["configurable"] == {**one.config["configurable"], "thread_id": "copy"}
    put(calls, {"a": 3}, thread_id="copy", parent=second, versions={"a": 3})
    assert (get(calls).checkpoint["channel_values"], len(calls.list(config("copy")))) == ({"a": 2}, 4)


def test_a_copy_onto_a_thread_that_is_there_is_refused(calls: Twin) -> None:
    """None of LangGraph's own savers copies threads, so this is Holdfast's rule: nothing is overwritten."""
    put(calls, {"a": "source"})
    put(calls, {"a": "target"}, thread_id="target")
    with pytest.raises(holdfast.Conflict):
        calls.copy_thread("t", "target")
    assert get(calls, thread_id="target").checkpoint["channel_values"] == {"a": "target"}
