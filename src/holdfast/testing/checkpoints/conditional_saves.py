"""Conditional saves: an id that exists already, and an expected head."""

from __future__ import annotations

from typing import Any, Final

import pytest

from holdfast import ROOT, Conflict, NotFound, Store
from holdfast.testing.driver import AnyThread, StoreTests, grown, head, ids, loaded, save_chain

SAID: Final[dict[str, Any]] = {
    "node": "plan", "next": ("act",), "step": 7, "source": "input", "run_id": "r1", "status": "paused", "label": "here",
    "metadata": {"cost": 1},
}  # fmt: skip
OTHER: Final[dict[str, Any]] = {
    "node": "act", "next": ("plan",), "step": 8, "source": "loop", "run_id": "r2", "status": "running",
    "label": "there", "metadata": {"cost": 2}, "parent": ROOT, "origin": "elsewhere", "journal_seq": 3,
    "extra": {"x": 1},
}  # fmt: skip


class RepeatedIds(StoreTests):
    def test_the_same_again_is_a_no_op_that_returns_the_first(self, thread: AnyThread) -> None:
        first = thread.save(grown(3), id="a", **SAID)
        assert thread.save(grown(3), id="a", **SAID) == first
        assert thread.history() == [first]

    def test_the_same_again_is_a_no_op_when_the_head_has_moved_on(self, thread: AnyThread) -> None:
        first = thread.save(grown(1), id="a")
        thread.save(grown(2), id="b")
        assert thread.save(grown(1), id="a") == first
        assert ids(thread.history()) == ["b", "a"]
        assert head(thread).id == "b"

    def test_the_id_is_checked_before_the_expected_head(self, thread: AnyThread) -> None:
        first = thread.save(grown(1), id="a", expect_head="")
        thread.save(grown(2), id="b")
        assert thread.save(grown(1), id="a", expect_head="") == first

    def test_the_id_is_checked_before_the_parent(self, thread: AnyThread) -> None:
        first = thread.save(grown(1), id="a")
        second = thread.save(grown(2), id="b", parent="a")
        assert thread.save(grown(2), id="b", parent="a") == second
        with pytest.raises(Conflict):
            thread.save(grown(1), id="a", parent="missing")
        assert loaded(thread, "a").parent_id is first.parent_id is None

    def test_fields_that_are_not_passed_are_not_compared(self, thread: AnyThread) -> None:
        thread.save({"n": 0})
        first = thread.save({"n": 1}, id="a", step=9, run_id="r", label="x", metadata={"k": 1})
        assert thread.save({"n": 1}, id="a") == first

    def test_the_same_with_an_extra_is_a_no_op(self, thread: AnyThread) -> None:
        first = thread.save({"n": 1}, id="a", extra={"versions": [1, 2]})
        assert thread.save({"n": 1}, id="a", extra={"versions": [1, 2]}) == first

    @pytest.mark.parametrize("state", [{"n": 2}, {"n": 1, "m": 1}, {}], ids=["value", "more", "fewer"])
    def test_another_state_is_a_conflict(self, thread: AnyThread, state: dict[str, Any]) -> None:
        thread.save({"n": 1}, id="a")
        with pytest.raises(Conflict, match="state"):
            thread.save(state, id="a")
        assert loaded(thread, "a").state == {"n": 1}

    def test_another_long_value_is_a_conflict(self, thread: AnyThread) -> None:
        thread.save(grown(5), id="a")
        with pytest.raises(Conflict):
            thread.save(grown(6), id="a")
        assert len(thread.history()) == 1

    @pytest.mark.parametrize("name", list(OTHER))
    def test_another_field_is_a_conflict(self, thread: AnyThread, name: str) -> None:
        thread.save({"n": 0}, id="root")
        thread.save({"n": 1}, id="a", **SAID)
        with pytest.raises(Conflict):
            thread.save({"n": 1}, id="a", **{**SAID, name: OTHER[name]})
        assert len(thread.history()) == 2

    def test_another_parent_is_a_conflict(self, thread: AnyThread) -> None:
        thread.save({}, id="a")
        thread.save({}, id="b")
        thread.save({}, id="c", parent="b")
        with pytest.raises(Conflict):
            thread.save({}, id="c", parent="a")

    def test_a_new_id_with_the_same_content_is_a_new_checkpoint(self, thread: AnyThread) -> None:
        thread.save(grown(1), id="a")
        thread.save(grown(1), id="b")
        assert ids(thread.history()) == ["b", "a"]

    def test_without_an_id_every_save_is_a_new_checkpoint(self, thread: AnyThread) -> None:
        thread.save(grown(1))
        thread.save(grown(1))
        assert len(thread.history()) == 2

    def test_the_same_id_in_another_namespace_or_thread_is_another_checkpoint(self, store: Store) -> None:
        places = [store.thread("t"), store.thread("t", "inner"), store.thread("u")]
        for n, place in enumerate(places):
            place.save({"n": n}, id="same")
        assert [loaded(place, "same").state for place in places] == [{"n": 0}, {"n": 1}, {"n": 2}]

    def test_an_id_seen_through_a_fork_is_taken(self, thread: AnyThread) -> None:
        thread.save({"n": 1}, id="a")
        fork = thread.fork("a")
        assert fork.save({"n": 1}, id="a").id == "a"
        assert len(fork.history()) == 1
        with pytest.raises(Conflict):
            fork.save({"n": 2}, id="a")

    def test_an_id_that_the_origin_took_later_is_free_in_the_fork(self, thread: AnyThread) -> None:
        thread.save({"n": 1}, id="a")
        fork = thread.fork("a")
        thread.save({"n": 2}, id="b")
        fork.save({"n": 3}, id="b")
        assert (loaded(thread, "b").state, loaded(fork, "b").state) == ({"n": 2}, {"n": 3})


