"""Forking: a new thread that starts at a checkpoint of another and copies nothing."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast import Conflict, InvalidArgument, NotFound, Store
from holdfast.testing.driver import AnyThread, StoreTests, everything, grown, head, ids, loaded, save_chain


class ThreadForks(StoreTests):
    def test_a_fork_without_edits_writes_nothing_and_has_the_same_head(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 4)
        fork = thread.fork(saved[2].id)
        found = head(fork)
        assert (found.id, found.seq, found.state) == (saved[2].id, saved[2].seq, grown(2))
        assert ids(fork.history()) == ids(saved[2::-1])

    def test_checkpoints_of_a_fork_have_its_name(self, thread: AnyThread) -> None:
        save_chain(thread, 2)
        fork = thread.fork(to="f")
        assert (fork.id, fork.namespace, head(fork).thread_id) == ("f", "", "f")
        assert {info.thread_id for info in fork.history()} == {"f"}

    def test_a_fork_gets_a_name_if_none_is_given(self, thread: AnyThread) -> None:
        thread.save({})
        names = {thread.id, thread.fork().id, thread.fork().id}
        assert len(names) == 3

    def test_a_fork_of_a_thread_with_the_longest_name_gets_a_name(self, store: Store) -> None:
        thread = store.thread("x" * 1024)
        thread.save({"n": 1})
        fork = thread.fork()
        assert fork.id != thread.id
        assert head(store.thread(fork.id)).state == {"n": 1}

    def test_a_fork_starts_at_the_head_if_no_place_is_named(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        assert head(thread.fork()).id == saved[-1].id

    def test_a_fork_continues_independently(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        fork = thread.fork(saved[1].id, to="f")
        after = fork.save({"n": "fork", "messages": [*grown(1)["messages"], "y" * 60]})
        assert (after.parent_id, after.step, after.seq) == (saved[1].id, 2, 3)
        assert ids(fork.history()) == [after.id, saved[1].id, saved[0].id]
        assert ids(thread.history()) == ids(saved[::-1])
        assert [found.state for found in everything(thread)] == [grown(2), grown(1), grown(0)]

    def test_a_fork_sees_only_the_fork_points_lineage(self, thread: AnyThread) -> None:
        a, b, c = save_chain(thread, 3)
        branch = thread.save({}, parent=a.id)
        fork = thread.fork(branch.id)
        assert ids(fork.history()) == ids([branch, a])
        assert (fork.load(b.id), fork.load(c.id)) == (None, None)

    def test_a_fork_counts_what_it_sees(self, thread: AnyThread) -> None:
        a, b, _ = save_chain(thread, 3)
        branch = thread.save({}, parent=b.id)
        for point, count in ((a, 1), (b, 2), (branch, 3)):
            info = thread.fork(point.id).info()
            assert info is not None
            assert info.checkpoints == count

    def test_an_unknown_fork_point_is_not_found(self, store: Store, thread: AnyThread) -> None:
        thread.save({})
        with pytest.raises(NotFound):
            thread.fork("x", to="f")
        assert store.thread("f").info() is None

    def test_forking_an_empty_thread_is_not_found(self, thread: AnyThread) -> None:
        with pytest.raises(NotFound):
            thread.fork()

    def test_an_existing_target_is_a_conflict(self, store: Store, thread: AnyThread) -> None:
        thread.save({"n": 1})
        store.thread("f").save({"n": 2})
        for edits in (None, {"n": 3}):
            with pytest.raises(Conflict):
                thread.fork(to="f", edits=edits)
        with pytest.raises(Conflict):
            thread.fork(to="main")
        assert everything(store.thread("f"))[0].state == {"n": 2}

    def test_a_fork_is_made_from_the_root_namespace(self, store: Store) -> None:
        store.thread("t").save({})
        store.thread("t", "inner").save({})
        with pytest.raises(InvalidArgument, match="namespace"):
            store.thread("t", "inner").fork()

    def test_a_fork_has_the_threads_metadata(self, store: Store) -> None:
        thread = store.thread("t", metadata={"team": "red", "n": 1})
        thread.save({})
        thread.fork(to="f")
        info = store.thread("f").info()
        assert info is not None
        assert dict(info.metadata) == {"team": "red", "n": 1}
        assert [one.id for one in store.threads(where={"team": "red"})] == ["f", "t"]

    def test_a_fork_is_listed_with_the_status_of_the_fork_point(self, store: Store) -> None:
        thread = store.thread("t")
        point = thread.save({}, status="paused")
        thread.save({}, status="completed")
        thread.fork(point.id, to="f")
        assert [one.id for one in store.threads(where={"status": "paused"})] == ["f"]

    def test_a_fork_keeps_the_state_class(self, thread: AnyThread) -> None:
        thread.save({"n": 1})
        assert head(thread.fork()).state == {"n": 1}

    def test_the_first_checkpoint_of_a_fork_names_the_thread_it_came_from(self, thread: AnyThread) -> None:
        point = thread.save({})
        fork = thread.fork(to="f")
        first, second = fork.save({"n": 1}), fork.save({"n": 2})
        assert (first.parent_id, first.parent_thread_id) == (point.id, "main")
        assert (second.parent_id, second.parent_thread_id) == (first.id, "f")

    def test_a_lineage_goes_through_forks(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        fork = thread.fork(saved[1].id)
        first = fork.save({})
        second = fork.fork(first.id).save({})
        inner = fork.fork(first.id)
        last = inner.save({})
        assert ids(inner.lineage(last.id)) == [last.id, first.id, saved[1].id, saved[0].id]
        assert second.id != last.id

    def test_a_branch_in_a_fork_may_start_at_what_it_inherited(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 4)
        fork = thread.fork(saved[3].id)
        fork.save(grown(4))
        branch = fork.save({"n": "b", "messages": [*grown(1)["messages"], "z" * 60]}, parent=saved[1].id)
        assert ids(fork.lineage(branch.id)) == [branch.id, saved[1].id, saved[0].id]
        assert loaded(fork, branch).state["messages"][-1] == "z" * 60
        assert [found.state for found in everything(thread)] == [grown(n) for n in (3, 2, 1, 0)]


class ForksWithEdits(StoreTests):
    def test_edits_write_exactly_one_checkpoint(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        fork = thread.fork(saved[1].id, edits={"n": "edited"}, to="f")
        found = head(fork)
        assert found.state == {**grown(1), "n": "edited"}
        assert ids(fork.history()) == [found.id, saved[1].id, saved[0].id]
        assert (found.source, found.step, found.parent_id) == ("fork", saved[1].step, saved[1].id)
        assert (found.parent_thread_id, found.thread_id) == ("main", "f")

    def test_edits_change_only_the_fork(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        before = everything(thread)
        thread.fork(saved[1].id, edits={"messages": ["edited"], "new": 1})
        assert everything(thread) == before

    def test_edits_may_add_a_channel(self, thread: AnyThread) -> None:
        thread.save({"a": 1})
        assert head(thread.fork(edits={"b": 2})).state == {"a": 1, "b": 2}

    def test_a_fork_with_edits_keeps_the_position_of_the_fork_point(self, thread: AnyThread) -> None:
        thread.save({"a": 1}, node="plan", next=("act",), status="paused")
        found = head(thread.fork(edits={"a": 2}))
        assert (found.node, found.next, found.status) == ("plan", ("act",), "paused")

    def test_no_edits_at_all_write_nothing(self, thread: AnyThread) -> None:
        point = thread.save({"a": 1})
        assert head(thread.fork(edits={})).id == point.id

    def test_without_history_there_is_exactly_one_checkpoint(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        fork = thread.fork(saved[1].id, history=False, to="f")
        (only,) = everything(fork)
        assert (only.state, only.source, only.step) == (grown(1), "fork", saved[1].step)
        assert (only.parent_id, only.parent_thread_id) == (saved[1].id, "main")
        assert only.id != saved[1].id
        assert fork.load(saved[1].id) is None

    def test_without_history_the_lineage_is_one_long(self, thread: AnyThread) -> None:
        save_chain(thread, 3)
        fork = thread.fork(history=False)
        assert ids(fork.lineage(head(fork).id)) == [head(fork).id]
        info = fork.info()
        assert info is not None
        assert info.checkpoints == 1

    def test_without_history_and_with_edits_there_is_still_one(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        fork = thread.fork(saved[1].id, history=False, edits={"n": "edited"})
        (only,) = everything(fork)
        assert only.state == {**grown(1), "n": "edited"}

    def test_a_fork_without_history_continues_independently(self, thread: AnyThread) -> None:
        save_chain(thread, 3)
        fork = thread.fork(history=False)
        first = head(fork)
        for n in range(3, 6):
            fork.save(grown(n))
        assert [found.state for found in everything(fork)] == [grown(n) for n in (5, 4, 3, 2)]
        assert fork.history()[-2].parent_id == first.id
        assert [found.state for found in everything(thread)] == [grown(n) for n in (2, 1, 0)]

    def test_after_edits_of_a_long_value_both_threads_continue(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        edited: dict[str, Any] = {"messages": [*grown(1)["messages"], "edited " * 20]}
        fork = thread.fork(saved[1].id, edits=edited)
        fork.save({"n": 9, "messages": [*edited["messages"], "on " * 30]})
        thread.save(grown(3))
        assert head(fork).state["messages"] == [*edited["messages"], "on " * 30]
        assert [found.state for found in everything(thread)] == [grown(n) for n in (3, 2, 1, 0)]
