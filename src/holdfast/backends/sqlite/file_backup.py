"""Backups of a store as one file: how they are made, what marks them, and what happens when one is first opened.

A backup is marked by the application id in its header, and is not in WAL mode. The first process to open it raises the
lease epochs and removes the mark, in one transaction that is written to the file itself before there is a WAL beside
it. So a WAL beside a marked file belongs to another file: the store whose name the backup took.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from holdfast.backends.base import Progress
from holdfast.backends.common.epoch_fence import raised
from holdfast.backends.rows import LineRow, first_key, key_of
from holdfast.backends.sqlite.sql import statements

STORE_ID: Final = 0x484C4446  # "HLDF", in the header that `file` and SQLite tools show
COPY_ID: Final = 0x484C4443  # "HLDC"
_ID_AT: Final = 68  # in the file's header
_PAGES: Final = 1024
_NAP: Final = 0.01
_LINES: Final = 1000
_SQL: Final = statements()


def application_of(header: bytes) -> int:
    """The application id in the header of a file."""
    return int.from_bytes(header[_ID_AT : _ID_AT + 4], "big")


# ------------------------------------------------------------------------------------------------ making


def copy(reader: sqlite3.Connection, part: Path, progress: Progress | None) -> None:
    """Copy all pages as they are at one moment.

    The open transaction preserves that moment: writers append to the WAL, and the copy never has to restart.
    """
    reader.execute("BEGIN")
    try:
        reader.execute(_SQL["moment"]).fetchone()
        (size,) = reader.execute("PRAGMA page_size").fetchone()
        with unjournaled(part) as target:
            reader.backup(target, pages=_PAGES, progress=_page_progress(progress, size), sleep=_NAP)
            mark_as_backup(target)
    finally:
        reader.execute("ROLLBACK")


def _page_progress(progress: Progress | None, size: int) -> Callable[[int, int, int], None] | None:
    if progress is None:
        return None
    return lambda _, left, pages: progress((pages - left) * size, pages * size)


def mark_as_backup(target: sqlite3.Connection) -> None:
    target.execute("PRAGMA journal_mode = DELETE").fetchall()
    target.execute(f"PRAGMA application_id = {COPY_ID}")


@contextmanager
def unjournaled(part: Path) -> Iterator[sqlite3.Connection]:
    """A connection without a journal: the file only counts once it is complete, and is synced once, at its end."""
    with closing(sqlite3.connect(part, isolation_level=None, check_same_thread=False)) as target:
        target.execute("PRAGMA synchronous = OFF")
        target.execute("PRAGMA journal_mode = OFF").fetchall()
        yield target


# ------------------------------------------------------------------------------------------------ opening


def raise_epochs(connection: sqlite3.Connection) -> None:
    """Fence the workers of the store that the backup was made from. The second process to call this changes nothing."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA application_id").fetchone() == (COPY_ID,):
            _raise_all(connection)
            connection.execute(f"PRAGMA application_id = {STORE_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _raise_all(connection: sqlite3.Connection) -> None:
    # Damaged text must not stop this: the checksum of its row shows the damage.
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        after = first_key(LineRow)
        while rows := connection.execute(_SQL["roots"], (*after, _LINES)).fetchall():
            lines = [LineRow._make(row) for row in rows]
            fenced = map(raised, lines)
            connection.executemany(_SQL["put_line"], [row for row in fenced if row is not None])
            after = key_of(lines[-1])
    finally:
        connection.text_factory = str
