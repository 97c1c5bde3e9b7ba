"""Where an export may be written: to a file that has a name, anywhere but over a store."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from holdfast.errors import Conflict, InvalidArgument


def named(path: str | os.PathLike[str]) -> Path:
    """The path of a file, if it is one: the current folder and the root have no name to write to."""
    try:
        found = Path(path)
    except TypeError as error:
        raise InvalidArgument(f"a path is text or a Path, not {type(path).__name__}") from error
    if not found.name or "\0" in str(found):
        raise InvalidArgument(f"{str(path)!r} is no name of a file; name one, such as 'threads.bundle'")
    return found


def check(path: Path) -> None:
    """A database, a file of a store, and what is no file at all are never written over."""
    if not os.path.lexists(path):
        return
    from holdfast.backends.files.records import MAGIC as SEGMENT  # here, since most stores need neither
    from holdfast.backends.sqlite.files import MAGIC as DATABASE

    start = DATABASE
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                start = file.read(64)
    if start.startswith((DATABASE, SEGMENT)):
        raise Conflict(f"{path}: it is a store, or no file at all, and is never written over; name another file")
