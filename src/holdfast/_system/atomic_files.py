"""The one place that publishes files: complete, on disk, and then under their name.

A file is written beside its final name, under a temporary name that no other writer has (see `temporary_files`). It is
synced, renamed or linked to its name, and the folder is synced: after a crash the name leads to the old file or to the
new one, never to a part of it. Whatever happens the temporary name is removed; if the process is killed, the next one
that writes to the same path removes it.

Files are readable for their owner only, unless the caller knows that what they are made from is readable for others.

=================  =============================================================================
`NewFile`          one file that replaces what has the name
`publish_new`      a path that another library writes to; the name must be free
`set_aside`        a second file with the content of one that is about to be replaced
`sync`             what was written to a file, or the names in a folder, are on disk
`translated`       an `OSError` as the Holdfast error that says what to do next
=================  =============================================================================

All of it works where links, O_NOFOLLOW, O_DIRECTORY or the sync of a folder are missing.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self
from uuid import uuid4

from holdfast._system import temporary_files
from holdfast._system.interrupts import ignoring, is_interrupt
from holdfast._system.temporary_files import NO_LINK, PART
from holdfast.errors import Conflict, Corrupt, HoldfastError, ReadOnly, StorageFailed, StorageFull

PRIVATE: Final = 0o600
"""The rights of a file that only its owner may read."""
_RIGHTS: Final = 0o666
_NO_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES)
_NO_FOLDER_SYNC: Final = (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_DIRECTORY", 0)


# ------------------------------------------------------------------------------------------------ errors

_FULL: Final = (StorageFull, "no space is left; free some and try again, or name another path")
_DENIED: Final = (ReadOnly, "it can't be written; check the rights of the folder and of what is in it")
_GONE: Final = (StorageFailed, "it is gone, or its folder is; put it back, or name its new path")
_OTHER: Final = (StorageFailed, "the disk reported an error; nothing was acknowledged")
_MEANINGS: Final[dict[int, tuple[type[HoldfastError], str]]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EROFS: _DENIED,
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.ENOENT: _GONE,
    errno.ENOTDIR: _GONE,
    errno.ESTALE: _GONE,
    errno.ELOOP: (StorageFailed, "a file of the store was replaced by a link; remove the link"),
    errno.EMLINK: (
        StorageFailed,
        "the file has a second name (a hard link), and what has that name would be changed too; remove the other name, "
        "or replace the file by a copy of itself",
    ),
    errno.EMFILE: (StorageFailed, "this process has too many open files; close some or raise its limit"),
}


class LinkedFolderError(OSError):
    """A link has the name of a folder of a store."""


def translate(error: OSError, path: Path) -> HoldfastError:
    if isinstance(error, LinkedFolderError):
        return Corrupt(
            f"{error.filename}: a link is in the place of this folder, and what it leads to is neither read nor "
            "written; remove the link and put the folder itself there, or restore the store's folder from a backup"
        )
    kind, meaning = _MEANINGS.get(error.errno or 0, _OTHER)
    return kind(f"{error.filename or path}: {meaning} ({error.strerror or error})")


class translated:
    """Raises what the error of a system call means for the caller. A class, because each commit enters several, and a
    generator takes three times as long."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, OSError) and not is_interrupt(error):
            raise translate(error, self._path) from error


# ------------------------------------------------------------------------------------------------ publishing


