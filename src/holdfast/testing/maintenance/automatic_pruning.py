"""Retention that a thread applies by itself as it is written."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holdfast import InvalidArgument, Retention, Store
from holdfast.testing.driver import StoreTests, grown, ids, loaded

WINDOW = Retention(keep_last=20)


class AutomaticPruning(StoreTests):
    def test_a_thread_never_grows_far_past_what_is_kept(self, store: Store) -> None:
        thread = store.thread("t", retention=WINDOW)
        saved = [thread.save(grown(n)) for n in range(100)]
        assert 20 <= len(thread.history(limit=None)) < 30
        assert ids(thread.history(limit=20)) == [one.id for one in reversed(saved[-20:])]
        assert loaded(thread, saved[-20]).state == grown(80)
        assert store.verify().faults == ()

    def test_what_is_asked_for_once_stays(self, store: Store) -> None:
        store.thread("t", retention=WINDOW).save({"n": 0})
        other = store.thread("t")
        for n in range(1, 100):
            other.save({"n": n})
        assert len(other.history(limit=None)) < 30

    def test_a_new_policy_replaces_the_old_one(self, store: Store) -> None:
        store.thread("t", retention=WINDOW).save({"n": 0})
        thread = store.thread("t", retention=Retention(keep_lineage=True))
        for n in range(1, 100):
            thread.save({"n": n})
        assert len(thread.history(limit=None)) == 100

    def test_the_rules_that_always_hold_hold(self, store: Store) -> None:
        thread = store.thread("t", retention=WINDOW)
        labelled = thread.save({"n": 0}, label="approved")
        for n in range(1, 80):
            thread.save({"n": n})
        assert loaded(thread, labelled).label == "approved"

    def test_forks_have_the_same_terms_and_keep_what_they_see(self, store: Store) -> None:
        thread = store.thread("t", retention=WINDOW)
        for n in range(30):
            thread.save({"n": n})
        fork = thread.fork(to="fork")
        seen = ids(fork.history(limit=None))
        for n in range(30, 100):
            thread.save({"n": n})
        assert ids(fork.history(limit=None)) == seen
        for n in range(100):
            fork.save({"n": n})
        assert len(fork.history(limit=None)) < 30

    def test_the_journal_is_pruned_too(self, store: Store) -> None:
        thread = store.thread("t", retention=WINDOW)
        for n in range(100):
            thread.journal.append("event", {"n": n})
            thread.save({"n": n})
        assert len(thread.journal.read(limit=None)) < 30
        assert store.verify().faults == ()

    def test_each_namespace_is_pruned_alone_and_calls_with_their_origin(self, store: Store) -> None:
        root = store.thread("t", retention=WINDOW)
        inner = store.thread("t", "inner")
        for n in range(60):
            origin = root.save({"n": n})
            inner.save({"n": n})
            store.thread("t", f"call:{n}").save({"n": n}, origin=origin.id)
        assert len(inner.history(limit=None)) < 30
        assert store.thread("t", "call:0").latest() is None
        assert store.thread("t", "call:59").latest() is not None

    def test_old_checkpoints_are_removed_by_age(self, store: Store) -> None:
        thread = store.thread("t", retention=Retention(max_age=timedelta(0)))
        for n in range(130):
            thread.save({"n": n})
        assert len(thread.history(limit=None)) <= 64

    def test_an_empty_policy_is_refused(self, store: Store) -> None:
        with pytest.raises(InvalidArgument):
            store.thread("t", retention=Retention())

    def test_the_policy_is_not_metadata(self, store: Store) -> None:
        thread = store.thread("t", metadata={"user": "ada"}, retention=WINDOW)
        thread.save({"n": 0})
        assert [info.metadata for info in store.threads(where={"user": "ada"})] == [{"user": "ada"}]
        store.thread("t", metadata={"plan": "pro"}).save({"n": 1})
        assert store.threads()[0].metadata == {"user": "ada", "plan": "pro"}
        store.copy_thread("t", "copy")
        assert store.threads(prefix="copy")[0].metadata == {"user": "ada", "plan": "pro"}
        assert store.verify().faults == ()
