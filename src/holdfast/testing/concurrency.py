"""Concurrent writers: nothing is lost, numbers have no gaps, and one of two rivals wins."""

from __future__ import annotations

from typing import Any

from holdfast import Conflict, Deleted, Store
from holdfast.testing.driver import AnyThread, StoreTests, at_once, everything, grown, head, ids, save_chain

WORKERS = 8
EACH = 6


def attempt(call: Any, *refusals: type[Exception]) -> Any:
    try:
        return call()
    except refusals as error:
        return error


class Concurrency(StoreTests):
    def test_eight_writers_lose_nothing_and_numbers_grow_by_one(self, thread: AnyThread) -> None:
        def work(worker: int) -> list[Any]:
            return [thread.save({"worker": worker, "n": n, "text": f"{worker} {n} " * 20}) for n in range(EACH)]

        saved = [info for part in at_once(WORKERS, work) for info in part]
        found = everything(thread)
        assert [info.seq for info in found] == list(range(WORKERS * EACH, 0, -1))
        assert {info.id for info in found} == {info.id for info in saved}
        assert {(info.state["worker"], info.state["n"]) for info in found} == {
            (worker, n) for worker in range(WORKERS) for n in range(EACH)
        }
        assert all(info.state["text"] == f"{info.state['worker']} {info.state['n']} " * 20 for info in found)

    def test_eight_writers_make_one_chain(self, thread: AnyThread) -> None:
        at_once(WORKERS, lambda worker: [thread.save({"n": n}) for n in range(EACH)])
        found = thread.history(limit=None)
        assert [info.parent_id for info in found] == [*ids(found[1:]), None]
        assert [info.step for info in found] == list(range(WORKERS * EACH - 1, -1, -1))
        times = [info.created_at for info in found]
        assert times == sorted(times, reverse=True)

    def test_eight_handles_start_one_thread(self, store: Store) -> None:
        at_once(WORKERS, lambda worker: store.thread("t", metadata={f"k{worker}": 1}).save({"n": worker}))
        assert [info.seq for info in store.thread("t").history()] == list(range(WORKERS, 0, -1))
        (info,) = store.threads()
        assert set(info.metadata) == {f"k{n}" for n in range(WORKERS)}

    def test_eight_threads_side_by_side(self, store: Store) -> None:
        at_once(WORKERS, lambda worker: save_chain(store.thread(f"t{worker}"), EACH))
        for worker in range(WORKERS):
            assert [found.state for found in everything(store.thread(f"t{worker}"))] == [
                grown(n) for n in range(EACH - 1, -1, -1)
            ]

    def test_eight_namespaces_of_one_thread(self, store: Store) -> None:
        at_once(WORKERS, lambda worker: save_chain(store.thread("t", f"n{worker}"), EACH))
        for worker in range(WORKERS):
            assert [info.seq for info in store.thread("t", f"n{worker}").history()] == list(range(EACH, 0, -1))
        assert len(store.threads()) == 1

    def test_of_eight_writers_that_expect_the_same_head_one_wins(self, thread: AnyThread) -> None:
        first = thread.save({"n": "first"})

        def work(worker: int) -> Any:
            return attempt(lambda: thread.save({"n": worker}, expect_head=first.id), Conflict)

        outcomes = at_once(WORKERS, work)
        winners = [one for one in outcomes if not isinstance(one, Conflict)]
        assert len(winners) == 1
        assert {one.actual for one in outcomes if isinstance(one, Conflict)} == {winners[0].id}
        assert ids(thread.history()) == [winners[0].id, first.id]

    def test_of_eight_writers_that_expect_no_head_one_wins(self, store: Store) -> None:
        def work(worker: int) -> Any:
            return attempt(lambda: store.thread("t").save({"n": worker}, expect_head=""), Conflict)

        assert sum(isinstance(one, Conflict) for one in at_once(WORKERS, work)) == WORKERS - 1
        assert len(store.thread("t").history()) == 1

    def test_the_same_id_eight_times_is_one_checkpoint(self, thread: AnyThread) -> None:
        outcomes = at_once(WORKERS, lambda worker: thread.save(grown(3), id="same"))
        assert len(set(ids(outcomes))) == len({info.seq for info in outcomes}) == 1
        assert ids(thread.history()) == ["same"]

    def test_the_same_id_with_eight_states_is_one_checkpoint(self, thread: AnyThread) -> None:
        def work(worker: int) -> Any:
            return attempt(lambda: thread.save({"n": worker}, id="same"), Conflict)

        assert sum(isinstance(one, Conflict) for one in at_once(WORKERS, work)) == WORKERS - 1
        assert len(thread.history()) == 1

    def test_of_eight_forks_to_one_name_one_wins(self, store: Store, thread: AnyThread) -> None:
        save_chain(thread, 2)
        outcomes = at_once(WORKERS, lambda worker: attempt(lambda: thread.fork(to="f", edits={"n": worker}), Conflict))
        assert sum(isinstance(one, Conflict) for one in outcomes) == WORKERS - 1
        assert len(store.thread("f").history()) == 3

    def test_forks_while_the_origin_is_written_are_whole(self, thread: AnyThread) -> None:
        save_chain(thread, 1)

        def work(worker: int) -> Any:
            if worker % 2:
                return [thread.fork() for _ in range(EACH)]
            return [thread.save(grown(n)) for n in range(EACH)]

        forks = [one for part in at_once(WORKERS, work)[1::2] for one in part]
        origin = {found.id: found.state for found in everything(thread)}
        for fork in forks:
            found = everything(fork)
            assert [one.seq for one in found] == list(range(len(found), 0, -1))
            assert all(one.state == origin[one.id] for one in found)

    def test_writes_of_eight_tasks_are_all_kept(self, thread: AnyThread) -> None:
        saved = thread.save({})

        def work(worker: int) -> None:
            thread.put_writes(saved.id, [(f"c{n}", worker) for n in range(EACH)], task_id=f"t{worker}")

        at_once(WORKERS, work)
        assert len(head(thread).pending_writes) == WORKERS * EACH

    def test_the_same_write_eight_times_is_one(self, thread: AnyThread) -> None:
        saved = thread.save({})
        at_once(WORKERS, lambda worker: thread.put_writes(saved.id, [("c", worker)], task_id="t"))
        (first,) = head(thread).pending_writes
        assert first.value in range(WORKERS)

    def test_writers_of_a_thread_that_is_deleted_are_refused(self, store: Store, thread: AnyThread) -> None:
        save_chain(thread, 2)

        def work(worker: int) -> Any:
            if worker == 0:
                return store.thread("main").delete()
            handle = store.thread("main")
            return attempt(lambda: [handle.save({"n": n}) for n in range(EACH)], Deleted)

        at_once(WORKERS, work)
        assert store.threads() == []
        assert store.thread("main").latest() is None

    def test_labels_and_removals_beside_saves(self, thread: AnyThread) -> None:
        saved = save_chain(thread, WORKERS)

        def work(worker: int) -> Any:
            if worker % 3 == 0:
                return thread.delete_checkpoints([saved[worker].id])
            if worker % 3 == 1:
                return thread.label(saved[worker].id, f"l{worker}")
            return thread.save(grown(worker))

        at_once(WORKERS, work)
        left = {info.id: info.label for info in thread.history()}
        assert len(left) == WORKERS - 3 + 2
        assert [left.get(one.id) for one in saved] == [
            None if n % 3 == 0 else f"l{n}" if n % 3 == 1 else "" for n in range(WORKERS)
        ]
