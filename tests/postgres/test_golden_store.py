"""The golden store of PostgreSQL's format 1 is restored from its dump, read, verified and continued."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import holdfast
from holdfast.backends.rows import KEYS, ChunkRow, PendingRow, SettledRow, table_name
from tests.data.golden import check_continued, contents, graph_contents
from tests.data.make_postgres_1 import SCHEMA
from tests.postgres.catalog import catalog
from tests.support.postgres import database, with_option

DUMP = Path(__file__).parents[1] / "data" / "postgres-1.sql"
HELD = json.loads(DUMP.with_suffix(".json").read_text())
VIEWS = {ChunkRow: "all_chunks", PendingRow: "all_pending", SettledRow: "all_settled"}


@pytest.fixture
def server_url() -> Iterator[str]:
    with database(f"golden_{os.getpid()}") as url:
        yield url


@pytest.fixture
def golden(server_url: str) -> str:
    with psycopg.connect(server_url) as connection:
        connection.execute(DUMP.read_bytes())
    return with_option(server_url, f"schema={SCHEMA}")


def test_it_uses_every_table(golden: str, server_url: str) -> None:
    names = [*(VIEWS.get(kind, table_name(kind)) for kind in KEYS), "chunk", "chunk_slot", "pending", "pending_slot"]
    with psycopg.connect(server_url) as connection:
        counts = {
            name: connection.execute(f"SELECT count(*) FROM {SCHEMA}.{name}".encode()).fetchone()  # noqa: S608
            for name in names
        }
    assert [name for name, count in counts.items() if count == (0,)] == []


def test_it_reads_back_equal(golden: str) -> None:
    with holdfast.open(golden) as store:
        assert contents(store) == HELD["threads"]
        assert graph_contents(store) == HELD["graph"]
        assert [kept.table for kept in store.quarantined()] == ["run"]


def test_it_is_sound(golden: str) -> None:
    with holdfast.open(golden) as store:
        assert store.verify().faults == ()


def test_it_is_continued(golden: str) -> None:
    with holdfast.open(golden) as store:
        check_continued(store)
        assert store.verify().faults == ()


def test_a_store_that_was_upgraded_equals_one_that_was_just_made(golden: str, server_url: str) -> None:
    """Tables, columns, indexes, constraints, settings and functions: whatever was migrated, and in how many steps."""
    holdfast.open(golden).close()
    holdfast.open(with_option(server_url, "schema=just_made")).close()
    assert catalog(SCHEMA, server_url) == catalog("just_made", server_url)
