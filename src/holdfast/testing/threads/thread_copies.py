"""Copying: all of a thread under another name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast import Conflict, Store
from holdfast.testing.driver import StoreTests, everything, grown, head, ids, save_chain


class ThreadCopies(StoreTests):
    def test_a_copy_has_every_checkpoint_with_the_same_ids(self, store: Store) -> None:
        thread = store.thread("a", metadata={"team": "red"})
        saved = save_chain(thread, 3, node="n", metadata={"k": 1})
        thread.save(grown(1), parent=saved[0].id)
        thread.put_writes(saved[1].id, [("w", 1), ("c", 2, -1)], task_id="x")
        thread.label(saved[2].id, "here")
        assert store.copy_thread("a", "b") is True
        copies = everything(store.thread("b"))
        assert [replace(found, thread_id="a", parent_thread_id=None) for found in copies] == [
            replace(found, parent_thread_id=None) for found in everything(thread)
        ]
        assert {found.thread_id for found in copies} == {"b"}

    def test_a_copy_has_the_metadata_and_status(self, store: Store) -> None:
        store.thread("a", metadata={"team": "red"}).save({}, status="paused")
        store.copy_thread("a", "b")
        found = store.threads(where={"team": "red", "status": "paused"})
        assert [info.id for info in found] == ["a", "b"]

    def test_a_fork_that_has_nothing_left_but_an_inner_namespace(self, store: Store) -> None:
        root = store.thread("a")
        root.save({"n": 0}, run_id="r1")
        inner = store.thread("a", "x").save({"n": 1})
        root.fork(to="b")
        store.thread("b").delete_run("r1")
        assert store.thread("b").latest() is None
        assert ids(store.thread("b", "x").history()) == [inner.id]
        assert store.copy_thread("b", "c") is True
        assert ids(store.thread("c", "x").history()) == [inner.id]
        store.thread("a").delete()
        assert store.collect().skipped == ()
        assert ids(store.thread("c", "x").history()) == [inner.id]
        assert store.verify().faults == ()

    def test_a_copy_has_all_namespaces(self, store: Store) -> None:
        for namespace in ("", "x", "x|y"):
            save_chain(store.thread("a", namespace), 2)
        store.copy_thread("a", "b")
        for namespace in ("", "x", "x|y"):
            assert ids(store.thread("b", namespace).history()) == ids(store.thread("a", namespace).history())
            assert head(store.thread("b", namespace)).state == grown(1)

    def test_a_copy_has_the_lineage(self, store: Store) -> None:
        thread = store.thread("a")
        saved = save_chain(thread, 3)
        branch = thread.save({}, parent=saved[0].id)
        store.copy_thread("a", "b")
        assert ids(store.thread("b").lineage(branch.id)) == [branch.id, saved[0].id]
        assert ids(store.thread("b").lineage(saved[2].id)) == ids(saved[::-1])

    def test_copy_and_original_are_independent(self, store: Store) -> None:
        one, other = store.thread("a"), store.thread("b")
        save_chain(one, 2)
        store.copy_thread("a", "b")
        one.save({"n": "a", "messages": [*grown(1)["messages"], "a" * 60]})
        other.save({"n": "b", "messages": [*grown(1)["messages"], "b" * 60]})
        assert head(one).state["messages"][-1] == "a" * 60
        assert head(other).state["messages"][-1] == "b" * 60
        assert (len(one.history()), len(other.history())) == (3, 3)
        assert head(other).seq == 3

    def test_the_next_checkpoint_of_a_copy_has_its_parent_in_the_copy(self, store: Store) -> None:
        store.thread("a").save({})
        store.copy_thread("a", "b")
        assert store.thread("b").save({}).parent_thread_id == "b"

    def test_the_next_checkpoint_of_a_copied_fork_has_its_parent_in_the_copy(self, store: Store) -> None:
        store.thread("a").save({})
        fork = store.thread("a").fork(to="f")
        last = fork.save({})
        store.copy_thread("f", "b")
        after = store.thread("b").save({})
        assert (after.parent_id, after.parent_thread_id) == (last.id, "b")

    def test_a_copy_outlives_the_original(self, store: Store) -> None:
        thread = store.thread("a")
        save_chain(thread, 3)
        save_chain(store.thread("a", "inner"), 2)
        store.copy_thread("a", "b")
        thread.delete()
        assert [found.state for found in everything(store.thread("b"))] == [grown(n) for n in (2, 1, 0)]
        assert [found.state for found in everything(store.thread("b", "inner"))] == [grown(1), grown(0)]

    def test_a_copy_of_a_fork_has_all_that_the_fork_sees(self, store: Store) -> None:
        thread = store.thread("a")
        saved = save_chain(thread, 3)
        save_chain(store.thread("a", "inner"), 2, origin=saved[0].id)
        fork = thread.fork(saved[1].id, to="f")
        after = fork.save(grown(2))
        store.copy_thread("f", "b")
        thread.delete()
        fork.delete()
        assert ids(store.thread("b").history()) == [after.id, saved[1].id, saved[0].id]
        assert [found.state for found in everything(store.thread("b"))] == [grown(n) for n in (2, 1, 0)]
        assert [found.state for found in everything(store.thread("b", "inner"))] == [grown(1), grown(0)]

    def test_a_copy_of_a_copy_of_a_copy(self, store: Store) -> None:
        save_chain(store.thread("a"), 2)
        for n, (one, other) in enumerate([("a", "b"), ("b", "c"), ("c", "d")]):
            store.copy_thread(one, other)
            store.thread(other).save(grown(2 + n))
        assert [found.state for found in everything(store.thread("d"))] == [grown(n) for n in (4, 3, 2, 1, 0)]

    def test_a_copy_does_not_have_what_was_removed(self, store: Store) -> None:
        saved = save_chain(store.thread("a"), 3)
        store.thread("a").delete_checkpoints([saved[1].id])
        store.copy_thread("a", "b")
        assert ids(store.thread("b").history()) == [saved[2].id, saved[0].id]
        assert head(store.thread("b")).parent_id == saved[0].id

    def test_a_target_that_exists_is_a_conflict(self, store: Store) -> None:
        store.thread("a").save({"n": 1})
        store.thread("b").save({"n": 2})
        for target in ("b", "a"):
            with pytest.raises(Conflict):
                store.copy_thread("a", target)
        assert [found.state for found in everything(store.thread("b"))] == [{"n": 2}]

    def test_copying_nothing_is_a_no_op(self, store: Store) -> None:
        assert store.copy_thread("missing", "b") is False
        assert store.thread("b").info() is None
        thread = store.thread("a")
        thread.delete_checkpoints([thread.save({}).id])
        assert store.copy_thread("a", "b") is False
        assert store.threads() == []
