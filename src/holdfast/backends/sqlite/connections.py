"""Connections: one that writes, a few that read, and none that crosses a fork.

SQLite keeps what it knows about locks in the process's memory. A child that inherited an open connection would believe
in locks that only its parent holds, whatever it opens itself. So all connections are closed before a fork, once whoever
uses one has given it back, and opened again afterwards on either side.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from weakref import WeakSet

from holdfast.backends.sqlite import files
from holdfast.backends.tickets import Ticket

_POOLED: Final = 8


class Connections:
    """The connections of one store in this process, and who waits for the one that writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: sqlite3.Connection | None = files.prepare(path)
        self._file = _identity(path)
        self._life = self._writer_life = 0  # grows when another file takes the name
        self._start()
        try:
            self._readers.append(files.connect(path))  # the first read should not have to wait for it
        except BaseException:
            self._close_all()
            raise
        _alive.add(self)

    def _start(self) -> None:
        self.writing = threading.Lock()
        self.queue: deque[Ticket] = deque()  # a child must not commit what its parent's threads wait for
        self._readers: list[sqlite3.Connection] = []
        self._gate = threading.Condition()
        self._reading = 0
        self._paused = False
        self._closed = False

    def writer(self) -> sqlite3.Connection:
        """For whoever holds `writing`."""
        with self._gate:
            self._follow()
            if self._writer is not None and self._writer_life != self._life:
                self._writer.close()
                self._writer = None
            if self._writer is None:
                self._writer = files.connect(self.path)
                self._writer_life = self._life
            return self._writer

    def _follow(self) -> None:
        """A backup may have been put in the place of the file: what is written to the old one would be lost with it."""
        found = _identity(self.path)
        if found in (None, self._file):
            return
        files.prepare(self.path).close()
        self._file = _identity(self.path)
        self._life += 1
        while self._readers:
            self._readers.pop().close()

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        connection, life = self._take()
        try:
            yield connection
        except BaseException:
            self._give_back(connection, usable=False)
            raise
        self._give_back(connection, usable=life == self._life)

    def _take(self) -> tuple[sqlite3.Connection, int]:
        with self._gate:
            while self._paused:
                self._gate.wait()
            self._follow()
            self._reading += 1
            if self._readers:
                return self._readers.pop(), self._life
            life = self._life
        try:
            return files.connect(self.path), life
        except BaseException:
            self._give_back(None, usable=False)
            raise

    def _give_back(self, connection: sqlite3.Connection | None, *, usable: bool) -> None:
        with self._gate:
            self._reading -= 1
            if connection is not None:
                if usable and len(self._readers) < _POOLED and not self._closed and not self._paused:
                    self._readers.append(connection)
                else:
                    connection.close()
            self._gate.notify_all()

    def close(self) -> None:
        with self.writing, self._gate:
            self._closed = True
            if self._writer is not None:
                files.give_back(self._writer)
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
                self._gate.wait()
            self._close_all()

    def after_in_parent(self) -> None:
        with self._gate:
            self._paused = False
            self._gate.notify_all()
        self.writing.release()

    def after_in_child(self) -> None:
        closed = self._closed
        self._start()
        self._closed = closed

    def __del__(self) -> None:
        with suppress(Exception):
            self._close_all()


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file has the name; None if that can't be told."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


_alive: WeakSet[Connections] = WeakSet()
_forking: list[Connections] = []


def _before_fork() -> None:
    _forking[:] = _alive
    for connections in _forking:
        connections.before_fork()


def _after_in_parent() -> None:
    for connections in _forking:
        connections.after_in_parent()
    _forking.clear()


def _after_in_child() -> None:
    for connections in _forking:
        connections.after_in_child()
    _forking.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
