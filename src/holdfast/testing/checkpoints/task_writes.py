"""Pending writes and labels: what can be added to a checkpoint after it is saved."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast import Checkpoint, EncodeError, InvalidArgument, NotFound, PendingWrite, Store
from holdfast.testing.driver import AnyThread, StoreTests, grown, head, ids, loaded, save_chain


def pairs(found: Checkpoint[Any]) -> list[tuple[str, Any]]:
    return [(write.channel, write.value) for write in found.pending_writes]


class PendingWrites(StoreTests):
    def test_a_new_checkpoint_has_none(self, thread: AnyThread) -> None:
        a = thread.save({})
        thread.put_writes(a.id, [("w", 1)], task_id="x")
        thread.save({})
        assert head(thread).pending_writes == ()

    def test_writes_are_kept_with_their_checkpoint(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        thread.put_writes(a.id, [("x", {"k": [1]}), ("y", "v" * 90)], task_id="t", task_path="p")
        assert loaded(thread, a).pending_writes == (
            PendingWrite("t", 0, "x", {"k": [1]}, "p"),
            PendingWrite("t", 1, "y", "v" * 90, "p"),
        )
        assert loaded(thread, b).pending_writes == ()

    def test_writes_change_neither_the_state_nor_the_history(self, thread: AnyThread) -> None:
        saved = thread.save(grown(1))
        thread.put_writes(saved.id, [("n", 99)], task_id="t")
        assert head(thread).state == grown(1)
        assert thread.history() == [saved]

    def test_a_repeated_data_write_is_ignored(self, thread: AnyThread) -> None:
        saved = thread.save({})
        thread.put_writes(saved.id, [("a", 1), ("b", 2)], task_id="t")
        thread.put_writes(saved.id, [("a", 10), ("b", 20), ("c", 30)], task_id="t")
        assert pairs(head(thread)) == [("a", 1), ("b", 2), ("c", 30)]

    def test_a_repeated_data_write_of_another_channel_is_ignored(self, thread: AnyThread) -> None:
        saved = thread.save({})
        thread.put_writes(saved.id, [("a", 1, 5)], task_id="t")
        thread.put_writes(saved.id, [("b", 2, 5)], task_id="t", task_path="p")
        assert pairs(head(thread)) == [("a", 1)]

    def test_a_control_write_replaces(self, thread: AnyThread) -> None:
        saved = thread.save({})
        thread.put_writes(saved.id, [("error", "first", -1)], task_id="t")
        thread.put_writes(saved.id, [("interrupt", "second", -1)], task_id="t")
        assert pairs(head(thread)) == [("interrupt", "second")]

    def test_control_writes_of_different_index_stand_side_by_side(self, thread: AnyThread) -> None:
        saved = thread.save({})
        thread.put_writes(saved.id, [("a", 1, -1), ("b", 2, -2)], task_id="t")
        thread.put_writes(saved.id, [("c", 3, -3)], task_id="t")
        assert pairs(head(thread)) == [("c", 3), ("b", 2), ("a", 1)]

    def test_in_one_call_the_same_rules_hold(self, thread: AnyThread) -> None:
        saved = thread.save({})
        thread.put_writes(saved.id, [("a", 1, 0), ("b", 2, 0), ("c", 3, -1), ("d", 4, -1)], task_id="t")
        assert pairs(head(thread)) == [("d", 4), ("a", 1)]

    def test_tasks_do_not_get_in_each_others_way(self, thread: AnyThread) -> None:
        saved = thread.save({})
        for task in ("t2", "t1"):
            thread.put_writes(saved.id, [("a", task), ("b", task, -1)], task_id=task)
        assert pairs(head(thread)) == [("b", "t1"), ("a", "t1"), ("b", "t2"), ("a", "t2")]

    def test_writes_are_ordered_by_path_then_task_then_index(self, thread: AnyThread) -> None:
        saved = thread.save({})
        thread.put_writes(saved.id, [("4", 0, 10), ("3", 0, 9), ("2", 0, -1)], task_id="a", task_path="q")
        thread.put_writes(saved.id, [("5", 0)], task_id="b", task_path="q")
        thread.put_writes(saved.id, [("1", 0)], task_id="z", task_path="p")
        assert [write.channel for write in head(thread).pending_writes] == ["1", "2", "3", "4", "5"]

    def test_writes_may_be_put_on_an_older_checkpoint(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        thread.put_writes(saved[0].id, [("w", 1)], task_id="t")
        assert pairs(loaded(thread, saved[0])) == [("w", 1)]

    def test_an_unknown_checkpoint_is_not_found(self, store: Store, thread: AnyThread) -> None:
        with pytest.raises(NotFound):
            thread.put_writes("x", [("w", 1)], task_id="t")
        thread.save({})
        with pytest.raises(NotFound):
            thread.put_writes("x", [("w", 1)], task_id="t")
        with pytest.raises(NotFound):
            store.thread("main", "inner").put_writes(head(thread).id, [("w", 1)], task_id="t")
        assert head(thread).pending_writes == ()

    @pytest.mark.parametrize("entry", [("a",), ("a", 1, 2, 3), "ab", ("a", 1, "x"), (1, 2), ("a", 1, True)])
    def test_a_malformed_write_is_refused_and_nothing_of_the_call_is_kept(self, thread: AnyThread, entry: Any) -> None:
        saved = thread.save({})
        with pytest.raises(InvalidArgument):
            thread.put_writes(saved.id, [("fine", 1), entry], task_id="t")
        assert head(thread).pending_writes == ()

    def test_a_write_that_can_not_be_stored_names_the_place(self, thread: AnyThread) -> None:
        saved = thread.save({})
        with pytest.raises(EncodeError, match=r"writes\[1\]"):
            thread.put_writes(saved.id, [("fine", 1), ("bad", object())], task_id="t")
        assert head(thread).pending_writes == ()

    def test_writes_are_isolated_by_namespace(self, store: Store) -> None:
        for n, namespace in enumerate(("", "a", "b")):
            line = store.thread("t", namespace)
            line.save({}, id="same")
            line.put_writes("same", [("w", n)], task_id="t")
        for n, namespace in enumerate(("", "a", "b")):
            assert pairs(head(store.thread("t", namespace))) == [("w", n)]

    def test_writes_are_removed_with_their_checkpoint(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        thread.put_writes(b.id, [("w", 1)], task_id="t")
        thread.delete_checkpoints([b.id])
        assert head(thread).id == a.id
        assert head(thread).pending_writes == ()

    def test_writes_are_removed_with_their_thread(self, store: Store, thread: AnyThread) -> None:
        thread.save({}, id="same")
        thread.put_writes("same", [("w", 1)], task_id="t")
        thread.delete()
        fresh = store.thread("main", reuse=True)
        fresh.save({}, id="same")
        assert head(fresh).pending_writes == ()

    # ---------------------------------------------------------------- in forks

    def test_a_fork_sees_the_writes_of_what_it_sees(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2)
        thread.put_writes(a.id, [("w", 1)], task_id="t")
        thread.put_writes(b.id, [("w", 2)], task_id="t")
        fork = thread.fork(b.id)
        assert (pairs(loaded(fork, a)), pairs(loaded(fork, b))) == ([("w", 1)], [("w", 2)])

    def test_a_fork_puts_writes_for_itself(self, thread: AnyThread) -> None:
        saved = thread.save({})
        thread.put_writes(saved.id, [("a", 1, 0), ("c", 1, -1)], task_id="t")
        fork = thread.fork()
        fork.put_writes(saved.id, [("a", 2, 0), ("b", 2, 1), ("c", 2, -1)], task_id="t")
        assert pairs(head(fork)) == [("c", 2), ("a", 1), ("b", 2)]
        assert pairs(head(thread)) == [("c", 1), ("a", 1)]

    def test_a_fork_with_edits_has_no_writes_at_its_head(self, thread: AnyThread) -> None:
        saved = thread.save({"n": 1})
        thread.put_writes(saved.id, [("a", 1)], task_id="t")
        fork = thread.fork(edits={"n": 2})
        assert head(fork).pending_writes == ()
        assert pairs(loaded(fork, saved)) == [("a", 1)]

    def test_a_replaced_control_write_stays_in_an_earlier_fork(self, thread: AnyThread) -> None:
        saved = thread.save({})
        forks = []
        for n in range(3):
            thread.put_writes(saved.id, [("c", n, -1)], task_id="t")
            forks.append(thread.fork())
        assert [pairs(head(fork)) for fork in forks] == [[("c", 0)], [("c", 1)], [("c", 2)]]


class Labels(StoreTests):
    def test_a_label_may_be_given_changed_and_taken_away(self, thread: AnyThread) -> None:
        a, b = save_chain(thread, 2, label="first")
        for text in ("second", "", "third"):
            thread.label(a.id, text)
            assert loaded(thread, a).label == text
            assert [info.label for info in thread.history()] == ["first", text]
            assert [info.label for info in thread.lineage(b.id)] == ["first", text]

    def test_a_label_changes_nothing_else(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 2)
        thread.label(saved[1].id, "x")
        found = loaded(thread, saved[1])
        assert (found.digest, found.seq, found.parent_id) == (saved[1].digest, saved[1].seq, saved[0].id)
        assert thread.save({}).seq == 3

    def test_labels_are_per_thread(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 2)
        thread.label(saved[0].id, "before")
        fork = thread.fork()
        thread.label(saved[0].id, "origin")
        fork.label(saved[1].id, "fork")
        assert [info.label for info in thread.history()] == ["", "origin"]
        assert [info.label for info in fork.history()] == ["fork", "before"]

    def test_labels_are_per_namespace(self, store: Store) -> None:
        for namespace in ("", "a"):
            store.thread("t", namespace).save({}, id="same")
        store.thread("t", "a").label("same", "x")
        assert [head(store.thread("t", namespace)).label for namespace in ("", "a")] == ["", "x"]

    def test_labelling_an_unknown_checkpoint_is_not_found(self, thread: AnyThread) -> None:
        with pytest.raises(NotFound):
            thread.label("x", "y")
        thread.save({})
        with pytest.raises(NotFound):
            thread.label("x", "y")

    def test_a_label_survives_the_removal_of_its_neighbours(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        thread.label(saved[1].id, "kept")
        thread.delete_checkpoints([saved[0].id, saved[2].id])
        assert [(info.id, info.label) for info in thread.history()] == [(saved[1].id, "kept")]
        assert ids(thread.history(where={"label": "kept"})) == [saved[1].id]
