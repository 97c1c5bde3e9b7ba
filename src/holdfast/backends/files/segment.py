"""One append-only file of records: read from where one stopped, appended to with an fsync, replaced as a whole.

Every record is synced before the next one is written, so that at most the last one of a file can be torn. Whoever reads
beside the writer ignores a torn record; the next writer cuts it off.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from holdfast.backends.files import records
from holdfast.backends.files.records import Damage, Sound

log: Final = logging.getLogger("holdfast")
_FLAGS: Final = os.O_CLOEXEC | os.O_NOFOLLOW
NEW: Final = ".new"
"""How the name of a file ends that is not complete yet."""
_NO_FILE: Final = (-1, -1)


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


class _ReplacedError(OSError):
    """The file that has the name now does not continue what was read."""


class Segment:
    """Keeps no descriptor open: there may be many of these, and a fork has nothing to hand down."""

    def __init__(self, path: Path, salt: int) -> None:
        self.path = path
        self.salt = salt
        self.end = 0  # what was read so far, all of it sound
        self.torn: list[Torn] = []
        self._limit: int | None = None  # what follows was never acknowledged, and could not be cut off yet
        self._folder_due = True  # until this process has synced the folder, nobody knows that the name is on disk
        self._forget()

    def _forget(self) -> None:
        self._identity = _NO_FILE
        self._seen = (-1, -1)
        self._last = (0, b"")

    # ---------------------------------------------------------------- reading

    def state(self) -> State:
        """Raises FileNotFoundError if there is no such file."""
        found = os.stat(self.path, follow_symlinks=False)
        if (found.st_dev, found.st_ino) != self._identity:
            return State.OTHER
        if (self._size(found), found.st_mtime_ns) == self._seen:
            return State.SAME
        if found.st_size < self.end or not self._continues():
            return State.OTHER
        return State.GROWN

    def _continues(self) -> bool:
        with opened(self.path, os.O_RDONLY) as descriptor:
            return self._continues_in(descriptor)

    def _continues_in(self, descriptor: int) -> bool:
        """Whether the last record that was read is still there: one whose fsync failed is cut off again."""
        at, head = self._last
        return os.pread(descriptor, len(head), at) == head

    def _size(self, found: os.stat_result) -> int:
        return found.st_size if self._limit is None else min(found.st_size, self._limit)

    def start_over(self) -> None:
        """Read everything again, from the file that has the name now."""
        self._forget()
        self.end = 0

    def news(self) -> tuple[State, list[Sound | Damage]]:
        """What happened to the file since it was read, and the records since then: all that there are, if it is another
        file now. Raises FileNotFoundError if there is none."""
        state = self.state()
        if state is State.SAME:
            return state, []
        if state is State.GROWN:
            try:
                return state, self.read()
            except _ReplacedError:  # written anew since the look at its state
                pass
        self.start_over()
        return State.OTHER, self.read()

    def read(self) -> list[Sound | Damage]:
        """The records since the last time, or since the start."""
        with opened(self.path, os.O_RDONLY) as descriptor:
            found = os.fstat(descriptor)
            size, base = self._size(found), self.end
            data = _read(descriptor, size - base, base)
            self._check_continued(descriptor, found)
        start = records.HEADER_SIZE if base == 0 and records.check_header(data, self.path) else 0
        items, end = records.read(data[start:] if start else data, base + start, self.salt)
        if base + start == 0 and not (items and isinstance(items[0], Damage)):
            items.insert(0, Damage(0, records.HEADER_SIZE))
        self._identity, self._seen, self.end = (found.st_dev, found.st_ino), (size, found.st_mtime_ns), end
        self._remember_last(items, data, base)
        return items

    def _check_continued(self, descriptor: int, found: os.stat_result) -> None:
        """What was just read may follow what was read before: it is the same file, and nothing was cut off since."""
        if self._identity == _NO_FILE:
            return
        is_same = (found.st_dev, found.st_ino) == self._identity and found.st_size >= self.end
        if not is_same or not self._continues_in(descriptor):
            raise _ReplacedError(errno.ESTALE, "another file has its name now", str(self.path))

    def _remember_last(self, items: list[Sound | Damage], data: bytes, base: int) -> None:
        for item in reversed(items):
            if isinstance(item, Sound):
                at = item.start - base
                self._last = (item.start, data[at : at + records.RECORD_HEADER])
                return

    # ---------------------------------------------------------------- writing

    def append(self, payload: bytes) -> None:
        """Add a record and sync it. For whoever holds the lock and has read everything."""
        data = records.record(payload, self.salt)
        with opened(self.path, os.O_RDWR) as descriptor:
            self._check_identity(descriptor)
            self._cut_torn(descriptor)
            self._limit = self.end
            _write(descriptor, data, self.end)
            os.fsync(descriptor)
            self._sync_folder()
            self._limit = None
            self._last = (self.end, data[: records.RECORD_HEADER])
            self.end += len(data)
            self._seen = (self.end, os.fstat(descriptor).st_mtime_ns)

    def _check_identity(self, descriptor: int) -> None:
        found = os.fstat(descriptor)
        if (found.st_dev, found.st_ino) != self._identity:
            raise OSError(errno.ESTALE, "another file has its name now", str(self.path))

    def _cut_torn(self, descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        if size > self.end:
            os.ftruncate(descriptor, self.end)
            self.torn.append(Torn(self.path, self.end, size - self.end))
            log.warning(
                "%s: cut off %d bytes from offset %d on: a write that was never acknowledged, since its process or "
                "machine stopped",
                self.path, size - self.end, self.end,
            )  # fmt: skip

    @property
    def uncut(self) -> bool:
        """Whether a failed write may still be in the file."""
        return self._limit is not None

    def cut_back(self) -> None:
        """Undo a failed write."""
        if self._limit is not None:
            with opened(self.path, os.O_RDWR) as descriptor:
                os.ftruncate(descriptor, self._limit)
                os.fsync(descriptor)
            self._limit = None

    def _sync_folder(self) -> None:
        if self._folder_due:
            sync_folder(self.path.parent)
            self._folder_due = False

    def replace(self, payloads: Iterable[bytes]) -> None:
        """Put a new file with these records in the place of this one; readers notice by its identity."""
        write_new(self.path, payloads, self.salt)
        self._folder_due = True
        self.start_over()
        self.read()
        self._sync_folder()


@contextmanager
def opened(path: Path, mode: int) -> Iterator[int]:
    """A descriptor of a file, and of nothing that a link leads to."""
    descriptor = os.open(path, mode | _FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "this is not a file", str(path))
        yield descriptor
    finally:
        os.close(descriptor)


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
