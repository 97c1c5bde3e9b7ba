"""From what the operating system reports to errors that say what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from holdfast.errors import HoldfastError, ReadOnly, StorageFailed, StorageFull

_FULL: Final = (StorageFull, "no space is left; nothing was written, free some and try again")
_READ_ONLY: Final = (ReadOnly, "it can't be written; check the rights of the folder and what is in it")
_GONE: Final = (StorageFailed, "it is gone; put the folder back, or open the store where it is now")
_MEANINGS: Final[dict[int, tuple[type[HoldfastError], str]]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.ENOENT: _GONE,
    errno.ENOTDIR: _GONE,
    errno.ESTALE: _GONE,
    errno.ELOOP: (StorageFailed, "a link stands where a file of the store should be; remove it"),
    errno.EMFILE: (StorageFailed, "this process has too many files open"),
}


def translate(error: OSError, path: Path) -> HoldfastError:
    kind, meaning = _MEANINGS.get(
        error.errno or 0, (StorageFailed, "the disk reported an error; nothing was acknowledged")
    )
    return kind(f"{error.filename or path}: {meaning} ({error.strerror or error})")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise translate(error, path) from error
