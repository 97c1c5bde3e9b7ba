"""Backups of stores on other backends: a SQLite file made from their rows, which are the same everywhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from holdfast.backends.rows import Row, table_name
from holdfast.backends.sqlite import database, file_backup, migration
from holdfast.backends.sqlite.errors import sqlite_errors
from holdfast.backends.sqlite.sql import statements

_SQL: Final = statements()


class RowCopy:
    """A backup that is being filled with rows."""

    def __init__(self, target: sqlite3.Connection) -> None:
        self._target = target

    def put(self, kind: type[Row], rows: Iterable[tuple[Any, ...]]) -> None:
        self._target.executemany(_SQL["put_" + table_name(kind)], rows)


@contextmanager
def of_rows(part: Path) -> Iterator[RowCopy]:
    """An empty backup to put rows into."""
    with sqlite_errors(part), file_backup.unjournaled(part) as target:
        database.lay_out(target)
        migration.migrate(target, part)
        target.execute("BEGIN")
        yield RowCopy(target)
        target.execute("COMMIT")
        file_backup.mark_as_backup(target)