class ExpectedHead(StoreTests):
    def test_the_expected_head_passes(self, thread: AnyThread) -> None:
        first = thread.save({"n": 1}, expect_head="")
        second = thread.save({"n": 2}, expect_head=first.id)
        assert head(thread).id == second.id

    def test_another_head_is_a_conflict_that_names_both(self, thread: AnyThread) -> None:
        first, second = save_chain(thread, 2)
        with pytest.raises(Conflict) as caught:
            thread.save({}, expect_head=first.id)
        assert (caught.value.expected, caught.value.actual) == (first.id, second.id)
        assert first.id in str(caught.value)
        assert second.id in str(caught.value)
        assert len(thread.history()) == 2

    def test_expecting_no_head_is_a_conflict_once_there_is_one(self, thread: AnyThread) -> None:
        first = thread.save({})
        with pytest.raises(Conflict) as caught:
            thread.save({}, expect_head="")
        assert (caught.value.expected, caught.value.actual) == ("", first.id)

    def test_expecting_a_head_is_a_conflict_while_there_is_none(self, store: Store) -> None:
        with pytest.raises(Conflict) as caught:
            store.thread("t").save({}, expect_head="a")
        assert (caught.value.expected, caught.value.actual) == ("a", "")
        assert store.threads() == []

    def test_the_head_is_that_of_the_namespace(self, store: Store) -> None:
        store.thread("t").save({})
        assert store.thread("t", "inner").save({}, expect_head="").seq == 1

    def test_the_head_may_be_expected_with_an_older_parent(self, thread: AnyThread) -> None:
        first, second = save_chain(thread, 2)
        branch = thread.save({}, parent=first.id, expect_head=second.id)
        assert branch.parent_id == first.id
        with pytest.raises(Conflict):
            thread.save({}, parent=first.id, expect_head=second.id)

    def test_the_expected_head_is_checked_before_the_parent(self, thread: AnyThread) -> None:
        thread.save({})
        with pytest.raises((Conflict, NotFound)):
            thread.save({}, parent="missing", expect_head="missing")
        assert len(thread.history()) == 1

    def test_the_fork_point_is_the_expected_head_of_a_fork(self, thread: AnyThread) -> None:
        first, second = save_chain(thread, 2)
        fork = thread.fork(first.id)
        with pytest.raises(Conflict):
            fork.save({}, expect_head=second.id)
        assert fork.save({}, expect_head=first.id).parent_id == first.id
