"""tinyagents: the full checkpointer, with namespaces, pending writes, deletes by run, and copies of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from holdfast import Conflict, NotFound

STATES: list[dict[str, Any]] = [{"n": n, "log": [f"entry {i} " * 8 for i in range(n)]} for n in range(6)]


def filled(store, name="t", count=4, **fields):
    thread = store.thread(name)
    return thread, [thread.save(STATES[n], id=f"c{n}", **fields) for n in range(count)]


def ids(infos):
    return [info.id for info in infos]


# ------------------------------------------------------------------------------------------------ put, get, list


def test_put_gives_the_id_and_get_gives_the_checkpoint(store):
    thread, saved = filled(store)
    assert ids(saved) == ["c0", "c1", "c2", "c3"]
    assert thread.load("c1").state == STATES[1]
    assert thread.latest().state == STATES[3]


def test_an_unknown_thread_or_id_gives_none(store):
    assert store.thread("t").latest() is None
    thread, _ = filled(store)
    assert (thread.load("x"), store.thread("u").load("c1")) == (None, None)


def test_history_is_in_the_order_of_saving(store):
    thread = store.thread("t")
    for name in ("z", "a", "m"):
        thread.save({}, id=name, step=-ord(name))
    assert ids(thread.history())[::-1] == ["z", "a", "m"]


def test_a_tuple_has_its_parent_and_its_writes(store):
    thread, _ = filled(store, count=2)
    thread.put_writes("c1", [("w", 1)], task_id="task")
    found = thread.load("c1")
    assert (found.thread_id, found.id, found.namespace) == ("t", "c1", "")
    assert (found.parent_id, found.pending_writes[0].value) == ("c0", 1)
    assert thread.load("c0").parent_id is None


def test_list_threads(store):
    for name in ("b", "a", "c"):
        filled(store, name, 1)
    store.thread("never saved")
    store.thread("c").delete_checkpoints(["c0"])
    assert ids(store.threads()) == ["a", "b"]


def test_latest_in_a_namespace_ignores_newer_ones_elsewhere(store):
    filled(store, count=2)
    inner = store.thread("t", "sub")
    inner.save({"n": "inner"})
    store.thread("t").save({"n": "outer"})
    assert inner.latest().state == {"n": "inner"}
    assert store.thread("t").latest().state == {"n": "outer"}


def test_data_survives_a_new_handle(opened):
    first = opened()
    filled(first, run_id="r", metadata={"k": [1]})
    first.thread("t").put_writes("c2", [("w", {"a": 1})], task_id="task")
    first.close()
    second = opened().thread("t")
    assert [second.load(info.id).state for info in second.history()] == STATES[3::-1]
    assert second.load("c2").pending_writes[0].value == {"a": 1}
    assert second.history()[0].metadata == {"k": [1]}


def test_two_handles_see_each_others_writes(opened):
    one, other = opened().thread("t"), opened().thread("t")
    one.save(STATES[1])
    assert other.latest().state == STATES[1]
    other.save(STATES[2])
    assert one.latest().state == STATES[2]
    assert [info.seq for info in one.save(STATES[3]) and one.history()] == [3, 2, 1]


def test_eight_writers_lose_nothing(store):
    def work(worker):
        return [store.thread("t").save({"worker": worker, "n": n}).id for n in range(10)]

    with ThreadPoolExecutor(8) as pool:
        saved = {one for part in pool.map(work, range(8)) for one in part}
    history = store.thread("t").history(limit=None)
    assert set(ids(history)) == saved
    assert [info.seq for info in history] == list(range(80, 0, -1))
    times = [info.created_at for info in history]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize("names", [["Alice", "alice"], ["a/b", "a_b", "A_B", "../x"], ["x", "x/", "./x", ".", ".."]])
def test_ids_never_share_storage(store, names):
    for name in names:
        store.thread(name).save({"name": name})
    store.thread(names[0]).delete()
    assert [store.thread(name).latest().state["name"] for name in names[1:]] == names[1:]
    assert ids(store.threads()) == sorted(names[1:])


def test_parent_chains_stop(store):
    """A cycle can't be made: a parent has to be there before its child."""
    thread, _ = filled(store)
    with pytest.raises(NotFound):
        thread.save({}, id="own", parent="own")
    with pytest.raises(Conflict):
        thread.save(STATES[0], id="c0", parent="c3")
    assert ids(thread.lineage("c3")) == ["c3", "c2", "c1", "c0"]
    thread.delete_checkpoints(["c1"])
    assert ids(thread.lineage("c3")) == ["c3", "c2", "c0"]


def test_a_record_from_before_a_field_existed_still_loads(store):
    @dataclass
    class Now:
        n: int
        log: list = field(default_factory=list)
        added_later: str = "default"

    filled(store)
    assert store.thread("t", state=Now).latest().state == Now(3, STATES[3]["log"], "default")


# ------------------------------------------------------------------------------------------------ deletes


def test_delete_thread(store):
    thread, _ = filled(store)
    filled(store, "other")
    thread.put_writes("c0", [("w", 1)], task_id="task")
    store.thread("t", "sub").save({})
    thread.delete()
    assert (thread.latest(), store.thread("t", "sub").latest(), store.thread("t").history()) == (None, None, [])
    assert ids(store.threads()) == ["other"]


