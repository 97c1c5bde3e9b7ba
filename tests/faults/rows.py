"""The rows of a store on a server, read with plain SQL, without the library."""

from __future__ import annotations

from typing import Any

import psycopg

from holdfast.backends.rows import KEYS, ChunkRow, PendingRow, SettledRow, checked, table_name
from tests.crash.checker import Rows
from tests.servers.postgres import Server

VIEWS: dict[Any, str] = {
    ChunkRow: "all_chunks",
    PendingRow: "all_pending",
    SettledRow: "all_settled",
}  # of rows kept in two tables


def read_rows(server: Server) -> Rows:
    """Every row of every table, its checksum checked."""
    return rows_at(server.url())


def rows_at(url: str) -> Rows:
    rows: Rows = {}
    with psycopg.connect(url, autocommit=True) as connection:
        for kind in KEYS:
            columns, table = ", ".join(kind._fields), VIEWS.get(kind, table_name(kind))
            query = f"SELECT {columns} FROM holdfast.{table}"  # noqa: S608  names from the code
            rows[kind] = [checked(kind._make(row)) for row in connection.execute(query.encode())]  # type: ignore[type-var]
    return rows
