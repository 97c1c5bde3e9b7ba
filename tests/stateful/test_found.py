"""What the machine and its authors found once, kept small so that it is found at once if it ever comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast
from holdfast import Conflict, Deleted, Store

BIG = ["a message that is longer than a reference to it would be"] * 3


@pytest.fixture(params=["memory:", "sqlite:{}", "file:{}"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with holdfast.open(request.param.format(tmp_path / "agents")) as opened:
        yield opened


def test_a_save_after_the_head_was_removed_does_not_write_over_its_values(store: Store) -> None:
    thread = store.thread("t")
    thread.save({"v": BIG})
    removed = thread.save({"v": [*BIG, "removed"]})
    fork = thread.fork(to="fork")
    thread.delete_checkpoints([removed.id])
    saved = thread.save({"v": [*BIG, "saved"]})
    store._calls.engine.cache.clear()
    for one, wanted in ((thread.load(saved.id), "saved"), (fork.latest(), "removed")):
        assert one is not None
        assert one.state["v"][-1] == wanted


def test_an_id_that_is_used_again_does_not_become_the_parent_of_what_came_before_it(store: Store) -> None:
    thread = store.thread("t")
    first = thread.save({"n": 1})
    removed = thread.save({"n": 2}, id="again")
    child = thread.save({"n": 3})
    thread.delete_checkpoints([removed.id])
    thread.save({"n": 4}, id="again")
    assert {info.id: info.parent_id for info in thread.history()} == {
        "again": child.id, child.id: first.id, first.id: None,
    }  # fmt: skip


def test_a_label_of_the_origin_does_not_reach_a_number_that_the_fork_gives_itself(store: Store) -> None:
    thread = store.thread("t")
    first, second = thread.save({"n": 1}), thread.save({"n": 2})
    thread.label(second.id, "approved")
    fork = thread.fork(first.id, to="fork")
    assert fork.save({"n": 3}).seq == second.seq
    latest = fork.latest()
    assert latest is not None
    assert latest.label == ""


def test_what_the_origin_removed_does_not_hide_a_number_that_the_fork_gives_itself(store: Store) -> None:
    thread = store.thread("t")
    first, second = thread.save({"n": 1}), thread.save({"n": 2})
    thread.delete_checkpoints([second.id])
    fork = thread.fork(first.id, to="fork")
    saved = fork.save({"n": 3})
    assert fork.load(saved.id) is not None
    assert [info.id for info in fork.history()] == [saved.id, first.id]


def test_a_write_of_the_origin_does_not_reach_a_number_that_the_fork_gives_itself(store: Store) -> None:
    thread = store.thread("t")
    first, second = thread.save({"n": 1}), thread.save({"n": 2})
    thread.put_writes(second.id, [("n", 7)], task_id="task")
    fork = thread.fork(first.id, to="fork")
    fork.save({"n": 3})
    latest = fork.latest()
    assert latest is not None
    assert latest.pending_writes == ()


def test_a_control_write_that_the_origin_replaces_later_stays_as_it_was_in_the_fork(store: Store) -> None:
    thread = store.thread("t")
    saved = thread.save({"n": 1})
    thread.put_writes(saved.id, [("n", "before", -1)], task_id="task")
    fork = thread.fork(to="fork")
    thread.put_writes(saved.id, [("n", "after", -1)], task_id="task")
    for one, wanted in ((fork, "before"), (thread, "after")):
        latest = one.latest()
        assert latest is not None
        assert [write.value for write in latest.pending_writes] == [wanted]


def test_an_inner_namespace_that_a_fork_sees_stays_when_the_fork_removes_its_origin(store: Store) -> None:
    thread = store.thread("t")
    thread.save({"n": 1})
    outer = thread.save({"n": 2})
    inner = store.thread("t", "inner").save({"m": 1})
    fork = thread.fork(to="fork")
    fork.delete_checkpoints([outer.id])
    assert [info.id for info in store.thread("fork", "inner").history()] == [inner.id]


def test_an_inner_namespace_that_a_fork_sees_stays_when_the_origin_removes_it(store: Store) -> None:
    store.thread("t").save({"n": 1})
    inner = store.thread("t", "inner").save({"m": 1})
    store.thread("t").fork(to="fork")
    store.thread("t", "inner").delete_checkpoints([inner.id])
    assert [info.id for info in store.thread("fork", "inner").history()] == [inner.id]


def test_the_id_of_a_removed_checkpoint_is_free_or_refused_for_good(store: Store) -> None:
    thread = store.thread("t")
    thread.save({"n": 1}, id="x")
    thread.delete_checkpoints(["x"])
    try:
        thread.save({"n": 2}, id="x")
    except (Conflict, Deleted):
        return
    found = thread.load("x")
    assert found is not None
    assert found.state == {"n": 2}


def test_metadata_given_to_a_thread_that_exists_is_kept(store: Store) -> None:
    store.thread("t", metadata={"team": "a"}).save({"n": 1})
    store.thread("t", metadata={"team": "b", "tier": 1}).save({"n": 2})
    info = store.thread("t").info()
    assert info is not None
    assert info.metadata == {"team": "b", "tier": 1}
    assert store.threads(where={"team": "a"}) == []
    assert [one.id for one in store.threads(where={"team": "b", "tier": 1})] == ["t"]


# ------------------------------------------------------------------------------------------------ two stores


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    with holdfast.open(tmp_path / "agents.db") as one, holdfast.open(tmp_path / "agents.db") as other:
        yield one, other


def test_an_inner_save_belongs_under_the_head_that_another_store_saved(two: tuple[Store, Store]) -> None:
    one, other = two
    one.thread("t").save({"n": 1})
    one.thread("t", "inner").save({"m": 1})
    head = other.thread("t").save({"n": 2})
    assert one.thread("t", "inner").save({"m": 2}).origin == head.id


@pytest.mark.parametrize("forked", [False, True], ids=["a thread", "a fork"])
def test_the_same_id_again_is_no_success_when_another_store_removed_the_checkpoint(
    two: tuple[Store, Store], forked: bool
) -> None:
    one, other = two
    thread = one.thread("t")
    first = thread.save({"n": 1})
    if forked:
        thread = thread.fork(to="fork")
    thread.save({"n": 2}, id="x")
    thread.save({"n": 3}, id="y")
    other.thread(thread.id).delete_checkpoints(["x"])
    try:
        thread.save({"n": 2}, id="x", parent=first.id if not forked else None)
    except (Conflict, Deleted):
        return
    assert other.thread(thread.id).load("x") is not None, "acknowledged, and not there"


@pytest.mark.parametrize("forked", [False, True], ids=["a thread", "a fork"])
def test_the_same_id_again_is_refused_when_another_store_deleted_the_thread(
    two: tuple[Store, Store], forked: bool
) -> None:
    one, other = two
    thread = one.thread("t")
    thread.save({"n": 1})
    if forked:
        thread = thread.fork(to="fork")
    thread.save({"n": 2}, id="x")
    other.thread(thread.id).delete()
    with pytest.raises(Deleted):
        thread.save({"n": 2}, id="x")


def test_a_fork_may_have_a_checkpoint_under_the_id_of_the_one_that_it_was_made_of(two: tuple[Store, Store]) -> None:
    """Without history it names that one and does not see it: who follows names would go in a circle."""
    one, other = two
    one.thread("t").save({"n": 1}, id="x")
    fork = one.thread("t").fork("x", to="fork", history=False)
    (first,) = fork.history()
    fork.save({"n": 2}, id="x")
    fork.save({"n": 3}, id="y")
    assert [point.id for point in other.thread("fork").lineage("x")] == ["x", first.id]
    assert [point.id for point in other.thread("fork").lineage(first.id)] == [first.id]
    fork.delete_checkpoints(["x"])
    other.collect()
    assert [(point.id, point.parent_id) for point in fork.history()] == [("y", first.id), (first.id, "x")]
    assert other.verify().faults == ()
