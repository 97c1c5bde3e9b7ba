"""Opening a schema: it is created, upgraded, or refused.

The only row of the table `format` says which migrations were applied, which format a client must know to use the
schema, and which versions of the functions are installed. A client that finds all of it in order needs no right to
change anything.

Every change is made in a transaction that holds an advisory lock on the schema's name: of several clients that start at
once, one makes the change and the others find it done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import Connection
from psycopg.sql import SQL, Identifier

from holdfast.backends.postgres.connection import imitation
from holdfast.backends.postgres.connection.address import Address, parse
from holdfast.backends.postgres.connection.connector import ThreadConnector
from holdfast.backends.postgres.connection.pipelines import transaction
from holdfast.backends.postgres.errors import translated
from holdfast.backends.postgres.sql import Release, this_release
from holdfast.errors import AccessDenied, Conflict, NewerFormat, NotAStore

_OLDEST_SERVER: Final = 130000
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('holdfast schema ' || %s, 0))"
_DESCRIBE: Final = """
    SELECT to_regnamespace(quote_ident(%(schema)s)) IS NOT NULL,
        has_schema_privilege(to_regnamespace(quote_ident(%(schema)s)), 'USAGE'),
        EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(%(schema)s))),
        ARRAY(
            SELECT attname::text FROM pg_attribute
            WHERE attrelid = to_regclass(quote_ident(%(schema)s) || '.format') AND attnum > 0 AND NOT attisdropped
        ),
        current_setting('server_encoding'),
        version()
"""
# Before the server's own names: it has a type called line.
_SEARCH_PATH: Final = (
    "SELECT set_config('search_path', quote_ident(%s) || ', pg_catalog', true),"
    " set_config('holdfast.partitions', %s, true)"
)
_RECORD: Final = "UPDATE format SET functions = functions || jsonb_build_object(%s::text, %s::text)"


class _Described(NamedTuple):
    """A schema as the server's catalog has it."""

    exists: bool
    is_usable: bool
    has_relations: bool
    format_columns: list[str]
    encoding: str
    version: str


class _State(NamedTuple):
    """Which format and functions a schema has."""

    format: int  # 0 for a schema that is to be created
    digest: str | None  # of the installed functions of the release's version


# ------------------------------------------------------------------------------------------------ changes


def prepare(connector: ThreadConnector, release: Release) -> None:
    """Make sure that the schema exists and has what this release needs."""
    with translated(connector.address.shown), connector.connection() as connection:
        _bring_up(connection, connector.address, release, 0)


def initialize(url: str, partitions: int | None) -> str:
    """The same ahead of use, with partitions if the schema is still to be created. Returns a line that describes it."""
    address, release = parse(url), this_release()
    with translated(address.shown), closing(ThreadConnector(address).connect()) as connection:
        _bring_up(connection, address, release, partitions or 0)
        found = count_partitions(connection, address)
    if partitions is not None and partitions != found:
        raise Conflict(
            f"{address.shown}: the schema exists already, with {found or 'no'} partitions; "
            "choose another schema, and copy the threads to it"
        )
    described = f", in {found} partitions" if found else ""
    return f"{address.shown}: format {release.format}{described}"


def _bring_up(connection: Connection[Any], address: Address, release: Release, partitions: int) -> None:
    _check_server(connection, address)
    state = _state(connection, address, release)
    if state.format < release.format:
        _migrate(connection, address, release, partitions)
    if state.digest != release.digest:
        _install(connection, address, release)


def _migrate(connection: Connection[Any], address: Address, release: Release, partitions: int) -> None:
    """Each migration and its record in one transaction."""
    for migration in release.migrations:
        with _changing(connection, address):
            if _state(connection, address, release).format >= migration.number:
                continue
            _create_schema(connection, address)
            connection.execute(_SEARCH_PATH, (address.schema, str(partitions)))
            connection.execute(migration.sql)


