"""A file or folder that stands under its name once it is whole, and only if the name is free."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from holdfast.errors import Conflict, HoldfastError, ReadOnly, StorageFailed, StorageFull

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_REFUSED: Final = (errno.EROFS, errno.EACCES, errno.EPERM)
_UNLINKABLE: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES)
PART: Final = ".part"


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where to write it meanwhile: beside its place. It is synced and gets its name when the block ends well, and is
    removed when it does not; whoever is killed leaves ``NAME.….part`` behind."""
    with _translated(path):
        check_free(path)
        part = path.with_name(f"{path.name}.{uuid4().hex[:8]}{PART}")
        try:
            yield part
            sync(part)
            _place(part, path)
            sync(path.parent)
        except BaseException:
            _remove(part)
            raise


def check_free(path: Path) -> None:
    """That nothing has the name, and that there is a folder to put it into."""
    if os.path.lexists(path):
        raise Conflict(f"{path}: there is something already, and nothing is ever written over; name another place")
    if not path.parent.is_dir():
        raise ReadOnly(f"{path}: the folder {str(path.parent)!r} does not exist; create it first")


def sync(path: Path) -> None:
    """What was written is on disk; of a folder, the names in it."""
    if os.name == "nt" and path.is_dir():
        return  # there a folder can't be opened, and need not be
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _place(part: Path, path: Path) -> None:
    if part.is_dir():
        check_free(path)
        os.rename(part, path)  # refused by the system if there is a file, or a folder with something in it
        return
    try:
        os.link(part, path)  # unlike a rename it never takes a name from another file
    except FileExistsError:
        check_free(path)
        raise
    except OSError as error:
        if error.errno not in _UNLINKABLE:
            raise
        check_free(path)
        os.rename(part, path)
    else:
        os.unlink(part)


def _remove(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    for name in (part.name, part.name + "-wal", part.name + "-shm", part.name + "-journal"):
        with suppress(OSError):
            part.with_name(name).unlink()


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        kind: type[HoldfastError] = StorageFailed
        meaning = "it could not be written, and nothing is left of it"
        if error.errno in _FULL:
            kind, meaning = StorageFull, "no space is left for it; free some, or name another place"
        elif error.errno in _REFUSED:
            kind, meaning = ReadOnly, "it can't be written; check the rights of the folder"
        raise kind(f"{path}: {meaning} ({error.strerror or error})") from error
