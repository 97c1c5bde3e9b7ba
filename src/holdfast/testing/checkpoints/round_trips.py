"""Values are loaded exactly as they were saved, and a loaded value belongs to the caller."""

from __future__ import annotations

import enum
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from datetime import time as clock
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, Final
from uuid import UUID

import pytest

from holdfast import EncodeError, Opaque, Store
from holdfast.testing.driver import AnyThread, Opener, StoreTests, grown, head, loaded, save_chain


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Plan:
    goal: str
    steps: list[Any] = field(default_factory=list)


@dataclass
class MovedPlan:
    goal: str
    steps: list[Any] = field(default_factory=list)


VALUES: Final[dict[str, Any]] = {
    "none": None, "true": True, "zero": 0, "negative": -1, "big": 2**200, "-big": -(2**64), "float": 0.1, "-0.0": -0.0,
    "inf": float("inf"), "text": "héllo \U0001f600", "nul": "a\0b", "surrogate": "a\ud800b", "bytes": b"\x00\xff",
    "long text": "lorem ipsum " * 500, "long bytes": bytes(range(256)) * 40, "empty": "", "tuple": (1, (2, "x"), ()),
    "list": [1, [2, []]], "set": {1, "a", (2, 3)}, "frozenset": frozenset({1}), "dict": {"b": 1, "a": {"c": None}},
    "keys": {1: "int", "1": "text", None: 0, (1, 2): "tuple", False: 2, b"k": 3, 1.5: 4}, "deep": [[[[[[[["x"]]]]]]]],
    "datetime": datetime(2026, 1, 2, 3, 4, 5, 6), "aware": datetime(2026, 1, 2, tzinfo=UTC), "date": date(2026, 1, 2),
    "zone": datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=5, minutes=30))), "time": clock(1, 2, 3, 4),
    "delta": timedelta(days=-1, microseconds=1), "decimal": Decimal("1.10"), "uuid": UUID(int=7), "enum": Colour.RED,
    "fraction": Fraction(1, 3), "path": PurePosixPath("/a/b"), "deque": deque([1, 2]), "complex": 1 + 2j,
    "ordered": OrderedDict(b=1, a=2), "dataclass": Plan("g", [1, {"k": (1,)}]),
}  # fmt: skip


class Values(StoreTests):
    @pytest.mark.parametrize("name", list(VALUES))
    def test_a_value_is_loaded_exactly(self, opened: Opener, name: str) -> None:
        value = VALUES[name]
        thread = opened(types=[Colour, Plan]).thread("t")
        saved = thread.save({"value": value, "inside": [value]}, metadata={"value": value}, extra=value)
        thread.put_writes(saved.id, [("w", value)], task_id="x")
        found = head(thread)
        for one in (found.state["value"], found.state["inside"][0], found.metadata["value"], found.extra):
            assert (type(one), repr(one), one) == (type(value), repr(one), value)
        assert found.pending_writes[0].value == value
        assert str(found.state["value"]) == str(value) or isinstance(value, set | frozenset)

    def test_nan_is_loaded_as_nan(self, thread: AnyThread) -> None:
        thread.save({"value": float("nan")})
        found = head(thread).state["value"]
        assert found != found

    def test_channels_may_have_any_name(self, thread: AnyThread) -> None:
        state = {"": 1, "a\0b": 2, "a.b": 3, "\U0001f600": 4, "__x__": 5, "x" * 2000: 6}
        thread.save(state)
        assert head(thread).state == state

    def test_five_hundred_channels(self, thread: AnyThread) -> None:
        state = {f"channel {n}": "v" * n for n in range(500)}
        thread.save(state)
        assert head(thread).state == state

    @pytest.mark.parametrize("path", ["state['plan'].steps[3]", "state['plan'].steps[3]['k'][1]"])
    def test_what_can_not_be_stored_is_named_by_its_path(self, thread: AnyThread, path: str) -> None:
        thread.save({"n": 1})
        bad: Any = object() if path.endswith("[3]") else {"k": (0, object())}
        with pytest.raises(EncodeError) as caught:
            thread.save({"plan": Plan("g", [0, 1, 2, bad])})
        assert caught.value.path == path
        assert len(thread.history()) == 1

    def test_metadata_and_extra_that_can_not_be_stored_are_named(self, thread: AnyThread) -> None:
        with pytest.raises(EncodeError, match="metadata"):
            thread.save({}, metadata={"k": object()})
        with pytest.raises(EncodeError, match="extra"):
            thread.save({}, extra=object())
        assert thread.info() is None

    def test_an_unknown_class_loads_as_a_record_that_saves_again_unchanged(self, opened: Opener) -> None:
        thread = opened().thread("t")
        first = thread.save({"plan": Plan("g" * 50, [1])})
        record = head(thread).state["plan"]
        assert isinstance(record, Opaque)
        assert record.fields == {"goal": "g" * 50, "steps": [1]}
        second = thread.save({"plan": record})
        assert not thread.diff(first.id, second.id)

    def test_a_class_that_moved_is_found_by_its_old_name(self, opened: Opener) -> None:
        store = opened(types={f"{Plan.__module__}.Plan": MovedPlan})
        store.thread("t").save({"plan": Plan("g", [1])})
        assert head(store.thread("t")).state["plan"] == MovedPlan("g", [1])