def _install(connection: Connection[Any], address: Address, release: Release) -> None:
    """The functions and their record in one transaction. Other versions stay: other clients call them."""
    with _changing(connection, address):
        if _state(connection, address, release).digest != release.digest:
            connection.execute(_SEARCH_PATH, (address.schema, "0"))
            connection.execute(release.script)
            connection.execute(_RECORD, (str(release.version), release.digest))


@contextmanager
def _changing(connection: Connection[Any], address: Address) -> Iterator[None]:
    try:
        with transaction(connection):
            connection.execute(_LOCK, (address.schema,))
            imitation.check_lock(connection, address.shown)
            yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise AccessDenied(
            f"{address.shown}: the schema must be created or upgraded for this version of Holdfast, and the user lacks "
            f"the rights to do so; run `holdfast init` with the same URL as the schema's owner ({error})"
        ) from error


def _create_schema(connection: Connection[Any], address: Address) -> None:
    """CREATE SCHEMA IF NOT EXISTS needs a right that the owner of an existing schema may lack."""
    missing = connection.execute("SELECT to_regnamespace(quote_ident(%s)) IS NULL", (address.schema,)).fetchone()
    if missing == (True,):
        connection.execute(SQL("CREATE SCHEMA {}").format(Identifier(address.schema)))


def count_partitions(connection: Connection[Any], address: Address) -> int:
    found = connection.execute(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(quote_ident(%s) || '.line')", (address.schema,)
    ).fetchone()
    return int(found[0]) if found else 0


# ------------------------------------------------------------------------------------------------ the present state


def _check_server(connection: Connection[Any], address: Address) -> None:
    version = connection.info.server_version
    if version < _OLDEST_SERVER:
        imitation.check_server(connection, address.shown)
        raise NotAStore(
            f"{address.shown}: Holdfast needs PostgreSQL 13 or newer, and this server is {version // 10000}"
        )


def _state(connection: Connection[Any], address: Address, release: Release) -> _State:
    """Two statements. Refuses a schema that this release can't use."""
    described = _described(connection, address)
    if not described.has_relations:
        return _State(0, None)
    if "functions" not in described.format_columns:
        raise _foreign(connection, address, described)
    query = SQL("SELECT application, number, needed, functions ->> %s FROM {}.format")
    row = connection.execute(_of(query, address), (str(release.version),)).fetchone()
    if row is None or row[0] != "holdfast":
        raise _another_program(address)
    _, number, needed, digest = row
    if needed > release.format:
        raise NewerFormat(
            f"{address.shown}: the schema needs format {needed}, and this Holdfast knows up to {release.format}; "
            "install a newer Holdfast to open it"
        )
    return _State(number, digest)


def _described(connection: Connection[Any], address: Address) -> _Described:
    try:
        (row,) = connection.execute(_DESCRIBE, {"schema": address.schema}).fetchall()
    except psycopg.Error:
        imitation.check_server(connection, address.shown)  # an imitation may lack what was asked for
        raise
    described = _Described(*row)
    imitation.check_version(described.version, address.shown)
    if described.encoding != "UTF8":
        raise NotAStore(f"{address.shown}: the database's encoding is {described.encoding}, and Holdfast needs UTF8")
    if described.exists and not described.is_usable:
        raise psycopg.errors.InsufficientPrivilege(f"permission denied for schema {address.schema}")
    return described


def _foreign(connection: Connection[Any], address: Address, described: _Described) -> NotAStore:
    """Why a schema with relations in it is not one of a released format."""
    if {"application", "number"} <= set(described.format_columns):
        row = connection.execute(_of(SQL("SELECT application, number FROM {}.format"), address), ()).fetchone()
        if row is not None and row[0] == "holdfast":
            return NotAStore(
                f"{address.shown}: the schema was made by a development version of Holdfast before 0.1.0 (its format "
                f"{row[1]}) and was left as it is; drop the schema or name another"
            )
    return _another_program(address)


def _another_program(address: Address) -> NotAStore:
    return NotAStore(f"{address.shown}: the schema belongs to another program and was left as it is; name another")


def _of(query: SQL, address: Address) -> Any:
    return query.format(Identifier(address.schema.replace("%", "%%")))
