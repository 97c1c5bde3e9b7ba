"""Connections that break: what was sent is done once, whether its answer came or not."""

from __future__ import annotations

import asyncio
import os
import time

import psycopg
import pytest

from holdfast import Unreachable
from tests.postgres.counting import backend, counted, tampered
from tests.support.postgres import server


def kill_all() -> None:
    with psycopg.connect(server(), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s",
            (f"holdfast-{os.getpid()}",),
        )


class Breaking:
    """Breaks the connection once, at a commit: before it is sent, or after it was done."""

    def __init__(self, when: str, word: str = ".apply_1(", in_between=None) -> None:
        self.when = when
        self.word = word
        self.left = 1
        self.in_between = in_between

    def __call__(self, fetch):
        async def broken(used, query, parameters):
            if not self.left or self.word not in query.decode():
                return await fetch(used, query, parameters)
            self.left -= 1
            if self.when == "after":
                await fetch(used, query, parameters)
            if self.in_between is not None:
                self.in_between()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

        return broken


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_save_whose_answer_is_lost_is_saved_once(store, opened, when):
    thread = store.thread("t")
    thread.save({"n": 0, "messages": ["x" * 50] * 20})
    with tampered(Breaking(when)):
        saved = thread.save({"n": 1, "messages": ["x" * 50] * 21})
    found = opened().thread("t").history()
    assert [info.seq for info in found] == [2, 1]
    assert found[0] == saved
    assert thread.save({"n": 2}).seq == 3


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_new_thread_whose_answer_is_lost_is_made_once(store, opened, when):
    with tampered(Breaking(when)):
        store.thread("t", metadata={"a": 1}).save({"n": 1})
    assert [(one.id, one.checkpoints) for one in opened().threads()] == [("t", 1)]


def test_a_save_that_landed_is_known_even_if_others_went_on(store, opened):
    thread = store.thread("t")
    thread.save({"n": 0})
    others = opened().thread("t")
    with tampered(Breaking("after", in_between=lambda: others.save({"n": 2}))):
        thread.save({"n": 1})
    assert [info.seq for info in opened().thread("t").history()] == [3, 2, 1]
    assert [opened().thread("t").at(step=n).state["n"] for n in range(3)] == [0, 1, 2]


def test_a_save_that_did_not_land_is_saved_after_the_others(store, opened):
    thread = store.thread("t")
    thread.save({"n": 0})
    others = opened().thread("t")
    with tampered(Breaking("before", in_between=lambda: others.save({"n": 2}))):
        thread.save({"n": 1})
    assert [opened().thread("t").at(step=n).state["n"] for n in range(3)] == [0, 2, 1]


@pytest.mark.parametrize("when", ["before", "after"])
def test_appends_writes_and_deletions_whose_answers_are_lost_are_done_once(store, opened, when):
    thread = store.thread("t")
    info = thread.save({"n": 0})
    with tampered(Breaking(when)):
        assert thread.journal.append("note", {"a": 1}) == 1
    with tampered(Breaking(when)):
        thread.put_writes(info.id, [("n", 1)], task_id="one")
    assert [(entry.seq, entry.data) for entry in opened().thread("t").journal.read()] == [(1, {"a": 1})]
    assert len(opened().thread("t").latest().pending_writes) == 1
    with tampered(Breaking(when)):
        thread.delete()
    assert opened().threads() == []


@pytest.mark.parametrize("word", [".find_1(", ".checkpoint"])
def test_a_read_is_asked_again(store, word):
    store.thread("t").save({"n": 1})
    with tampered(Breaking("before", word)), counted() as sent:
        assert [one.seq for one in store.thread("t").history()] == [1]
    assert sum(word in one for one in sent) >= 1


def test_connections_that_the_server_closed_are_opened_again(store):
    thread = store.thread("t")
    for n in range(3):
        thread.save({"n": n})
        kill_all()
        assert thread.latest().state == {"n": n}
        kill_all()
    assert thread.latest().seq == 3


def test_async_connections_that_the_server_closed_are_opened_again(store):
    async def main() -> None:
        threads = [store.aio.thread(str(n)) for n in range(10)]
        for n in range(3):
            await asyncio.gather(*(thread.save({"n": n}) for thread in threads))
            kill_all()
            found = await asyncio.gather(*(thread.latest() for thread in threads))
            assert [one.state for one in found if one is not None] == [{"n": n}] * 10

    asyncio.run(main())


def test_a_server_that_stays_away_is_an_error_after_a_while(opened, monkeypatch):
    store = opened("retry=1")
    store.thread("t").save({"n": 1})
    used = backend(store)._thread_connector
    used.rest()

    def refuse() -> None:
        raise psycopg.OperationalError("connection refused")

    monkeypatch.setattr(used, "connect", refuse)
    for call in (lambda: store.thread("t").save({"n": 2}), lambda: store.thread("t").latest()):
        start = time.monotonic()
        with pytest.raises(Unreachable, match="can't be reached"):
            call()
        assert time.monotonic() - start > 0.3


def test_a_group_whose_answer_is_lost_is_saved_once_each(store, opened):
    async def main() -> None:
        threads = [store.aio.thread(str(n)) for n in range(20)]
        await asyncio.gather(*(thread.save({"n": 0}) for thread in threads))
        with tampered(Breaking("after")):
            await asyncio.gather(*(thread.save({"n": 1}) for thread in threads))

    asyncio.run(main())
    assert [one.checkpoints for one in opened().threads()] == [2] * 20
