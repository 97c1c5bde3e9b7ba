"""Another transaction holds a row: only the save that needs it waits, and in the end says who is to blame."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psycopg
import pytest

from holdfast import Busy, Store
from holdfast.testing.driver import OPENERS, at_once
from tests.servers.postgres import Server

LOCKED = "locked"
FREE = [f"free {n}" for n in range(6)]


@contextmanager
def somebody_holds(server: Server, database: str, thread: str) -> Iterator[None]:
    """As a person at a console does, who began a transaction and went to lunch."""
    with psycopg.connect(server.url(database)) as connection:
        found = connection.execute(
            "SELECT 1 FROM holdfast.line JOIN holdfast.thread USING (tree, line) WHERE thread.id = %s"
            " FOR UPDATE OF line",
            [thread],
        )
        assert found.fetchall() == [(1,)]
        yield
        connection.rollback()


@pytest.mark.parametrize("facade", ["sync", "async"])
def test_others_in_the_group_are_stored_while_one_waits(server: Server, database: str, facade: str) -> None:
    with ExitStack() as stack:
        store = OPENERS[facade](stack, server.url(database, options="?lock_timeout=2"))
        for name in (LOCKED, *FREE):
            store.thread(name).save({"n": 0})
        waits = threading.Event()
        with somebody_holds(server, database, LOCKED):

            def save(number: int) -> str:
                if number == len(FREE):
                    waits.set()
                    return blamed(store)
                waits.wait()
                for n in range(1, 20):
                    store.thread(FREE[number]).save({"n": n})
                return "stored"

            results = at_once(len(FREE) + 1, save)
        assert results[:-1] == ["stored"] * len(FREE)
        assert "lock" in results[-1]
        assert [info.seq for info in store.thread(LOCKED).history()] == [1], "nothing of the save that failed"
        assert store.thread(LOCKED).save({"n": 1}).seq == 2
        assert all(store.thread(name).history(limit=1)[0].seq == 20 for name in FREE)


def blamed(store: Store) -> str:
    with pytest.raises(Busy) as raised:
        store.thread(LOCKED).save({"n": "waits"})
    return str(raised.value)
