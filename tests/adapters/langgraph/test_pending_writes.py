"""Pending writes: what a task gave before its step was settled. Which are kept, which replace, and in which order.

Where LangGraph's own savers differ from each other, a docstring says which one the rule follows.
"""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.base import WRITES_IDX_MAP, empty_checkpoint
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME, SCHEDULED, TASKS
from langgraph.types import Interrupt, Send

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Twin, config, get, put, values


@pytest.fixture
def head(calls: Twin) -> Any:
    """The config of a checkpoint to write to."""
    return config("t", put(calls), "")


def written(calls: Twin) -> list[Any]:
    found: list[Any] = get(calls).pending_writes
    return found


def test_a_write_is_kept_and_its_repetition_is_not(calls: Twin, head: Any) -> None:
    calls.put_writes(head, [("a", 1), ("b", 2)], "task")
    calls.put_writes(head, [("a", "again"), ("c", "again"), ("d", "new")], "task")
    assert written(calls) == [("task", "a", 1), ("task", "b", 2), ("task", "d", "new")]


def test_one_channel_twice_in_a_batch_is_two_writes(calls: Twin, head: Any) -> None:
    calls.put_writes(head, [("a", 1), ("a", 1), ("a", 2)], "task")
    assert written(calls) == [("task", "a", 1), ("task", "a", 1), ("task", "a", 2)]


@pytest.mark.parametrize("channel", sorted(WRITES_IDX_MAP))
def test_a_control_write_replaces_the_one_before(calls: Twin, head: Any, channel: str) -> None:
    for value in ("first", "second", "third"):
        calls.put_writes(head, [(channel, value)], "task")
    assert written(calls) == [("task", channel, "third")]


@pytest.mark.parametrize("channel", sorted(WRITES_IDX_MAP))
def test_a_control_write_replaces_in_a_mixed_batch_too(calls: Twin, head: Any, channel: str) -> None:
    """Each write by its own kind, as in memory. SQLite and PostgreSQL decide for the batch, and keep the first here."""
    calls.put_writes(head, [("a", "first"), (channel, "first")], "task")
    calls.put_writes(head, [("a", "second"), (channel, "second")], "task")
    assert written(calls) == [("task", channel, "second"), ("task", "a", "first")]


def test_control_writes_of_several_kinds_replace_singly(calls: Twin, head: Any) -> None:
    calls.put_writes(head, [(INTERRUPT, "asked"), (ERROR, "failed")], "task")
    calls.put_writes(head, [(RESUME, ["answer"]), (ERROR, "failed again")], "task")
    assert written(calls) == [
        ("task", RESUME, ["answer"]),
        ("task", INTERRUPT, "asked"),
        ("task", ERROR, "failed again"),
    ]


def test_of_duplicates_in_one_batch_the_last_wins(calls: Twin, head: Any) -> None:
    calls.put_writes(head, [(RESUME, 1), ("a", "a"), (RESUME, 2), (ERROR, "x"), (RESUME, 3)], "task")
    assert written(calls) == [("task", RESUME, 3), ("task", ERROR, "x"), ("task", "a", "a")]


def test_a_control_write_takes_a_place_in_its_batch(calls: Twin, head: Any) -> None:
    """A plain write's index is its place in the batch; what is at another place is another write."""
    calls.put_writes(head, [(INTERRUPT, "?"), ("a", "at one")], "task")
    calls.put_writes(head, [("a", "at zero"), ("b", "at one too")], "task")
    assert written(calls) == [("task", INTERRUPT, "?"), ("task", "a", "at zero"), ("task", "a", "at one")]


def test_writes_come_in_the_order_of_path_task_and_index(calls: Twin, head: Any) -> None:
    """Text, not numbers; control writes first within a task; no path before any."""
    calls.put_writes(head, [("a", 1), (ERROR, 2), (SCHEDULED, 3), ("b", 4)], "task 2", "~__pregel_pull, b")
    calls.put_writes(head, [(RESUME, 5), (INTERRUPT, 6), ("a", 7)], "task 10", "~__pregel_pull, b")
    calls.put_writes(head, [("a", 8)], "task 9", "~__pregel_pull, a")
    calls.put_writes(head, [("a", 9)], "zzz")
    calls.put_writes(head, [("a", 10)], "aaa", "~__pregel_push, 0000000010")
    calls.put_writes(head, [("a", 11)], "aaa 2", "~__pregel_push, 0000000002")
    assert [value for _, _, value in written(calls)] == [9, 8, 5, 6, 7, 3, 2, 1, 4, 11, 10]


def test_eleven_writes_of_a_task_stay_in_order(calls: Twin, head: Any) -> None:
    calls.put_writes(head, [("a", n) for n in range(11)], "task")
    assert [value for _, _, value in written(calls)] == list(range(11))


def test_tasks_checkpoints_and_namespaces_are_apart(calls: Twin) -> None:
    places = [("a", ""), ("b", ""), ("a", "child:1")]
    for n, (id, ns) in enumerate(places):
        put(calls, id=id, ns=ns)
        for task in ("x", "y"):
            calls.put_writes(config("t", id, ns), [("w", f"{task}{n}")], task)
    found = [get(calls, id, ns=ns).pending_writes for id, ns in places]
    assert found == [[("x", "w", f"x{n}"), ("y", "w", f"y{n}")] for n in range(3)]


def test_an_empty_batch_is_fine(calls: Twin, head: Any) -> None:
    calls.put_writes(head, [], "task")
    assert written(calls) == []


