"""Connections: one that writes, a few that read, and none that crosses a fork.

SQLite keeps what it knows about locks in the process's memory. A child that inherited an open connection would believe
in locks that only its parent holds, whatever it opens itself. So all connections are closed before a fork, once every
thread that uses one has returned it, and opened again afterwards on either side.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from holdfast._system import process_fork
from holdfast._system.interrupts import is_interrupt
from holdfast.backends.common.commit_queue import Ticket
from holdfast.backends.sqlite import database, vacuum

_POOLED: Final = 8
_NAP: Final = 0.0005


class Connections:
    """The connections of one store in this process, and the queue of batches for the one that writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: sqlite3.Connection | None = database.prepare(path)
        self._file = _identity(path)
        self._file_number = self._writer_file_number = 0  # grows when another file takes the name
        self._start()
        try:
            self._readers.append(database.connect(path))  # so that the first read need not wait for it
        except BaseException:
            self._close_all()
            raise
        process_fork.register(
            before=self.before_fork, after_in_parent=self.after_in_parent, after_in_child=self.after_in_child
        )

    def _start(self) -> None:
        self.writing = threading.Lock()
        self.queue: deque[Ticket] = deque()  # a child must not commit what its parent's threads wait for
        self._readers: list[sqlite3.Connection] = []
        # A signal handler may raise at any bytecode. So the gate is a lock that C code takes and releases, and each
        # reader has a token in a set, from which it can safely be removed twice.
        self._gate = threading.RLock()
        self._reading: set[object] = set()
        self._paused = False
        self._closed = False

    def writer(self) -> sqlite3.Connection:
        """The connection that writes. The caller holds `writing`."""
        with self._gate:
            if _identity(self.path) not in (None, self._file):
                self._reopen()
            if self._writer is not None and self._writer_file_number != self._file_number:
                self._writer.close()
                self._writer = None
            if self._writer is None:
                self._writer = database.connect(self.path)
                self._writer_file_number = self._file_number
            if self._writer.in_transaction:
                # An interrupt has left it open. Its caller has already seen the commit fail.
                self._writer.execute("ROLLBACK")
            return self._writer

    def _reopen(self) -> None:
        """A backup has replaced the file: writes to the old file would be lost with it."""
        database.prepare(self.path).close()
        self._file_number += 1  # first, so that the next call repeats the rest if this one is interrupted
        while self._readers:
            self._readers.pop().close()
        self._file = _identity(self.path)

    def fetchall(self, sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        """All rows of one query: what a block with a `reader` does, in one call."""
        token = object()
        try:
            connection, file_number = self._take(token)
            try:
                rows = connection.execute(sql, parameters).fetchall()
            except BaseException:
                connection.close()
                raise
            self._give_back(connection, file_number)
        finally:
            self._reading.discard(token)
        return rows

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        token = object()
        try:
            connection, file_number = self._take(token)
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            self._give_back(connection, file_number)
        finally:
            self._reading.discard(token)

    def _take(self, token: object) -> tuple[sqlite3.Connection, int]:
        while True:
            with self._gate:
                if not self._paused:
                    if _identity(self.path) not in (None, self._file):
                        self._reopen()
                    self._reading.add(token)
                    if self._readers:
                        return self._readers.pop(), self._file_number
                    file_number = self._file_number
                    break
            with self.writing:  # released when the fork is over
                pass
        return database.connect(self.path), file_number

    def _give_back(self, connection: sqlite3.Connection, file_number: int) -> None:
        with self._gate:
            usable = file_number == self._file_number and not self._closed and not self._paused
            if usable and len(self._readers) < _POOLED:
                self._readers.append(connection)
            else:
                connection.close()

    def close(self) -> None:
        with self.writing, self._gate:
            self._closed = True
            if self._writer is not None:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                vacuum.return_free_pages(self._writer)
            self._close_all()

    def _close_all(self) -> None:
        while self._readers:
            self._readers.pop().close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    # ---------------------------------------------------------------- forks

    def before_fork(self) -> None:
        self.writing.acquire()
        with self._gate:
            self._paused = True
        while self._reading:
            time.sleep(_NAP)
        with self._gate:
            self._close_all()

    def after_in_parent(self) -> None:
        with self._gate:
            self._paused = False
        self.writing.release()

    def after_in_child(self) -> None:
        closed = self._closed
        self._start()
        self._closed = closed

    def __del__(self) -> None:
        with suppress(Exception):
            self._close_all()


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file has the name now; None if it can't be determined."""
    try:
        status = os.stat(path)
    except OSError as error:
        if is_interrupt(error):
            raise
        return None
    return status.st_dev, status.st_ino
