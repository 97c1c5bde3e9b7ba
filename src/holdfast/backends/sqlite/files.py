"""Opening the file: its settings, its format, and the guard against files that are something else.

Two numbers stand in the file's header (`user_version`): the last migration that was applied, and the format that code
must know to use the file. Code that knows less refuses, and says which format it would need.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final
from zlib import crc32

from msgspec.msgpack import Encoder

from holdfast.backends import networks
from holdfast.backends.sqlite import copies
from holdfast.backends.sqlite.failures import translated
from holdfast.backends.sqlite.statements import migrations
from holdfast.errors import Busy, Conflict, Corrupt, NewerFormat, NotAStore, ReadOnly

BUSY_SECONDS: Final = 30.0
_PAGE: Final = 2048
_PAGES_AT_ONCE: Final = 1024
_WORTH_GIVING_BACK: Final = 128 * 1024
MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100


def connect(path: Path) -> sqlite3.Connection:
    """A connection with the settings that the promises rest on."""
    with _opening:
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
        )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(path: Path) -> sqlite3.Connection:
    """Open the file as a store: create it, bring it up to date, or refuse it."""
    _check_folder(path)
    _check_kind(path)
    networks.warn(path, path.parent)
    with translated(path):
        return _patiently(lambda: _open(path))


def _patiently(attempt: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    """Several processes may open a new file at once, and SQLite does not wait for the one that switches it to WAL."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(0.01)


def _open(path: Path) -> sqlite3.Connection:
    connection = connect(path)
    try:
        _set_up(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_folder(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise ReadOnly(f"{path}: the folder {str(folder)!r} does not exist; create it first")
    if path.is_dir():
        raise NotAStore(f"{path}: this is a folder; name a file in it, such as {str(path / 'agents.db')!r}")


def _check_kind(path: Path) -> None:
    """A file that is no SQLite database is refused before SQLite could touch it.

    Where this process has the file open already, it is not looked at: to close any descriptor of a file is to give up
    all locks that the process holds on it, those of SQLite too, and the next process to come would take the file for
    its own.
    """
    try:
        with _opening:
            if _is_open_here(path):
                return
            with path.open("rb") as file:
                start = file.read(_HEADER)
    except FileNotFoundError:
        return
    except PermissionError as error:
        raise ReadOnly(f"{path}: it can't be read; check its rights ({error})") from error
    if Path(f"{path}-journal").exists():
        return  # a change that was cut off, perhaps the very first: SQLite undoes it
    if start and start[: len(MAGIC)] != MAGIC:
        raise NotAStore(f"{path}: it is not a Holdfast store and was left as it is; name another file")
    if copies.is_marked(start):
        _check_alone(path)
    if start:
        _check_length(path, start)


def _check_alone(path: Path) -> None:
    """A restored copy has no log. That of the file whose place it took would be read into it."""
    logs = [left for left in (Path(f"{path}-wal"), Path(f"{path}-shm")) if left.exists()]
    with path.open("rb") as file:
        still = copies.is_marked(file.read(_HEADER))  # not if somebody has opened it just now
    if logs and still:
        raise Conflict(
            f"{path}: this is a backup, and {' and '.join(map(str, logs))} belong to the store that was here before; "
            "end the programs that still use that store, remove them, and open it again"
        )


def _is_open_here(path: Path) -> bool:
    wanted = path.stat()
    for number in _descriptors():
        with suppress(OSError):
            found = os.fstat(number)
            if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                return True
    return False


def _descriptors() -> list[int]:
    """Every file that this process has open."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return [int(name) for name in os.listdir(folder)]
    return []


_opening = threading.RLock()


def _after_fork() -> None:
    global _opening
    _opening = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _check_length(path: Path, header: bytes) -> None:
    """SQLite would fill up a file that was cut short with zeros, and answer from those."""
    if Path(f"{path}-wal").exists():
        return  # the file may be shorter than its header says until the log is written back
    page = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    wanted = pages * (65536 if page == 1 else page)
    if len(header) < _HEADER or path.stat().st_size < wanted:
        raise Corrupt(f"{path}: it was cut short and lacks data; restore it from a backup")


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN")  # another process may be creating the store: look at one moment of it
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    connection.execute("COMMIT")
    if application not in (copies.STORE_ID, copies.COPY_ID) and (tables or application):
        raise NotAStore(f"{path}: this SQLite database belongs to another program and was left as it is")
    if not tables:
        lay_out(connection)
    if application == copies.COPY_ID:
        migrate(connection, path)
        copies.raise_epochs(connection)
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        connection.execute("PRAGMA journal_mode = WAL")
    if current_format(connection, path) < migrations()[-1].number:
        migrate(connection, path)


def lay_out(connection: sqlite3.Connection) -> None:
    """What only takes before the first table."""
    connection.execute(f"PRAGMA page_size = {_PAGE}")  # measured: a tenth smaller than 4096, and no slower
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")


def current_format(connection: sqlite3.Connection, path: Path) -> int:
    """The number of the last migration; refuses a file that asks for more than this code knows."""
    (packed,) = connection.execute("PRAGMA user_version").fetchone()
    number, needed = packed & 0xFFFF, packed >> 16
    known = migrations()[-1].number
    if needed > known:
        raise NewerFormat(
            f"{path}: the file needs format {needed}, and this Holdfast knows up to {known}; "
            "install a newer Holdfast to open it"
        )
    return int(number)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Each migration and its record in one transaction; whoever waits for the lock finds the work done."""
    for migration in migrations():
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.create_function("checksum", -1, _checksum, deterministic=True)
            if current_format(connection, path) < migration.number:
                for statement in _split(migration.sql):
                    connection.execute(statement)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:  # SQLite has undone it already if the disk is full
                connection.execute("ROLLBACK")
            raise


def _checksum(*columns: object) -> int:
    """For migrations that change the columns of a row, whose checksum is over all of them."""
    return crc32(Encoder().encode(columns))


def _split(script: str) -> list[str]:
    """A migration's statements: `executescript` would commit the transaction that they belong in."""
    found, open_statement = [], ""
    for line in script.splitlines():
        open_statement += line + "\n"
        if sqlite3.complete_statement(open_statement):
            found.append(open_statement)
            open_statement = ""
    return found


def give_back(connection: sqlite3.Connection) -> None:
    """Return free pages to the file system, if they are many and nobody else is writing."""
    with suppress(sqlite3.Error):
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        if free * _PAGE < _WORTH_GIVING_BACK:
            return
        connection.execute("PRAGMA busy_timeout = 0")
        connection.executescript("PRAGMA incremental_vacuum")  # execute() would stop after the first page


def shrink(connection: sqlite3.Connection) -> None:
    """The same at once, in steps that let others write in between; then the log is emptied into the file."""
    while connection.execute("PRAGMA freelist_count").fetchone() != (0,):
        connection.executescript(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def scrub(connection: sqlite3.Connection, path: Path) -> None:
    """Write the whole file anew, so that no free page and no free part of a page holds what was there once, and empty
    the log. Others may read meanwhile, and have to come to an end with what they read."""
    connection.execute("PRAGMA secure_delete = ON")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA secure_delete = OFF")
    (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise Busy(f"{path}: another process reads what was removed, and keeps its log from being emptied; try again")
