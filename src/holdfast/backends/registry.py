"""From a URL to a backend.

=====================  ==============================================
``agents.db``          a path: SQLite
``sqlite:agents.db``   the same, said in full
``file:agents``        a folder of plain files
``memory:``            this process only, gone when the store closes
=====================  ==============================================
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from holdfast.backends.base import Backend
from holdfast.errors import InvalidArgument


def _memory(rest: str) -> Backend:
    from holdfast.backends.memory import MemoryBackend

    if rest:
        raise InvalidArgument(f"'memory:' takes nothing after the colon, not {rest!r}: every open() is a new store")
    return MemoryBackend()


def _sqlite(rest: str) -> Backend:
    from holdfast.backends.sqlite import SqliteBackend

    if not rest:
        raise InvalidArgument("'sqlite:' needs a path after the colon, as in 'sqlite:agents.db'")
    return SqliteBackend(Path(rest))


def _file(rest: str) -> Backend:
    from holdfast.backends.files import FilesBackend

    if not rest:
        raise InvalidArgument("'file:' needs a folder after the colon, as in 'file:agents'")
    if rest.startswith("//") and not rest.startswith("///"):
        raise InvalidArgument(
            f"'file:{rest}' names another machine; write 'file:{rest[2:]}', or 'file:///' and a full path"
        )
    return FilesBackend(Path(rest.removeprefix("//")))


OPENERS: Final[dict[str, Callable[[str], Backend]]] = {"memory": _memory, "sqlite": _sqlite, "file": _file}
"""Scheme to opener. Other packages may add theirs."""


def open_backend(url: str | os.PathLike[str]) -> Backend:
    """The backend that a URL or path means."""
    text = _path(url)
    if not text or "\0" in text:
        raise InvalidArgument(f"a store is opened by a path or URL, not {url!r}; try holdfast.open('agents.db')")
    scheme, colon, rest = text.partition(":")
    if colon and scheme in OPENERS and not isinstance(url, os.PathLike):
        return OPENERS[scheme](rest)
    if "://" in text and not isinstance(url, os.PathLike):
        known = ", ".join(sorted(OPENERS))
        raise InvalidArgument(f"no backend is known for {scheme + '://'!r}; a path is SQLite, and there are: {known}")
    return _sqlite(text)


def _path(url: Any) -> str:
    """The text of what was given; empty if it can't be a path or URL at all."""
    text = os.fspath(url) if isinstance(url, str | os.PathLike) else ""
    return text if isinstance(text, str) else ""
