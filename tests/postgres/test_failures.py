"""Each thing that can go wrong with a server is an error of its own, and no password is in any."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from pathlib import Path

import psycopg
import pytest

import holdfast
from holdfast import AccessDenied, Busy, HoldfastError, InvalidArgument, NotAStore, StorageFull, Unreachable
from holdfast.backends.postgres.connection import connector
from tests.postgres.counting import backend
from tests.support import postgres
from tests.support.postgres import run, server, with_option

SECRET = "hunter2-is-secret"  # noqa: S105  # of no real account


def changed(url: str, **parts: str) -> str:
    """The server's URL with another user, database or host; the password is always the secret one."""
    known = psycopg.conninfo.conninfo_to_dict(url)
    known = {**known, "password": SECRET, **parts}
    whole = f"postgresql://{known['user']}:{SECRET}@/{known['dbname']}?host={known['host']}"
    return f"{whole}&port={known['port']}" if known.get("port") else whole


def refused(url: str, kind: type[HoldfastError], **options: str) -> str:
    with pytest.raises(kind) as caught:
        holdfast.open(url)
    shown = [repr(caught.value), str(caught.value)]
    cause = caught.value.__cause__
    assert not any(SECRET in one for one in (*shown, str(cause))), "the password is in the error"
    return str(caught.value)


def test_an_unknown_user(url):
    assert "refused the user" in refused(changed(server(), user="nobody_of_this_name"), AccessDenied)


def test_a_wrong_password():
    with psycopg.connect(server(), autocommit=True) as connection:
        ((file,),) = connection.execute("SHOW hba_file").fetchall()
        if not os.access(file, os.W_OK):
            pytest.skip("the server's pg_hba.conf can't be changed from here")
        before = Path(file).read_text()
        connection.execute(f"CREATE ROLE locked_out LOGIN PASSWORD '{SECRET}x'".encode())
        try:
            ours = "local all locked_out scram-sha-256\nhost all locked_out all scram-sha-256\n"
            Path(file).write_text(ours + before)
            connection.execute("SELECT pg_reload_conf()")
            end = time.monotonic() + 10
            while time.monotonic() < end:  # the server reads its file a moment later
                try:
                    psycopg.connect(changed(server(), user="locked_out")).close()
                except psycopg.OperationalError:
                    break
            assert "refused the user" in refused(changed(server(), user="locked_out"), AccessDenied)
        finally:
            Path(file).write_text(before)
            connection.execute("SELECT pg_reload_conf()")
            connection.execute("DROP ROLE locked_out")


def test_a_missing_database(url):
    assert "no such database" in refused(postgres.changed(server(), dbname="not_there"), NotAStore)


def test_an_unknown_host():
    assert "host is unknown" in refused(f"postgresql://u:{SECRET}@no-such-host.invalid/db", Unreachable)


def test_no_server_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert "can't be reached" in refused(f"postgresql://u:{SECRET}@127.0.0.1:{port}/db", Unreachable)


def test_a_server_that_accepts_and_says_nothing():
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        refused(f"postgresql://u:{SECRET}@127.0.0.1:{port}/db?connect_timeout=2", Unreachable)


def test_a_url_that_makes_no_sense():
    assert SECRET not in refused(f"postgresql://u:{SECRET}@host/db?no_such_option=1", InvalidArgument)
    refused(with_option(server(), "timeout=soon"), InvalidArgument)
    refused(with_option(server(), "schema=pg_mine"), InvalidArgument)


def test_the_password_is_not_in_what_a_store_shows(url):
    postgres.run(server(), "DROP ROLE IF EXISTS shown", f"CREATE ROLE shown LOGIN SUPERUSER PASSWORD '{SECRET}'")
    try:
        with holdfast.open(postgres.changed(url, user="shown", password=SECRET)) as store:
            assert SECRET not in repr(store) + store.url + repr(backend(store).address) + repr(store.thread("t"))
    finally:
        postgres.run(server(), "REASSIGN OWNED BY shown TO CURRENT_USER", "DROP OWNED BY shown", "DROP ROLE shown")


# ------------------------------------------------------------------------------------------------ while it is in use


def failing(beside, code: str, table: str = "chunk") -> None:
    beside.execute(
        f"CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION 'as if' USING ERRCODE = '{code}'; END $$".encode()
    )
    beside.execute(f"CREATE TRIGGER fail BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fail()".encode())
    beside.commit()


@pytest.fixture
def healed(beside):
    yield
    beside.rollback()
    beside.execute("DROP FUNCTION IF EXISTS fail CASCADE")
    beside.execute("DROP FUNCTION IF EXISTS slow CASCADE")
    beside.commit()


def test_a_full_disk(store, beside, healed):
    store.thread("t").save({"n": 1})
    failing(beside, "53100")
    with pytest.raises(StorageFull, match="nothing was written"):
        store.thread("t").save({"messages": ["x" * 1000] * 10})
    assert store.thread("t").latest().state == {"n": 1}


def test_a_row_that_another_transaction_keeps_locked(store, opened, beside):
    store.thread("t").save({"n": 1})
    beside.execute("SELECT 1 FROM line FOR UPDATE")
    impatient = opened("lock_timeout=0.3")
    with pytest.raises(Busy, match="held a lock for too long"):
        impatient.thread("t").save({"n": 2})
    assert impatient.thread("t").latest().state == {"n": 1}
    beside.rollback()
    assert impatient.thread("t").save({"n": 2}).seq == 2


def test_a_statement_that_takes_too_long(store, opened, beside, healed):
    beside.execute(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(5); RETURN NEW; END $$"
    )
    beside.execute("CREATE TRIGGER slow BEFORE INSERT ON checkpoint FOR EACH ROW EXECUTE FUNCTION slow()")
    beside.commit()
    with pytest.raises(Busy, match="took longer"):
        opened("timeout=0.3").thread("t").save({"n": 1})
    assert store.threads() == []


def test_a_server_that_falls_silent_in_the_middle(opened, monkeypatch):
    """The process that serves the connection is stopped: a read goes to another one, and passes."""
    monkeypatch.setattr(connector, "_GRACE", 0.2)
    store = opened("timeout=0.5")
    store.thread("t").save({"n": 1})
    ((_, connection),) = backend(store)._thread_connector._idle
    pid = connection.info.backend_pid
    try:
        os.kill(pid, signal.SIGSTOP)
    except (ProcessLookupError, PermissionError):
        pytest.skip("the server's processes are not here to be stopped")
    try:
        assert store.thread("t").latest().state == {"n": 1}
    finally:
        os.kill(pid, signal.SIGCONT)
    assert connection.closed


def test_a_schema_that_was_dropped_while_it_is_open(tmp_path):
    url = with_option(server(), "schema=dropped_in_use")
    with holdfast.open(url) as store:
        store.thread("t").save({"n": 1})
        run(server(), "DROP SCHEMA dropped_in_use CASCADE")
        with pytest.raises(NotAStore):
            store.thread("t").save({"n": 2})
        with pytest.raises(NotAStore):
            store.threads()


def test_more_callers_than_connections(opened):
    store = opened("pool=2")
    threads = [threading.Thread(target=lambda n=n: store.thread(str(n)).save({"n": n})) for n in range(20)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(store.threads()) == 20
