"""Statistics: what a store holds in total."""

from __future__ import annotations

from datetime import UTC, datetime

from holdfast import Retention, Store
from holdfast.testing.driver import StoreTests, ids, save_chain


class StoreStatistics(StoreTests):
    def test_an_empty_store(self, store: Store) -> None:
        found = store.stats()
        assert (found.threads, found.checkpoints, found.logical_bytes, found.largest, found.days) == (0, 0, 0, (), ())
        assert found.ratio == 0.0

    def test_sums(self, store: Store) -> None:
        before = datetime.now(UTC).date()
        saved = save_chain(store.thread("a"), 8) + save_chain(store.thread("b"), 3)
        inner = store.thread("b", "inner").save({"n": 1})
        found = store.stats()
        logical = sum(one.size for one in (*saved, inner))
        assert (found.threads, found.checkpoints, found.logical_bytes) == (2, 12, logical)
        assert found.stored_bytes == store.bytes_stored()
        assert found.ratio == logical / found.stored_bytes
        assert sum(one.checkpoints for one in found.days) == 12
        assert sum(one.bytes for one in found.days) == logical
        assert before <= found.days[0].day <= found.days[-1].day <= datetime.now(UTC).date()

    def test_the_largest_come_first(self, store: Store) -> None:
        for number in range(12):
            save_chain(store.thread(f"t{number:02}"), number + 1)
        found = store.stats().largest
        assert [one.id for one in found] == [f"t{number:02}" for number in range(11, 1, -1)]
        assert [one.checkpoints for one in found] == list(range(12, 2, -1))
        assert all(one.stored_bytes > 0 for one in found)
        assert found[0].logical_bytes == sum(one.size for one in store.thread("t11").history())

    def test_forks_count_what_they_saved_themselves(self, store: Store) -> None:
        saved = save_chain(store.thread("main"), 5)
        fork = store.thread("main").fork(saved[2].id, to="fork")
        own = fork.save({"n": "other"})
        found = store.stats()
        assert (found.threads, found.checkpoints) == (2, 6)
        by_id = {one.id: one for one in found.largest}
        assert (by_id["fork"].checkpoints, by_id["fork"].logical_bytes) == (1, own.size)
        assert by_id["fork"].stored_bytes == by_id["main"].stored_bytes  # they share

    def test_what_was_removed_does_not_count(self, store: Store) -> None:
        saved = save_chain(store.thread("t"), 10)
        save_chain(store.thread("gone"), 10)
        store.thread("t").fork(saved[-1].id, to="fork")
        store.thread("gone").delete()
        store.thread("t").prune(Retention(keep_last=4))
        left = store.thread("t").history(limit=None)
        assert ids(left) == ids(saved[:5:-1])
        found = store.stats()
        assert (found.threads, found.checkpoints) == (2, 4)
        assert found.logical_bytes == sum(one.size for one in left)
        assert [one.id for one in found.largest] == ["t"]
        store.collect()
        assert store.stats().checkpoints == 4

    def test_what_forks_show_of_a_deleted_thread_counts_for_the_first_of_them(self, store: Store) -> None:
        saved = save_chain(store.thread("main"), 10)
        store.thread("main").fork(saved[6].id, to="b").save({"n": "other"})
        store.thread("main").fork(saved[4].id, to="a")
        store.thread("main").delete()
        for _ in range(2):
            found = store.stats()
            by_id = {one.id: one for one in found.largest}
            assert (found.threads, found.checkpoints) == (2, 8)
            assert by_id["a"].logical_bytes == sum(one.size for one in saved[:5])
            assert by_id["b"].checkpoints == 3
            assert by_id["a"].stored_bytes == by_id["b"].stored_bytes > 0
            store.collect()

    def test_progress(self, store: Store) -> None:
        for name in "abc":
            store.thread(name).save({"n": 1})
        reports: list[tuple[int, int]] = []
        store.stats(lambda done, total: reports.append((done, total)))
        assert reports[-1] == (3, 3)
