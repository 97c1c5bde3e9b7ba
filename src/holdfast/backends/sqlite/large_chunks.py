"""Chunks with a large body, which are written and read without SQLite's own copies of it.

A bound value is copied twice on its way into a table, and a column up to three times on its way out of a sorted query.
So the row is put with zeros in the place of the body, which take no memory because `body` is the last column, and the
body is written over them in place. A query returns the rowid instead of a large body.
"""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from holdfast.backends.rows import ChunkRow
from holdfast.backends.sqlite.sql import statements

LARGE: Final = 1 << 20
_SQL: Final = statements()


def put(writer: sqlite3.Connection, row: ChunkRow) -> None:
    rowid = writer.execute(_SQL["put_large_chunk"], row._replace(body=len(row.body))).lastrowid  # type: ignore[arg-type]
    with writer.blobopen("chunk", "body", rowid) as body:  # type: ignore[arg-type]
        body.write(row.body)


def fetch(reader: sqlite3.Connection, parameters: dict[str, Any]) -> list[list[Any]]:
    """The rows of the query `chunks` with all bodies. One transaction: a writer may remove a row between two reads."""
    reader.execute("BEGIN")
    rows = [*map(list, reader.execute(_SQL["chunks"], parameters).fetchall())]
    for row in rows:
        *_, body, _, rowid = range(len(row))
        if row[rowid] is not None:
            with reader.blobopen("chunk", "body", row[rowid], readonly=True) as stored:
                row[body] = stored.read()
    reader.execute("COMMIT")
    return rows
