"""All rows of a schema in one snapshot, table by table, a few megabytes at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from psycopg import Connection

from holdfast.backends.postgres.connection.pipelines import transaction
from holdfast.backends.rows import KEYS, Row, table_name

_BYTES: Final = 4 * 1024 * 1024
_MOST: Final = 5000
_FIRST: Final = 20
_CURSOR: Final = "holdfast_backup"
Taker = Callable[[type[Row], list[tuple[Any, ...]]], None]


def stream(connection: Connection[tuple[Any, ...]], sql: dict[str, bytes], take: Taker) -> None:
    """Pass every row to `take`; the connection must have no open transaction."""
    with transaction(connection):
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for kind in KEYS:
            with connection.cursor(_CURSOR) as cursor:
                cursor.execute(sql["all_" + table_name(kind)], (), binary=True)
                count = _FIRST
                while rows := cursor.fetchmany(count):
                    take(kind, rows)
                    count = max(1, min(_MOST, 4 * count, _BYTES * len(rows) // (_weight(rows) + 1)))


def _weight(rows: list[tuple[Any, ...]]) -> int:
    return sum(len(column) for row in rows for column in row if isinstance(column, bytes | str))