def test_writes_stay_with_a_checkpoint_that_has_children(calls: Twin, head: Any) -> None:
    """LangGraph shows them as the results of the step, and a delta channel is rebuilt from them."""
    parent = head["configurable"]["checkpoint_id"]
    calls.put_writes(head, [("a", "early")], "one")
    put(calls, parent=parent)
    calls.put_writes(head, [("a", "late")], "two")
    assert get(calls, parent).pending_writes == [("one", "a", "early"), ("two", "a", "late")]
    assert written(calls) == []


@pytest.mark.parametrize(
    "value",
    [
        None,
        Send("node", {"a": [1]}),
        [Send("a", 1), Send("b", None)],
        [Interrupt({"q": 1}, id="i")],
        b"\0\xff",
        {1, 2},
        "",
    ],
    ids=repr,
)
def test_a_written_value_comes_back_equal(calls: Twin, head: Any, value: Any) -> None:
    calls.put_writes(head, [("a", value)], "task")
    ((_, _, found),) = written(calls)
    assert found == value


def test_an_exception_comes_back_as_its_repr(calls: Twin, head: Any) -> None:
    """As LangGraph's serializer does it: that is what get_state shows, and what an error handler is given."""
    calls.put_writes(head, [(ERROR, ValueError("no", 7))], "task")
    assert written(calls) == [("task", ERROR, "ValueError('no', 7)")]


# ------------------------------------------------------------------------------------------------ sends of old


@pytest.mark.parametrize("v", [1, 2, 3])
def test_sends_of_an_old_parent_are_folded_in(calls: Twin, v: int) -> None:
    """Before v4 they were the parent's writes to TASKS. As PostgreSQL does it; memory and SQLite leave them there."""
    parent = put(calls, {"a": 1}, v=v)
    where = config("t", parent, "")
    calls.put_writes(where, [(TASKS, Send("n", "second")), ("a", 2), (TASKS, Send("n", "third"))], "task b", "~2")
    calls.put_writes(where, [(TASKS, Send("n", "first"))], "task c", "~1")
    child = put(calls, {"a": 2, "b": 0}, parent=parent, versions={"a": 2, "b": 1}, new={"a": 2, "b": 1}, v=v)
    for found in (get(calls, child), calls.list(config())[0]):
        assert found.checkpoint["channel_values"] == {
            "a": 2,
            "b": 0,
            TASKS: [Send("n", "first"), Send("n", "second"), Send("n", "third")],
        }
        assert found.checkpoint["channel_versions"] == {"a": 2, "b": 1, TASKS: 2}
        assert found.checkpoint["v"] == v
    assert values(calls, parent) == {"a": 1}


def test_an_old_checkpoint_without_sends_gets_none(calls: Twin) -> None:
    parent = put(calls, {"a": 1}, v=3)
    calls.put_writes(config("t", parent, ""), [("a", 2)], "task")
    child = put(calls, {"a": 2}, parent=parent, versions={"a": 2}, v=3)
    found = get(calls, child).checkpoint
    assert (found["channel_values"], found["channel_versions"]) == ({"a": 2}, {"a": 2})


def test_a_new_checkpoint_is_left_alone(calls: Twin) -> None:
    parent = put(calls, {"a": 1})
    calls.put_writes(config("t", parent, ""), [(TASKS, Send("n", 1))], "task")
    child = put(calls, {"a": 2, TASKS: [Send("n", 1)]}, parent=parent, versions={"a": 2, TASKS: 1})
    assert values(calls, child) == {"a": 2, TASKS: [Send("n", 1)]}
    grandchild = put(calls, {"a": 3}, parent=child, versions={"a": 3})
    assert values(calls, grandchild) == {"a": 3}


def test_sends_inside_an_old_checkpoint_are_not_lost(calls: Twin) -> None:
    """A v1 checkpoint may carry them itself; the graph moves them over when it loads it, unless the saver did."""
    id = put(calls, {"a": 1}, v=1, pending_sends=[Send("n", 1)])
    found = get(calls, id).checkpoint
    assert [Send("n", 1)] in (found.get("pending_sends"), found["channel_values"].get(TASKS))


def test_writes_that_a_fork_took_over_stay_when_it_settles_its_own(saver: HoldfastSaver) -> None:
    """A step that was settled late, and whose checkpoint is saved again in a fork, under the same number."""

    def at(thread: str, number: int | None) -> Any:
        name = {} if number is None else {"checkpoint_id": f"1f0c0000-0000-6000-8000-{number:012d}"}
        return {"configurable": {"thread_id": thread, "checkpoint_ns": "", **name}}

    def put_one(thread: str, number: int, parent: int | None) -> None:
        value: Any = {**empty_checkpoint(), "id": at(thread, number)["configurable"]["checkpoint_id"]}
        value |= {"channel_values": {"n": number}, "channel_versions": {"n": number}}
        saver.put(at(thread, parent), value, {"step": number, "source": "loop"}, {"n": number})

    for number in range(1, 5):
        put_one("a", number, number - 1 or None)
    saver.put_writes(at("a", 3), [("n", "of a")], "late")
    put_one("a", 5, 4)
    saver.store.thread("a").fork(at("a", 3)["configurable"]["checkpoint_id"], to="f")
    put_one("f", 3, 2)
    saver.put_writes(at("f", 3), [("n", "of f")], "own")
    put_one("f", 6, 3)
    found = saver.get_tuple(at("f", 3))
    assert found is not None
    assert found.pending_writes == [("late", "n", "of a"), ("own", "n", "of f")]
    assert saver.store.verify().faults == ()
