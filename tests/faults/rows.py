"""The rows of a store on a server, read with plain SQL beside the library."""

from __future__ import annotations

from holdfast.backends.rows import KEYS, checked, table_name
from tests.crash.checker import Rows
from tests.servers.postgres import Server


def read_rows(server: Server) -> Rows:
    """Every row of every table, its checksum checked."""
    rows: Rows = {}
    for kind in KEYS:
        columns = ", ".join(kind._fields)
        found = server.run(f"SELECT {columns} FROM holdfast.{table_name(kind)}")  # noqa: S608  names from the code
        rows[kind] = [checked(kind._make(row)) for row in found]  # type: ignore[type-var]
    return rows
