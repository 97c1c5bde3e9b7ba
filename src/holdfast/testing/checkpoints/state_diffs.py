"""The differences between two checkpoints: paths for people, and JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from holdfast import Diff, NotFound, Store
from holdfast.testing.driver import AnyThread, Opener, StoreTests, grown, head, save_chain


@dataclass
class Point:
    x: Any
    y: Any


def compared(thread: AnyThread, old: dict[str, Any], new: dict[str, Any]) -> Diff:
    return thread.diff(thread.save(old).id, thread.save(new).id)


def shown(found: Diff) -> list[tuple[str, str, Any, Any]]:
    return [(change.path, change.kind, change.old, change.new) for change in found]


class StateDiffs(StoreTests):
    def test_equal_states_have_no_difference(self, thread: AnyThread) -> None:
        found = compared(thread, grown(2), grown(2))
        assert (bool(found), len(found), list(found)) == (False, 0, [])
        assert "(no difference)" in str(found)

    def test_a_diff_names_both_checkpoints(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        found = thread.diff(a.id, b.id)
        assert (found.a, found.b) == (a.id, b.id)
        assert str(found).splitlines()[:2] == [f"--- {a.id}", f"+++ {b.id}"]

    def test_channels_are_added_removed_and_changed(self, thread: AnyThread) -> None:
        found = compared(thread, {"a": 1, "b": 2, "c": 3}, {"b": 2, "c": 4, "d": 5})
        assert sorted(shown(found)) == [("a", "removed", 1, None), ("c", "changed", 3, 4), ("d", "added", None, 5)]

    def test_an_appended_item_is_one_addition(self, thread: AnyThread) -> None:
        found = compared(thread, grown(4), grown(5))
        assert [(path, kind) for path, kind, *_ in shown(found)] == [("n", "changed"), ("messages[5]", "added")]

    def test_a_change_deep_inside_is_named_by_its_path(self, thread: AnyThread) -> None:
        old = {"plan": {"steps": [{"name": "a"}, {"name": "b", "done": False}], "to do": (1, 2)}}
        new = {"plan": {"steps": [{"name": "a"}, {"name": "b", "done": True}], "to do": (1, 3)}}
        assert shown(compared(thread, old, new)) == [
            ("plan['steps'][1]['done']", "changed", False, True),
            ("plan['to do'][1]", "changed", 2, 3),
        ]

    def test_fields_of_a_class_are_named_with_a_dot(self, opened: Opener) -> None:
        thread = opened(types=[Point]).thread("t")
        found = compared(thread, {"p": Point(1, {"k": 1})}, {"p": Point(1, {"k": 2})})
        assert shown(found) == [("p.y['k']", "changed", 1, 2)]

    def test_fields_of_an_unknown_class_are_named_too(self, thread: AnyThread) -> None:
        found = compared(thread, {"p": Point(1, 2)}, {"p": Point(1, 3)})
        assert shown(found) == [("p.y", "changed", 2, 3)]

    def test_a_removed_and_an_inserted_item(self, thread: AnyThread) -> None:
        assert shown(compared(thread, {"l": ["a", "b", "c"]}, {"l": ["a", "c"]})) == [("l[1]", "removed", "b", None)]
        assert shown(compared(thread, {"l": ["a", "c"]}, {"l": ["a", "b", "c"]})) == [("l[1]", "added", None, "b")]

    def test_another_type_is_a_change(self, thread: AnyThread) -> None:
        found = compared(thread, {"a": 1, "b": [1], "c": 1}, {"a": 1.0, "b": (1,), "c": True})
        assert [change.path for change in found] == ["a", "b", "c"]
        assert {change.kind for change in found} == {"changed"}

    def test_nan_does_not_differ_from_nan(self, thread: AnyThread) -> None:
        assert not compared(thread, {"a": float("nan"), "n": 1}, {"a": float("nan"), "n": 1})

    def test_a_channel_that_is_not_a_word_is_shown_in_brackets(self, thread: AnyThread) -> None:
        found = compared(thread, {}, {"two words": 1, "a.b": 2})
        assert [change.path for change in found] == ["['two words']", "['a.b']"]

    def test_a_diff_backwards_is_the_other_way_round(self, thread: AnyThread) -> None:
        a, b = thread.save({"a": 1}), thread.save({"b": 2})
        assert sorted(shown(thread.diff(b.id, a.id))) == [("a", "added", None, 1), ("b", "removed", 2, None)]

    def test_a_diff_may_reach_into_another_thread(self, store: Store, thread: AnyThread) -> None:
        saved = thread.save({"n": 1})
        other = store.thread("other").save({"n": 2})
        assert shown(thread.diff(saved.id, other)) == [("n", "changed", 1, 2)]
        assert shown(thread.diff(other, saved)) == [("n", "changed", 2, 1)]

    def test_a_diff_between_fork_and_origin(self, thread: AnyThread) -> None:
        save_chain(thread, 3)
        fork = thread.fork(edits={"n": "edited"})
        assert shown(thread.diff(head(thread).id, head(fork))) == [("n", "changed", 2, "edited")]

    def test_a_diff_with_an_unknown_checkpoint_is_not_found(self, thread: AnyThread) -> None:
        saved = thread.save({})
        for a, b in (("x", saved.id), (saved.id, "x")):
            with pytest.raises(NotFound):
                thread.diff(a, b)

    def test_a_diff_is_json(self, thread: AnyThread) -> None:
        old = {"when": 1, "gone": {1: {2}}, "nan": 0}
        new = {"when": datetime(2026, 1, 1, tzinfo=UTC), "bytes": b"\xff", "nan": float("nan"), "p": [Point(1, (2,))]}
        found = compared(thread, old, new)
        known = json.loads(json.dumps(found.to_json(), allow_nan=False))
        assert (known["a"], known["b"]) == (found.a, found.b)
        kinds = {change["path"]: change["kind"] for change in known["changes"]}
        assert kinds == {"gone": "removed", "when": "changed", "nan": "changed", "bytes": "added", "p": "added"}
        by_path = {change["path"]: change for change in known["changes"]}
        assert by_path["p"]["new"] == [
            {"$class": f"{Point.__module__}.{Point.__qualname__}", "x": 1, "y": {"$tuple": [2]}}
        ]
        assert by_path["bytes"]["new"] == {"$bytes": "/w=="}
        assert by_path["gone"]["old"] == {"$map": [[1, {"$set": [2]}]]}
        assert "new" not in by_path["gone"]
        assert "old" not in by_path["p"]

    def test_text_that_is_not_unicode_is_json_too(self, thread: AnyThread) -> None:
        found = compared(thread, {"a": "x"}, {"a": "\ud800", "\0": {"k\0": "v\0"}})
        assert json.loads(json.dumps(found.to_json()))["changes"][0]["path"] == "a"

    def test_long_values_are_shown_short(self, thread: AnyThread) -> None:
        found = compared(thread, {}, {"a": "x" * 10_000})
        assert len(str(found)) < 1000
        assert found.changes[0].new == "x" * 10_000
