"""The journal: numbers, keys, cursors, and what a checkpoint covers of it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

import holdfast


def test_numbers_start_at_one_and_grow_by_one(thread):
    assert [thread.journal.append("event", n) for n in range(3)] == [1, 2, 3]


def test_a_journal_may_begin_before_the_first_checkpoint(thread):
    thread.journal.append("event", "early")
    assert thread.latest() is None
    assert thread.save({"n": 1}).journal_seq == 1


def test_an_entry_gives_back_what_was_appended(thread):
    data = {"tuple": (1, 2), "bytes": b"\0", "when": datetime(2025, 3, 2, tzinfo=UTC)}
    before = datetime.now(UTC)
    thread.journal.append("tool.called", data, key="call-1")
    (entry,) = thread.journal.read()
    assert (entry.seq, entry.kind, entry.data, entry.key) == (1, "tool.called", data, "call-1")
    assert abs((entry.created_at - before).total_seconds()) < 60


def test_an_entry_without_a_key_has_none(thread):
    thread.journal.append("event", None)
    assert thread.journal.latest().key is None


def test_data_that_cannot_be_stored_is_refused_with_its_path(thread):
    with pytest.raises(holdfast.EncodeError, match=r"data\['call'\]"):
        thread.journal.append("event", {"call": print})
    assert thread.journal.latest() is None


def test_latest_is_the_last_entry(thread):
    for n in range(3):
        thread.journal.append("event", n)
    assert thread.journal.latest().data == 2


def test_an_empty_journal_has_no_latest(thread):
    thread.save({})
    assert (thread.journal.latest(), thread.journal.read()) == (None, [])


def test_an_unknown_thread_has_an_empty_journal(store):
    assert store.thread("nobody").journal.read() == []
    assert store.thread("nobody").journal.latest() is None


def test_reading_starts_after_a_number_and_continues_to_the_end(thread):
    for n in range(5):
        thread.journal.append("event", n)
    assert [entry.seq for entry in thread.journal.read(after=2)] == [3, 4, 5]
    assert thread.journal.read(after=5) == thread.journal.read(after=99) == []


def test_a_limit_gives_the_oldest_of_the_rest(thread):
    for n in range(5):
        thread.journal.append("event", n)
    assert [entry.seq for entry in thread.journal.read(after=1, limit=2)] == [2, 3]
    assert thread.journal.read(limit=0) == []


def test_a_read_gives_a_hundred_and_with_no_limit_all(thread):
    for n in range(103):
        thread.journal.append("event", n)
    assert len(thread.journal.read()) == 100
    assert len(thread.journal.read(limit=None)) == 103


def test_a_negative_limit_is_refused(thread):
    with pytest.raises(holdfast.InvalidArgument):
        thread.journal.read(limit=-1)


def test_a_cursor_is_a_place_to_read_on_from(thread):
    for n in range(4):
        thread.journal.append("event", n)
    page = thread.journal.read(limit=2)
    assert isinstance(page[-1].cursor, str)
    assert [entry.seq for entry in thread.journal.read(after=page[-1].cursor)] == [3, 4]


@pytest.mark.parametrize(
    "cursor",
    ["", "2", "journal:", "journal:-1", "journal:02", "journal:1 ", " journal:1", "journal:1.0", "JOURNAL:1",
     "journal:١", "journal:" + "9" * 30, -1, True, 1.0, None],
    ids=repr,
)  # fmt: skip
def test_a_cursor_that_does_not_parse_is_an_error_and_never_the_start(thread, cursor):
    thread.journal.append("event", 1)
    with pytest.raises(holdfast.InvalidArgument):
        thread.journal.read(after=cursor)


# ------------------------------------------------------------------------------------------------ keys and kinds


def test_the_same_key_with_the_same_content_is_the_first_entry(thread):
    first = thread.journal.append("order", {"id": 7}, key="order-7")
    thread.journal.append("other", 1)
    assert thread.journal.append("order", {"id": 7}, key="order-7") == first
    assert len(thread.journal.read()) == 2


@pytest.mark.parametrize(("kind", "data"), [("order", {"id": 8}), ("other", {"id": 7})])
def test_the_same_key_with_other_content_is_a_conflict(thread, kind, data):
    thread.journal.append("order", {"id": 7}, key="order-7")
    with pytest.raises(holdfast.Conflict, match="order-7"):
        thread.journal.append(kind, data, key="order-7")
    assert len(thread.journal.read()) == 1


def test_another_handle_knows_the_key(thread, other):
    first = thread.journal.append("order", 1, key="k")
    assert other.journal.append("order", 1, key="k") == first
    with pytest.raises(holdfast.Conflict):
        other.journal.append("order", 2, key="k")


def test_keys_are_of_one_thread(store):
    store.thread("a").journal.append("order", 1, key="k")
    assert store.thread("b").journal.append("order", 2, key="k") == 1


@pytest.mark.parametrize("key", ["", "a\0b", "x" * 1025])
def test_a_key_is_an_id(thread, key):
    with pytest.raises(holdfast.InvalidId):
        thread.journal.append("order", 1, key=key)


@pytest.mark.parametrize("kind", ["holdfast.intent", "holdfast.result", "holdfast.mine", "holdfast."])
def test_the_librarys_own_kinds_are_reserved(thread, kind):
    with pytest.raises(holdfast.InvalidArgument, match="holdfast"):
        thread.journal.append(kind, {})
    assert thread.journal.read() == []


@pytest.mark.parametrize("kind", [None, 7, "a\0b"])
def test_a_kind_is_text(thread, kind):
    with pytest.raises(holdfast.InvalidArgument):
        thread.journal.append(kind, {})


def test_a_kind_that_only_begins_alike_is_the_users(thread):
    assert thread.journal.append("holdfast", {}) == 1


def test_all_namespaces_of_a_thread_share_its_journal(store):
    store.thread("t").journal.append("event", "outer")
    assert store.thread("t", "inner").journal.append("event", "inner") == 2
    assert [entry.data for entry in store.thread("t").journal.read()] == ["outer", "inner"]


def test_many_writers_lose_nothing(thread, other):
    start = threading.Barrier(8)

    def work(who: int) -> list[int]:
        start.wait(30)
        return [(thread, other)[who % 2].journal.append("event", (who, n)) for n in range(10)]

    with ThreadPoolExecutor(8) as pool:
        numbers = [seq for found in pool.map(work, range(8)) for seq in found]
    entries = thread.journal.read(limit=None)
    assert sorted(numbers) == [entry.seq for entry in entries] == list(range(1, 81))
    assert len({entry.data for entry in entries}) == 80


def test_many_writers_with_one_key_make_one_entry(thread, other):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: (thread, other)[n % 2].journal.append("event", 1, key="k"), range(16)))
    assert set(found) == {1}
    assert len(other.journal.read()) == 1


# ------------------------------------------------------------------------------------------------ what is covered


def test_a_checkpoint_covers_the_journal_to_its_end(thread):
    assert thread.save({"n": 0}).journal_seq == 0
    thread.journal.append("event", 1)
    thread.journal.append("event", 2)
    assert thread.save({"n": 1}).journal_seq == 2


def test_a_checkpoint_may_cover_less(thread):
    thread.journal.append("event", 1)
    thread.journal.append("event", 2)
    assert thread.save({}, journal_seq=1).journal_seq == 1


def test_a_checkpoint_cannot_cover_what_is_not_committed(thread):
    thread.journal.append("event", 1)
    with pytest.raises(holdfast.InvalidArgument, match="journal"):
        thread.save({}, journal_seq=2)
    assert thread.latest() is None
    assert thread.save({}, journal_seq=1).seq == 1


def test_what_another_handle_committed_may_be_covered(thread, other):
    thread.save({"n": 0})
    other.journal.append("event", 1)
    assert thread.save({"n": 1}, journal_seq=1).journal_seq == 1


def test_at_a_place_in_the_journal(thread):
    found = {}
    for n in (1, 2, 3):
        thread.journal.append("event", n)
        found[n] = thread.save({"n": n}).id
    assert [thread.at(journal_seq=n).id for n in (1, 2, 3, 9)] == [found[1], found[2], found[3], found[3]]
    assert thread.at(journal_seq=0) is None


def test_a_checkpoint_in_an_inner_namespace_covers_the_threads_journal(store):
    store.thread("t").save({})
    store.thread("t").journal.append("event", 1)
    inner = store.thread("t", "inner")
    assert inner.save({}).journal_seq == 1
    with pytest.raises(holdfast.InvalidArgument):
        inner.save({}, journal_seq=2)


# ------------------------------------------------------------------------------------------------ deleted threads


def test_a_journal_goes_with_its_thread(store, thread):
    thread.journal.append("event", 1, key="k")
    thread.save({})
    thread.delete()
    again = store.thread("main", reuse=True)
    assert again.journal.append("event", 2, key="k") == 1


def test_a_deleted_thread_takes_no_entries(store, thread):
    thread.save({})
    thread.delete()
    for handle in (thread, store.thread("main")):
        with pytest.raises(holdfast.Deleted):
            handle.journal.append("event", 1)


def test_a_closed_store_takes_no_entries(store, thread):
    store.close()
    with pytest.raises(holdfast.Closed):
        thread.journal.append("event", 1)
