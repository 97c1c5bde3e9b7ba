"""The lock that lets one process write at a time: taken for each commit, and released when its holder dies.

It is a `flock`, which unlike a POSIX lock belongs to the opened file and not to the process: two stores in one process
exclude each other, and closing another descriptor of the file does not release it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from holdfast._system.interrupts import ignoring
from holdfast.backends.files import folder_access
from holdfast.errors import Busy, InvalidArgument

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

BUSY_SECONDS: Final = 30.0
_LONGEST_DELAY: Final = 0.005

_NEEDED: Final = ("O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "pread", "pwrite", "uname")


def check_system() -> None:
    """Raises `InvalidArgument` where a store of files can't be opened. This module can be imported everywhere."""
    if not hasattr(fcntl, "flock") or not all(hasattr(os, name) for name in _NEEDED):
        raise InvalidArgument(
            "file: needs POSIX file locks (flock), which this system does not have; use SQLite: "
            "holdfast.open('agents.db')"
        )


class ProcessLock:
    """For one thread at a time: threads take a lock of their own first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.held = False
        self._descriptor = -1
        self._mine = f"{os.getpid()} on {os.uname().nodename}\n".encode()  # a forked child makes a lock of its own

    def acquire(self, patience: float | None = None) -> None:
        """Raises `Busy` if another process does not release it in time."""
        end = time.monotonic() + (BUSY_SECONDS if patience is None else patience)
        delay = 0.0002
        while not self.held:
            self._open()
            if self._try():
                self._write_holder()
                return
            if time.monotonic() > end:
                raise Busy(f"{self.path}: {self._holder()} kept the store locked; try again later")
            time.sleep(delay)
            delay = min(2 * delay, _LONGEST_DELAY)

    def _open(self) -> None:
        if self._descriptor < 0:
            self._descriptor = folder_access.open_file(self.path, os.O_RDWR | os.O_CREAT)

    def _try(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self.held = self._is_current_file()
        if not self.held:
            self.close()
        return self.held

    def _is_current_file(self) -> bool:
        """Whether the folder still has the file that was locked: it may have been replaced by another."""
        try:
            return os.path.samestat(os.stat(self.path, follow_symlinks=False), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def _write_holder(self) -> None:
        """Record who holds it, for the message of a process that waits too long. A failure is ignored."""
        with ignoring(OSError):
            if os.pread(self._descriptor, 300, 0) != self._mine:
                os.ftruncate(self._descriptor, 0)
                os.pwrite(self._descriptor, self._mine, 0)

    def _holder(self) -> str:
        with ignoring(OSError):
            signed = os.pread(self._descriptor, 300, 0).decode("utf-8", "replace").strip()
            if signed:
                return f"process {signed}"
        return "another process"

    def release(self) -> None:
        if self.held:
            self.held = False
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Release it. In a forked child this does not release the parent's lock."""
        self.held = False
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
