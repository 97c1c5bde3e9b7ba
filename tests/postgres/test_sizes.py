"""What a thread of a graph costs on the server, in bytes: never in seconds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.test_sizes import loop
from tests.support.postgres import server

TABLES = "thread, grave, tag, waiting, line, checkpoint, mark, log, chunk, pending, sealed, journal, run"


@contextmanager
def vacuuming(schema: str) -> Iterator[psycopg.Connection]:
    """As autovacuum does once a minute for threads that take longer than this test: rows that were removed give their
    room to others. In the end all tables are cleaned up."""
    done = threading.Event()

    def clean() -> None:
        while not done.wait(0.05):
            connection.execute("VACUUM chunk, pending, waiting, line, tag")

    with psycopg.connect(server(), autocommit=True) as connection:
        connection.execute("SELECT set_config('search_path', %s, false)", (schema,))
        worker = threading.Thread(target=clean)
        worker.start()
        try:
            yield connection
        finally:
            done.set()
            worker.join()


def test_a_thousand_steps_take_at_most_half_more_than_their_messages(url, store, schema, beside):
    """With every checkpoint and every pending write, beyond what the tables take when they are empty."""
    beside.rollback()
    beside.autocommit = True
    beside.execute(f"TRUNCATE {TABLES}".encode())
    store.thread("first").save({"n": 1})
    store.thread("first").delete()
    beside.execute(f"VACUUM {TABLES}".encode())
    empty = store.bytes_stored()
    with HoldfastSaver.from_url(url) as saver:
        with vacuuming(schema):
            content = loop(saver, 1000)
        beside.execute(f"VACUUM {TABLES}".encode())
        whole = saver.store.bytes_stored() - empty
    assert whole <= 1.5 * content, f"{whole} bytes for {content}: {whole / content:.3f}"
