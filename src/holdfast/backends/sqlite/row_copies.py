"""Copies of stores that are kept elsewhere: the rows are the same everywhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from holdfast.backends.rows import Row, table_name
from holdfast.backends.sqlite import copies, files
from holdfast.backends.sqlite.failures import told
from holdfast.backends.sqlite.statements import statements

_SQL: Final = statements()


class RowCopy:
    """A copy that is made of rows, whatever kept them."""

    def __init__(self, target: sqlite3.Connection) -> None:
        self._target = target

    def put(self, kind: type[Row], rows: Iterable[tuple[Any, ...]]) -> None:
        self._target.executemany(_SQL["put_" + table_name(kind)], rows)


@contextmanager
def of_rows(part: Path) -> Iterator[RowCopy]:
    """An empty copy to put rows into."""
    with told(part), copies.unjournaled(part) as target:
        files.lay_out(target)
        files.migrate(target, part)
        target.execute("BEGIN")
        yield RowCopy(target)
        target.execute("COMMIT")
        copies.mark(target)
