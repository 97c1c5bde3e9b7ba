"""Reads a SQLite file without a trace: no byte of it changes, and no file appears beside it.

Even a read-only connection to a file in WAL mode creates a `-wal` and a `-shm` beside it, which stay there. So a file
that no process has open is read without SQLite's locks, which need these files. After each query the size and time of
the file are compared: if another process has used it, the result is discarded, and from then on the file is read with
locks, as by any other reader.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from holdfast.errors import Busy, Corrupt, HoldfastError, NotAStore, ReadOnly, StorageFailed

T = TypeVar("T")
Question = Callable[[sqlite3.Connection], T]

BUSY_SECONDS: Final = 30.0
_SHARED: Final = "mode=ro"
_AT_REST: Final = "mode=ro&immutable=1"
_AT_REST_WITH_WAL: Final = "mode=ro&vfs=unix-none"  # immutable would ignore the WAL

# Every process that uses a database in WAL mode holds a lock on this byte of the -shm. A separate process checks it: a
# process that closes a file loses all its locks on it, including those of its own SQLite.
_LOCK_CHECK: Final = """
import fcntl, os, struct, sys
layout, byte = "hhqqi", 128
wanted = struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
found = fcntl.fcntl(os.open(sys.argv[1], os.O_RDONLY), fcntl.F_GETLK, wanted)
sys.exit(0 if struct.unpack(layout, found)[0] == fcntl.F_UNLCK else 1)
"""

_MEANINGS: Final[dict[int, tuple[type[HoldfastError], str]]] = {
    sqlite3.SQLITE_BUSY: (Busy, "another process holds a lock on it; try again"),
    sqlite3.SQLITE_NOTADB: (NotAStore, "it is not an SQLite database"),
    sqlite3.SQLITE_CORRUPT: (Corrupt, "it is damaged; restore it from a backup"),
    sqlite3.SQLITE_CANTOPEN: (ReadOnly, "it can't be opened; check the permissions of the file and its folder"),
    sqlite3.SQLITE_READONLY: (ReadOnly, "it was left in the middle of a change; let its application open it once"),
}


class ReadOnlyFile:
    """Runs queries on a file, each in one transaction."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()  # -wal and -shm are beside the file, not beside a link to it
        # Taken before the check, so that no change after the check goes unnoticed.
        fingerprint = _fingerprint(self.path)
        self._rest = fingerprint if _is_unused(self.path) else None
        self._connection: sqlite3.Connection | None = None

    def ask(self, question: Question[T]) -> T:
        with _translated(self.path):
            if self._rest is not None:
                answers = self._ask_at_rest(question)
                if answers:
                    return answers[0]
                self._use_locks()
            return _in_transaction(self._open(_SHARED), question)

    def _ask_at_rest(self, question: Question[T]) -> list[T]:
        """The answer, or an empty list if the file was used during the query."""
        with_wal = _companion(self.path, "-wal").exists()
        try:
            answer = _in_transaction(self._open(_AT_REST_WITH_WAL if with_wal else _AT_REST), question)
        except sqlite3.Error:
            if self._is_at_rest():
                raise
            return []  # the error may come from a half-written change
        return [answer] if self._is_at_rest() else []

    def _is_at_rest(self) -> bool:
        return _fingerprint(self.path) == self._rest

    def _use_locks(self) -> None:
        self.close()
        self._rest = None

    def _open(self, how: str) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(
                f"{self.path.as_uri()}?{how}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
            )
            self._connection.execute("PRAGMA trusted_schema = OFF")
            if how == _AT_REST_WITH_WAL:
                self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # keeps the WAL index in memory
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _in_transaction(connection: sqlite3.Connection, question: Question[T]) -> T:
    connection.execute("BEGIN")
    try:
        return question(connection)
    finally:
        connection.execute("ROLLBACK")


def _companion(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _is_unused(path: Path) -> bool:
    """Whether it is certain that no process has the file open."""
    if _companion(path, "-journal").exists():
        return False
    if not _companion(path, "-wal").exists():
        return True
    if sys.platform != "linux" or not sys.executable:
        return False
    shared = _companion(path, "-shm")
    return not shared.exists() or _is_unlocked(shared)


def _is_unlocked(shared: Path) -> bool:
    command = [sys.executable, "-I", "-S", "-c", _LOCK_CHECK, str(shared)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603  the script above


def _fingerprint(path: Path) -> list[tuple[int, int, int] | None]:
    """What changes when a process writes to the file."""
    return [_state(path), _state(_companion(path, "-wal")), _state(_companion(path, "-journal"))]


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(error, path) from error


def _translate(error: sqlite3.Error, path: Path) -> HoldfastError:
    if "decode to UTF-8" in str(error):
        return Corrupt(f"{path}: it is damaged; restore it from a backup ({error})")
    code: Any = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR)
    kind, meaning = _MEANINGS.get(code & 0xFF, (StorageFailed, "SQLite refused"))
    return kind(f"{path}: {meaning} ({error})")