class Mutation(StoreTests):
    def test_changing_a_state_after_saving_it_changes_nothing_stored(self, thread: AnyThread) -> None:
        state = grown(2)
        saved = thread.save(state)
        state["messages"][0]["content"] = "changed"
        state["messages"].clear()
        assert loaded(thread, saved).state == grown(2)

    def test_a_message_changed_in_place_is_saved_as_it_is_now(self, thread: AnyThread) -> None:
        state = grown(2)
        first = thread.save(state)
        state["messages"][1]["content"] = "changed " * 10
        second = thread.save(state)
        assert loaded(thread, first).state == grown(2)
        assert loaded(thread, second).state["messages"][1]["content"] == "changed " * 10

    def test_changing_a_loaded_state_changes_nothing_stored(self, thread: AnyThread) -> None:
        saved = thread.save(grown(2))
        for found in (head(thread), loaded(thread, saved), thread.at(step=0)):
            assert found is not None
            found.state["messages"][0]["content"] = "changed"
            found.state["messages"].clear()
            found.state["n"] = "changed"
        assert head(thread).state == grown(2)
        thread.save(grown(3))
        assert (loaded(thread, saved).state, head(thread).state) == (grown(2), grown(3))

    def test_changing_metadata_changes_nothing_stored(self, store: Store) -> None:
        given: dict[str, Any] = {"tags": ["a"]}
        thread = store.thread("t", metadata=given)
        saved = thread.save({}, metadata=given)
        given["tags"].append("b")
        infos: list[Any] = [saved, head(thread), *thread.history(), thread.info(), *store.threads()]
        for info in infos:
            assert info.metadata == {"tags": ["a"]}
            info.metadata["tags"].append("changed")
        assert head(thread).metadata == {"tags": ["a"]}
        (listed,) = store.threads()
        assert listed.metadata == {"tags": ["a"]}

    def test_changing_a_pending_write_changes_nothing_stored(self, thread: AnyThread) -> None:
        saved = thread.save({})
        value = ["a"]
        thread.put_writes(saved.id, [("w", value)], task_id="x")
        value.append("b")
        head(thread).pending_writes[0].value.append("c")
        assert head(thread).pending_writes[0].value == ["a"]

    def test_changing_an_extra_changes_nothing_stored(self, thread: AnyThread) -> None:
        extra = {"k": ["a"]}
        thread.save({}, extra=extra)
        extra["k"].append("b")
        head(thread).extra["k"].append("c")
        assert head(thread).extra == {"k": ["a"]}

    def test_changing_what_a_diff_shows_changes_nothing_stored(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        (added,) = (change for change in thread.diff(a.id, b.id) if change.kind == "added")
        added.new["content"] = "changed"
        assert loaded(thread, b).state == grown(1)

    def test_changing_edits_and_updates_later_changes_nothing_stored(self, thread: AnyThread) -> None:
        thread.save(grown(1))
        messages = ["x" * 60]
        fork = thread.fork(edits={"messages": messages})
        thread.update({"messages": messages})
        messages.append("changed")
        assert head(fork).state["messages"] == head(thread).state["messages"] == ["x" * 60]


class Extra(StoreTests):
    def test_an_extra_is_kept_outside_the_state(self, thread: AnyThread) -> None:
        saved = thread.save({"n": 1}, extra={"versions": {"n": 3}})
        found = head(thread)
        assert (found.state, found.extra) == ({"n": 1}, {"versions": {"n": 3}})
        assert not hasattr(saved, "extra")

    def test_extras_and_channels_are_separate(self, thread: AnyThread) -> None:
        thread.save({"extra": 1, "": 2}, extra=3)
        assert (head(thread).state, head(thread).extra) == ({"extra": 1, "": 2}, 3)

    def test_an_extra_is_outside_diffs_and_filters(self, thread: AnyThread) -> None:
        a = thread.save({"n": 1}, extra={"v": 1})
        b = thread.save({"n": 1}, extra={"v": "w" * 90})
        assert not thread.diff(a.id, b.id)
        assert thread.history(where={"v": 1}) == []

    def test_a_save_without_an_extra_has_none(self, thread: AnyThread) -> None:
        thread.save({}, extra={"v": "w" * 90})
        thread.save({})
        assert head(thread).extra is None

    def test_a_long_extra_changes_from_save_to_save(self, thread: AnyThread) -> None:
        saved = [thread.save({}, extra=["w" * 60] * n) for n in range(5)]
        assert [loaded(thread, info).extra for info in saved] == [["w" * 60] * n for n in range(5)]

    def test_an_extra_is_loaded_with_some_channels_too(self, thread: AnyThread) -> None:
        thread.save({"a": 1, "b": 2}, extra="w" * 90)
        found = thread.latest(channels=["a"])
        assert found is not None
        assert (found.state, found.extra) == ({"a": 1}, "w" * 90)

    def test_a_fork_has_the_extra(self, thread: AnyThread) -> None:
        thread.save({"n": 1}, extra=["w" * 60])
        assert head(thread.fork()).extra == ["w" * 60]
        assert head(thread.fork(edits={"n": 2})).extra == ["w" * 60]
