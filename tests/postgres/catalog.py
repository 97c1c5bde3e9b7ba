"""What a schema consists of, as the server's catalog has it: comparable, without the schema's name."""

from __future__ import annotations

from typing import Any

import psycopg

from tests.support.postgres import server

_FUNCTIONS = """
    SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = %(schema)s::regnamespace
"""
_COLUMNS = """
    SELECT relname, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attstorage::text, collname,
        pg_get_expr(adbin, adrelid)
    FROM pg_class
    JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_collation ON pg_collation.oid = attcollation
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = %(schema)s::regnamespace AND relkind IN ('r', 'p', 'v')
"""
_RELATIONS = """
    SELECT relname, relkind::text, reloptions, pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid),
        CASE relkind WHEN 'v' THEN pg_get_viewdef(oid) WHEN 'i' THEN pg_get_indexdef(oid) END
    FROM pg_class WHERE relnamespace = %(schema)s::regnamespace
"""
_CONSTRAINTS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = %(schema)s::regnamespace
"""


def functions(schema: str) -> dict[str, str]:
    """The source of each function by its name."""
    return dict(_rows(schema, _FUNCTIONS, server()))


def catalog(schema: str, url: str = "") -> dict[str, list[str]]:
    """Functions, columns, tables, views, indexes, partitions, storage settings and constraints."""
    kinds = {"functions": _FUNCTIONS, "columns": _COLUMNS, "relations": _RELATIONS, "constraints": _CONSTRAINTS}
    return {
        kind: sorted(repr(row).replace(schema, "SCHEMA") for row in _rows(schema, query, url or server()))
        for kind, query in kinds.items()
    }


def _rows(schema: str, query: str, url: str) -> list[Any]:
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode(), {"schema": schema}).fetchall()
