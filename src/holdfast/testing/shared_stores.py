"""Stores that several handles open at once, and that outlive all of them."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast import Conflict, Deleted, Store, extend
from holdfast.testing.driver import (
    AnyThread,
    Opener,
    StoreTests,
    at_once,
    everything,
    grown,
    head,
    ids,
    loaded,
    save_chain,
)


class ReopenedStores(StoreTests):
    def test_all_survives_a_new_handle(self, opened: Opener) -> None:
        first = opened()
        thread = first.thread("t", metadata={"team": "red"})
        saved = save_chain(thread, 75, node="n", metadata={"k": 1}, extra={"v": 1})
        thread.put_writes(saved[3].id, [("w", 1)], task_id="x")
        thread.label(saved[2].id, "here")
        thread.delete_checkpoints([saved[1].id])
        thread.fork(saved[70].id, to="f").save(grown(7))
        first.thread("t", "inner").save(grown(2))
        before = [everything(first.thread(*place)) for place in (("t", ""), ("f", ""), ("t", "inner"))]
        listed = first.threads()
        first.close()
        second = opened()
        assert [everything(second.thread(*place)) for place in (("t", ""), ("f", ""), ("t", "inner"))] == before
        assert second.threads() == listed

    def test_a_thread_continues_in_a_new_handle(self, opened: Opener) -> None:
        for n in range(6):
            store = opened()
            store.thread("t").save(grown(n))
            store.close()
        found = everything(opened().thread("t"))
        assert [(one.seq, one.state) for one in found] == [(n + 1, grown(n)) for n in range(5, -1, -1)]

    def test_deleted_stays_deleted_in_a_new_handle(self, opened: Opener) -> None:
        store = opened()
        store.thread("t").save({})
        store.thread("t").delete()
        store.close()
        again = opened()
        with pytest.raises(Deleted):
            again.thread("t").save({})
        again.thread("t", reuse=True).save({"n": "new"})
        assert head(again.thread("t")).state == {"n": "new"}


class SharedStores(StoreTests):
    @pytest.fixture
    def other(self, opened: Opener, store: Store) -> Store:
        """A second handle on the same store."""
        return opened()

    def test_two_handles_see_each_others_writes(self, store: Store, other: Store) -> None:
        one, two = store.thread("t"), other.thread("t")
        for n in range(0, 8, 2):
            one.save(grown(n))
            assert head(two).state == grown(n)
            two.save(grown(n + 1))
            assert head(one).state == grown(n + 1)
        assert [info.seq for info in one.history()] == list(range(8, 0, -1))
        assert everything(one) == everything(two)

    def test_a_writer_counts_from_what_another_handle_has_collected(self, store: Store, other: Store) -> None:
        thread = store.thread("t")
        saved = [thread.save(grown(n)) for n in range(3)]
        other.thread("t").delete_checkpoints([saved[0].id])
        thread.save(grown(3))
        other.collect()
        late = [thread.save(grown(n)) for n in (4, 5)]
        below = thread.fork(late[1].id, to="fork").fork(late[0].id, to="below")
        assert [one.checkpoints for one in other.threads()] == [4, 5, 5]
        assert len(below.history()) == 4
        assert store.verify().faults == ()

    def test_an_update_sees_what_another_handle_saved(self, store: Store, other: Store) -> None:
        one, two = store.thread("t"), other.thread("t")
        one.save({"items": ["first " * 10]})
        for n in range(4):
            for line in (one, two):
                line.update({"items": [f"{n} " * 20]}, reduce={"items": extend})
        assert len(head(one).state["items"]) == 9

    def test_an_expected_head_is_compared_with_what_another_handle_saved(self, store: Store, other: Store) -> None:
        first = store.thread("t").save({})
        second = other.thread("t").save({})
        with pytest.raises(Conflict) as caught:
            store.thread("t").save({}, expect_head=first.id)
        assert caught.value.actual == second.id
        assert store.thread("t").save({}, expect_head=second.id).seq == 3

    def test_the_same_id_from_another_handle_is_the_same(self, store: Store, other: Store) -> None:
        first = store.thread("t").save(grown(1), id="a")
        assert other.thread("t").save(grown(1), id="a") == first
        with pytest.raises(Conflict):
            other.thread("t").save(grown(2), id="a")

    def test_the_origin_is_where_another_handle_left_the_enclosing_namespace(self, store: Store, other: Store) -> None:
        store.thread("t").save({})
        last = other.thread("t").save({})
        assert store.thread("t", "inner").save({}).origin == last.id

    def test_a_delete_reaches_other_handles(self, store: Store, other: Store) -> None:
        one, inner = store.thread("t"), store.thread("t", "inner")
        one.save({})
        inner.save({})
        other.thread("t").delete()
        assert (one.latest(), inner.latest()) == (None, None)
        for late in (one, inner):
            with pytest.raises(Deleted):
                late.save({})

    def test_a_delete_under_forks_reaches_other_handles(self, store: Store, other: Store) -> None:
        one = store.thread("t")
        save_chain(one, 2)
        fork = one.fork(to="f")
        other.thread("t").delete()
        with pytest.raises(Deleted):
            one.save({})
        assert [found.state for found in everything(fork)] == [grown(1), grown(0)]

    def test_reuse_of_a_name_reaches_other_handles(self, store: Store, other: Store) -> None:
        one = store.thread("t")
        one.save({})
        other.thread("t").delete()
        other.thread("t", reuse=True).save({"n": "new"})
        with pytest.raises(Deleted):
            one.save({})
        assert store.thread("t").save({}).seq == 2

    def test_a_fork_in_another_handle_freezes_what_is_there(self, store: Store, other: Store) -> None:
        one = store.thread("t")
        saved = save_chain(one, 2)
        fork = other.thread("t").fork(to="f")
        one.save(grown(2))
        one.put_writes(saved[1].id, [("w", 1)], task_id="late")
        one.label(saved[0].id, "late")
        store.thread("t", "inner").save({}, origin=saved[1].id)
        found = everything(fork)
        assert [one.state for one in found] == [grown(1), grown(0)]
        assert all(not one.pending_writes and not one.label for one in found)
        assert other.thread("f", "inner").latest() is None

    def test_labels_writes_and_removals_reach_other_handles(self, store: Store, other: Store) -> None:
        one, two = store.thread("t"), other.thread("t")
        saved = save_chain(one, 3)
        assert head(two).id == saved[2].id
        two.label(saved[0].id, "x")
        two.put_writes(saved[0].id, [("w", 1)], task_id="t")
        two.delete_checkpoints([saved[2].id])
        assert (loaded(one, saved[0]).label, len(loaded(one, saved[0]).pending_writes)) == ("x", 1)
        after = one.save(grown(1))
        assert (after.parent_id, after.seq) == (saved[1].id, 4)
        assert everything(one) == everything(two)

    def test_eight_writers_through_two_handles_lose_nothing(self, store: Store, other: Store) -> None:
        def work(worker: int) -> Any:
            line: AnyThread = (store, other)[worker % 2].thread("t")
            return [line.save({"worker": worker, "n": n, "text": "x" * 60}) for n in range(5)]

        saved = [info for part in at_once(8, work) for info in part]
        found = store.thread("t").history(limit=None)
        assert [info.seq for info in found] == list(range(40, 0, -1))
        assert set(ids(found)) == set(ids(saved))
        assert everything(store.thread("t")) == everything(other.thread("t"))
