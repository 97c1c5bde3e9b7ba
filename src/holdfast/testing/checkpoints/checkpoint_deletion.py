"""Deleting checkpoints from a thread's view, while other threads may still see them."""

from __future__ import annotations

import pytest

from holdfast import ROOT, Conflict, Deleted, InvalidArgument, NotFound, Store
from holdfast.testing.driver import AnyThread, StoreTests, everything, grown, head, ids, loaded, save_chain


class CheckpointDeletion(StoreTests):
    def test_a_removed_checkpoint_is_not_found(self, thread: AnyThread) -> None:
        a, b, c = save_chain(thread, 3)
        assert thread.delete_checkpoints([b.id]) == 1
        assert thread.load(b.id) is None
        assert ids(thread.history()) == [c.id, a.id]
        assert ids(thread.lineage(c.id)) == [c.id, a.id]
        info = thread.info()
        assert info is not None
        assert info.checkpoints == 2

    def test_a_removed_checkpoint_can_not_be_used(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        thread.delete_checkpoints([a.id])
        for call in (
            lambda: thread.fork(a.id), lambda: thread.lineage(a.id), lambda: thread.label(a.id, "x"),
            lambda: thread.diff(a.id, b.id), lambda: thread.save({}, parent=a.id), lambda: thread.history(before=a.id),
            lambda: thread.put_writes(a.id, [("w", 1)], task_id="x"),
        ):  # fmt: skip
            with pytest.raises(NotFound):
                call()

    def test_survivors_keep_their_states(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 6)
        thread.delete_checkpoints([saved[0].id, saved[2].id, saved[3].id])
        assert [found.state for found in everything(thread)] == [grown(5), grown(4), grown(1)]

    def test_survivors_get_their_nearest_surviving_ancestor_as_parent(self, thread: AnyThread) -> None:
        a, b, c, d = save_chain(thread, 4)
        e = thread.save({}, parent=b.id)
        thread.delete_checkpoints([b.id, c.id])
        assert {info.id: info.parent_id for info in thread.history()} == {e.id: a.id, d.id: a.id, a.id: None}
        assert loaded(thread, d).parent_id == a.id

    def test_a_survivor_without_ancestors_is_a_root(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        thread.delete_checkpoints([a.id])
        found = loaded(thread, b)
        assert (found.parent_id, found.parent_thread_id) == (None, None)

    def test_survivors_keep_their_writes_and_labels(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        thread.put_writes(b.id, [("w", 1)], task_id="x")
        thread.label(b.id, "kept")
        thread.delete_checkpoints([a.id])
        found = loaded(thread, b)
        assert ([write.value for write in found.pending_writes], found.label) == ([1], "kept")

    def test_survivors_keep_their_digests_and_numbers(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        thread.delete_checkpoints([saved[0].id])
        assert [(info.seq, info.digest) for info in thread.history()] == [
            (info.seq, info.digest) for info in (saved[2], saved[1])
        ]

    def test_without_its_head_a_thread_is_at_the_one_before(self, thread: AnyThread) -> None:
        a, b, c = save_chain(thread, 3)
        thread.delete_checkpoints([c.id])
        assert head(thread).id == b.id
        info = thread.info()
        assert info is not None
        assert (info.head, info.step) == (b.id, 1)
        thread.delete_checkpoints([b.id])
        assert head(thread).id == a.id

    def test_without_its_head_a_thread_is_at_the_highest_number_left(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        branch = thread.save({}, parent=a.id)
        thread.delete_checkpoints([branch.id])
        assert head(thread).id == b.id

    @pytest.mark.parametrize("removed", [1, 2, 3])
    def test_a_thread_continues_after_its_head_was_removed(self, thread: AnyThread, removed: int) -> None:
        saved = save_chain(thread, 5)
        thread.delete_checkpoints(ids(saved[-removed:]))
        after = thread.save({"n": "after", "messages": [*grown(4 - removed)["messages"], "after " * 20]})
        assert (after.parent_id, after.seq) == (saved[4 - removed].id, 6)
        thread.save({"n": "more", "messages": [*grown(4 - removed)["messages"], "after " * 20, "more " * 20]})
        states = [found.state for found in everything(thread)]
        assert states[2:] == [grown(n) for n in range(4 - removed, -1, -1)]
        assert [state["messages"][-1] for state in states[:2]] == ["more " * 20, "after " * 20]

    def test_a_thread_continues_after_all_was_removed(self, store: Store, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        assert thread.delete_checkpoints(ids(saved)) == 3
        assert (thread.latest(), thread.history(), store.threads()) == (None, [], [])
        after = thread.save(grown(1), expect_head="")
        assert (after.parent_id, after.step, after.seq) == (None, 0, 4)
        assert [found.state for found in everything(thread)] == [grown(1)]

    def test_the_id_of_a_removed_checkpoint_is_free_or_refused_for_good(self, thread: AnyThread) -> None:
        thread.save(grown(1), id="a")
        thread.save(grown(2), id="b")
        thread.delete_checkpoints(["a"])
        try:
            thread.save(grown(3), id="a")
        except (Conflict, Deleted):
            assert ids(thread.history()) == ["b"]
        else:
            assert loaded(thread, "a").state == grown(3)

    def test_removing_nothing_is_a_no_op(self, thread: AnyThread) -> None:
        assert thread.delete_checkpoints(["x"]) == 0
        saved = thread.save({})
        assert thread.delete_checkpoints(["x"]) == 0
        assert thread.delete_checkpoints([]) == 0
        assert thread.delete_checkpoints([saved.id, saved.id, "x"]) == 1
        assert thread.delete_checkpoints([saved.id]) == 0

    def test_one_text_instead_of_a_list_is_refused(self, thread: AnyThread) -> None:
        saved = thread.save({}, id="a")
        with pytest.raises(InvalidArgument):
            thread.delete_checkpoints(saved.id)
        assert thread.load("a") is not None

    def test_removal_is_of_one_namespace(self, store: Store) -> None:
        outer, inner = store.thread("t"), store.thread("t", "inner")
        outer.save({}, id="same")
        inner.save({}, id="same")
        assert inner.delete_checkpoints(["same"]) == 1
        assert outer.load("same") is not None
        assert inner.latest() is None

    # ---------------------------------------------------------------- runs

    def test_a_run_is_removed_from_all_namespaces_of_a_thread(self, store: Store) -> None:
        outer, inner = store.thread("t"), store.thread("t", "inner")
        for run in ("r1", "r2"):
            outer.save({}, run_id=run)
            inner.save({}, run_id=run)
        assert outer.delete_run("r1") == 2
        assert [info.run_id for line in (outer, inner) for info in line.history()] == ["r2", "r2"]

    def test_a_record_without_a_run_is_never_touched(self, thread: AnyThread) -> None:
        saved = thread.save({})
        for run in ("", "None", "null"):
            assert thread.delete_run(run) == 0
        assert ids(thread.history()) == [saved.id]

    def test_removing_a_run_leaves_the_same_run_in_other_threads(self, store: Store) -> None:
        store.thread("a").save({}, run_id="r")
        store.thread("b").save({}, run_id="r")
        assert store.thread("a").delete_run("r") == 1
        assert len(store.thread("b").history()) == 1

    def test_a_store_removes_a_run_from_every_thread(self, store: Store) -> None:
        for name in ("a", "b", "c"):
            store.thread(name).save({}, run_id="r" if name != "c" else "other")
            store.thread(name, "inner").save({}, run_id="r")
            store.thread(name).save({})
        assert store.delete_run("r") == 5
        counts = [len(store.thread(name).history()) for name in ("a", "b", "c")]
        assert counts == [1, 1, 2]
        assert store.delete_run("r") == 0

    def test_a_store_removes_a_run_from_forks_and_copies_too(self, store: Store) -> None:
        thread = store.thread("t")
        thread.save({}, run_id="r")
        thread.save({}, run_id="kept")
        thread.fork(to="f").save({}, run_id="r")
        store.copy_thread("t", "c")
        thread.fork(to="g", history=False, edits={"n": 1})
        assert store.delete_run("r") == 4
        found = {name: [info.run_id for info in store.thread(name).history()] for name in ("t", "f", "c", "g")}
        assert found == {"t": ["kept"], "f": ["kept"], "c": ["kept"], "g": ["kept"]}

    def test_a_run_that_came_back_is_removed_whole(self, thread: AnyThread) -> None:
        for run in ("r", "s", "r", None, "r"):
            thread.save({}, run_id=run)
        assert thread.delete_run("r") == 3
        assert [info.run_id for info in thread.history()] == [None, "s"]

    def test_an_unknown_run_is_a_no_op(self, store: Store, thread: AnyThread) -> None:
        assert (thread.delete_run("x"), store.delete_run("x")) == (0, 0)
        thread.save({}, run_id="r")
        assert (thread.delete_run("x"), store.delete_run("x")) == (0, 0)

    # ---------------------------------------------------------------- under forks

    def test_a_fork_of_a_survivor_does_not_see_what_was_removed(self, thread: AnyThread) -> None:
        a, b, c = save_chain(thread, 3)
        thread.delete_checkpoints([b.id])
        fork = thread.fork(c.id)
        assert ids(fork.history()) == [c.id, a.id]
        assert fork.load(b.id) is None
        info = fork.info()
        assert info is not None
        assert info.checkpoints == 2

    def test_a_fork_may_lose_its_fork_point_and_continue(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        fork = thread.fork(saved[2].id)
        assert fork.delete_checkpoints([saved[2].id]) == 1
        assert head(fork).id == saved[1].id
        after = fork.save({"n": "f", "messages": [*grown(1)["messages"], "f" * 60]})
        assert (after.parent_id, after.seq) == (saved[1].id, 4)
        assert ids(fork.history()) == [after.id, saved[1].id, saved[0].id]
        assert head(fork).state["messages"] == [*grown(1)["messages"], "f" * 60]
        assert [found.state for found in everything(thread)] == [grown(n) for n in (2, 1, 0)]

    def test_a_root_in_the_middle_stays_a_root_when_things_are_removed(self, thread: AnyThread) -> None:
        a, _ = save_chain(thread, 2)
        root = thread.save({}, parent=ROOT)
        after = thread.save({})
        thread.delete_checkpoints([root.id])
        assert loaded(thread, after).parent_id is None
        assert thread.load(a.id) is not None
