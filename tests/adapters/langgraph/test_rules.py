"""What a saver has to do and LangGraph's conformance suite does not ask: values, order, namespaces, filters, versions.

Where LangGraph's own savers differ from each other, a docstring says which one the rule follows.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.types import Interrupt

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Twin, checkpoint, config, get, ids, new_id, put, values

# ------------------------------------------------------------------------------------------------ values by version


def test_an_unchanged_channel_is_found_by_its_version(calls: Twin) -> None:
    """Under the grandparent, as `as_node="__copy__"` puts it: the parent there has another version of it."""
    first = put(calls, {"a": "old", "b": "b"})
    second = put(calls, {"a": "new", "b": "b"}, parent=first, versions={"a": 2, "b": 1}, new={"a": 2})
    copy = put(calls, {"a": "new", "b": "b"}, parent=first, versions={"a": 2, "b": 1}, new={})
    root = put(calls, {"a": "new", "b": "b"}, versions={"a": 2, "b": 1}, new={})
    assert [values(calls, one) for one in (copy, root, second)] == [{"a": "new", "b": "b"}] * 3
    assert values(calls, first) == {"a": "old", "b": "b"}


def test_a_channel_that_is_not_handed_over_is_found_by_its_version_too(calls: Twin) -> None:
    """A graph that no longer has the channel leaves its value out and its version in. As in memory and PostgreSQL;
    SqliteSaver has nothing there, since it stores whole checkpoints."""
    first = put(calls, {"a": "kept", "b": 1})
    second = put(calls, {"b": 2}, parent=first, versions={"a": 1, "b": 2}, new={"b": 2})
    assert values(calls, second) == {"a": "kept", "b": 2}


def test_a_version_without_a_value_is_an_empty_channel(calls: Twin) -> None:
    first = put(calls, {"a": "full", "b": "b"})
    second = put(calls, {"b": "b"}, parent=first, versions={"a": 2, "b": 1}, new={"a": 2})
    third = put(calls, {"b": "c"}, parent=second, versions={"a": 2, "b": 2}, new={"b": 2})
    assert [values(calls, one) for one in (first, second, third)] == [{"a": "full", "b": "b"}, {"b": "b"}, {"b": "c"}]


def test_none_is_a_value(calls: Twin) -> None:
    assert values(calls, put(calls, {"a": None})) == {"a": None}


def test_one_version_stands_for_one_value_in_each_namespace_and_thread(calls: Twin) -> None:
    places: list[dict[str, str]] = [{}, {"ns": "child:1"}, {"ns": "child:2"}, {"thread_id": "other"}]
    made = [put(calls, {"a": n}, **place) for n, place in enumerate(places)]  # type: ignore[arg-type]
    assert [values(calls, id, **place) for id, place in zip(made, places, strict=True)] == [{"a": n} for n in range(4)]


@pytest.mark.parametrize(
    "versions",
    [(1, 2), ("1", "2"), (1.5, 2.5), ("00000000000000000000000000000001.0.5", "00000000000000000000000000000002.0.1")],
)
def test_versions_of_every_kind_come_back_as_they_are(calls: Twin, versions: tuple[Any, Any]) -> None:
    one, two = versions
    first = put(calls, {"a": "one", "b": "b"}, versions={"a": one, "b": one}, versions_seen={"n": {"a": one}})
    second = put(calls, {"a": "two", "b": "b"}, parent=first, versions={"a": two, "b": one}, new={"a": two})
    found = get(calls, first).checkpoint
    assert (found["channel_versions"], found["versions_seen"]) == ({"a": one, "b": one}, {"n": {"a": one}})
    assert type(found["channel_versions"]["a"]) is type(one)
    assert (values(calls, first), values(calls, second)) == ({"a": "one", "b": "b"}, {"a": "two", "b": "b"})


def test_the_number_one_and_the_text_one_are_different_versions(calls: Twin) -> None:
    first = put(calls, {"a": "number"}, versions={"a": 1})
    second = put(calls, {"a": "text"}, parent=first, versions={"a": "1"})
    assert (values(calls, first), values(calls, second)) == ({"a": "number"}, {"a": "text"})


def test_a_checkpoint_comes_back_whole(calls: Twin) -> None:
    made = checkpoint(
        {"a": [1]}, ts="2020-02-29T00:00:00+00:00", versions_seen={"": {}, "n": {"a": 1}}, updated_channels=["a", "b"]
    )
    calls.put(config(ns=""), made, {"step": 1}, {"a": 1})
    assert get(calls).checkpoint == made


def test_what_the_caller_changes_afterwards_is_not_stored(calls: Twin) -> None:
    made = checkpoint({"a": [1]})
    metadata = {"tags": ["one"]}
    calls.put(config(ns=""), made, metadata, {"a": 1})
    made["channel_values"]["a"].append(2)
    metadata["tags"].append("two")
    found = get(calls)
    found.checkpoint["channel_values"]["a"].append(3)
    assert (values(calls), get(calls).metadata["tags"]) == ({"a": [1]}, ["one"])


@pytest.mark.parametrize("v", [1, 2, 3, 4, 5])
def test_the_format_version_comes_back_as_stored(calls: Twin, v: int) -> None:
    assert get(calls, put(calls, {"a": 1}, v=v)).checkpoint["v"] == v


# ------------------------------------------------------------------------------------------------ the same id again


def test_the_same_id_again_replaces(calls: Twin) -> None:
    first = put(calls, {"a": 0})
    id = put(calls, {"a": 1}, parent=first, versions={"a": 2}, metadata={"step": 1, "only": "old"})
    calls.put_writes(config("t", id, ""), [("w", "kept")], "task")
    put(calls, {"b": 2}, id=id, versions={"b": 1}, metadata={"step": 2})
    found = get(calls, id)
    assert (found.checkpoint["channel_values"], found.metadata, found.parent_config) == ({"b": 2}, {"step": 2}, None)
    assert found.pending_writes == [("task", "w", "kept")]
    assert ids(calls.list(config())) == [id, first]
    assert values(calls, first) == {"a": 0}


def test_the_same_id_and_version_with_another_value_shows_the_new_one(calls: Twin) -> None:
    id = put(calls, {"a": "first"})
    put(calls, {"a": "second"}, id=id)
    assert values(calls, id) == {"a": "second"}


def test_exactly_the_same_again_changes_nothing(calls: Twin) -> None:
    made = checkpoint({"a": [1, 2]})
    for _ in range(3):
        calls.put(config(ns=""), made, {"step": 1}, {"a": 1})
    assert (ids(calls.list(config())), values(calls)) == ([made["id"]], {"a": [1, 2]})


def test_a_thread_continues_after_an_older_id_was_put_again(calls: Twin) -> None:
    """The values of both follow those of the head, and must not be stored in one place."""
    texts = ["x" * 100]
    first = put(calls, {"a": texts}, versions={"a": 1})
    second = put(calls, {"a": [*texts, "y" * 100]}, parent=first, versions={"a": 2})
    put(calls, {"a": [*texts, "z" * 100]}, id=first, versions={"a": 3})
    third = put(calls, {"a": [*texts, "y" * 100, "!" * 100]}, parent=second, versions={"a": 4})
    found = ["".join(one[0] for one in values(calls, id)["a"]) for id in (first, second, third)]
    assert found == ["xz", "xy", "xy!"]


def test_putting_an_id_again_leaves_the_writes_that_it_settled(calls: Twin) -> None:
    first = put(calls, {"a": 0})
    calls.put_writes(config("t", first, ""), [("a", "first " * 20)], "task-1")
    second = put(calls, {"a": "first " * 20}, parent=first, versions={"a": 2})
    calls.put_writes(config("t", first, ""), [("a", "second " * 20)], "task-2")
    put(calls, {"a": "second " * 20}, id=second, parent=first, versions={"a": 3})
    put(calls, {"a": "third"}, parent=second, versions={"a": 4})
    found = get(calls, first).pending_writes
    assert [(task, value.split()[0]) for task, _, value in found] == [("task-1", "first"), ("task-2", "second")]


# ------------------------------------------------------------------------------------------------ order


def test_the_latest_is_the_one_with_the_greatest_id_as_text(calls: Twin) -> None:
    """Whatever came last: two processes, or a test with ids of its own."""
    for id in ("m", "9", "10", "é", "a"):
        put(calls, {"a": id}, id=id)
    assert get(calls).checkpoint["id"] == "é"
    assert ids(calls.list(config())) == ["é", "m", "a", "9", "10"]


def test_before_compares_ids_as_text_and_need_not_exist(calls: Twin) -> None:
    for id in ("1", "10", "2", "b"):
        put(calls, id=id)
    found = {before: ids(calls.list(config(), before=config("t", before))) for before in ("10", "15", "2", "zz", "0")}
    assert found == {"10": ["1"], "15": ["10", "1"], "2": ["10", "1"], "zz": ["b", "2", "10", "1"], "0": []}


def test_before_reaches_across_namespaces(calls: Twin) -> None:
    """It is an id of the root, and what is listed is a child's: as LangGraph finds a subgraph's state for a replay."""
    for id in ("a", "c", "e"):
        put(calls, id=id)
    for id in ("b", "d", "f"):
        put(calls, id=id, ns="child:1")
    assert ids(calls.list(config(ns="child:1"), before=config("t", "e", ""))) == ["d", "b"]
    assert ids(calls.list(config(), before=config("t", "d", "child:1"))) == ["c", "b", "a"]
    assert ids(calls.list(config(ns="child:1"), before=config("t", "e", ""), limit=1)) == ["d"]


def test_no_namespace_is_all_of_them_and_the_empty_one_is_the_root(calls: Twin) -> None:
    """In the order of ids, whichever namespace: as SQLite and PostgreSQL do. In memory it is one after the other."""
    for id, ns in (("a", ""), ("b", "child:1"), ("c", "child:1|deep:2"), ("d", ""), ("e", "child:2")):
        put(calls, id=id, ns=ns)
    assert ids(calls.list(config())) == ["e", "d", "c", "b", "a"]
    assert ids(calls.list(config(), limit=2)) == ["e", "d"]
    assert ids(calls.list(config(ns=""))) == ["d", "a"]
    assert ids(calls.list(config(ns="child:1"))) == ["b"]
    assert ids(calls.list(config(ns="child"))) == []


def test_get_without_a_namespace_is_the_root(calls: Twin) -> None:
    put(calls, {"a": "root"}, id="a")
    put(calls, {"a": "child"}, id="b", ns="child:1")
    assert calls.get_tuple(config()).checkpoint["channel_values"] == {"a": "root"}
    assert calls.get_tuple(config("t", "b")) is None


def test_one_id_may_be_in_several_namespaces_and_threads(calls: Twin) -> None:
    put(calls, {"a": "root"}, id="same")
    put(calls, {"a": "child"}, id="same", ns="child:1")
    put(calls, {"a": "other"}, id="same", thread_id="u")
    found = [values(calls, "same"), values(calls, "same", ns="child:1"), values(calls, "same", thread_id="u")]
    assert [one["a"] for one in found] == ["root", "child", "other"]
    assert len(calls.list(config())) == 2


def test_no_config_is_every_thread(calls: Twin) -> None:
    made = [put(calls, thread_id=thread_id, ns=ns) for thread_id in ("t", "u") for ns in ("", "child:1")]
    assert ids(calls.list(None)) == made[::-1]
    assert ids(calls.list(None, limit=3)) == made[:0:-1]
    assert ids(calls.list(None, filter={"source": "loop"}, before=config("x", made[2]))) == [made[1], made[0]]


def test_a_config_with_an_id_lists_that_one(calls: Twin) -> None:
    made = [put(calls) for _ in range(3)]
    assert ids(calls.list(config("t", made[1]))) == [made[1]]
    assert calls.list(config("t", new_id())) == []


def test_what_is_listed_is_what_is_got(calls: Twin) -> None:
    first = put(calls, {"a": [1]}, metadata={"step": 0, "note": "x"})
    second = put(calls, {"a": [1, 2]}, parent=first, versions={"a": 2})
    calls.put_writes(config("t", second, ""), [("a", [3]), (INTERRUPT, [Interrupt("?", id="i")])], "task", "path")
    for found in calls.list(config()):
        assert found == calls.get_tuple(found.config)
        assert set(found.config["configurable"]) == {"thread_id", "checkpoint_ns", "checkpoint_id"}


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (1, 1), (3, 3), (99, 3), (None, 3)])
def test_limit(calls: Twin, limit: int | None, count: int) -> None:
    for _ in range(3):
        put(calls)
    assert len(calls.list(config(), limit=limit)) == count


def test_the_limit_counts_what_the_filter_lets_through(calls: Twin) -> None:
    made = [put(calls, metadata={"step": n, "even": n % 2 == 0}) for n in range(8)]
    found = calls.list(config(), filter={"even": True}, before=config("t", made[6]), limit=2)
    assert ids(found) == [made[4], made[2]]


# ------------------------------------------------------------------------------------------------ filters


@pytest.mark.parametrize(
    "key",
    [
        "plain",
        "with.dot",
        "$.path",
        "$",
        "a'b",
        'a"b',
        "x') OR 1=1 --",
        "a%",
        "[0]",
        "é 日本",
        "a\\b",
        " ",
        "",
        "key;drop",
    ],
)
def test_a_filter_key_is_a_name_and_nothing_else(calls: Twin, key: str) -> None:
    """As in memory. SqliteSaver refuses most of these (CVE-2025-67644 was here). A dot may be a path, but not if there
    is such a key."""
    wanted = put(calls, metadata={key: "yes"})
    put(calls, metadata={key: "no", "with": {"dot": "yes"}})
    put(calls, metadata={"other": "yes", "with": {"other": "yes"}})
    assert ids(calls.list(config(), filter={key: "yes"})) == [wanted]


@pytest.mark.parametrize(
    "value",
    ["text", "", "it's", 'say "hi"', "100%", "a\\b", "é 日本", 7, -1, 2**40, 1.5, True, ["a", 1], {"a": {"b": 1}}],
)
def test_a_filter_value_is_compared_as_it_is(calls: Twin, value: Any) -> None:
    wanted = put(calls, metadata={"key": value})
    for other in ("something else", 12345, [value], None):
        put(calls, metadata={"key": other})
    put(calls, metadata={"another": value})
    assert ids(calls.list(config(), filter={"key": value})) == [wanted]


def test_a_number_is_not_its_text(calls: Twin) -> None:
    number, text = put(calls, metadata={"key": 1}), put(calls, metadata={"key": "1"})
    assert ids(calls.list(config(), filter={"key": 1})) == [number]
    assert ids(calls.list(config(), filter={"key": "1"})) == [text]


def test_every_key_has_to_match(calls: Twin) -> None:
    wanted = put(calls, metadata={"source": "loop", "step": 1, "user": "ada"})
    put(calls, metadata={"source": "loop", "step": 2, "user": "ada"})
    put(calls, metadata={"source": "input", "step": 1})
    assert ids(calls.list(config(), filter={"user": "ada", "step": 1, "source": "loop"})) == [wanted]


NESTED: Any = {
    "user": {"name": "ada", "level": 3, "tags": ("a", "b")},
    "user.level": "literal",
    "path": {"to": {"it": 1}},
}


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({"user": {"name": "ada"}}, True),
        ({"user": {"name": "ada", "tags": ["a", "b"]}}, True),
        ({"user": {"name": "ada", "more": 1}}, False),
        ({"user": {"name": "bob"}}, False),
        ({"user": {}}, True),
        ({"user": "ada"}, False),
        ({"source": {}}, False),
        ({"user.name": "ada"}, True),
        ({"user.name": "bob"}, False),
        ({"user.level": "literal"}, True),
        ({"user.level": 3}, False),
        ({"path.to.it": 1}, True),
        ({"path.to": {"it": 1}}, True),
        ({"path.to.it.further": 1}, False),
        ({"user.tags": ["a", "b"]}, True),
        ({"user.tags": ("a", "b")}, True),
        ({"user.tags": ["b", "a"]}, False),
        ({"user.tags": ["a"]}, False),
        ({"nothing.there": None}, True),
    ],
    ids=repr,
)
def test_a_filter_finds_what_any_of_langgraphs_savers_finds(calls: Twin, where: Any, found: bool) -> None:
    """A part of a mapping, as PostgresSaver; a dotted key as a path, as SqliteSaver, unless there is such a key; tuples
    as lists, as all of them."""
    put(calls, metadata={"source": "loop", "step": 0, **NESTED})
    assert len(calls.list(config(), filter=where)) == found


def test_an_empty_filter_is_none(calls: Twin) -> None:
    put(calls)
    assert len(calls.list(config(), filter={})) == 1


# ------------------------------------------------------------------------------------------------ too early


def test_writes_wait_for_their_checkpoint(calls: Twin, saver: HoldfastSaver) -> None:
    """LangGraph saves both in the background, and promises no order."""
    id = new_id()
    calls.put_writes(config("t", id, ""), [("a", 1)], "task")
    assert (calls.get_tuple(config("t", id, "")), calls.get_tuple(config()), calls.list(config())) == (None, None, [])
    assert saver.store.threads() == []
    put(calls, {"a": 0}, id=id)
    assert get(calls).pending_writes == [("task", "a", 1)]


def test_writes_for_another_checkpoint_of_a_thread_wait_too(calls: Twin) -> None:
    first, later = put(calls, {"a": 0}), new_id()
    calls.put_writes(config("t", later, ""), [("a", 1)], "task")
    calls.put_writes(config("t", new_id(), "child:1"), [("a", 2)], "task")
    assert (get(calls).checkpoint["id"], get(calls).pending_writes) == (first, [])
    put(calls, {"a": 1}, id=later, parent=first, versions={"a": 2})
    assert get(calls).pending_writes == [("task", "a", 1)]


def test_a_childs_checkpoint_may_come_before_any_of_the_root(calls: Twin) -> None:
    child = put(calls, {"a": "child"}, ns="node:1", metadata={"parents": {"": new_id()}})
    assert calls.get_tuple(config()) is None
    assert values(calls, ns="node:1") == {"a": "child"}
    root = put(calls, {"a": "root"})
    assert (values(calls), values(calls, ns="node:1")) == ({"a": "root"}, {"a": "child"})
    assert sorted(ids(calls.list(config()))) == sorted([child, root])


def test_a_checkpoint_is_sound_once_its_parent_was_put_again_and_removed(calls: Twin, saver: HoldfastSaver) -> None:
    """The digest that it was saved with is not known any more: neither `collect` nor `verify` makes one up."""
    first = put(calls, {"a": 1})
    second = put(calls, {"a": 2}, parent=first, versions={"a": 2})
    put(calls, {"a": 3}, id=first, versions={"a": 3})
    saver.store.thread("t").delete_checkpoints([first])
    saver.store.collect()
    assert saver.store.verify().faults == ()
    assert values(calls, second) == {"a": 2}


def test_an_unknown_parent_is_kept_as_given(calls: Twin, saver: HoldfastSaver) -> None:
    parent = new_id()
    id = put(calls, {"a": 1}, parent=parent)
    found = get(calls, id)
    assert found.parent_config == config("t", parent, "")
    assert calls.get_tuple(found.parent_config) is None
    assert [info.id for info in saver.store.thread("t").lineage(id)] == [id]
    below = put(calls, {"a": 2}, parent=id, versions={"a": 2})
    assert [info.id for info in saver.store.thread("t").lineage(below)] == [below, id]


# ------------------------------------------------------------------------------------------------ versions


def test_the_next_version_has_the_official_form(saver: HoldfastSaver) -> None:
    """32 digits, a dot, and a random number, so that two writers do not give one version to two values."""
    first = saver.get_next_version(None, None)
    second = saver.get_next_version(first, None)
    form = r"\d{32}\.\d\.?\d*(e-\d+)?"
    assert all(re.fullmatch(form, one) for one in (first, second))
    assert (int(first.split(".")[0]), int(second.split(".")[0])) == (1, 2)
    assert second > first
    assert len({saver.get_next_version(first, None) for _ in range(100)}) == 100


def test_it_continues_from_another_savers_version(saver: HoldfastSaver) -> None:
    theirs = InMemorySaver().get_next_version(f"{41:032}.0.5", None)
    assert saver.get_next_version(theirs, None).split(".")[0] == f"{43:032}"


def test_a_number_stays_a_number(saver: HoldfastSaver) -> None:
    found = Twin(saver, None).get_next_version(41, None)
    assert (found, type(found)) == (42, int)
