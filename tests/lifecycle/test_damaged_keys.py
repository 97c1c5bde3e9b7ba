"""Rows of a SQLite file whose columns hold a wrong type: verify reports them, and repair keeps the rest."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

import holdfast
from holdfast.backends.rows import KEYS, QuarantineRow, RunRow, table_name

WRONG = {"text": "abc", "bytes": b"\xff", "a fraction": 1.5, "below zero": -5, "huge": 1 << 62}
COLUMNS = [
    (table_name(kind), column)
    for kind, width in KEYS.items()
    if kind not in (QuarantineRow, RunRow)
    for column in kind._fields[:width]
]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "agents.db"
    with holdfast.open(path) as store:
        for n in range(2):
            thread = store.thread(f"t{n}", metadata={"user": n})
            for i in range(3):
                saved = thread.save({"n": i, "x": "y" * 2000 * (i + 1)}, run_id="r", id=f"c{n}{i}")
                thread.journal.append("k", i)
                thread.put_writes(saved.id, [("a", 1)], task_id="k")
            thread.label(f"c{n}2", "good")
            thread.fork(to=f"f{n}")
    return path


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_key_that_is_none_of_its_kind(sound: Path, tmp_path: Path, table: str, column: str) -> None:
    for what, value in WRONG.items():
        path = tmp_path / f"{what}.db"
        shutil.copy(sound, path)
        connection = sqlite3.connect(path)
        found = connection.execute(
            f"UPDATE {table} SET {column} = ? WHERE {column} = (SELECT max({column}) FROM {table})",  # noqa: S608 (names of tables and columns)
            (value,),
        ).rowcount
        connection.commit()
        connection.close()
        with holdfast.open(path) as store:
            plan = store.verify()
            assert plan.faults or not found, what
            store.repair(plan, dry_run=True)
            assert store.repair(plan).unrepaired == store.verify().faults == (), what
