"""Opening a schema: it is made, brought up to date, or refused.

The table `format` holds the number of the last migration, and the format that code must know to use the schema. Whoever
finds both in order needs no right to change anything.
"""

from __future__ import annotations

from typing import Any, Final

import psycopg
from psycopg import Connection
from psycopg.sql import SQL, Identifier

from holdfast.backends.postgres.address import Address, parse
from holdfast.backends.postgres.failures import translated
from holdfast.backends.postgres.statements import migrations
from holdfast.backends.postgres.twins import SyncTwin
from holdfast.errors import Conflict, NewerFormat, NotAStore

_OLDEST: Final = 130000
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('holdfast schema ' || %s, 0))"
_FIND: Final = """
    SELECT to_regnamespace(quote_ident(%(schema)s)) IS NOT NULL,
        (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(%(schema)s))),
        EXISTS (
            SELECT 1 FROM pg_attribute
            WHERE attrelid = to_regclass(quote_ident(%(schema)s) || '.format') AND attname = 'application'
        ),
        current_setting('server_encoding'),
        has_schema_privilege(to_regnamespace(quote_ident(%(schema)s)), 'USAGE')
"""


def prepare(twin: SyncTwin) -> None:
    """Make sure that the schema is there and known."""
    with translated(twin.address.shown), twin.connection() as connection:
        _bring_up(connection, twin.address, 0)


def initialize(url: str, partitions: int | None) -> str:
    """The same ahead of use, with partitions if the schema is still to be made. Says what is there."""
    address = parse(url)
    with translated(address.shown), SyncTwin(address).connect() as connection:
        _bring_up(connection, address, partitions or 0)
        found = count_partitions(connection, address)
    if partitions is not None and partitions != found:
        raise Conflict(
            f"{address.shown}: the schema is there already, with {found or 'no'} partitions; "
            "choose another schema, and move the threads there"
        )
    cut = f", in {found} partitions" if found else ""
    return f"{address.shown}: format {migrations()[-1].number}{cut}"


def _bring_up(connection: Connection[Any], address: Address, partitions: int) -> None:
    _check_server(connection, address)
    if _current(connection, address) < migrations()[-1].number:
        _migrate(connection, address, partitions)


def _check_server(connection: Connection[Any], address: Address) -> None:
    version = connection.info.server_version
    if version < _OLDEST:
        raise NotAStore(
            f"{address.shown}: Holdfast needs PostgreSQL 13 or newer, and this server is {version // 10000}"
        )


def _current(connection: Connection[Any], address: Address) -> int:
    """The number of the last migration; 0 for a schema that is still to be made."""
    ((exists, relations, is_ours, encoding, usable),) = connection.execute(_FIND, {"schema": address.schema})
    if encoding != "UTF8":
        raise NotAStore(f"{address.shown}: the database has the encoding {encoding}, and Holdfast needs UTF8")
    if exists and not usable:
        raise psycopg.errors.InsufficientPrivilege(f"permission denied for schema {address.schema}")
    if not is_ours and relations:
        raise NotAStore(f"{address.shown}: the schema belongs to another program and was left as it is; name another")
    if not is_ours:
        return 0
    formats = SQL("SELECT application, number, needed FROM {}.format").format(Identifier(address.schema))
    row = connection.execute(formats).fetchone()
    if row is None or row[0] != "holdfast":
        raise NotAStore(f"{address.shown}: the schema belongs to another program and was left as it is; name another")
    _, number, needed = row
    known, first = migrations()[-1].number, migrations()[0].number
    if number < first:
        raise NotAStore(
            f"{address.shown}: the schema has format {number}, which was never released, and was left as it is; "
            "export its threads with the version that made it, and import them into another schema"
        )
    if needed > known:
        raise NewerFormat(
            f"{address.shown}: the schema needs format {needed}, and this Holdfast knows up to {known}; "
            "install a newer Holdfast to open it"
        )
    return int(number)


def _migrate(connection: Connection[Any], address: Address, partitions: int) -> None:
    """Each migration and its record in one transaction; whoever waits for the lock finds the work done."""
    for migration in migrations():
        with connection.transaction():
            connection.execute(_LOCK, (address.schema,))
            if _current(connection, address) >= migration.number:
                continue
            _make_schema(connection, address)
            connection.execute(
                # Before the server's own names: it has a type called line.
                "SELECT set_config('search_path', quote_ident(%s) || ', pg_catalog', true),"
                " set_config('holdfast.partitions', %s, true)",
                (address.schema, str(partitions)),
            )
            connection.execute(migration.sql)


def _make_schema(connection: Connection[Any], address: Address) -> None:
    """Only if it is not there: to say so again needs a right that a schema's user may lack."""
    found = connection.execute("SELECT to_regnamespace(quote_ident(%s)) IS NULL", (address.schema,)).fetchone()
    if found == (True,):
        connection.execute(SQL("CREATE SCHEMA {}").format(Identifier(address.schema)))


def count_partitions(connection: Connection[Any], address: Address) -> int:
    found = connection.execute(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(quote_ident(%s) || '.line')", (address.schema,)
    ).fetchone()
    return int(found[0]) if found else 0
