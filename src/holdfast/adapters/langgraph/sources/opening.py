"""From what the user names to a source.

========================================  =========================================
``checkpoints.sqlite``                    a path: a file that SqliteSaver made
``sqlite:checkpoints.sqlite``             the same, said in full
``postgresql://user@host/database``       a database that PostgresSaver made
========================================  =========================================
"""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.adapters.langgraph.sources.base import Source
from holdfast.errors import InvalidArgument


def open_source(source: str | os.PathLike[str]) -> Source:
    """Open a database of LangGraph's own savers, for reading only."""
    text = os.fspath(source)
    if isinstance(source, os.PathLike):
        return _sqlite(text)
    if text.startswith(("postgresql://", "postgres://")):
        return _postgres(text)
    if "://" in text and not text.startswith("sqlite:"):
        scheme = text.partition("://")[0]
        raise InvalidArgument(f"no source is known for {scheme + '://'!r}; a path is SQLite, or use postgresql://…")
    return _sqlite(text.removeprefix("sqlite:"))


def _sqlite(path: str) -> Source:
    from holdfast.adapters.langgraph.sources.sqlite import SqliteSource

    if not path or "\0" in path:
        raise InvalidArgument("a source is a path, as in 'checkpoints.sqlite', or a URL, as in 'postgresql://…'")
    return SqliteSource(Path(path))


def _postgres(url: str) -> Source:
    from holdfast.adapters.langgraph.sources.postgres import PostgresSource

    return PostgresSource(url)
