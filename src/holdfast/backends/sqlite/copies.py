"""Copies of a store as one file: how they are made, what marks them, and what happens when one is opened first.

A copy is marked by the application id in its header, and is no WAL database. Whoever opens it first raises the lease
epochs and takes the mark away, in one transaction that is in the file itself before there is a log beside it. So a log
beside a marked file is another's: that of the store whose place the copy took.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from holdfast.backends.base import Progress
from holdfast.backends.raising import raised
from holdfast.backends.rows import LineRow, first_key
from holdfast.backends.sqlite.statements import statements

STORE_ID: Final = 0x484F4C44  # "HOLD", in the header that `file` and SQLite tools show
COPY_ID: Final = 0x484F4C43  # "HOLC"
_ID_AT: Final = 68  # in the file's header
_PAGES: Final = 1024
_NAP: Final = 0.01
_LINES: Final = 1000
_SQL: Final = statements()


def is_marked(header: bytes) -> bool:
    """Whether this is the header of a copy that nobody has opened yet."""
    return header[_ID_AT : _ID_AT + 4] == COPY_ID.to_bytes(4, "big")


# ------------------------------------------------------------------------------------------------ making


def copy(reader: sqlite3.Connection, part: Path, progress: Progress | None) -> None:
    """All pages as they are at one moment. The open transaction keeps that moment: whoever writes goes on in the log,
    and the copy never has to start over."""
    reader.execute("BEGIN")
    try:
        reader.execute(_SQL["moment"]).fetchone()
        (size,) = reader.execute("PRAGMA page_size").fetchone()
        with unjournaled(part) as target:
            reader.backup(target, pages=_PAGES, progress=_told(progress, size), sleep=_NAP)
            mark(target)
    finally:
        reader.execute("ROLLBACK")


def _told(progress: Progress | None, size: int) -> Callable[[int, int, int], None] | None:
    if progress is None:
        return None
    return lambda _, left, pages: progress((pages - left) * size, pages * size)


def mark(target: sqlite3.Connection) -> None:
    target.execute("PRAGMA journal_mode = DELETE").fetchall()
    target.execute(f"PRAGMA application_id = {COPY_ID}")


@contextmanager
def unjournaled(part: Path) -> Iterator[sqlite3.Connection]:
    """A file that counts only once it is whole needs no journal and is synced once, at its end."""
    with closing(sqlite3.connect(part, isolation_level=None, check_same_thread=False)) as target:
        target.execute("PRAGMA synchronous = OFF")
        target.execute("PRAGMA journal_mode = OFF").fetchall()
        yield target


# ------------------------------------------------------------------------------------------------ opening


def raise_epochs(connection: sqlite3.Connection) -> None:
    """Fence the workers of whatever the copy was made of; whoever comes second finds it done."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA application_id").fetchone() == (COPY_ID,):
            _raise_all(connection)
            connection.execute(f"PRAGMA application_id = {STORE_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _raise_all(connection: sqlite3.Connection) -> None:
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")  # checksums tell what is damaged
    try:
        after = first_key(LineRow)
        while rows := connection.execute(_SQL["roots"], (*after, _LINES)).fetchall():
            found = (raised(LineRow._make(row)) for row in rows)
            connection.executemany(_SQL["put_line"], [row for row in found if row is not None])
            after = rows[-1][:2]
    finally:
        connection.text_factory = str
