"""A transaction that an interrupt left open on SQLite's connection is rolled back."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from holdfast.backends.base import Batch
from holdfast.backends.sqlite.backend import SqliteBackend
from holdfast.testing.rows.row_samples import run_row
from tests.interrupts.cuts import Cut
from tests.interrupts.test_cuts import check_writable


class Interrupting:
    """A connection during whose BEGIN a signal arrives: its handler raises once the statement is done."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.cuts = 1

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        found = self._connection.execute(sql, *parameters)
        if sql.startswith("BEGIN") and self.cuts:
            self.cuts -= 1
            raise Cut
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def lines_of(backend: SqliteBackend) -> list[int]:
    return sorted(row.line for row in asyncio.run(backend.run_lines("r")))


def test_an_interrupt_right_after_begin_leaves_no_transaction_open(tmp_path: Path) -> None:
    backend = SqliteBackend(tmp_path / "agents.db")
    writer: Any = Interrupting(backend._connections.writer())
    backend._connections._writer = writer
    with pytest.raises(Cut):
        asyncio.run(backend.commit(Batch([], [run_row("r", 1, 1)])))
    assert writer.cuts == 0
    check_writable(tmp_path / "agents.db")
    assert asyncio.run(backend.commit(Batch([], [run_row("r", 1, 2)])))
    assert lines_of(backend) == [2]
    asyncio.run(backend.close())


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_transaction_that_is_found_open_is_rolled_back(tmp_path: Path, goes_on: bool) -> None:
    backend = SqliteBackend(tmp_path / "agents.db")
    writer = backend._connections.writer()
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO run VALUES ('r', 1, 1, 0)")
    if goes_on:
        assert asyncio.run(backend.commit(Batch([], [run_row("r", 1, 2)])))
    asyncio.run(backend.close())
    again = SqliteBackend(tmp_path / "agents.db")
    assert lines_of(again) == ([2] if goes_on else [])
    asyncio.run(again.close())
