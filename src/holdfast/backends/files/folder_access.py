"""Folders and files of a store, opened without following a link.

The root is the folder that the user named; if that was a link, it was resolved when the store was opened. What is below
the root may have been put there by another user: each folder is opened by its name in the descriptor of the one above
it, and a link in the place of a folder or of a file is refused. So is a file with a second name (a hard link) where it
would be written to: what has the other name would be changed too.

`below` says how many of the last names of a folder's path are below the root.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from holdfast._system import atomic_files
from holdfast._system.interrupts import ignoring
from holdfast._system.temporary_files import NO_LINK

TREE: Final = 2
"""The folder of a tree is ``threads/NAME`` below the root."""
_FOLDER: Final = os.O_RDONLY | NO_LINK | getattr(os, "O_DIRECTORY", 0)
# A pipe in the place of a file is opened at once, and then refused.
_FILE: Final = NO_LINK | getattr(os, "O_NONBLOCK", 0)
_WRITING: Final = os.O_WRONLY | os.O_RDWR


@contextmanager
def opened_folder(path: Path, below: int = 0) -> Iterator[int]:
    """A descriptor of a folder. Raises `LinkedFolderError` if one of the folders below the root is a link."""
    descriptor = _open_folder(path, below)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open_folder(path: Path | str, below: int) -> int:
    root, *names = os.fspath(path).rsplit(os.sep, below)  # every save does this, and `Path` is slow
    descriptor = _open(root or os.sep, root or os.sep, _FOLDER)
    at = root
    for name in names:
        at = f"{at}{os.sep}{name}"
        try:
            inner = _open(name, at, _FOLDER, descriptor)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


@contextmanager
def opened_file(path: Path, mode: int, below: int = 0) -> Iterator[int]:
    """A descriptor of a regular file."""
    descriptor = open_file(path, mode, below)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_file(path: Path, mode: int, below: int = 0, rights: int = 0o666) -> int:
    """The same, for the caller to close."""
    at = os.fspath(path)
    outer, name = os.path.split(at)
    folder = _open_folder(outer, below)
    try:
        descriptor = _open(name, at, mode | _FILE, folder, rights)
    finally:
        os.close(folder)
    try:
        _check_file(descriptor, at, is_written=bool(mode & _WRITING))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _open(name: str, path: str, flags: int, within: int | None = None, rights: int = 0o777) -> int:
    """Open a name in a folder; `path` is the whole path, for the error."""
    try:
        return os.open(name, flags, rights, dir_fd=within)
    except OSError as error:
        error.filename = path
        if flags == _FOLDER and _is_link(name, within):
            raise atomic_files.LinkedFolderError(errno.ELOOP, os.strerror(errno.ELOOP), path) from error
        raise


def check_no_link(path: Path, below: int) -> None:
    """Raises `Corrupt` if a link is in the place of this folder, or of one around it."""
    try:
        with suppress(FileNotFoundError), opened_folder(path, below):
            pass
    except atomic_files.LinkedFolderError as error:
        raise atomic_files.translate(error, path) from error


def _is_link(name: str, within: int | None) -> bool:
    with ignoring(OSError):
        return stat.S_ISLNK(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode)
    return False


def _check_file(descriptor: int, path: str, *, is_written: bool) -> None:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "this is not a file", path)
    if is_written and found.st_nlink > 1:
        raise OSError(errno.EMLINK, f"the file has {found.st_nlink} names", path)


def read_file(path: Path, below: int = 0) -> bytes:
    """All of a small file."""
    with open(open_file(path, os.O_RDONLY, below), "rb") as file:
        return file.read()


def make_folder(path: Path, below: int) -> None:
    """Create a folder, unless there is one. A link that has its name is not taken for one."""
    with opened_folder(path.parent, below - 1) as outer:
        with suppress(FileExistsError):
            os.mkdir(path.name, dir_fd=outer)
        os.close(_open(path.name, os.fspath(path), _FOLDER, outer))


def folder_rights(path: Path) -> int:
    """The rights of a folder, for a copy of it, which its owner can always fill."""
    return stat.S_IMODE(os.stat(path, follow_symlinks=False).st_mode) & 0o777 | 0o700


def rights_of(path: Path) -> int:
    """What a copy of a file may be readable for. Users who may not enter its folder can't read it."""
    entering = folder_rights(path.parent) & 0o111
    return stat.S_IMODE(os.stat(path, follow_symlinks=False).st_mode) & 6 * entering | atomic_files.PRIVATE
