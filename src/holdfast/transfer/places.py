"""Where an export may be written: anywhere but over a store."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from holdfast.errors import Conflict


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
