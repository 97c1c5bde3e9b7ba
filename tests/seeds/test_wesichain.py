"""wesichain: a thread's checkpoints with node and queue; a fork copies all up to a place into a new thread."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from holdfast import NotFound


@dataclass
class Counter:
    n: int


def counted(store, name="main", count=5):
    thread = store.thread(name, state=Counter)
    return thread, [thread.save(Counter(step), step=step, node="node") for step in range(count)]


def test_load_is_the_last_saved(store):
    thread, _ = counted(store)
    assert thread.latest().state == Counter(4)
    assert store.thread("unknown").latest() is None


def test_node_and_queue_are_kept(store):
    thread = store.thread("main")
    thread.save({"n": 1}, node="plan", next=("search", "answer", "search"))
    found = thread.latest()
    assert (found.node, found.next) == ("plan", ("search", "answer", "search"))


def test_a_queue_with_numbers_is_kept_as_an_extra(store):
    thread = store.thread("main")
    thread.save({"n": 1}, next=("search",), extra={"queue": [("search", 3)]})
    assert thread.latest().extra == {"queue": [("search", 3)]}


def test_list_shows_steps_and_times_in_order(store):
    thread, saved = counted(store)
    listed = thread.history()[::-1]
    assert [info.step for info in listed] == [0, 1, 2, 3, 4]
    assert [info.created_at for info in listed] == sorted(info.created_at for info in saved)


def test_a_root_has_no_parent_and_the_chain_leads_to_it(store):
    thread, saved = counted(store)
    assert saved[0].parent_id is None
    assert [info.step for info in thread.lineage(saved[4].id)] == [4, 3, 2, 1, 0]


def test_a_fork_at_two_has_three_records(store):
    thread, saved = counted(store)
    fork = thread.fork(thread.at(step=2).id, history=True)
    assert fork.id != "main"
    assert [info.step for info in fork.history()] == [2, 1, 0]
    assert [info.id for info in fork.history()] == [info.id for info in saved[2::-1]]
    assert fork.latest().state == Counter(2)
    assert {info.thread_id for info in fork.history()} == {fork.id}


def test_a_fork_at_an_unknown_place_is_an_error(store):
    thread, _ = counted(store, count=1)
    with pytest.raises(NotFound):
        thread.fork("99")
    assert [info.id for info in store.threads()] == ["main"]


def test_later_saves_at_the_source_do_not_touch_the_fork(store):
    thread, saved = counted(store, count=3)
    fork = thread.fork(saved[1].id)
    thread.save(Counter(3))
    assert [info.step for info in fork.history()] == [1, 0]
    assert fork.latest().state == Counter(1)


def test_the_fork_continues_without_touching_the_source(store):
    thread, saved = counted(store, count=3)
    fork = thread.fork(saved[1].id)
    after = fork.save(Counter(100), node="other")
    assert (after.step, after.parent_id) == (2, saved[1].id)
    assert [thread.load(info.id).state.n for info in thread.history()] == [2, 1, 0]


def test_a_fork_survives_its_source(store):
    thread, saved = counted(store)
    fork = thread.fork(saved[2].id)
    thread.delete()
    assert [fork.load(info.id).state.n for info in fork.history()] == [2, 1, 0]


def test_a_fork_is_there_for_a_new_handle(opened):
    thread, saved = counted(opened())
    fork = thread.fork(saved[2].id, to="fork")
    fork.save(Counter(7))
    again = opened().thread("fork", state=Counter)
    assert [again.load(info.id).state.n for info in again.history()] == [7, 2, 1, 0]
