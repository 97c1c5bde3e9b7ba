"""The lock that lets one process write at a time: taken for each commit, waited for, and gone with its holder.

It is a `flock`: unlike the other kind of lock it belongs to the opened file and not to the process, so that two stores
in one process keep out of each other's way, and closing some other descriptor gives nothing away.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from holdfast.errors import Busy

BUSY_SECONDS: Final = 30.0
_LONGEST_NAP: Final = 0.005


class ProcessLock:
    """Not for several threads at once: they have a lock of their own before they come here."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.held = False
        self._descriptor = -1

    def acquire(self, patience: float | None = None) -> None:
        """Raises `Busy` if another process does not let go in time."""
        end = time.monotonic() + (BUSY_SECONDS if patience is None else patience)
        nap = 0.0002
        while not self.held:
            self._open()
            if self._try():
                self._sign()
                return
            if time.monotonic() > end:
                raise Busy(f"{self.path}: {self._holder()} kept the store locked; try again")
            time.sleep(nap)
            nap = min(2 * nap, _LONGEST_NAP)

    def _open(self) -> None:
        if self._descriptor < 0:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)

    def _try(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self.held = self._is_at_its_place()
        if not self.held:
            self.close()
        return self.held

    def _is_at_its_place(self) -> bool:
        """Whether the folder still has the file that was locked: it may have been replaced by another."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def _sign(self) -> None:
        """Leave word who holds it, for those who wait. They can do without."""
        mine = f"{os.getpid()} on {os.uname().nodename}\n".encode()
        with suppress(OSError):
            if os.pread(self._descriptor, 300, 0) != mine:
                os.ftruncate(self._descriptor, 0)
                os.pwrite(self._descriptor, mine, 0)

    def _holder(self) -> str:
        with suppress(OSError):
            signed = os.pread(self._descriptor, 300, 0).decode("utf-8", "replace").strip()
            if signed:
                return f"process {signed}"
        return "another process"

    def release(self) -> None:
        if self.held:
            self.held = False
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give it up. In a forked child this leaves the parent's hold as it is."""
        self.held = False
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
