"""More writers than connections: each hears that there was none left, and may try again."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from holdfast import Busy, Unreachable
from holdfast.backends.postgres.connection.connector import LoopConnector
from tests.postgres.counting import backend, tampered

WRITERS = 6


def outcome(call) -> str:
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "saved"


@pytest.fixture
def crowded(opened):
    """A store with one connection, and a time limit that is soon over."""
    return opened("pool=1", "timeout=0.5")


def test_every_thread_that_waits_in_vain_hears_busy(crowded, store):
    threads = [crowded.thread(str(number)) for number in range(WRITERS)]
    for thread in threads:
        thread.save({"n": 0})
    held, free = threading.Event(), threading.Event()

    def hold() -> None:
        with backend(crowded)._thread_connector.connection():
            held.set()
            free.wait()

    with ThreadPoolExecutor(WRITERS + 1) as pool:
        holding = pool.submit(hold)
        held.wait()
        try:
            found = list(pool.map(lambda thread: outcome(lambda: thread.save({"n": 1})), threads))
        finally:
            free.set()
        holding.result()
    assert found == ["Busy"] * WRITERS
    assert [one.checkpoints for one in store.threads()] == [1] * WRITERS


def test_every_task_that_waits_in_vain_hears_busy(crowded, store):
    reported = []

    async def main() -> list[BaseException | None]:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
        threads = [crowded.aio.thread(str(number)) for number in range(WRITERS)]
        for thread in threads:
            await thread.save({"n": 0})
        used = backend(crowded)._loops[asyncio.get_running_loop()].connector
        assert isinstance(used, LoopConnector)
        async with used._connection():
            return await asyncio.gather(*(thread.save({"n": 1}) for thread in threads), return_exceptions=True)

    found = asyncio.run(main())
    assert [type(one) for one in found] == [Busy] * WRITERS
    assert len({id(one) for one in found}) == WRITERS  # each its own: a traceback belongs to one caller
    assert reported == []
    assert [one.checkpoints for one in store.threads()] == [1] * WRITERS


def test_only_the_one_whose_text_can_not_be_sent_gets_the_error(store, opened):
    names = [*map(str, range(WRITERS)), "half"]

    async def save(name: str) -> None:
        node = "\ud800" if name == "half" else "a"
        await store.aio.thread(name).save({"n": 1}, node=node)

    async def main() -> list[BaseException | None]:
        return await asyncio.gather(*map(save, names), return_exceptions=True)

    found = dict(zip(names, asyncio.run(main()), strict=True))
    assert found.pop("half") is not None
    assert set(found.values()) == {None}
    assert len(opened().threads()) == WRITERS


def test_a_leader_that_is_interrupted_leaves_the_others_their_saves(store, opened):
    """The members of its group are retried alone."""
    started, go = threading.Event(), threading.Event()
    first = threading.local()

    def change(fetch):
        async def interrupted(used, query, parameters):
            if ".apply_1(" in query.decode() and getattr(first, "here", False):
                started.set()
                go.wait()
                raise KeyboardInterrupt
            return await fetch(used, query, parameters)

        return interrupted

    def lead(name: str) -> None:
        first.here = True
        with pytest.raises(KeyboardInterrupt):
            store.thread(name).save({"n": 1})

    with tampered(change), ThreadPoolExecutor(WRITERS) as pool:
        leaders = [pool.submit(lead, f"leader {number}") for number in range(2)]
        started.wait()
        time.sleep(0.2)
        others = [pool.submit(store.thread(f"other {number}").save, {"n": 1}) for number in range(4)]
        time.sleep(0.2)
        go.set()
        for one in (*leaders, *others):
            one.result()
    assert [one.id for one in opened().threads()] == [f"other {number}" for number in range(4)]


def test_busy_after_an_answer_was_lost_does_not_claim_that_nothing_was_done(store, opened):
    thread = store.thread("t")
    thread.save({"n": 0})
    tries = []

    def change(fetch):
        async def lost_then_busy(used, query, parameters):
            if ".apply_1(" not in query.decode():
                return await fetch(used, query, parameters)
            tries.append(query)
            if len(tries) > 1:
                raise Busy("all connections were in use")
            await fetch(used, query, parameters)
            raise psycopg.OperationalError("server closed the connection unexpectedly")

        return lost_then_busy

    with tampered(change), pytest.raises(Unreachable, match="may have been applied"):
        thread.save({"n": 1})
    assert opened().thread("t").latest().state == {"n": 1}
