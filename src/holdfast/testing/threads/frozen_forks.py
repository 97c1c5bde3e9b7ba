"""A fork does not change when the thread it came from changes, and the other way round."""

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
    "saves many": lambda t, c: [t.save({"n": n, "messages": grown(3)["messages"] + ["x" * n]}) for n in range(70)],
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
    "loses two and saves": lambda t, c: [t.delete_checkpoints(ids(c[2:])), t.save(grown(9)), t.save(grown(5))],
}  # fmt: skip


FAMILY: Final = ["origin", "fork of the head", "copy"]
"""Those of the family below that have all four checkpoints, so that everything above can happen to them."""


def family(store: Store, origin: AnyThread) -> tuple[list[CheckpointInfo], dict[str, AnyThread]]:
    """A thread of four checkpoints, with a label and pending writes in the middle, and its forks and copies."""
    saved = save_chain(origin, 4, run_id="r")
    origin.label(saved[1].id, "early")
    origin.put_writes(saved[2].id, [("data", "old", 0), ("control", "old", -1)], task_id="early")
    point = saved[2].id
    fork, of_head = origin.fork(point), origin.fork()
    edited = origin.fork(point, edits={"n": "edited"})
    edited.save({"n": "on", "messages": [*grown(2)["messages"], "on " * 30]})
    store.copy_thread(origin.id, "copy")
    copy = store.thread("copy")
    return saved, {
        "origin": origin, "fork": fork, "fork of the head": of_head, "continued fork": edited, "copy": copy,
        "fork without history": origin.fork(point, history=False), "fork of a fork": fork.fork(point),
        "older fork of a fork": of_head.fork(saved[1].id), "fork of a continued fork": edited.fork(),
        "fork of a copy": copy.fork(point), "fork of a fork of a copy": copy.fork().fork(point),
    }  # fmt: skip


class FrozenForks(StoreTests):
    @pytest.fixture(params=list(CHANGES))
    def change(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.mark.parametrize("who", FAMILY)
    def test_forks_origins_and_copies_do_not_change_when_one_of_them(
        self, store: Store, thread: AnyThread, who: str, change: str
    ) -> None:
        saved, threads = family(store, thread)
        before = {name: shown(one) for name, one in threads.items()}
        CHANGES[change](threads[who], saved)
        for name in threads.keys() - {who}:
            assert shown(threads[name]) == before[name], f"the {name} changed when the {who} {change}"

    def test_a_family_sees_what_it_should(self, store: Store, thread: AnyThread) -> None:
        _, threads = family(store, thread)
        states = {name: [found.state["n"] for found in everything(one)] for name, one in threads.items()}
        assert states == {
            "origin": [3, 2, 1, 0], "fork": [2, 1, 0], "fork of the head": [3, 2, 1, 0], "copy": [3, 2, 1, 0],
            "continued fork": ["on", "edited", 2, 1, 0], "fork without history": [2], "fork of a fork": [2, 1, 0],
            "older fork of a fork": [1, 0], "fork of a continued fork": ["on", "edited", 2, 1, 0],
            "fork of a copy": [2, 1, 0], "fork of a fork of a copy": [2, 1, 0],
        }  # fmt: skip
        for one in threads.values():
            labels = {found.state["n"]: found.label for found in everything(one)}
            assert labels.get(1, "early") == "early"
            writes = {found.state["n"]: len(found.pending_writes) for found in everything(one)}
            assert writes.get(2, 2) == (0 if len(writes) == 1 else 2)


def shown(thread: AnyThread) -> tuple[Any, ...]:
    """Everything a thread shows."""
    return everything(thread), thread.info(), thread.lineage(head(thread).id)


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

    def test_reusing_the_name_of_the_origin_does_not_affect_the_fork(self, store: Store, thread: AnyThread) -> None:
        save_chain(thread, 3)
        fork = thread.fork()
        thread.delete()
        store.thread("main", reuse=True).save({"n": "new life"})
        assert head(fork).state == grown(2)
        assert loaded(store.thread("main"), head(store.thread("main")).id).state == {"n": "new life"}
        assert len(store.thread("main").history()) == 1
