"""One append-only file of records: read incrementally, appended to with an fsync, replaced as a whole.

Every record is synced before the next one is written, so at most the last record of a file can be torn. Readers ignore
a torn record; the next writer cuts it off.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import stat
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from holdfast._system import atomic_files
from holdfast._system.interrupts import ignoring
from holdfast.backends.files import folder_access
from holdfast.backends.files.logs import record_format
from holdfast.backends.files.logs.record_format import Damage, Record

log: Final = logging.getLogger("holdfast")
NEW: Final = ".new"
"""The ending of the name of a file that is not complete yet."""
UNFINISHED: Final = rf"(\.[0-9a-f]+)?{re.escape(NEW)}"
"""What follows the name of a file in the names of unfinished ones."""
_NO_FILE: Final = (-1, -1)


class TornWrite(NamedTuple):
    """An unacknowledged record that was cut off the end of a file."""

    path: Path
    offset: int
    bytes: int


class FileState(Enum):
    """What happened to a file since it was read."""

    UNCHANGED = 0
    GROWN = 1
    REPLACED = 2  # or truncated to less than was read


class _ReplacedError(OSError):
    """The file that has the name now does not continue what was read."""


class LogFile:
    """Keeps no descriptor open: a store may have many of these, and a forked child inherits none."""

    def __init__(self, path: Path, salt: int, below: int = 0) -> None:
        """`below` says how many of the folders around it are below the store's root."""
        self.path = path
        self.below = below
        self.salt = salt
        self.torn_writes: list[TornWrite] = []
        # Bytes from here on belong to a failed write that has not been cut off yet.
        self._limit: int | None = None
        # The name is certain to be on disk only after this process has synced the folder.
        self._is_folder_unsynced = True
        self.reset()

    def reset(self) -> None:
        """Read everything again, from the file that has the name now."""
        self.end = 0  # of what was read
        self.format = record_format.WRITTEN
        self._identity = _NO_FILE
        self._size_and_time = (-1, -1)
        self._last = (0, b"")

    def opened(self, mode: int) -> AbstractContextManager[int]:
        """A descriptor of the file."""
        return folder_access.opened_file(self.path, mode, self.below)

    # ---------------------------------------------------------------- reading

    def state(self) -> FileState:
        """Raises FileNotFoundError if there is no such file."""
        found = os.stat(self.path, follow_symlinks=False)
        if (found.st_dev, found.st_ino) != self._identity:
            return FileState.REPLACED
        if (self._size(found), found.st_mtime_ns) == self._size_and_time:
            return FileState.UNCHANGED
        if found.st_size < self.end or not self._continues():
            return FileState.REPLACED
        return FileState.GROWN

    def _continues(self) -> bool:
        with self.opened(os.O_RDONLY) as descriptor:
            return self._continues_in(descriptor)

    def _continues_in(self, descriptor: int) -> bool:
        """Whether the last record that was read is still there: one whose fsync failed is cut off again."""
        at, head = self._last
        return os.pread(descriptor, len(head), at) == head

    def _size(self, status: os.stat_result) -> int:
        return status.st_size if self._limit is None else min(status.st_size, self._limit)

    def changes(self) -> tuple[FileState, list[Record | Damage]]:
        """What happened to the file since it was read, and the records since then: all of them if the file was
        replaced. Raises FileNotFoundError if there is none."""
        state = self.state()
        if state is FileState.UNCHANGED:
            return state, []
        if state is FileState.GROWN:
            try:
                return state, self.read()
            except _ReplacedError:  # between the two calls
                pass
        self.reset()
        return FileState.REPLACED, self.read()

    def read(self) -> list[Record | Damage]:
        """The records since the last call, or since the start."""
        with self.opened(os.O_RDONLY) as descriptor:
            found = os.fstat(descriptor)
            size, base = self._size(found), self.end
            data = _read(descriptor, size - base, base)
            self._check_continued(descriptor, found)
        start = self._read_header(data) if base == 0 else 0
        items, end = record_format.read(data, base, self.salt, start)
        if base + start == 0 and not (items and isinstance(items[0], Damage)):
            items.insert(0, Damage(0, record_format.HEADER_SIZE))
        self._identity, self._size_and_time = (found.st_dev, found.st_ino), (size, found.st_mtime_ns)
        self.end = end
        self._remember_last(items, data, base)
        return items

    def _read_header(self, data: bytes) -> int:
        """How many bytes it takes; 0 if it is damaged."""
        found = record_format.read_header(data, self.path)
        if found is None:
            return 0
        self.format = found
        return record_format.HEADER_SIZE

    def _check_continued(self, descriptor: int, found: os.stat_result) -> None:
        """What was just read follows what was read before only in the same file, if nothing was cut off since."""
        if self._identity == _NO_FILE:
            return
        is_same = (found.st_dev, found.st_ino) == self._identity and found.st_size >= self.end
        if not is_same or not self._continues_in(descriptor):
            raise _ReplacedError(errno.ESTALE, "another file has its name now", str(self.path))

    def _remember_last(self, items: list[Record | Damage], data: bytes, base: int) -> None:
        for item in reversed(items):
            if isinstance(item, Record):
                at = item.start - base
                self._last = (item.start, data[at : at + record_format.RECORD_HEADER])
                return

    # ---------------------------------------------------------------- writing

    def check_writable(self) -> None:
        """Raises `NewerFormat` if only newer code may add to the file."""
        record_format.check_writable(self.format, self.path)

    @property
    def is_old(self) -> bool:
        """Whether the file has an earlier format than the one that this code writes: it is rewritten before it is
        added to."""
        return self.format < record_format.WRITTEN

    def append(self, payload: bytes) -> None:
        """Add a record and sync it. The caller holds the lock and has read everything."""
        self.check_writable()
        pieces = record_format.record(payload, self.salt)
        with self.opened(os.O_RDWR) as descriptor:
            found = os.fstat(descriptor)
            self._check_identity(found)
            self._cut_torn_write(descriptor, found.st_size)
            self._limit = self.end
            end = self.end
            for piece in pieces:
                end = _write(descriptor, piece, end)
            os.fsync(descriptor)
            self._sync_folder()
            self._limit = None
            self._last = (self.end, pieces[0][: record_format.RECORD_HEADER])
            self.end = end
            self._size_and_time = (self.end, os.fstat(descriptor).st_mtime_ns)

    def _check_identity(self, found: os.stat_result) -> None:
        if (found.st_dev, found.st_ino) != self._identity:
            raise OSError(errno.ESTALE, "another file has its name now", str(self.path))

    def _cut_torn_write(self, descriptor: int, size: int) -> None:
        if size > self.end:
            os.ftruncate(descriptor, self.end)
            self.torn_writes.append(TornWrite(self.path, self.end, size - self.end))
            log.warning(
                "%s: cut off %d bytes from offset %d on: a write that was never acknowledged, because its process or "
                "machine stopped",
                self.path, size - self.end, self.end,
            )  # fmt: skip

    @property
    def has_failed_write(self) -> bool:
        """Whether a failed write may still be in the file."""
        return self._limit is not None

    def undo_failed_write(self) -> None:
        if self._limit is not None:
            with self.opened(os.O_RDWR) as descriptor:
                os.ftruncate(descriptor, self._limit)
                os.fsync(descriptor)
            self._limit = None

    def _sync_folder(self) -> None:
        if self._is_folder_unsynced:
            atomic_files.sync_folder(self.path.parent)
            self._is_folder_unsynced = False

    def replace(self, payloads: Iterable[bytes]) -> None:
        """Put a new file with these records in the place of this one; readers notice by its identity."""
        self.check_writable()
        self._is_folder_unsynced = True
        write_new(self.path, payloads, self.salt, self.below)
        self._is_folder_unsynced = False
        self.reset()
        self.read()


