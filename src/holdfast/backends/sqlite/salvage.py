"""Repairing a file whose pages are damaged: the rows that can be read are copied to a new file, which replaces it.

The damaged file is kept beside it as ``NAME.damaged-1`` (or the next free number), with all its bytes.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from holdfast._system import atomic_files
from holdfast.backends.rows import KEYS, is_sound, key_of, table_name
from holdfast.backends.sqlite import database, migration, page_reader
from holdfast.backends.sqlite.sql import statements
from holdfast.errors import NewerFormat

_SQL: Final = statements()


def check(connection: sqlite3.Connection, table: str) -> list[str]:
    """What SQLite's integrity check reports about the pages of a table and its indexes."""
    try:
        rows = connection.execute(_SQL["check"], (table,)).fetchall()
    except sqlite3.Error as error:
        return [str(error)]
    return [problem for (problem,) in rows if problem != "ok"]


def check_schema(connection: sqlite3.Connection, path: Path) -> list[str]:
    """Whether the schema in the file is the one that the migrations make."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        migration.migrate(empty, Path(":memory:"))
        wanted = empty.execute(_SQL["schema"]).fetchall()
    try:
        schema = connection.execute(_SQL["schema"]).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [str(error)]
    if _is_newer(connection, path):
        # A newer version of Holdfast may have added tables that this one does not need.
        schema = [entry for entry in schema if entry in wanted]
    return [] if schema == wanted else ["the schema in the file is not the one that was written"]


def _is_newer(connection: sqlite3.Connection, path: Path) -> bool:
    try:
        return migration.current(connection, path) > migration.newest()
    except sqlite3.Error:
        return False


def replace(path: Path) -> str:
    """Replace the file with an intact copy; returns where the damaged one is. No other process may have it open."""
    path = path.resolve()  # the file, and not a link to it, is set aside and replaced
    with atomic_files.temporary(path, ".mended", rights=atomic_files.rights_of(path)) as repaired:
        with closing(database.connect(path)) as old:
            if _is_newer(old, path):
                raise NewerFormat(
                    f"{path}: a newer version of Holdfast has added tables to this file, which this version would "
                    "lose; repair it with the newer version"
                )
            # SQLite refuses to leave WAL mode while another process has the file open.
            old.execute("PRAGMA journal_mode = DELETE").fetchall()
            with closing(database.prepare(repaired)) as new:
                counts = [_copy(old, new, path, kind) for kind in KEYS]
                new.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        aside = atomic_files.set_aside(path)
        shutil.copymode(aside, repaired)  # the umask may have taken some of the rights
        atomic_files.replace(repaired, path)
    return f"{path}: {sum(counts)} rows could be read and are in a new file; the damaged one is kept as {aside}"


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, path: Path, kind: Any) -> int:
    """Copy every row of one kind that can be read; returns their number.

    Rows that match their checksum come first: a damaged row with the same key must not keep them out.
    """
    copied: set[tuple[Any, ...]] = set()
    doubtful: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    done = 0
    new.execute("BEGIN IMMEDIATE")
    for row in _rows(old, path, kind):
        key = key_of(row)
        if not is_sound(row):
            doubtful.setdefault(key, row)
        elif key not in copied:
            copied.add(key)
            done += _put(new, table_name(kind), row)
    done += sum(_put(new, table_name(kind), row) for key, row in doubtful.items() if key not in copied)
    new.execute("COMMIT")
    return done


def _rows(old: sqlite3.Connection, path: Path, kind: Any) -> Iterator[Any]:
    """The rows of a table in its own order, without its indexes. If SQLite stops before the end, the rows of every page
    follow, so that a row may come twice. If it takes the table for one with other columns, only those come."""
    name = table_name(kind)
    old.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        if sorted(old.execute(_SQL["columns"], (name,))) != sorted((column,) for column in kind._fields):
            raise TypeError("the table has other columns")
        for row in old.execute(_SQL["all_" + name]):
            yield kind._make(row)
    except (sqlite3.Error, UnicodeDecodeError, TypeError):
        yield from page_reader.rows_of(path, kind, _root_page(old, name))


def _root_page(old: sqlite3.Connection, name: str) -> int:
    with suppress(sqlite3.Error):
        for (root,) in old.execute(_SQL["root_page"], (name,)):
            return root if isinstance(root, int) else 0
    return 0


def _put(new: sqlite3.Connection, name: str, row: tuple[Any, ...]) -> bool:
    """Whether the row could be put. A damaged row may lack a required column or hold invalid text: it stays in the old
    file."""
    try:
        new.execute(_SQL["put_" + name], row)
    except (sqlite3.Error, UnicodeEncodeError):
        return False
    return True
