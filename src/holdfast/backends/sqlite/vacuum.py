"""Returning the space of removed rows: to the file system, or so that not even their bytes are left in the file."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from holdfast.errors import Busy

_PAGES_AT_ONCE: Final = 1024
_WORTH_RETURNING: Final = 128 * 1024


def return_free_pages(connection: sqlite3.Connection) -> None:
    """Return free pages to the file system, if they are many and no other connection is writing."""
    with suppress(sqlite3.Error):
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        if free * size < _WORTH_RETURNING:
            return
        connection.execute("PRAGMA busy_timeout = 0")
        # executescript, because execute() would stop after the first page.
        connection.executescript("PRAGMA incremental_vacuum")


def shrink(connection: sqlite3.Connection) -> None:
    """Return all free pages, in steps that let other connections write in between. Then empty the WAL."""
    before = _free_pages(connection) + 1
    # A file that was laid out by another program may keep its free pages.
    while 0 < (left := _free_pages(connection)) < before:
        connection.executescript(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")
        before = left
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _free_pages(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA freelist_count").fetchone()[0])


def scrub(connection: sqlite3.Connection, path: Path) -> None:
    """Rewrite the whole file, so that no free page and no free part of a page holds removed data, and empty the WAL.

    Other connections may read at the same time. The WAL can only be emptied once they have finished.
    """
    connection.execute("PRAGMA secure_delete = ON")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA secure_delete = OFF")
    (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise Busy(
            f"{path}: another process is still reading removed data, so the write-ahead log can't be emptied; try again"
        )
