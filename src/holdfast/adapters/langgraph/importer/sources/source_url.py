"""Opens the source that a path or URL names.

========================================  =========================================
``checkpoints.sqlite``                    a path: a file of SqliteSaver
``sqlite:checkpoints.sqlite``             the same as a URL
``postgresql://user@host/database``       a database of PostgresSaver
========================================  =========================================
"""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.adapters.langgraph.importer.sources.source import Source
from holdfast.backends import server_spelling
from holdfast.errors import InvalidArgument


def open_source(source: str | os.PathLike[str]) -> Source:
    """Open a database of LangGraph's own savers, for reading only."""
    text = server_spelling.normalized(os.fspath(source))
    if isinstance(source, os.PathLike):
        server_spelling.check(text)
        return _sqlite(text)
    if text.startswith(("postgresql://", "postgres://")):
        return _postgres(text)
    if not text.startswith("sqlite:"):
        server_spelling.check(text)
    if "://" in text and not text.startswith("sqlite:"):
        scheme = text.partition("://")[0]
        raise InvalidArgument(f"{scheme + '://'!r} is not supported; give a path for SQLite, or postgresql://…")
    return _sqlite(text.removeprefix("sqlite:"))


def _sqlite(path: str) -> Source:
    from holdfast.adapters.langgraph.importer.sources.sqlite_source import SqliteSource

    if not path or "\0" in path:
        raise InvalidArgument("a source is a path, as in 'checkpoints.sqlite', or a URL, as in 'postgresql://…'")
    return SqliteSource(Path(path))


def _postgres(url: str) -> Source:
    from holdfast.adapters.langgraph.importer.sources.postgres_source import PostgresSource

    return PostgresSource(url)
