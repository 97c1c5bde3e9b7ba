"""A fork's journal is its origin's up to the fork point, and then its own."""

from __future__ import annotations

import pytest

import holdfast


@pytest.fixture
def points(thread):
    """Checkpoints that cover 1, 2 and 3 entries."""
    found = []
    for n in (1, 2, 3):
        thread.journal.append("event", n, key=f"key-{n}")
        found.append(thread.save({"n": n}))
    return found


def data(thread):
    return [entry.data for entry in thread.journal.read(limit=None)]


def test_a_fork_sees_the_entries_up_to_its_fork_point(thread, points):
    fork = thread.fork(at=points[1].id)
    assert data(fork) == [1, 2]
    assert fork.journal.latest().data == 2


def test_a_fork_continues_with_its_own_entries(thread, points):
    fork = thread.fork(at=points[1].id)
    assert fork.journal.append("event", "own") == 3
    assert data(fork) == [1, 2, "own"]
    assert data(thread) == [1, 2, 3]


def test_a_fork_does_not_see_what_its_origin_appends_later(thread, points):
    fork = thread.fork(at=points[2].id)
    thread.journal.append("event", "later")
    assert data(fork) == [1, 2, 3]
    assert fork.journal.append("event", "own") == 4
    assert data(fork) == [1, 2, 3, "own"]


def test_a_fork_keeps_its_journal_when_its_origin_is_deleted(thread, points):
    fork = thread.fork(at=points[1].id)
    thread.delete()
    assert data(fork) == [1, 2]


def test_a_fork_of_a_fork_sees_both(thread, points):
    fork = thread.fork(at=points[1].id)
    fork.journal.append("event", "fork")
    fork.save({"n": "fork"})
    second = fork.fork()
    fork.journal.append("event", "later")
    second.journal.append("event", "second")
    assert data(second) == [1, 2, "fork", "second"]
    assert [entry.seq for entry in second.journal.read(after=1, limit=2)] == [2, 3]


def test_a_fork_of_a_fork_at_an_old_point_sees_only_that_far(thread, points):
    fork = thread.fork(at=points[1].id)
    fork.journal.append("event", "fork")
    second = fork.fork(at=points[0].id)
    assert data(second) == [1]
    second.journal.append("event", "second")
    assert data(second) == [1, "second"]


def test_a_fork_with_edits_sees_the_same_journal(thread, points):
    fork = thread.fork(at=points[1].id, edits={"n": 9})
    assert data(fork) == [1, 2]
    assert fork.latest().journal_seq == 2


def test_a_fork_without_history_starts_a_journal_of_its_own(thread, points):
    fork = thread.fork(at=points[1].id, history=False)
    assert (data(fork), fork.latest().journal_seq) == ([], 0)
    assert fork.journal.append("event", "own", key="key-1") == 1


def test_a_key_of_the_origin_counts_as_far_as_the_fork_sees(thread, points):
    fork = thread.fork(at=points[1].id)
    assert fork.journal.append("event", 2, key="key-2") == 2
    with pytest.raises(holdfast.Conflict):
        fork.journal.append("event", "else", key="key-1")
    assert fork.journal.append("event", "own", key="key-3") == 3
    assert data(fork) == [1, 2, "own"]


def test_an_unsaved_entry_is_not_part_of_a_fork_at_the_head(thread, points):
    thread.journal.append("event", "after the head")
    assert data(thread.fork()) == [1, 2, 3]


def test_a_fork_covers_no_more_than_its_own_journal(thread, points):
    fork = thread.fork(at=points[1].id)
    with pytest.raises(holdfast.InvalidArgument):
        fork.save({}, journal_seq=3)
    assert fork.save({}).journal_seq == 2


def test_at_a_place_in_the_journal_looks_through_the_fork(thread, points):
    fork = thread.fork(at=points[1].id)
    fork.journal.append("event", "own")
    own = fork.save({"n": "own"})
    assert [fork.at(journal_seq=n).id for n in (1, 2, 3)] == [points[0].id, points[1].id, own.id]


def test_a_copy_has_the_whole_journal(store, thread, points):
    thread.journal.append("event", "after the head")
    assert store.copy_thread("main", "copy")
    copy = store.thread("copy")
    thread.journal.append("event", "later")
    assert data(copy) == [1, 2, 3, "after the head"]
    assert copy.journal.append("event", "own") == 5
    assert copy.journal.append("event", 1, key="key-1") == 1


def test_a_copy_of_a_fork_has_its_journal(store, thread, points):
    fork = thread.fork(at=points[1].id, to="fork")
    fork.journal.append("event", "own")
    fork.save({})
    store.copy_thread("fork", "copy")
    assert data(store.thread("copy")) == [1, 2, "own"]
