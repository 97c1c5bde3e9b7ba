"""Copies a store's folder as it is at one moment, while other processes write.

Files only grow, or are replaced as a whole. So most of them are copied without the lock; then, under the lock, those
that have changed since are copied again, and those that are gone are removed. Writers wait for that last round only.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from holdfast._system.atomic_files import sync, sync_folder
from holdfast._system.interrupts import ignoring
from holdfast._system.temporary_files import create
from holdfast.backends.base import Batch, Progress
from holdfast.backends.common.commit_queue import Ticket
from holdfast.backends.common.epoch_fence import raised
from holdfast.backends.files.committer import Committer
from holdfast.backends.files.folder_access import folder_rights, opened_file, opened_folder
from holdfast.backends.files.log_cache import LogCache
from holdfast.backends.files.logs.log_file import NEW
from holdfast.backends.files.store_folder import DAMAGED, LOCK, THREADS, size
from holdfast.backends.rows import LineRow
from holdfast.errors import LookAtTheStorage

MARKER: Final = "copied"
"""The file that marks a backup until it is first opened."""
_TEXT: Final = (
    "This folder is a backup that was never opened. The first to open it takes every thread from its worker.\n"
)
_UNLOCKED_ROUNDS: Final = 2
_TREES_PER_COMMIT: Final = 200
_BYTES_AT_ONCE: Final = 1 << 20


class _Stamp(NamedTuple):
    """A file with the same stamp has the same content."""

    device: int
    inode: int
    size: int
    changed: int
    rights: int


# ------------------------------------------------------------------------------------------------ making


def copy(
    root: Path, part: Path, exclusive: Callable[[], AbstractContextManager[None]], progress: Progress | None
) -> None:
    """Copy to an empty folder; `exclusive` keeps others from writing."""
    copier = _Copier(root, part, progress)
    for _ in range(_UNLOCKED_ROUNDS):
        copier.catch_up()
        copier.sync()
    with exclusive():
        copier.catch_up()
    (part / MARKER).write_text(_TEXT)
    copier.sync()
    sync(part / MARKER)
    for folder, _, _ in os.walk(part):
        sync_folder(Path(folder))
    copier.report(ended=True)


class _Copier:
    def __init__(self, root: Path, part: Path, progress: Progress | None) -> None:
        self._root, self._part, self._progress = root, part, progress
        self._stamps: dict[str, _Stamp] = {}
        self._unsynced: list[Path] = []
        self._done, self._total = 0, size(root)
        (part / THREADS).mkdir(folder_rights(root / THREADS))

    def catch_up(self) -> None:
        """Copy what has changed since the last call."""
        found = dict(self._files())
        for name, stamp in found.items():
            if self._stamps.get(name) != stamp:
                self._copy(name, stamp)
        for name in self._stamps.keys() - found.keys():
            self._drop(name)

    def _files(self) -> Iterator[tuple[str, _Stamp]]:
        with opened_folder(self._root) as root:
            yield from _stamps(root, Path())
        with opened_folder(self._root / THREADS, 1) as threads:
            names = os.listdir(threads)
        for name in names:
            # Another process removes folders; and what is not a folder is not the store's, except for a link.
            with suppress(FileNotFoundError, NotADirectoryError), opened_folder(self._root / THREADS / name, 2) as tree:
                yield from _stamps(tree, Path(THREADS, name))

    def _copy(self, name: str, stamp: _Stamp) -> None:
        target = self._part / name
        below = len(target.parent.relative_to(self._part).parts)
        rights = stamp.rights & 0o666 | 0o600
        try:
            with opened_file(self._root / name, os.O_RDONLY, below) as source:
                target.parent.mkdir(folder_rights((self._root / name).parent), exist_ok=True)
                target.unlink(missing_ok=True)
                with os.fdopen(create(target, rights), "wb") as copy:
                    while data := os.read(source, _BYTES_AT_ONCE):
                        copy.write(data)
        except FileNotFoundError:
            self._drop(name)
            return
        # The stamp is from before the file was read: if it was written during the copy, the next round sees that.
        self._stamps[name] = stamp
        self._unsynced.append(target)
        self._done += stamp.size
        self.report()

    def report(self, *, ended: bool = False) -> None:
        if self._progress is not None:
            self._progress(self._done, self._done if ended else max(self._done, self._total))

    def _drop(self, name: str) -> None:
        self._stamps.pop(name, None)
        target = self._part / name
        target.unlink(missing_ok=True)
        if target.parent != self._part:
            with ignoring(OSError):  # other files are still in it
                target.parent.rmdir()

    def sync(self) -> None:
        for path in self._unsynced:
            with suppress(FileNotFoundError):
                sync(path)
        self._unsynced.clear()


def _stamps(folder: int, path: Path) -> Iterator[tuple[str, _Stamp]]:
    for name in filter(_is_copied, os.listdir(folder)):
        with suppress(FileNotFoundError):  # another process removes files
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode):
                rights = stat.S_IMODE(found.st_mode)
                yield str(path / name), _Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, rights)


def _is_copied(name: str) -> bool:
    return name not in (LOCK, MARKER) and not name.endswith(NEW) and DAMAGED not in name


# ------------------------------------------------------------------------------------------------ opening


def raise_epochs(root: Path, cache: LogCache, committer: Committer) -> None:
    """Fence the workers of the store that this was copied from. The caller holds the lock; if it is stopped before the
    end, the next one starts over."""
    if not (root / MARKER).exists():
        return
    cache.view()
    numbers = sorted(cache.directory.folders)
    for start in range(0, len(numbers), _TREES_PER_COMMIT):
        rows = [_raised_lines(cache, number) for number in numbers[start : start + _TREES_PER_COMMIT]]
        tickets = [Ticket(Batch([], puts)) for puts in rows if puts]
        committer.commit(tickets)
        for ticket in tickets:
            if ticket.error is not None:
                raise ticket.error
    (root / MARKER).unlink()
    sync_folder(root)


def _raised_lines(cache: LogCache, number: int) -> list[LineRow]:
    """A damaged tree can't be written to: it needs no fence."""
    try:
        lines = list(cache.load(number).tables[LineRow].rows.values())
    except LookAtTheStorage:
        return []
    return [row for line in lines if (row := raised(line)) is not None]
