"""Where an export may be written: to a named file that is not part of a store."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from holdfast.backends import server_spelling
from holdfast.errors import Conflict, InvalidArgument, StorageFailed


def named(path: str | os.PathLike[str]) -> Path:
    """The path of a file. The current folder and the root are refused, since they have no name."""
    try:
        found = Path(path)
    except TypeError as error:
        raise InvalidArgument(f"a path is text or a Path, not {type(path).__name__}") from error
    server_spelling.check(str(found))
    if not found.name or "\0" in str(found):
        raise InvalidArgument(f"{str(path)!r} does not name a file; name one, such as 'threads.bundle'")
    return found


def check(path: Path) -> None:
    """Refuse a folder that does not exist, and to overwrite a database, a file of a store, or anything that is not a
    regular file."""
    if not path.parent.is_dir():
        raise StorageFailed(f"{path}: the folder {str(path.parent)!r} does not exist; create it first")
    if not os.path.lexists(path):
        return
    # Imported here, since most programs use neither backend.
    from holdfast.backends.files.logs.record_format import MAGIC as LOG_MAGIC
    from holdfast.backends.sqlite.database import MAGIC as DATABASE

    start = DATABASE
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                start = file.read(64)
    if start.startswith((DATABASE, LOG_MAGIC)):
        raise Conflict(
            f"{path}: it is part of a store, or not a regular file, and is not overwritten; name another file"
        )