def test_delete_checkpoints_says_how_many(store):
    thread, _ = filled(store)
    assert thread.delete_checkpoints(["c1", "c2", "nobody"]) == 2
    assert ids(thread.history()) == ["c3", "c0"]
    assert [thread.load(one).state for one in ("c3", "c0")] == [STATES[3], STATES[0]]


def test_deleting_what_is_not_there_is_a_no_op(store):
    thread = store.thread("t")
    thread.delete()
    assert (thread.delete_checkpoints(["x"]), thread.delete_checkpoints([]), thread.delete_run("r")) == (0, 0, 0)
    filled(store)
    assert (thread.delete_checkpoints(["x"]), thread.delete_run("r"), len(thread.history())) == (0, 0, 4)


def test_delete_by_run_touches_only_that_run(store):
    thread = store.thread("t")
    for n, run in enumerate(["r1", "r2", None, "r1", "r"]):
        thread.save({}, id=f"c{n}", run_id=run)
    assert thread.delete_run("r1") == 2
    assert ids(thread.history()) == ["c4", "c2", "c1"]


def test_delete_by_run_never_touches_a_record_without_a_run(store):
    thread, _ = filled(store)
    for run in ("", "None", "null", "r"):
        assert thread.delete_run(run) == 0
    assert len(thread.history()) == 4


# ------------------------------------------------------------------------------------------------ copies


def test_copy_keeps_ids_order_namespaces_parents_and_writes(store):
    thread, _ = filled(store, count=3)
    thread.save({"n": "branch"}, id="branch", parent="c0")
    thread.put_writes("c1", [("w", 1), ("control", 2, -1)], task_id="task")
    store.thread("t", "sub").save({"n": "sub"}, id="s0")
    store.thread("t", "sub").put_writes("s0", [("w", "sub")], task_id="task")
    store.copy_thread("t", "copy")
    for namespace in ("", "sub"):
        one, other = store.thread("t", namespace), store.thread("copy", namespace)
        assert ids(other.history()) == ids(one.history())
        for info in one.history():
            a, b = one.load(info.id), other.load(info.id)
            assert (b.state, b.parent_id, b.pending_writes, b.seq) == (a.state, a.parent_id, a.pending_writes, a.seq)
            assert (b.thread_id, b.namespace) == ("copy", namespace)
    assert len(store.thread("copy").load("c1").pending_writes) == 2


def test_copy_onto_a_thread_that_is_not_empty_is_refused(store):
    filled(store)
    filled(store, "copy", 1)
    with pytest.raises(Conflict):
        store.copy_thread("t", "copy")
    assert ids(store.thread("copy").history()) == ["c0"]


def test_copy_of_an_empty_source_is_a_no_op(store):
    store.copy_thread("nobody", "copy")
    assert store.threads() == []
    assert store.thread("copy").save({}).seq == 1


def test_a_copy_and_its_source_go_their_own_ways(store):
    thread, _ = filled(store)
    store.copy_thread("t", "copy")
    thread.delete_checkpoints(["c3"])
    thread.save(STATES[5])
    assert ids(store.thread("copy").history()) == ["c3", "c2", "c1", "c0"]
    thread.delete()
    assert [store.thread("copy").load(f"c{n}").state for n in range(4)] == STATES[:4]


# ------------------------------------------------------------------------------------------------ pending writes


def test_a_new_checkpoint_has_no_writes(store):
    thread, _ = filled(store)
    assert thread.latest().pending_writes == ()


def test_a_repeated_data_write_is_ignored_and_a_control_write_replaces(store):
    thread, _ = filled(store)
    thread.put_writes("c3", [("data", "first", 0), ("control", "first", -1)], task_id="task")
    thread.put_writes("c3", [("data", "second", 0), ("control", "second", -1)], task_id="task")
    found = {write.channel: write.value for write in thread.latest().pending_writes}
    assert found == {"data": "first", "control": "second"}


def test_writes_are_isolated_by_namespace(store):
    for namespace in ("", "a", "b"):
        thread = store.thread("t", namespace)
        thread.save({}, id="same")
        thread.put_writes("same", [("w", namespace)], task_id="task")
    for namespace in ("", "a", "b"):
        (write,) = store.thread("t", namespace).latest().pending_writes
        assert write.value == namespace


def test_writes_go_with_their_checkpoint_and_thread(store):
    thread, _ = filled(store, count=2)
    thread.put_writes("c1", [("w", 1)], task_id="task")
    thread.delete_checkpoints(["c1"])
    assert thread.latest().pending_writes == ()
    thread.put_writes("c0", [("w", 1)], task_id="task")
    thread.delete()
    fresh = store.thread("t", reuse=True)
    fresh.save(STATES[0], id="c0")
    assert fresh.latest().pending_writes == ()


def test_survivors_keep_their_writes(store):
    thread, _ = filled(store)
    thread.put_writes("c2", [("w", 1)], task_id="task")
    thread.delete_checkpoints(["c0", "c1", "c3"])
    assert [write.value for write in thread.latest().pending_writes] == [1]
