"""One append-only file of records: read from where one stopped, appended to with an fsync, replaced as a whole.

Every record is synced before the next one is written, so that at most the last one of a file can be torn. Whoever reads
beside the writer ignores a torn record; the next writer cuts it off.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from holdfast.backends.files import records
from holdfast.backends.files.records import Damage, Sound

log: Final = logging.getLogger("holdfast")
_FLAGS: Final = os.O_CLOEXEC | os.O_NOFOLLOW
NEW: Final = ".new"
"""How the name of a file ends that is not complete yet."""


class Torn(NamedTuple):
    """A record that nobody was told about, cut off the end of a file."""

    path: Path
    offset: int
    bytes: int


class State(Enum):
    """What happened to a file since it was read."""

    SAME = 0
    GROWN = 1
    OTHER = 2  # replaced, or cut back behind what was read


class Segment:
    def __init__(self, path: Path, salt: int) -> None:
        self.path = path
        self.salt = salt
        self.end = 0  # what was read so far, all of it sound
        self.torn: list[Torn] = []
        self._limit: int | None = None  # what follows was never acknowledged, and could not be cut off yet
        self._descriptor = -1
        self._writable = False
        self._folder_due = True  # until this process has synced the folder, nobody knows that the name is on disk
        self._seen = (-1, -1)
        self._last = (0, b"")

    # ---------------------------------------------------------------- reading

    def state(self) -> State:
        """Raises FileNotFoundError if there is no such file."""
        found = os.stat(self.path, follow_symlinks=False)
        if self._descriptor < 0 or not os.path.samestat(found, os.fstat(self._descriptor)):
            return State.OTHER
        if (self._size(found), found.st_mtime_ns) == self._seen:
            return State.SAME
        if found.st_size < self.end or not self._continues():
            return State.OTHER
        return State.GROWN

    def _continues(self) -> bool:
        """Whether the last record that was read is still there: one whose fsync failed is cut off again."""
        at, head = self._last
        return os.pread(self._descriptor, len(head), at) == head

    def _size(self, found: os.stat_result) -> int:
        return found.st_size if self._limit is None else min(found.st_size, self._limit)

    def start_over(self) -> None:
        """Read everything again, from the file that has the name now."""
        self.close()
        self.end = 0

    def read(self) -> list[Sound | Damage]:
        """The records since the last time."""
        if self._descriptor < 0:
            self._open(os.O_RDONLY)
        found = os.fstat(self._descriptor)
        size = self._size(found)
        data = _read(self._descriptor, size - self.end, self.end)
        self._seen = (size, found.st_mtime_ns)
        start, base = 0, self.end
        items: list[Sound | Damage] = []
        if base == 0:
            start = records.HEADER_SIZE if records.check_header(data, self.path) else 0
        more, self.end = records.read(data[start:] if start else data, base + start, self.salt)
        items += more
        if base == 0 and not start and not (items and isinstance(items[0], Damage)):
            items.insert(0, Damage(0, records.HEADER_SIZE))
        self._remember_last(items)
        return items

    def _remember_last(self, items: list[Sound | Damage]) -> None:
        for item in reversed(items):
            if isinstance(item, Sound):
                self._last = (item.start, os.pread(self._descriptor, records.RECORD_HEADER, item.start))
                return

    def _open(self, mode: int) -> None:
        descriptor = os.open(self.path, mode | _FLAGS)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(0, "this is not a file", str(self.path))
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._writable = descriptor, mode == os.O_RDWR

    # ---------------------------------------------------------------- writing

    def append(self, payload: bytes) -> None:
        """Add a record and sync it. For whoever holds the lock and has read everything."""
        if not self._writable:
            self._open(os.O_RDWR)
        self._cut_torn()
        data = records.record(payload, self.salt)
        self._limit = self.end
        _write(self._descriptor, data, self.end)
        self.sync()
        self._limit = None
        self._last = (self.end, data[: records.RECORD_HEADER])
        self.end += len(data)
        self._seen = (self.end, os.fstat(self._descriptor).st_mtime_ns)

    def _cut_torn(self) -> None:
        size = os.fstat(self._descriptor).st_size
        if size > self.end:
            os.ftruncate(self._descriptor, self.end)
            if self._limit is None:
                self.torn.append(Torn(self.path, self.end, size - self.end))
                log.warning(
                    "%s: cut off %d bytes from offset %d on: a write that was never acknowledged, since its process "
                    "or machine stopped",
                    self.path, size - self.end, self.end,
                )  # fmt: skip

    @property
    def uncut(self) -> bool:
        """Whether a failed write may still be in the file."""
        return self._limit is not None

    def cut_back(self) -> None:
        """Undo a failed write."""
        if self._limit is not None:
            if not self._writable:
                self._open(os.O_RDWR)
            os.ftruncate(self._descriptor, self._limit)
            os.fsync(self._descriptor)
            self._limit = None

    def sync(self) -> None:
        os.fsync(self._descriptor)
        if self._folder_due:
            sync_folder(self.path.parent)
            self._folder_due = False

    def replace(self, payloads: Iterable[bytes]) -> None:
        """Put a new file with these records in the place of this one; readers notice by its identity."""
        write_new(self.path, payloads, self.salt)
        self.start_over()
        self._folder_due = True
        self.read()
        sync_folder(self.path.parent)
        self._folder_due = False

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._writable = -1, False
        self._seen, self._last = (-1, -1), (0, b"")


def write_new(path: Path, payloads: Iterable[bytes], salt: int) -> None:
    """A complete, synced file under this name, or none. Its folder is the caller's to sync."""
    fresh = path.with_name(path.name + NEW)
    descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC | _FLAGS, 0o666)
    try:
        at = _write(descriptor, records.header(), 0)
        for payload in payloads:
            at += _write(descriptor, records.record(payload, salt), at)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(fresh, path)


def sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes, at: int) -> int:
    view = memoryview(data)
    done = 0
    while done < len(view):
        done += os.pwrite(descriptor, view[done:], at + done)
    return done


def _read(descriptor: int, length: int, at: int) -> bytes:
    pieces, done = [], 0
    while done < length:
        piece = os.pread(descriptor, length - done, at + done)
        if not piece:
            break
        pieces.append(piece)
        done += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
