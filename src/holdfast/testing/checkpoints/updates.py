"""Updating: some channels of the head, each by its reducer."""

from __future__ import annotations

from typing import Any

import pytest

import holdfast
from holdfast import EncodeError, InvalidArgument, Store
from holdfast.testing.driver import AnyThread, StoreTests, at_once, grown, head, ids, loaded, save_chain


class Updates(StoreTests):
    def test_update_keeps_the_other_channels(self, thread: AnyThread) -> None:
        thread.save({"a": 1, "b": "x" * 90, "c": [1]})
        thread.update({"a": 2})
        assert head(thread).state == {"a": 2, "b": "x" * 90, "c": [1]}

    def test_update_saves_a_checkpoint_after_the_head(self, thread: AnyThread) -> None:
        first = thread.save({"a": 1})
        second = thread.update({"a": 2}, node="human")
        assert (second.parent_id, second.step, second.seq, second.source) == (first.id, 1, 2, "update")
        assert second.node == "human"
        assert loaded(thread, first).state == {"a": 1}

    def test_update_keeps_channels_it_does_not_name(self, thread: AnyThread) -> None:
        thread.save({"a": 1}, next=("act",), run_id="r", status="paused")
        second = thread.update({"a": 2})
        assert (second.next, second.run_id, second.status) == (("act",), "r", "paused")

    def test_update_sets_channels_it_names(self, thread: AnyThread) -> None:
        thread.save({"a": 1}, next=("act",), run_id="r", status="paused")
        second = thread.update({"a": 2}, next=(), run_id="s", status="running", label="x", metadata={"k": 1})
        assert (second.next, second.run_id, second.status) == ((), "s", "running")
        assert (second.label, second.metadata) == ("x", {"k": 1})

    def test_update_starts_a_thread(self, thread: AnyThread) -> None:
        thread.update({"messages": ["a"]}, reduce={"messages": holdfast.extend})
        assert head(thread).state == {"messages": ["a"]}

    def test_update_adds_a_channel(self, thread: AnyThread) -> None:
        thread.save({"a": 1})
        thread.update({"b": {"k": 1}}, reduce={"b": holdfast.merge})
        assert head(thread).state == {"a": 1, "b": {"k": 1}}

    def test_extend_adds_to_a_short_list(self, thread: AnyThread) -> None:
        thread.save({"messages": ["a"]})
        thread.update({"messages": ["b", "c"]}, reduce={"messages": holdfast.extend})
        assert head(thread).state == {"messages": ["a", "b", "c"]}

    def test_extend_adds_to_a_long_list(self, thread: AnyThread) -> None:
        thread.save(grown(20))
        for n in range(21, 100):
            thread.update({"n": n, "messages": grown(n)["messages"][n:]}, reduce={"messages": holdfast.extend})
        assert head(thread).state == grown(99)
        assert [loaded(thread, info).state for info in thread.history(limit=3)] == [grown(n) for n in (99, 98, 97)]

    def test_extend_with_nothing_changes_nothing(self, thread: AnyThread) -> None:
        thread.save(grown(9))
        thread.update({"messages": []}, reduce={"messages": holdfast.extend})
        assert head(thread).state == grown(9)

    @pytest.mark.parametrize("old", [("x" * 50,), ["x" * 50]], ids=["tuple", "list"])
    def test_extend_keeps_the_type_of_what_was_there(self, thread: AnyThread, old: Any) -> None:
        thread.save({"items": old})
        thread.update({"items": ["y"]}, reduce={"items": holdfast.extend})
        found = head(thread).state["items"]
        assert (type(found), list(found)) == (type(old), ["x" * 50, "y"])

    def test_merge_sets_keys_and_keeps_others(self, thread: AnyThread) -> None:
        thread.save({"facts": {"a": 1, "b": "x" * 90}})
        thread.update({"facts": {"a": 2, "c": 3}}, reduce={"facts": holdfast.merge})
        assert head(thread).state == {"facts": {"a": 2, "b": "x" * 90, "c": 3}}

    def test_replace_is_what_happens_without_a_reducer(self, thread: AnyThread) -> None:
        thread.save({"a": ["x" * 50], "b": ["x" * 50]})
        thread.update({"a": ["y"], "b": ["y"]}, reduce={"a": holdfast.replace})
        assert head(thread).state == {"a": ["y"], "b": ["y"]}

    def test_any_function_of_old_and_new_reduces(self, thread: AnyThread) -> None:
        thread.save({"total": 40, "log": "x" * 90})
        thread.update({"total": 2, "log": "y"}, reduce={"total": lambda a, b: a + b, "log": lambda a, b: b + a})
        assert head(thread).state == {"total": 42, "log": "y" + "x" * 90}

    def test_a_reducer_for_a_channel_that_is_not_updated_is_refused(self, thread: AnyThread) -> None:
        with pytest.raises(InvalidArgument, match="other"):
            thread.update({"a": 1}, reduce={"other": holdfast.extend})

    def test_a_reducer_that_fails_leaves_everything_as_it_was(self, thread: AnyThread) -> None:
        thread.save({"n": 1})

        def fail(old: Any, new: Any) -> Any:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            thread.update({"n": 2}, reduce={"n": fail})
        assert head(thread).state == {"n": 1}

    def test_an_update_that_can_not_be_stored_names_the_place(self, thread: AnyThread) -> None:
        thread.save(grown(3))
        with pytest.raises(EncodeError, match="messages"):
            thread.update({"messages": [object()]}, reduce={"messages": holdfast.extend})
        assert len(thread.history()) == 1

    def test_a_reducer_may_change_the_old_value_it_is_given(self, thread: AnyThread) -> None:
        first = thread.save(grown(2))

        def spoil(old: list[Any], new: list[Any]) -> list[Any]:
            old.clear()
            return new

        thread.update({"messages": ["y"]}, reduce={"messages": spoil})
        assert loaded(thread, first).state == grown(2)

    def test_update_keeps_the_extra(self, thread: AnyThread) -> None:
        thread.save({"a": 1}, extra={"versions": [1]})
        thread.update({"a": 2})
        assert head(thread).extra == {"versions": [1]}

    def test_an_update_in_a_namespace_stays_there(self, store: Store) -> None:
        store.thread("t").save({"n": 0})
        store.thread("t", "inner").update({"n": 1})
        assert head(store.thread("t")).state == {"n": 0}

    def test_concurrent_updates_lose_nothing(self, thread: AnyThread) -> None:
        thread.save({"items": [], "count": 0})

        def work(worker: int) -> None:
            for n in range(6):
                thread.update(
                    {"items": [f"worker {worker} item {n} " + "x" * 40], "count": 1},
                    reduce={"items": holdfast.extend, "count": lambda old, new: old + new},
                )

        at_once(4, work)
        state = head(thread).state
        assert state["count"] == 24
        assert len(set(state["items"])) == len(state["items"]) == 24

    def test_an_update_is_tried_again_when_the_head_moved(self, thread: AnyThread) -> None:
        thread.save({"n": 1})
        calls: list[int] = []

        def slow(old: int, new: int) -> int:
            calls.append(old)
            if len(calls) == 1:
                thread.save({"n": 10})
            return old + new

        thread.update({"n": 5}, reduce={"n": slow})
        assert calls == [1, 10]
        assert head(thread).state == {"n": 15}
        assert len(thread.history()) == 3

    def test_updates_on_branches_do_not_touch_each_other(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        thread.update({"messages": ["on b"]}, reduce={"messages": holdfast.extend})
        on_a = thread.save({"messages": [*grown(0)["messages"], "on a"]}, parent=a.id)
        thread.update({"messages": ["more"]}, reduce={"messages": holdfast.extend})
        assert head(thread).state["messages"] == [*grown(0)["messages"], "on a", "more"]
        assert loaded(thread, b).state == grown(1)
        assert ids(thread.lineage(head(thread).id))[1:] == ids([on_a, a])
