"""Opening the file: its settings, and the checks that keep Holdfast away from files that are something else."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from holdfast._system import process_fork
from holdfast._system.interrupts import ignoring
from holdfast.backends.common import network_fs
from holdfast.backends.sqlite import file_backup, migration
from holdfast.backends.sqlite.errors import translated
from holdfast.errors import Conflict, Corrupt, NotAStore, ReadOnly, StorageFailed

BUSY_SECONDS: Final = 30.0
MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100
_PAGE_SIZE: Final = 2048  # measured: a tenth smaller files than with 4096, and no slower
_DEVELOPMENT_IDS: Final = (0x484F4C44, 0x484F4C43)  # "HOLD" and "HOLC", of formats that were never released


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
    """Open the file as a store: create it, migrate it to the present format, or refuse it."""
    _check_folder(path)
    _check_beside(path)
    _check_file(path)
    network_fs.warn(path, path.parent)
    with translated(path):
        return _retry_while_busy(lambda: _open(path))


def _retry_while_busy(attempt: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
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


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    # One transaction: another process may be creating the store between the two reads.
    connection.execute("BEGIN")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    connection.execute("COMMIT")
    if tables or application:
        _check_application(application, path)
    if not tables:
        lay_out(connection)
    if application == file_backup.COPY_ID:
        migration.migrate(connection, path)
        file_backup.raise_epochs(connection)
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        connection.execute("PRAGMA journal_mode = WAL")
    if migration.current(connection, path) < migration.newest():
        migration.migrate(connection, path)


def lay_out(connection: sqlite3.Connection) -> None:
    """The settings that only take effect before the first table is created."""
    connection.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")


# ------------------------------------------------------------------------------------------------ checks


def _check_folder(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise ReadOnly(f"{path}: the folder {str(folder)!r} does not exist; create it first")
    if path.is_dir():
        raise NotAStore(f"{path}: this is a folder; name a file in it, such as {str(path / 'agents.db')!r}")


def _check_beside(path: Path) -> None:
    """SQLite writes to the files with these names, and would write to what they are links to."""
    main = os.path.realpath(path)
    for ending in ("-wal", "-shm", "-journal"):
        with ignoring(FileNotFoundError):
            found = os.stat(main + ending, follow_symlinks=False)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise StorageFailed(
                    f"{main}{ending}: this is a link, or not a file, and SQLite would write to what it leads to; "
                    "end the programs that use the store, and remove it"
                )


def _check_file(path: Path) -> None:
    """Refuse what is not a Holdfast file before SQLite could touch it.

    A file that this process has open already is not read. Closing any descriptor of a file releases all POSIX locks
    that the process holds on it, SQLite's included, and another process could then write at the same time.
    """
    try:
        with _opening:
            if _is_open_here(path):
                return
            with path.open("rb") as file:
                header = file.read(_HEADER)
    except FileNotFoundError:
        return
    except PermissionError as error:
        raise ReadOnly(f"{path}: the file can't be read; check its permissions ({error})") from error
    if not header or Path(f"{path}-journal").exists():
        # A rollback journal is what an interrupted transaction leaves, perhaps the very first. SQLite undoes it.
        return
    _check_header(path, header)


def _check_header(path: Path, header: bytes) -> None:
    if header[: len(MAGIC)] != MAGIC:
        raise NotAStore(f"{path}: this is not a Holdfast file, and it was not changed; name another file")
    application = file_backup.application_of(header)
    if application in _DEVELOPMENT_IDS:
        _check_application(application, path)
    if application == file_backup.COPY_ID:
        _check_alone(path)
    _check_length(path, header)


def _check_application(application: int, path: Path) -> None:
    if application in _DEVELOPMENT_IDS:
        raise NotAStore(
            f"{path} was made by a development version of Holdfast before 0.1.0, whose format is no longer read; "
            "the file was not changed. Export its threads with the version that wrote it, or name another file."
        )
    if application not in (file_backup.STORE_ID, file_backup.COPY_ID):
        raise NotAStore(f"{path}: this SQLite database belongs to another program, and it was not changed")


def _check_alone(path: Path) -> None:
    """A backup has no WAL. SQLite would replay that of the file whose name it took into it."""
    logs = [left for left in (Path(f"{path}-wal"), Path(f"{path}-shm")) if left.exists()]
    # Read again: another process may have opened the backup since, and then the log is its own.
    with path.open("rb") as file:
        still = file_backup.application_of(file.read(_HEADER)) == file_backup.COPY_ID
    if logs and still:
        raise Conflict(
            f"{path}: this is a backup, and {' and '.join(map(str, logs))} belong to the store that was here before; "
            "end the programs that still use that store, remove them, and open it again"
        )


def _check_length(path: Path, header: bytes) -> None:
    """SQLite would extend a truncated file with zeros, and answer from those."""
    if Path(f"{path}-wal").exists():
        # Until the WAL is written back, the file may be shorter than its header says.
        return
    page = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    wanted = pages * (65536 if page == 1 else page)
    if len(header) < _HEADER or path.stat().st_size < wanted:
        raise Corrupt(f"{path}: the file was truncated and lacks data; restore it from a backup")


def _is_open_here(path: Path) -> bool:
    wanted = path.stat()
    for number in _descriptors():
        with ignoring(OSError):
            found = os.fstat(number)
            if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                return True
    return False


def _descriptors() -> list[int]:
    """Every file descriptor of this process."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with ignoring(OSError):
            return [int(name) for name in os.listdir(folder)]
    return []


_opening = threading.RLock()


def _after_fork() -> None:
    global _opening
    _opening = threading.RLock()


process_fork.register(after_in_child=_after_fork)
