"""The list of a thread's checkpoints: in pages, and filtered."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast import InvalidArgument, NotFound, Store
from holdfast.testing.driver import AnyThread, StoreTests, ids, save_chain


class History(StoreTests):
    def test_history_is_newest_first(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 5)
        assert thread.history() == saved[::-1]

    def test_history_shows_twenty_by_default(self, thread: AnyThread) -> None:
        saved = [thread.save({"n": n}) for n in range(23)]
        assert ids(thread.history()) == ids(saved[:2:-1])
        assert ids(thread.history(limit=3)) == ids(saved[:-4:-1])
        assert ids(thread.history(limit=None)) == ids(saved[::-1])

    def test_a_limit_of_zero_is_an_empty_list(self, thread: AnyThread) -> None:
        thread.save({})
        assert thread.history(limit=0) == []

    def test_a_negative_limit_is_refused(self, thread: AnyThread) -> None:
        thread.save({})
        with pytest.raises(InvalidArgument, match="limit"):
            thread.history(limit=-1)

    def test_pages_follow_each_other(self, thread: AnyThread) -> None:
        saved = [thread.save({"n": n}) for n in range(7)]
        found = thread.history(limit=3)
        while page := thread.history(limit=3, before=found[-1].id):
            found += page
        assert ids(found) == ids(saved[::-1])

    def test_before_an_unknown_checkpoint_is_not_found(self, thread: AnyThread) -> None:
        thread.save({})
        with pytest.raises(NotFound):
            thread.history(before="x")

    def test_history_shows_all_branches(self, thread: AnyThread) -> None:
        first, second = save_chain(thread, 2)
        branch = thread.save({}, parent=first.id)
        assert ids(thread.history()) == ids([branch, second, first])

    def test_history_is_of_one_namespace(self, store: Store) -> None:
        outer = store.thread("t").save({})
        inner = store.thread("t", "inner").save({})
        assert ids(store.thread("t").history()) == [outer.id]
        assert ids(store.thread("t", "inner").history()) == [inner.id]

    @pytest.mark.parametrize(
        ("name", "value"),
        [("run_id", "r1"), ("status", "paused"), ("source", "input"), ("node", "plan"), ("label", "x")],
    )
    def test_where_compares_a_field(self, thread: AnyThread, name: str, value: str) -> None:
        thread.save({})
        wanted: dict[str, Any] = {name: value}
        first = thread.save({}, **wanted)
        thread.save({})
        second = thread.save({}, **wanted)
        assert ids(thread.history(where=wanted)) == [second.id, first.id]
        assert thread.history(where={name: "something else"}) == []

    def test_where_compares_metadata(self, thread: AnyThread) -> None:
        thread.save({}, metadata={"team": "red", "cost": 1})
        blue = thread.save({}, metadata={"team": "blue", "cost": 1})
        thread.save({})
        assert ids(thread.history(where={"team": "blue"})) == [blue.id]
        assert len(thread.history(where={"cost": 1})) == 2

    def test_where_with_several_keys_means_all_of_them(self, thread: AnyThread) -> None:
        for node in ("a", "b"):
            for cost in (1, 2):
                thread.save({}, node=node, metadata={"cost": cost}, run_id="r")
        (found,) = thread.history(where={"node": "a", "cost": 2, "run_id": "r"})
        assert (found.node, found.metadata["cost"]) == ("a", 2)

    def test_where_does_not_count_towards_the_limit(self, thread: AnyThread) -> None:
        saved = [thread.save({}, node="kept" if n % 10 == 0 else "other", metadata={"n": n % 10}) for n in range(40)]
        assert ids(thread.history(limit=2, where={"node": "kept"})) == ids([saved[30], saved[20]])
        assert ids(thread.history(limit=2, where={"n": 0})) == ids([saved[30], saved[20]])
        rest = thread.history(limit=2, where={"node": "kept"}, before=saved[20].id)
        assert ids(rest) == ids([saved[10], saved[0]])

    def test_where_sees_a_label_given_later(self, thread: AnyThread) -> None:
        first, second = save_chain(thread, 2, label="draft")
        thread.label(first.id, "approved")
        assert ids(thread.history(where={"label": "approved"})) == [first.id]
        assert ids(thread.history(where={"label": "draft"})) == [second.id]
