"""What a thread of a graph costs on the server, in bytes: never in seconds."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest

import holdfast
from bench.langgraph import messages, noted
from holdfast.adapters.langgraph import HoldfastSaver
from tests.support.postgres import database


@pytest.fixture
def fresh() -> Iterator[str]:
    """A database of its own: a transaction that another test keeps open would keep old rows of this one as well."""
    with database(f"sizes_{os.getpid()}") as url:
        yield url


def test_a_thousand_steps_take_at_most_half_more_than_their_messages(fresh):
    """With every checkpoint and every pending write. As they come, within seconds and before any vacuum, what the
    tables take while they are empty is a matter of the database, not of the thread, and is counted apart. Without the
    room that waits to be used again, all is counted."""
    calls = noted()
    with HoldfastSaver.from_url(fresh) as saver:
        empty = saver.store.bytes_stored()
        for verb, arguments in calls:
            getattr(saver, verb)(*arguments)
        grown = saver.store.bytes_stored() - empty
        compact(fresh, "holdfast")
        kept = saver.store.bytes_stored()
    content = sum(len(one.model_dump_json()) for one in messages(calls))
    assert grown <= 1.5 * content, f"{grown} bytes for {content}: {grown / content:.3f}"
    assert kept <= 1.5 * content, f"{kept} bytes for {content}: {kept / content:.3f}"
    assert empty <= 400_000


def compact(url: str, schema: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        asked = "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'"
        for (table,) in connection.execute(asked, (schema,)).fetchall():
            connection.execute(f"VACUUM FULL {table}".encode())


def test_changes_that_became_frames_leave_their_places_to_later_ones(store, beside):
    """So there are never more rows in `tail` than a log has places."""
    thread = store.thread("long")
    for n in range(300):
        thread.update({"messages": [f"{n} " + "x" * 900]}, reduce={"messages": holdfast.extend})
    (found,) = beside.execute("SELECT count(*), count(*) FILTER (WHERE lo < 0) FROM tail").fetchall()
    assert found == (31, 31 - 299 % 32)
    beside.rollback()
    assert [len(one.state["messages"]) for one in (thread.latest(),) if one is not None] == [300]


def test_the_places_of_a_value_that_is_gone_are_gone(store, beside):
    thread = store.thread("short")
    for n in range(40):
        thread.update({"messages": [f"{n} " + "x" * 900]}, reduce={"messages": holdfast.extend})
    thread.save({"n": 1})
    thread.prune(holdfast.Retention(keep_last=1))
    store.collect()
    assert beside.execute("SELECT count(*) FROM tail").fetchone() == (0,)
