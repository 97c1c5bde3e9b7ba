"""A connection that Holdfast gives up leaves no line in psycopg's log: the store reports what matters itself."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import psycopg
import pytest

import holdfast
from holdfast.backends.postgres.connection import pipelines
from holdfast.backends.postgres.errors import Silent
from tests.postgres.counting import backend
from tests.support.postgres import server


def end_sessions(url: str) -> None:
    """As a server that restarts, or a firewall."""
    name = url.partition("application_name=")[2].partition("&")[0]
    with psycopg.connect(server(), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s", (name,)
        )


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith("psycopg")]


@pytest.fixture(autouse=True)
def _all_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "psycopg")


def test_a_save_on_a_lost_connection(store: Any, url: str, caplog: pytest.LogCaptureFixture) -> None:
    for n in range(5):
        store.thread("t").save({"n": n})
        end_sessions(url)
        assert store.thread("t").latest().state == {"n": n}
        end_sessions(url)
    assert lines(caplog) == []


def test_an_awaited_save_on_a_lost_connection(store: Any, url: str, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        for n in range(5):
            await store.aio.thread("t").save({"n": n})
            await asyncio.to_thread(end_sessions, url)

    asyncio.run(main())
    assert store.thread("t").latest().seq == 5
    assert lines(caplog) == []


def test_a_server_that_goes_during_a_statement(
    store: Any, url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits have been sent, and the statement that follows them finds no server."""
    execute, left = psycopg.Connection.execute, [3]

    def cut(self: Any, query: Any, *args: Any, **more: Any) -> Any:
        if isinstance(query, bytes) and left[0]:
            left[0] -= 1
            end_sessions(url)
            execute(self, "SELECT 1")
        return execute(self, query, *args, **more)

    store.thread("t").save({"n": 1})
    monkeypatch.setattr(psycopg.Connection, "execute", cut)
    store.thread("t").save({"n": 2})
    assert left == [0]
    assert lines(caplog) == []


def test_an_interrupt_keeps_its_own_error(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    store.thread("t").save({"n": 1})
    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", interrupt)
        with pytest.raises(KeyboardInterrupt):
            store.thread("t").save({"n": 2})
    assert store.thread("t").latest().state == {"n": 1}


def test_a_backup_whose_connection_is_lost(
    store: Any, url: str, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    for n in range(30):
        store.thread(f"t{n}").save({"n": n})

    def cut(*_: Any) -> None:
        end_sessions(url)

    with pytest.raises(holdfast.Unreachable):
        store.backup(tmp_path / "copy.db", progress=cut)
    assert lines(caplog) == []
    assert list(tmp_path.glob("copy.db*")) == []


@pytest.mark.parametrize("how", ["lost", "silent"])
def test_a_transaction_that_can_not_be_ended(store: Any, url: str, caplog: pytest.LogCaptureFixture, how: str) -> None:
    connector = backend(store)._thread_connector

    def lose() -> None:
        with connector.connection() as connection, pipelines.transaction(connection):
            if how == "lost":
                end_sessions(url)
                connection.execute("SELECT 1")
            connection.patience = 0.1
            connection.execute("SELECT pg_sleep(10)")

    with pytest.raises(psycopg.OperationalError) as caught:
        lose()
    assert isinstance(caught.value, Silent) == (how == "silent")
    assert lines(caplog) == []
    store.thread("t").save({"n": 1})


def test_a_transaction_ends_with_all_or_nothing(store: Any) -> None:
    def write(connection: psycopg.Connection[Any]) -> None:
        with pipelines.transaction(connection):
            connection.execute("INSERT INTO made VALUES (1)")
            raise ZeroDivisionError

    with backend(store)._thread_connector.connection() as connection:
        with pipelines.transaction(connection):
            connection.execute("CREATE TEMP TABLE made (n int)")
        with pytest.raises(ZeroDivisionError):
            write(connection)
        assert connection.execute("SELECT count(*) FROM made").fetchall() == [(0,)]
