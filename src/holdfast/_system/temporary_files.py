"""Temporary files and folders, made beside the name that they will get, and removed if their process has died.

They are called ``NAME.0123456789ab.part``, with random digits. The process that writes one holds a `flock` on it, which
the system releases when the process ends, however it ends. So one that is not locked is a leftover, and the next writer
with the same ``NAME`` removes it. Where there is no `flock`, or the file system has none, leftovers stay.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from holdfast._system.interrupts import ignoring, is_interrupt

try:
    from fcntl import LOCK_EX, LOCK_NB, flock

    _HAS_LOCKS = True
except ImportError:  # Windows
    _HAS_LOCKS = False

PART: Final = ".part"
NO_LINK: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""Flags for `os.open`: a link instead of the file is refused."""
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK
_OLD: Final = os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0)


def create(path: Path, rights: int, within: int | None = None) -> int:
    """A descriptor of a file that is new: a file or link that has the name is refused. `within` is the descriptor of
    its folder."""
    return os.open(path if within is None else path.name, _NEW, rights, dir_fd=within)


def claim_file(named: Callable[[], Path], rights: int) -> tuple[Path, int, int | None]:
    """Create a file under a new name: its path, a descriptor to write to, and one that keeps it locked."""
    while True:
        path = named()
        descriptor = create(path, rights)
        if _lock(descriptor) and _has_name(descriptor, path):
            return path, descriptor, os.dup(descriptor) if _HAS_LOCKS else None
        os.close(descriptor)  # another process took it for a leftover before it was locked


def claim_folder(named: Callable[[], Path], rights: int) -> tuple[Path, int | None]:
    """The same for a folder: its path, and a descriptor that keeps it locked, where there are locks."""
    while True:
        path = named()
        os.mkdir(path, rights)
        if not _HAS_LOCKS:
            return path, None
        try:
            descriptor = os.open(path, _OLD)
        except FileNotFoundError:
            continue
        if _lock(descriptor) and _has_name(descriptor, path):
            return path, descriptor
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """False if another process has locked it. Where the file system has no locks it counts as locked."""
    if _HAS_LOCKS:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if is_interrupt(error):
                raise
    return True


def _has_name(descriptor: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    return False


def remove_leftovers(path: Path, suffix: str) -> None:
    """Remove the temporary files and folders of processes that died before they could give them this name."""
    if not _HAS_LOCKS:
        return
    ours = re.compile(rf"{re.escape(path.name)}\.[0-9a-f]{{12}}{re.escape(suffix)}")
    with ignoring(OSError):
        for name in filter(ours.fullmatch, os.listdir(path.parent)):
            _remove_leftover(path.with_name(name))


def _remove_leftover(path: Path) -> None:
    with ignoring(OSError):
        descriptor = os.open(path, _OLD)
        try:
            is_plain = stat.S_IFMT(os.fstat(descriptor).st_mode) in (stat.S_IFREG, stat.S_IFDIR)
            flock(descriptor, LOCK_EX | LOCK_NB)
            if is_plain and _has_name(descriptor, path):
                remove(path)
        finally:
            os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a temporary file, or a folder with all that is in it. Links are removed, and not followed."""
    with ignoring(OSError):
        if stat.S_ISDIR(os.stat(path, follow_symlinks=False).st_mode):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
