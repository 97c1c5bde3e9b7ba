"""Namespaces inside a thread: what they belong to, and what a fork sees of them."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast import ROOT, Store
from holdfast.testing.driver import AnyThread, StoreTests, everything, grown, head, ids, save_chain
from holdfast.testing.threads.frozen_forks import CHANGES


class NestedNamespaces(StoreTests):
    def test_an_inner_checkpoint_belongs_to_the_current_outer_one(self, store: Store) -> None:
        outer = store.thread("t").save({})
        inner = store.thread("t", "tool:1").save({})
        assert (outer.origin, inner.origin) == (None, outer.id)

    def test_a_namespace_in_a_namespace_belongs_to_that_one(self, store: Store) -> None:
        store.thread("t").save({})
        middle = store.thread("t", "a:1").save({})
        assert store.thread("t", "a:1|b:2").save({}).origin == middle.id

    def test_a_given_origin_is_kept(self, store: Store) -> None:
        first, second = save_chain(store.thread("t"), 2)
        inner = store.thread("t", "tool:1").save({}, origin=first.id)
        assert inner.origin == first.id != second.id

    def test_an_inner_checkpoint_without_an_outer_one_has_no_origin(self, store: Store) -> None:
        assert store.thread("t", "tool:1").save({}).origin is None

    @pytest.mark.parametrize(("first", "second"), [("", "tool"), ("tool", ""), ("tool", "other")])
    def test_metadata_of_two_namespaces_is_merged(self, store: Store, first: str, second: str) -> None:
        for namespace in ("", "tool", "other"):
            store.thread("t", namespace).save({})
        store.thread("t", first, metadata={"user": "ada", "tier": "one"}).save({})
        store.thread("t", second, metadata={"tier": "two"}).save({})
        (info,) = store.threads(where={"user": "ada"})
        assert dict(info.metadata) == {"user": "ada", "tier": "two"}
        assert store.threads(where={"tier": "one"}) == []
        assert store.verify().ok

    # ---------------------------------------------------------------- forks

    def test_a_fork_sees_the_namespaces_under_what_it_sees(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        points, inners = both(thread, inner, 3)
        thread.fork(points[1].id, to="f")
        seen = store.thread("f", "tool")
        assert ids(seen.history()) == ids(inners[1::-1])
        assert [found.state for found in everything(seen)] == [grown(1), grown(0)]
        assert head(seen).thread_id == "f"

    def test_a_fork_does_not_see_a_namespace_of_later_origin(self, store: Store) -> None:
        thread = store.thread("t")
        first, _ = save_chain(thread, 2)
        store.thread("t", "tool").save({})
        thread.fork(first.id, to="f")
        assert store.thread("f", "tool").latest() is None
        assert store.thread("f", "tool").history() == []

    def test_a_fork_sees_the_newest_line_of_a_namespace_under_what_it_sees(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        thread.save({})
        inner.save({"n": 1}, parent=ROOT)
        point = thread.save({})
        second = inner.save({"n": 2}, parent=ROOT)
        thread.save({})
        inner.save({"n": 3}, parent=ROOT)
        thread.fork(point.id, to="f")
        assert ids(store.thread("f", "tool").history()) == [second.id]

    def test_a_forks_namespaces_are_frozen(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        points, inners = both(thread, inner, 2)
        inner.put_writes(inners[1].id, [("w", 1)], task_id="early")
        thread.fork(to="f")
        seen = store.thread("f", "tool")
        before = everything(seen)
        assert before[0].pending_writes
        inner.save(grown(5), origin=points[1].id)
        inner.put_writes(inners[1].id, [("w", 2)], task_id="late")
        inner.label(inners[0].id, "late")
        assert everything(seen) == before
        inner.delete_checkpoints([inners[0].id])
        assert everything(seen) == before
        thread.delete()
        assert everything(seen) == before

    @pytest.mark.parametrize("change", [name for name in CHANGES if name != "is forked"])
    def test_a_forks_namespace_does_not_change_when_that_of_the_origin(self, store: Store, change: str) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        thread.save({})
        saved = save_chain(inner, 4, run_id="r")
        inner.put_writes(saved[2].id, [("data", "old", 0), ("control", "old", -1)], task_id="early")
        thread.fork(to="f")
        store.copy_thread("t", "c")
        threads = [store.thread("f", "tool"), store.thread("c", "tool")]
        before = [everything(one) for one in threads]
        assert [len(found) for found in before] == [4, 4]
        CHANGES[change](inner, saved)
        assert [everything(one) for one in threads] == before

    def test_a_namespace_that_began_after_the_fork_is_not_seen(self, store: Store) -> None:
        thread = store.thread("t")
        point = thread.save({})
        thread.fork(to="f")
        store.thread("t", "tool").save({}, origin=point.id)
        assert store.thread("f", "tool").latest() is None

    def test_a_fork_writes_on_in_a_namespace(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        _, inners = both(thread, inner, 2)
        thread.fork(to="f")
        after = store.thread("f", "tool").save(grown(2))
        assert (after.parent_id, after.seq, after.step) == (inners[1].id, 3, 2)
        inner.save({"n": "other", "messages": ["o" * 60]})
        assert [found.state for found in everything(store.thread("f", "tool"))] == [grown(2), grown(1), grown(0)]
        assert len(inner.history()) == 3

    def test_changes_in_a_forks_namespace_do_not_reach_the_origin(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        _, inners = both(thread, inner, 3)
        before = everything(inner)
        thread.fork(to="f")
        seen = store.thread("f", "tool")
        seen.put_writes(inners[2].id, [("w", 1)], task_id="x")
        seen.label(inners[1].id, "fork")
        assert seen.delete_checkpoints([inners[0].id]) == 1
        assert everything(inner) == before
        assert ids(seen.history()) == ids(inners[:0:-1])
        assert seen.history()[-1].label == "fork"
        assert [write.channel for write in head(seen).pending_writes] == ["w"]

    def test_a_fork_of_a_fork_sees_the_namespaces_of_both(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        both(thread, inner, 2)
        middle = thread.fork(to="m")
        middle.save({})
        store.thread("m", "tool").save(grown(2))
        store.thread("m", "other").save({"n": "m"})
        middle.fork(to="f")
        assert [found.state for found in everything(store.thread("f", "tool"))] == [grown(2), grown(1), grown(0)]
        assert head(store.thread("f", "other")).state == {"n": "m"}

    def test_a_fork_of_a_fork_that_never_touched_a_namespace_sees_it(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        both(thread, inner, 2)
        thread.fork(to="m").fork(to="f")
        before = everything(store.thread("f", "tool"))
        assert [found.state for found in before] == [grown(1), grown(0)]
        store.thread("m", "tool").save({"n": "late"})
        inner.save({"n": "late"})
        assert everything(store.thread("f", "tool")) == before

    def test_namespaces_in_namespaces_are_seen_by_their_origins(self, store: Store) -> None:
        thread, a, b = store.thread("t"), store.thread("t", "a"), store.thread("t", "a|b")
        for n in range(3):
            for line in (thread, a, b):
                line.save(grown(n))
        point = thread.history()[1]
        thread.fork(point.id, to="f")
        for namespace in ("a", "a|b"):
            assert [found.state for found in everything(store.thread("f", namespace))] == [grown(1), grown(0)]

    def test_a_fork_counts_what_it_sees_of_a_namespace_that_was_pruned(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        inner.save({"n": 1}, id="n1")
        inner.save({"n": 2}, id="n2")
        thread.save({"n": 0})
        inner.delete_checkpoints(["n1"])
        thread.fork(to="f")
        forked = store.thread("f", "tool")
        assert [one.id for one in forked.history()] == ["n2"]
        forked.save({"n": 3}, id="n3")
        assert [one.id for one in forked.history()] == ["n3", "n2"]
        assert store.verify().faults == ()

    def test_a_fork_without_history_starts_with_empty_namespaces(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        both(thread, inner, 2)
        thread.fork(history=False, to="f")
        assert store.thread("f", "tool").latest() is None

    def test_deleting_a_fork_leaves_the_namespaces_of_the_origin(self, store: Store) -> None:
        thread, inner = store.thread("t"), store.thread("t", "tool")
        both(thread, inner, 2)
        before = everything(inner)
        fork = thread.fork(to="f")
        store.thread("f", "tool").save({"n": "f"})
        fork.delete()
        assert everything(inner) == before
        assert store.thread("f", "tool").latest() is None


def both(thread: AnyThread, inner: AnyThread, count: int) -> tuple[list[Any], list[Any]]:
    """An outer and an inner checkpoint in turn: the inner ones each belong to the outer one before them."""
    pairs = [(thread.save(grown(n)), inner.save(grown(n))) for n in range(count)]
    return [outer for outer, _ in pairs], [one for _, one in pairs]
