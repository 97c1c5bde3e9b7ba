"""The backends that processes can share. A new one joins with a function, and is killed like the others."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.crash import checker, files_reader
from tests.crash.checker import Rows
from tests.faults.rows import rows_at
from tests.support import postgres as support

_PREFIX = "test_crash"
_databases = itertools.count()


@dataclass(frozen=True)
class Where:
    """One store: how to open it, how to read its rows without the library, and how to copy it while it is closed."""

    url: str
    rows: Callable[[], Rows]
    copied: Callable[[], Where]
    folder: Path | None = None  # which has all its files, and nothing else

    def check_all(self) -> None:
        checker.check_all(self.rows())


def sqlite(folder: Path) -> Where:
    path = folder / "agents.db"
    return Where(str(path), lambda: checker.read_rows(path), lambda: sqlite(_copy(folder)), folder)


def files(folder: Path) -> Where:
    path = folder / "agents"
    return Where(
        f"file:{path}", lambda: checker.checked_rows(files_reader.read(path)), lambda: files(_copy(folder)), folder
    )


def _copy(folder: Path) -> Path:
    copy = folder.with_name(f"{folder.name.split('~')[0]}~{next(_databases)}")
    shutil.copytree(folder, copy)
    return copy


def postgresql(folder: Path) -> Where:
    """A database of its own on the server of the test run."""
    return database(support.server(), f"{_PREFIX}_{os.getpid()}_{next(_databases)}", "template0")


def drop_databases() -> None:
    """All that this process has made on that server, with their copies."""
    own = f"{_PREFIX}_{os.getpid()}_%"
    with psycopg.connect(support.server(), autocommit=True) as connection:
        for (name,) in connection.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", (own,)).fetchall():
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def database(server: str, name: str, template: str) -> Where:
    support.run(server, f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    url = urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    return Where(url, lambda: rows_at(url), lambda: database(server, f"{name}_{next(_databases)}", name))


BACKENDS: dict[str, Callable[[Path], Where]] = {"sqlite": sqlite, "files": files}
ALL: dict[str, Callable[[Path], Where]] = {**BACKENDS, "postgresql": postgresql}
ON_DISK: dict[str, Callable[[Path], Where]] = {"sqlite": sqlite, "files": files}
"""Those whose process writes its own files, so that its disk can be made to fail."""
