"""Servers that only look like PostgreSQL are refused: without its locks, two writers would change one thread."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import holdfast
from holdfast import NotAStore
from holdfast.backends.postgres.connection import imitation
from holdfast.backends.postgres.connection.connector import SyncConnection
from holdfast.backends.registry import init_store
from tests.support.postgres import run, server, with_option

FAKE = f"fake_server_{os.getpid()}"
MADE = f"made_on_fake_{os.getpid()}"
IMITATIONS = {
    "CockroachDB CCL v25.1.2 (x86_64-pc-linux-gnu, built 2025/03/05 18:09:37, go1.22.8)": "CockroachDB",
    "PostgreSQL 11.2-YB-2.20.1.0-b97 on x86_64-pc-linux-gnu, compiled by clang version 16.0.6, 64-bit": "YugabyteDB",
    "PostgreSQL 15.2-YB-2.25.0.0-b489 on x86_64-pc-linux-gnu, compiled by clang version 17, 64-bit": "YugabyteDB",
    "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12103": "Redshift",
    "PostgreSQL 9.5.0 on x86_64-unknown-linux-gnu (Materialize v0.130.4)": "Materialize",
    "PostgreSQL 13.14.0-RisingWave-2.1.0 (f2d7ff2)": "RisingWave",
    "PostgreSQL 12.3, compiled by Visual C++ build 1914, 64-bit, QuestDB": "QuestDB",
    "PostgreSQL 16": "Aurora DSQL",
    "PostgreSQL 14.1": "imitation",
}
GENUINE = [
    "PostgreSQL 18.0 on x86_64-pc-linux-gnu, compiled by gcc (GCC) 13.3.0, 64-bit",
    "PostgreSQL 16.1, compiled by Visual C++ build 1937, 64-bit",
    "PostgreSQL 17.0 on x86_64-windows, compiled by msvc-19.40.33813, 64-bit",
    "PostgreSQL 15.4 on x86_64-pc-linux-gnu, compiled by x86_64-pc-linux-gnu-gcc (GCC) 9.5.0, 64-bit",
    "PostgreSQL 16.4 (Debian 16.4-1.pgdg120+1) on aarch64-unknown-linux-gnu, compiled by gcc (Debian 12.2.0-14)",
    "PostgreSQL 16.1 (EnterpriseDB Advanced Server 16.1.0) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit",
    "PostgreSQL 13.16 on x86_64-apple-darwin20.6.0, compiled by Apple clang version 12.0.0, 64-bit",
]


@pytest.fixture
def url() -> Iterator[str]:
    """A server on which the functions of a schema of the test come before its own."""
    run(server(), f"CREATE SCHEMA {FAKE}")
    yield with_option(with_option(server(), f"options=-csearch_path%3D{FAKE},pg_catalog"), f"schema={MADE}")
    run(server(), f"DROP SCHEMA IF EXISTS {FAKE} CASCADE", f"DROP SCHEMA IF EXISTS {MADE} CASCADE")


def fake(function: str, body: str) -> None:
    run(server(), f"CREATE OR REPLACE FUNCTION {FAKE}.{function} LANGUAGE plpgsql AS $$ BEGIN {body}; END $$")


def fake_version(version: str) -> None:
    fake("version() RETURNS text", f"RETURN '{version}'")


def schemas() -> list[Any]:
    with psycopg.connect(server()) as connection:
        return connection.execute("SELECT nspname FROM pg_namespace WHERE nspname = %s", (MADE,)).fetchall()


def refused(url: str) -> str:
    with pytest.raises(NotAStore) as caught:
        holdfast.open(url)
    return str(caught.value)


@pytest.mark.parametrize(("version", "name"), IMITATIONS.items())
def test_a_server_is_recognised_by_its_version(url: str, version: str, name: str) -> None:
    fake_version(version)
    said = refused(url)
    assert name in said
    assert "two workers could write to one thread at the same time" in said
    assert "PostgreSQL 13 or newer" in said
    assert schemas() == [], "nothing was written"


def test_a_store_that_exists_is_refused_too(url: str) -> None:
    with holdfast.open(url) as store:
        store.thread("t").save({"n": 1})
    fake_version("CockroachDB CCL v25.1.2")
    assert "CockroachDB" in refused(url)
    with pytest.raises(NotAStore, match="CockroachDB"):
        init_store(url, None)


def test_a_server_that_does_not_understand_the_question_is_recognised(url: str) -> None:
    fake_version("CockroachDB CCL v25.1.2")
    fake("to_regnamespace(text) RETURNS regnamespace", "RAISE 'unknown function' USING ERRCODE = '42883'")
    assert "CockroachDB" in refused(url)


def test_an_old_version_number_is_not_all_that_is_said(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_version("PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12103")
    monkeypatch.setattr(psycopg.ConnectionInfo, "server_version", 80002)
    assert "Redshift" in refused(url)


def test_a_server_whose_locks_do_nothing_is_recognised_without_a_name(url: str) -> None:
    """As stubs that only return."""
    fake("pg_advisory_xact_lock(key bigint) RETURNS void", "RETURN")
    assert "ignores advisory locks" in refused(url)
    assert schemas() == []


@pytest.mark.parametrize("version", GENUINE)
def test_postgresql_itself_is_used(url: str, version: str) -> None:
    imitation.check_version(version, "here")
    fake_version(version)
    with holdfast.open(url) as store:
        assert store.thread("t").save({"n": 1}).seq == 1


def test_the_real_servers_version_is_known(url: str) -> None:
    with psycopg.connect(server()) as connection:
        for (version,) in connection.execute("SELECT version()").fetchall():
            imitation.check_version(version, "here")


def test_an_ordinary_open_asks_no_more_than_before(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    holdfast.open(url).close()
    execute, sent = SyncConnection.execute, []

    def counting(self: Any, query: Any, *args: Any, **more: Any) -> Any:
        sent.append(query)
        return execute(self, query, *args, **more)

    monkeypatch.setattr(SyncConnection, "execute", counting)
    holdfast.open(url).close()
    assert len(sent) == 2
