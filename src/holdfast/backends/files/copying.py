"""Copying a store's folder as it is at one moment, beside whoever writes.

Files only grow, or are replaced as a whole. So most of them are copied while others write; then, under the lock, those
that have changed since are copied again, and what is gone is removed. Others wait for that last part only.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from holdfast.backends.base import Batch, Progress
from holdfast.backends.files.folder import LOCK, THREADS, size
from holdfast.backends.files.segment import NEW, sync_folder
from holdfast.backends.files.shelf import Shelf
from holdfast.backends.files.writing import Writer
from holdfast.backends.fresh import sync
from holdfast.backends.raising import raised
from holdfast.backends.rows import LineRow
from holdfast.backends.tickets import Ticket
from holdfast.errors import LookAtTheStorage

MARK: Final = "copied"
"""Names the file that tells a copy from what it was made of, until it is opened first."""
_TEXT: Final = "This folder is a backup that nobody has opened yet. Whoever does takes every thread from its worker.\n"
_ROUNDS: Final = 2
_TREES: Final = 200


class _Stamp(NamedTuple):
    """By what a file is known to be as it was."""

    device: int
    inode: int
    size: int
    changed: int


# ------------------------------------------------------------------------------------------------ making


def copy(root: Path, part: Path, alone: Callable[[], AbstractContextManager[None]], progress: Progress | None) -> None:
    """`alone` keeps others from writing."""
    copier = _Copier(root, part, progress)
    for _ in range(_ROUNDS):
        copier.catch_up()
        copier.sync()
    with alone():
        copier.catch_up()
    (part / MARK).write_text(_TEXT)
    copier.sync()
    sync(part / MARK)
    for folder, _, _ in os.walk(part):
        sync_folder(Path(folder))
    copier.tell(ended=True)


class _Copier:
    def __init__(self, root: Path, part: Path, progress: Progress | None) -> None:
        self._root, self._part, self._progress = root, part, progress
        self._stamps: dict[str, _Stamp] = {}
        self._unsynced: list[Path] = []
        self._done, self._total = 0, size(root)
        (part / THREADS).mkdir(parents=True)

    def catch_up(self) -> None:
        """Copy what has changed since the last time."""
        found = dict(self._files())
        for name, stamp in found.items():
            if self._stamps.get(name) != stamp:
                self._copy(name, stamp)
        for name in self._stamps.keys() - found.keys():
            self._drop(name)

    def _files(self) -> Iterator[tuple[str, _Stamp]]:
        for folder, _, names in os.walk(self._root):
            for name in names:
                if name in (LOCK, MARK) or name.endswith(NEW) or ".damaged-" in name:
                    continue
                path = os.path.join(folder, name)
                with suppress(FileNotFoundError):  # somebody tidies
                    found = os.stat(path, follow_symlinks=False)
                    if stat.S_ISREG(found.st_mode):
                        stamp = _Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
                        yield os.path.relpath(path, self._root), stamp

    def _copy(self, name: str, stamp: _Stamp) -> None:
        target = self._part / name
        target.parent.mkdir(exist_ok=True)
        try:
            shutil.copyfile(self._root / name, target, follow_symlinks=False)
        except FileNotFoundError:
            self._drop(name)
            return
        self._stamps[name] = stamp  # from before it was read: what was written meanwhile makes it another
        self._unsynced.append(target)
        self._done += stamp.size
        self.tell()

    def tell(self, *, ended: bool = False) -> None:
        if self._progress is not None:
            self._progress(self._done, self._done if ended else max(self._done, self._total))

    def _drop(self, name: str) -> None:
        self._stamps.pop(name, None)
        target = self._part / name
        target.unlink(missing_ok=True)
        if target.parent != self._part:
            with suppress(OSError):  # not the last one in it
                target.parent.rmdir()

    def sync(self) -> None:
        for path in self._unsynced:
            with suppress(FileNotFoundError):
                sync(path)
        self._unsynced.clear()


# ------------------------------------------------------------------------------------------------ opening


def raise_epochs(root: Path, shelf: Shelf, writer: Writer) -> None:
    """Fence the workers of whatever this was copied from. For whoever holds the lock; who is stopped on the way starts
    over."""
    if not (root / MARK).exists():
        return
    shelf.look()
    numbers = sorted(shelf.directory.folders)
    for start in range(0, len(numbers), _TREES):
        tickets = [Ticket(Batch([], puts)) for one in numbers[start : start + _TREES] if (puts := _raised(shelf, one))]
        writer.commit(tickets)
        for ticket in tickets:
            ticket.result()
    (root / MARK).unlink()
    sync_folder(root)


def _raised(shelf: Shelf, number: int) -> list[LineRow]:
    """Nobody can write to a tree that is damaged: it needs no fence."""
    try:
        lines = list(shelf.load(number).tables[LineRow].rows.values())
    except LookAtTheStorage:
        return []
    return [row for line in lines if (row := raised(line)) is not None]