class NewFile:
    """A file under a temporary name, which `publish` gives its own. A context manager: the temporary name is removed
    at the end, published or not. Raises OSError: callers translate it.

    `within` is the descriptor of its folder, for a caller that must not follow a link there. `rights` are reduced by
    the process's umask.
    """

    def __init__(self, path: Path, suffix: str = PART, *, rights: int = PRIVATE, within: int | None = None) -> None:
        self._path = path
        self._within = within
        self._is_published = False
        self._lock: int | None = None
        if suffix == PART:
            temporary_files.remove_leftovers(path, suffix)
            claimed = temporary_files.claim_file(lambda: _temporary_name(path, suffix), rights)
            self._temporary, descriptor, self._lock = claimed
        else:
            self._temporary = _temporary_name(path, suffix)
            descriptor = temporary_files.create(self._temporary, rights, within)
        self._file = os.fdopen(descriptor, "wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def publish(self, *, durable: bool = True) -> None:
        """Replace what has the name. What need not survive a power cut is not synced, if not `durable`."""
        self._file.flush()
        if durable:
            os.fsync(self._file.fileno())
        self._file.close()
        within = self._within
        if within is None:
            os.replace(self._temporary, self._path)
        else:
            os.replace(self._temporary.name, self._path.name, src_dir_fd=within, dst_dir_fd=within)
        self._is_published = True
        if durable:
            self._sync_folder()

    def _sync_folder(self) -> None:
        if self._within is None:
            sync_folder(self._path.parent)
        else:
            with _unless_impossible():
                os.fsync(self._within)

    def discard(self) -> None:
        """Remove the temporary file; after `publish` there is none."""
        # Closing writes what is still buffered, which may fail again.
        with ignoring(OSError):
            self._file.close()
        if not self._is_published:
            with ignoring(OSError):
                os.unlink(self._temporary if self._within is None else self._temporary.name, dir_fd=self._within)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


@contextmanager
def publish_new(path: Path, *, rights: int = PRIVATE, is_folder: bool = False) -> Iterator[Path]:
    """A path to write to: an empty file, or an empty folder. It is synced and gets its name, which must be free, when
    the block ends without an error. A folder's contents are the caller's to sync."""
    with translated(path):
        check_free(path)
        with temporary(path, rights=rights, is_folder=is_folder) as part:
            yield part
            sync(part)
            _take_free_name(part, path)
            sync_folder(path.parent)


@contextmanager
def temporary(path: Path, suffix: str = PART, *, rights: int = PRIVATE, is_folder: bool = False) -> Iterator[Path]:
    """An empty file or folder under a name that no other writer has; removed at the end if it is still there.

    A file is in a folder of its own beside `path`, which also holds what SQLite puts beside a database.
    """
    temporary_files.remove_leftovers(path, suffix)
    folder, descriptor = temporary_files.claim_folder(
        lambda: _temporary_name(path, suffix), rights if is_folder else 0o700
    )
    try:
        part = folder if is_folder else folder / path.name
        if not is_folder:
            os.close(temporary_files.create(part, rights))
        yield part
    finally:
        temporary_files.remove(folder)
        if descriptor is not None:
            os.close(descriptor)


def _temporary_name(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{uuid4().hex[:12]}{suffix}")


def rights_of(path: Path) -> int:
    """What a copy of this file may be readable for; its owner may always write it."""
    return stat.S_IMODE(os.stat(path).st_mode) & _RIGHTS | PRIVATE


def check_free(path: Path) -> None:
    """Raises `Conflict` if the name is taken, and `ReadOnly` if there is no folder for it."""
    if os.path.lexists(path):
        raise Conflict(f"{path}: it already exists, and nothing is ever overwritten; name another path")
    if not path.parent.is_dir():
        raise ReadOnly(f"{path}: the folder {str(path.parent)!r} does not exist; create it first")


def _take_free_name(part: Path, path: Path) -> None:
    """Unlike a rename, a link never takes the name from another file."""
    if part.is_dir():
        check_free(path)
        # The system refuses this if the name is a file's, or that of a folder that is not empty.
        os.rename(part, path)
    elif _linked(part, path):
        os.unlink(part)
    else:
        check_free(path)
        os.rename(part, path)


def _linked(source: Path, target: Path) -> bool:
    """False where there are no links."""
    try:
        os.link(source, target)
    except FileExistsError:
        check_free(target)
        raise
    except AttributeError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS or is_interrupt(error):
            raise
        return False
    return True


def replace(part: Path, path: Path) -> None:
    """Sync a temporary file and put it in the place of another."""
    sync(part)
    os.replace(part, path)
    sync_folder(path.parent)


def set_aside(path: Path) -> Path:
    """Give a file a second name, ``NAME.damaged-1`` or the next number that is free, before it is replaced."""
    aside = free_name_aside(path)
    if not _linked(path, aside):
        with path.open("rb") as source, os.fdopen(temporary_files.create(aside, rights_of(path)), "wb") as target:
            shutil.copyfileobj(source, target)
        sync(aside)
    return aside


def free_name_aside(path: Path) -> Path:
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.damaged-{number}")):
        number += 1
    return aside


# ------------------------------------------------------------------------------------------------ syncing


def sync(path: Path) -> None:
    if path.is_dir():
        sync_folder(path)
    else:
        with _opened(path, os.O_RDWR | NO_LINK) as descriptor:
            os.fsync(descriptor)


def sync_folder(path: Path) -> None:
    """The names in it are on disk. Where a folder can't be opened or synced, it need not be."""
    if os.name != "nt":
        with _unless_impossible(), _opened(path, _FOLDER) as descriptor:
            os.fsync(descriptor)


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _unless_impossible() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC or is_interrupt(error):
            raise
