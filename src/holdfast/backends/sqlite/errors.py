"""SQLite's errors, translated to errors that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from holdfast.errors import Busy, Corrupt, HoldfastError, NotAStore, ReadOnly, StorageFailed, StorageFull

_MEANINGS: Final[dict[int, tuple[type[HoldfastError], str]]] = {
    sqlite3.SQLITE_BUSY: (Busy, "another process kept the file locked; try again"),
    sqlite3.SQLITE_LOCKED: (Busy, "another connection kept the file locked; try again"),
    sqlite3.SQLITE_FULL: (StorageFull, "no space is left; nothing was written, free some space and try again"),
    sqlite3.SQLITE_READONLY: (ReadOnly, "the file can't be written; check the permissions of the file and its folder"),
    sqlite3.SQLITE_PERM: (ReadOnly, "access was refused; check the permissions of the file and its folder"),
    sqlite3.SQLITE_CANTOPEN: (
        ReadOnly,
        "the file can't be opened; check that the folder exists and can be written to",
    ),
    sqlite3.SQLITE_NOTADB: (NotAStore, "this is not a Holdfast file; name another file"),
    sqlite3.SQLITE_CORRUPT: (Corrupt, "the file is damaged; restore it from a backup"),
    sqlite3.SQLITE_IOERR: (StorageFailed, "the disk reported an error; nothing was acknowledged"),
}


FROM_THE_FILE: Final = (sqlite3.Error, UnicodeDecodeError, TypeError)
"""What a query raises: UnicodeDecodeError comes from damaged text, TypeError from rows of a damaged schema."""


def translate(error: Exception, path: Path) -> HoldfastError:
    if not isinstance(error, sqlite3.Error) or "decode to UTF-8" in str(error):
        return Corrupt(f"{path}: the file is damaged; restore it from a backup ({error})")
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
    kind, meaning = _MEANINGS.get(code, (StorageFailed, "SQLite refused"))
    if isinstance(error, sqlite3.ProgrammingError):
        kind, meaning = StorageFailed, "the connection can't be used"
    return kind(f"{path}: {meaning} ({error})")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate every error in the block that can only come from the file."""
    try:
        yield
    except FROM_THE_FILE as error:
        raise translate(error, path) from error


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Translate SQLite's own errors only: the block also calls a function of the caller, whose errors pass through."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error
