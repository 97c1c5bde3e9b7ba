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
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from urllib.parse import quote

from holdfast.backends import server_spelling, server_url
from holdfast.backends.base import Backend
from holdfast.errors import InvalidArgument


def _memory(rest: str) -> Backend:
    from holdfast.backends.memory import MemoryBackend

    if rest:
        raise InvalidArgument("'memory:' takes nothing after the colon: every open() is a new store")
    return MemoryBackend()


def _sqlite(rest: str) -> Backend:
    from holdfast.backends.sqlite import SqliteBackend

    if not rest:
        raise InvalidArgument("'sqlite:' needs a path after the colon, as in 'sqlite:agents.db'")
    server_spelling.check_path(rest)
    return SqliteBackend(Path(rest))


def _file(rest: str) -> Backend:
    from holdfast.backends.files import FilesBackend

    if not rest:
        raise InvalidArgument("'file:' needs a folder after the colon, as in 'file:agents'")
    server_spelling.check_path(rest)
    if rest.startswith("//") and not rest.startswith("///"):
        raise InvalidArgument(
            f"'file:{rest}' names another machine; write 'file:{rest[2:]}', or 'file:///' and a full path"
        )
    return FilesBackend(Path(rest.removeprefix("//")))


def _postgres(rest: str) -> Backend:
    if not rest.startswith("//"):
        # The message does not show the URL, which may contain a password.
        raise InvalidArgument("a URL of PostgreSQL has two slashes after the colon: postgresql://user@host/database")
    backend: Backend = _postgres_module().PostgresBackend.open(f"postgresql:{rest}")
    return backend


def _postgres_module() -> ModuleType:
    try:
        import holdfast.backends.postgres as module
    except ModuleNotFoundError as missing:
        if missing.name != "psycopg":
            raise
        raise InvalidArgument("'postgresql:' needs a driver: pip install 'holdfast[postgres]'") from None
    return module


def init_store(url: str, partitions: int | None) -> str:
    """Create the tables of a store on a server; returns a line that describes it."""
    server_spelling.check(url)
    scheme, _, rest = server_spelling.normalized(url).partition(":")
    if scheme not in ("postgresql", "postgres"):
        raise InvalidArgument(
            f"{shown(url)!r} is not on a PostgreSQL server; any other store is created when it is opened"
        )
    report: str = _postgres_module().initialize(f"postgresql:{rest}", partitions)
    return report


OPENERS: Final[dict[str, Callable[[str], Backend]]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "file": _file,
    "postgresql": _postgres,
    "postgres": _postgres,
}
"""Scheme to opener. Other packages may add theirs."""


_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")


def shown(url: str | os.PathLike[str]) -> str:
    """A URL that may be shown: without a password."""
    return server_url.shown(server_spelling.normalized(os.fspath(url)))


def open_backend(url: str | os.PathLike[str], schema: str | None = None) -> Backend:
    """The backend for a URL or path."""
    text = server_spelling.normalized(_path(url))
    if schema is not None:
        text = _with_schema(text, schema)
        url = text
    if not text or "\0" in text:
        given = "one with a zero byte" if text else repr(url)
        raise InvalidArgument(f"a store is opened by a path or URL, not {given}; try holdfast.open('agents.db')")
    if isinstance(url, os.PathLike):
        server_spelling.check(text)
        return _sqlite(text)
    scheme, rest = split_scheme(text)
    if scheme is not None:
        return OPENERS[scheme](rest)
    server_spelling.check(text)
    if "://" in text:
        raise InvalidArgument(
            f"there is no backend for {_shown_scheme(text)}; use a path for SQLite, or one of: "
            f"{', '.join(sorted(OPENERS))}"
        )
    return _sqlite(text)


def split_scheme(text: str) -> tuple[str | None, str]:
    """The key of the opener for a URL, whatever the case of its scheme, and the rest; None and the text for a path."""
    scheme, colon, rest = text.partition(":")
    for key in (scheme, scheme.lower()):
        if colon and key in OPENERS:
            return key, rest
    return None, text


def _shown_scheme(text: str) -> str:
    scheme = text.partition("://")[0]
    return repr(f"{scheme}://") if _SCHEME.fullmatch(scheme) else "this URL"


def path_of(path: str | os.PathLike[str]) -> Path:
    """The path of a new file; a URL is refused."""
    text = _path(path)
    if not text or "\0" in text:
        given = "one with a zero byte" if text else repr(path)
        raise InvalidArgument(f"this takes the path of a new file, not {given}")
    server_spelling.check(text)
    scheme, colon, rest = text.partition(":")
    is_url = split_scheme(text)[0] is not None or (colon and rest.startswith("//"))
    if is_url and not isinstance(path, os.PathLike):
        leave_out = f": leave out {scheme + ':'!r}" if _SCHEME.fullmatch(scheme) else ""
        raise InvalidArgument(f"this takes the path of a new file, not a URL{leave_out}")
    return Path(text)


def _with_schema(text: str, schema: Any) -> str:
    if not isinstance(schema, str) or text.partition(":")[0] not in ("postgresql", "postgres"):
        raise InvalidArgument(f"schema= names a schema of a PostgreSQL database, and was given {schema!r}")
    parts = server_url.split(text)
    in_url = dict(map(server_url.named, parts.options)).get("schema")
    if in_url is None:
        return parts._replace(options=[*parts.options, f"schema={quote(schema, safe='')}"]).text
    if in_url != schema:
        raise InvalidArgument(f"the URL says schema={in_url!r}, and the argument says {schema!r}; leave one out")
    return text


def _path(url: Any) -> str:
    """The text of a path or URL; empty if the argument can be neither."""
    text = os.fspath(url) if isinstance(url, str | os.PathLike) else ""
    return text if isinstance(text, str) else ""