def write_new(path: Path, payloads: Iterable[bytes], salt: int, below: int = 0) -> None:
    """Publish a file of these records, with the rights of the one that it replaces. The caller holds the store's
    lock."""
    with folder_access.opened_folder(path.parent, below) as folder:
        remove_unfinished(folder, re.escape(path.name))
        with atomic_files.NewFile(path, NEW, rights=rights_in(folder, path.name), within=folder) as new:
            new.write(record_format.header())
            for payload in payloads:
                for piece in record_format.record(payload, salt):
                    new.write(piece)
            new.publish()


def remove_unfinished(folder: int, names: str) -> None:
    """Remove what was left by processes that died while they wrote files of these names (a regular expression)."""
    unfinished = re.compile(rf"({names}){UNFINISHED}")
    for name in filter(unfinished.fullmatch, os.listdir(folder)):
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def rights_in(folder: int, name: str) -> int:
    """The rights of a file, for the one that replaces it; the usual ones if there is none."""
    with ignoring(OSError):
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            return stat.S_IMODE(found.st_mode) & 0o666
    return 0o666


def _write(descriptor: int, data: bytes, at: int) -> int:
    """Returns where it ends."""
    view = memoryview(data)
    done = 0
    while done < len(view):
        done += os.pwrite(descriptor, view[done:], at + done)
    return at + done


def _read(descriptor: int, length: int, at: int) -> bytes:
    pieces, done = [], 0
    while done < length:
        piece = os.pread(descriptor, length - done, at + done)
        if not piece:
            break
        pieces.append(piece)
        done += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
