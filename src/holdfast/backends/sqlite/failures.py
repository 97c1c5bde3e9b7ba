"""From what SQLite reports to errors that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from holdfast.errors import Busy, Corrupt, HoldfastError, NotAStore, ReadOnly, StorageFailed, StorageFull

_MEANINGS: Final[dict[int, tuple[type[HoldfastError], str]]] = {
    sqlite3.SQLITE_BUSY: (Busy, "another process kept it locked; try again"),
    sqlite3.SQLITE_LOCKED: (Busy, "another connection kept it locked; try again"),
    sqlite3.SQLITE_FULL: (StorageFull, "no space is left; nothing was written, free some and try again"),
    sqlite3.SQLITE_READONLY: (ReadOnly, "it can't be written; check the rights of the file and its folder"),
    sqlite3.SQLITE_PERM: (ReadOnly, "access was refused; check the rights of the file and its folder"),
    sqlite3.SQLITE_CANTOPEN: (ReadOnly, "it can't be opened; check that the folder exists and may be written"),
    sqlite3.SQLITE_NOTADB: (NotAStore, "it is not a Holdfast store; name another file"),
    sqlite3.SQLITE_CORRUPT: (Corrupt, "the file is damaged; restore it from a backup"),
    sqlite3.SQLITE_IOERR: (StorageFailed, "the disk reported an error; nothing was acknowledged"),
}


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
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError, TypeError) as error:
        # The last two are what sqlite3 makes of a damaged text, and a row's class of a damaged schema.
        raise translate(error, path) from error


@contextmanager
def told(path: Path) -> Iterator[None]:
    """The same where a caller's own function is called as well, whose errors are not ours to translate."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error
