"""From a URL to a backend.

========================  =====================================================================
``agents.db``             a path: SQLite
``sqlite:agents.db``      the same, said in full
``file:agents``           a folder of plain files
``memory:``               this process only, gone when the store closes
``postgresql://host/db``  a PostgreSQL server; ``?schema=agents`` names the schema of the tables
========================  =====================================================================
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from urllib.parse import quote

from holdfast.backends import urls
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


def _postgres(rest: str) -> Backend:
    if not rest.startswith("//"):  # not shown: there may be a password in it
        raise InvalidArgument("a URL of PostgreSQL has two slashes after the colon: postgresql://user@host/database")
    backend: Backend = _postgres_module().PostgresBackend.open(f"postgresql:{rest}")
    return backend


def _postgres_module() -> ModuleType:
    try:
        import holdfast.backends.postgres as found
    except ModuleNotFoundError as missing:
        if missing.name != "psycopg":
            raise
        raise InvalidArgument("'postgresql:' needs a driver: pip install 'holdfast[postgres]'") from None
    return found


def init_store(url: str, partitions: int | None) -> str:
    """Make the tables of a store on a server; says what is there."""
    scheme, _, rest = url.partition(":")
    if scheme not in ("postgresql", "postgres"):
        raise InvalidArgument(f"{shown(url)!r} is not on a PostgreSQL server; any other store is made by opening it")
    said: str = _postgres_module().initialize(f"postgresql:{rest}", partitions)
    return said


OPENERS: Final[dict[str, Callable[[str], Backend]]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "file": _file,
    "postgresql": _postgres,
    "postgres": _postgres,
}
"""Scheme to opener. Other packages may add theirs."""


def shown(url: str | os.PathLike[str]) -> str:
    """A URL as it may be shown: without a password."""
    return urls.shown(os.fspath(url))


def open_backend(url: str | os.PathLike[str], schema: str | None = None) -> Backend:
    """The backend that a URL or path means."""
    text = _path(url)
    if schema is not None:
        text = _with_schema(text, schema)
        url = text
    if not text or "\0" in text:
        raise InvalidArgument(f"a store is opened by a path or URL, not {url!r}; try holdfast.open('agents.db')")
    scheme, colon, rest = text.partition(":")
    if colon and scheme in OPENERS and not isinstance(url, os.PathLike):
        return OPENERS[scheme](rest)
    if "://" in text and not isinstance(url, os.PathLike):
        known = ", ".join(sorted(OPENERS))
        raise InvalidArgument(f"no backend is known for {scheme + '://'!r}; a path is SQLite, and there are: {known}")
    return _sqlite(text)


def path_of(path: str | os.PathLike[str]) -> Path:
    """Where to write something new: a path, and not a URL."""
    text = _path(path)
    if not text or "\0" in text:
        raise InvalidArgument(f"this takes the path of a new file, not {path!r}")
    scheme, colon, rest = text.partition(":")
    if colon and not isinstance(path, os.PathLike) and (scheme in OPENERS or rest.startswith("//")):
        raise InvalidArgument(f"this takes the path of a new file, not a URL: leave out {scheme + ':'!r}")
    return Path(text)


def _with_schema(text: str, schema: Any) -> str:
    if not isinstance(schema, str) or text.partition(":")[0] not in ("postgresql", "postgres"):
        raise InvalidArgument(f"schema= names a schema of a PostgreSQL database, and was given {schema!r}")
    parts = urls.split(text)
    said = dict(map(urls.named, parts.options)).get("schema")
    if said is None:
        return parts._replace(options=[*parts.options, f"schema={quote(schema, safe='')}"]).text
    if said != schema:
        raise InvalidArgument(f"the URL says schema={said!r}, and the argument says {schema!r}; leave one out")
    return text


def _path(url: Any) -> str:
    """The text of what was given; empty if it can't be a path or URL at all."""
    text = os.fspath(url) if isinstance(url, str | os.PathLike) else ""
    return text if isinstance(text, str) else ""
