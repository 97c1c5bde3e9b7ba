"""A fork does not change, whatever happens to the thread that it came from, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

import holdfast
from holdfast import ROOT, CheckpointInfo, Store
from holdfast.testing.driver import AnyThread, StoreTests, everything, grown, head, ids, loaded, save_chain

Change = Callable[[AnyThread, list[CheckpointInfo]], Any]

CHANGES: Final[dict[str, Change]] = {
    "saves": lambda t, c: [t.save(grown(n)) for n in (4, 5, 6)],
    "saves hundreds": lambda t, c: [t.save({"n": n, "messages": grown(3)["messages"] + ["x" * n]}) for n in range(130)],
    "updates": lambda t, c: t.update({"messages": ["more " * 20]}, reduce={"messages": holdfast.extend}),
    "branches off": lambda t, c: t.save({"messages": [*grown(1)["messages"], "b" * 70]}, parent=c[1].id),
    "starts a root": lambda t, c: t.save(grown(1), parent=ROOT),
    "is deleted": lambda t, c: t.delete(),
    "loses its head": lambda t, c: t.delete_checkpoints([c[3].id]),
    "loses the fork point": lambda t, c: t.delete_checkpoints([c[2].id]),
    "loses the fork point's parent": lambda t, c: t.delete_checkpoints([c[1].id]),
    "loses its root": lambda t, c: t.delete_checkpoints([c[0].id]),
    "loses everything": lambda t, c: t.delete_checkpoints(ids(c)),
    "loses its run": lambda t, c: t.delete_run("r"),
    "labels the fork point": lambda t, c: t.label(c[2].id, "changed"),
    "labels an ancestor": lambda t, c: t.label(c[0].id, "changed"),
    "takes a label away": lambda t, c: t.label(c[1].id, ""),
    "gets a write": lambda t, c: t.put_writes(c[2].id, [("late", "w" * 50)], task_id="late"),
    "gets a write at an ancestor": lambda t, c: t.put_writes(c[1].id, [("late", 1)], task_id="late"),
    "gets a control write": lambda t, c: t.put_writes(c[2].id, [("control", "new", -1)], task_id="early"),
    "gets another control write": lambda t, c: t.put_writes(c[2].id, [("other", "new", -2)], task_id="early"),
    "gets a data write again": lambda t, c: t.put_writes(c[2].id, [("data", "new", 0)], task_id="early"),
    "is forked": lambda t, c: [t.fork(c[n].id).save(grown(7)) for n in range(4)],
    "loses its head and saves": lambda t, c: [t.delete_checkpoints([c[3].id]), t.save({"messages": ["z" * 99]})],
    "loses two and saves": lambda t, c: [t.delete_checkpoints(ids(c[2:])), t.save({"messages": ["z" * 99]}), t.save(grown(5))],
}  # fmt: skip


def prepared(thread: AnyThread) -> list[CheckpointInfo]:
    """Four checkpoints with a label and pending writes in the middle."""
    saved = save_chain(thread, 4, run_id="r")
    thread.label(saved[1].id, "early")
    thread.put_writes(saved[2].id, [("data", "old", 0), ("control", "old", -1)], task_id="early")
    return saved


@pytest.mark.parametrize("change", list(CHANGES))
class Freezing(StoreTests):
    def test_a_fork_does_not_change_when_its_origin(self, store: Store, thread: AnyThread, change: str) -> None:
        saved = prepared(thread)
        fork = thread.fork(saved[2].id, to="f")
        before = everything(fork), fork.info(), fork.lineage(saved[2].id)
        CHANGES[change](thread, saved)
        assert (everything(fork), fork.info(), fork.lineage(saved[2].id)) == before
        assert [found.state for found in before[0]] == [grown(n) for n in (2, 1, 0)]

    def test_a_fork_of_the_head_does_not_change_when_its_origin(self, thread: AnyThread, change: str) -> None:
        saved = prepared(thread)
        fork = thread.fork(to="f")
        before = everything(fork), fork.info()
        CHANGES[change](thread, saved)
        assert (everything(fork), fork.info()) == before
        assert [found.state for found in before[0]] == [grown(n) for n in (3, 2, 1, 0)]

    def test_a_fork_that_went_on_does_not_change_when_its_origin(self, thread: AnyThread, change: str) -> None:
        saved = prepared(thread)
        fork = thread.fork(saved[2].id, edits={"n": "edited"}, to="f")
        fork.save({"n": "on", "messages": [*grown(2)["messages"], "on " * 30]})
        before = everything(fork), fork.info()
        CHANGES[change](thread, saved)
        assert (everything(fork), fork.info()) == before

    def test_an_origin_does_not_change_when_its_fork(self, thread: AnyThread, change: str) -> None:
        saved = prepared(thread)
        fork = thread.fork(to="f")
        before = everything(thread), thread.info(), thread.lineage(saved[3].id)
        CHANGES[change](fork, saved)
        assert (everything(thread), thread.info(), thread.lineage(saved[3].id)) == before
        assert [found.state for found in before[0]] == [grown(n) for n in (3, 2, 1, 0)]

    def test_a_fork_of_a_fork_does_not_change_when_the_middle(self, thread: AnyThread, change: str) -> None:
        saved = prepared(thread)
        middle = thread.fork(to="m")
        fork = middle.fork(saved[2].id, to="f")
        before = everything(fork), fork.info()
        CHANGES[change](middle, saved)
        assert (everything(fork), fork.info()) == before

    def test_a_fork_of_a_fork_does_not_change_when_the_origin(self, thread: AnyThread, change: str) -> None:
        saved = prepared(thread)
        fork = thread.fork(to="m").fork(saved[2].id, to="f")
        before = everything(fork), fork.info()
        CHANGES[change](thread, saved)
        assert (everything(fork), fork.info()) == before

    def test_siblings_do_not_change_when_a_fork(self, thread: AnyThread, change: str) -> None:
        saved = prepared(thread)
        one, other = thread.fork(to="f"), thread.fork(to="g")
        before = everything(other), other.info()
        CHANGES[change](one, saved)
        assert (everything(other), other.info()) == before

    def test_a_fork_of_a_fork_of_a_copy_does_not_change_when_the_copied(
        self, store: Store, thread: AnyThread, change: str
    ) -> None:
        saved = prepared(thread)
        store.copy_thread("main", "copy")
        fork = store.thread("copy").fork(to="m").fork(saved[2].id, to="f")
        before = everything(fork), everything(store.thread("copy"))
        CHANGES[change](thread, saved)
        assert (everything(fork), everything(store.thread("copy"))) == before
        assert [found.state for found in before[0]] == [grown(n) for n in (2, 1, 0)]

    def test_a_copied_thread_does_not_change_when_the_copy(self, store: Store, thread: AnyThread, change: str) -> None:
        saved = prepared(thread)
        store.copy_thread("main", "copy")
        before = everything(thread), thread.info()
        CHANGES[change](store.thread("copy"), saved)
        assert (everything(thread), thread.info()) == before


class ForksOfForks(StoreTests):
    def test_forks_of_forks_see_all_their_ancestors(self, thread: AnyThread) -> None:
        save_chain(thread, 2)
        fork = thread
        for n in range(2, 8):
            fork = fork.fork()
            fork.save(grown(n))
        assert [found.state for found in everything(fork)] == [grown(n) for n in range(7, -1, -1)]
        assert [found.step for found in fork.lineage(head(fork).id)] == list(range(7, -1, -1))

    def test_a_fork_of_an_inherited_checkpoint_of_a_fork(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 4)
        middle = thread.fork(saved[3].id)
        middle.save(grown(4))
        fork = middle.fork(saved[1].id)
        after = fork.save(grown(2))
        assert ids(fork.history()) == [after.id, saved[1].id, saved[0].id]

    def test_a_fork_of_a_branch_in_a_fork(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        middle = thread.fork(saved[2].id)
        middle.save(grown(3))
        branch = middle.save({"n": "b"}, parent=saved[0].id)
        fork = middle.fork(branch.id)
        assert ids(fork.history()) == [branch.id, saved[0].id]

    def test_a_fork_outlives_all_it_came_from(self, store: Store, thread: AnyThread) -> None:
        save_chain(thread, 3)
        store.copy_thread("main", "copy")
        middle = store.thread("copy").fork(to="m")
        fork = middle.fork(to="f")
        for name in ("main", "copy", "m"):
            store.thread(name).delete()
        assert [found.state for found in everything(fork)] == [grown(n) for n in (2, 1, 0)]
        fork.save(grown(3))
        assert head(fork).state == grown(3)
        assert [info.id for info in store.threads()] == ["f"]

    def test_a_later_life_of_the_origin_is_no_concern_of_the_fork(self, store: Store, thread: AnyThread) -> None:
        save_chain(thread, 3)
        fork = thread.fork()
        thread.delete()
        store.thread("main", reuse=True).save({"n": "new life"})
        assert head(fork).state == grown(2)
        assert loaded(store.thread("main"), head(store.thread("main")).id).state == {"n": "new life"}
        assert len(store.thread("main").history()) == 1
