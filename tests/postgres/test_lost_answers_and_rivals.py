"""Connections that break while another writer does the same to the same thread.

Two who do the same to one thread write the same line row: what one of them stored does not prove that the other did.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

from holdfast import Retention, ThreadBusy, Unreachable
from tests.postgres.counting import tampered
from tests.postgres.test_lost_answers import Breaking


def _journal(store, who):
    store.thread("t").journal.append("note", who)


def _journal_of(store):
    return [entry.data for entry in store.thread("t").journal.read()]


def _label(store, who):
    store.thread("t").label(f"c{1 if who == 'ours' else 2}", who)


def _labels_of(store):
    return [info.label for info in reversed(store.thread("t").history()) if info.label]


def _save(store, who):
    store.thread("t").save({who: 1})


def _saved_of(store):
    states = [store.thread("t").load(info.id).state for info in reversed(store.thread("t").history())]
    return [who for state in states for who in ("ours", "theirs") if who in state]


def _update(store, who):
    store.thread("t").update({who: 1})


def _updated_of(store):
    return [who for who in ("ours", "theirs") if who in store.thread("t").latest().state]


def _fork(store, who):
    store.thread("t").fork(to=who)


def _copy(store, who):
    store.copy_thread("t", who)


def _threads_of(store):
    return [one.id for one in store.threads() if one.id != "t"]


def _remove(store, who):
    assert store.thread("t").delete_checkpoints([f"c{1 if who == 'ours' else 2}"]) == 1


def _removed_of(store):
    left = {info.id for info in store.thread("t").history()}
    return [who for number, who in ((1, "ours"), (2, "theirs")) if f"c{number}" not in left]


def _write(store, who):
    store.thread("t").put_writes("c4", [("n", 1)], task_id=who)


def _control_write(store, who):
    store.thread("t").put_writes("c4", [("n", 1, -1)], task_id=who)


def _written_of(store):
    return sorted(write.task_id for write in store.thread("t").latest().pending_writes)


def _inner(store, who):
    store.thread("t", who).save({"n": 1})


def _inner_of(store):
    return [who for who in ("ours", "theirs") if store.thread("t", who).latest() is not None]


def _metadata(store, who):
    store.thread("t", metadata={who: "x"}).save({"n": 1})


def _metadata_of(store):
    return [who for who in ("ours", "theirs") if who in store.thread("t").info().metadata]


KINDS = {
    "journal": (_journal, _journal_of), "label": (_label, _labels_of), "save": (_save, _saved_of),
    "update": (_update, _updated_of), "fork": (_fork, _threads_of), "copy": (_copy, _threads_of),
    "delete_checkpoints": (_remove, _removed_of), "put_writes": (_write, _written_of),
    "control write": (_control_write, _written_of), "namespace": (_inner, _inner_of),
    "metadata": (_metadata, _metadata_of),
}  # fmt: skip


def filled(store):
    for number in range(1, 5):
        store.thread("t").save({"n": number}, id=f"c{number}")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", KINDS)
def test_both_are_stored_once_if_a_rival_does_the_same(store, opened, kind, when):
    do, stored = KINDS[kind]
    filled(store)
    rival = opened()
    rival.thread("t").latest()
    with tampered(Breaking(when, in_between=lambda: do(rival, "theirs"))):
        do(store, "ours")
    assert sorted(stored(opened())) == ["ours", "theirs"]
    assert opened().verify().ok


@pytest.mark.parametrize("when", ["before", "after"])
def test_one_of_two_takes_a_thread(store, opened, when):
    filled(store)
    rival = opened()
    taken = []

    def take(one, worker):
        run = one.thread("t").run(input={"n": 1}, worker=worker)
        run.__enter__()
        taken.append((worker, run))

    def beaten():
        with suppress(ThreadBusy):
            take(rival, "theirs")

    with tampered(Breaking(when, in_between=beaten)), suppress(ThreadBusy):
        take(store, "ours")
    ((worker, run),) = taken
    assert opened().thread("t").info().lease.worker == worker
    run.save({"n": 2})
    run.__exit__(None, None, None)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_thread_that_a_rival_deletes_too_is_deleted_once(store, opened, when):
    filled(store)
    with tampered(Breaking(when, in_between=lambda: opened().thread("t").delete())):
        store.thread("t").delete()
    opened().thread("t", reuse=True).save({"n": "another life"})
    assert opened().thread("t").latest().seq == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_a_rival_prunes_is_not_taken_for_ones_own(store, opened, when):
    filled(store)
    theirs = Retention(keep_last=3)
    with tampered(Breaking(when, in_between=lambda: opened().thread("t").prune(theirs))):
        store.thread("t").prune(Retention(keep_last=2))
    assert [info.id for info in opened().thread("t").history()] == ["c4", "c3"]


def often(thread):
    for _ in range(12):
        thread.save({"n": "another"})
        thread.journal.append("note", "another")


@pytest.mark.parametrize("kind", ["journal", "save"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_numbers_decide_where_the_line_was_written_often_in_between(store, opened, kind, when):
    do, stored = KINDS[kind]
    filled(store)
    with tampered(Breaking(when, in_between=lambda: often(opened().thread("t")))):
        do(store, "ours")
    assert stored(opened()).count("ours") == 1


@pytest.mark.parametrize("kind", ["label", "delete_checkpoints"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_where_it_can_not_be_found_out_the_caller_learns_it(store, opened, kind, when):
    do, _ = KINDS[kind]
    filled(store)
    with (
        tampered(Breaking(when, in_between=lambda: often(opened().thread("t")))),
        pytest.raises(Unreachable, match="may have been applied"),
    ):
        do(store, "ours")


def test_a_save_that_was_removed_since_is_not_saved_again(store, opened):
    """Its number was given out, and it can't be found out to which batch."""
    filled(store)

    def removed():
        others = opened().thread("t")
        others.delete_checkpoints(["c5"])
        often(others)
        opened().collect()

    with tampered(Breaking("after", in_between=removed)), suppress(Unreachable):
        store.thread("t").save({"n": 5}, id="c5")
    assert "c5" not in {info.id for info in opened().thread("t").history()}
