"""The golden store of SQLite's format 1 is read, verified and continued; files of earlier formats are refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import holdfast
from holdfast import NotAStore
from holdfast.backends.rows import KEYS, table_name
from tests.crash.checker import accepts_saves, check_file, read_rows
from tests.data.golden import check_continued, contents, graph_contents

GOLDEN = Path(__file__).parents[1] / "data" / "sqlite-1.db"
HELD = json.loads(GOLDEN.with_suffix(".json").read_text())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(GOLDEN, tmp_path / "agents.db"))


def test_it_uses_every_table() -> None:
    rows = read_rows(GOLDEN)
    assert [table_name(kind) for kind in KEYS if not rows[kind]] == []


def test_it_reads_back_equal(path: Path) -> None:
    with holdfast.open(path) as store:
        assert contents(store) == HELD["threads"]
        assert graph_contents(store) == HELD["graph"]
        assert [kept.table for kept in store.quarantined()] == ["run"]
    assert read_rows(path) == read_rows(GOLDEN), "reading changes nothing"


def test_it_is_sound(path: Path) -> None:
    with holdfast.open(path) as store:
        assert store.verify().faults == ()
    check_file(path)


def test_it_is_continued(path: Path) -> None:
    with holdfast.open(path) as store:
        check_continued(store)
        accepts_saves(store)
        assert store.verify().ok
    check_file(path)


# ------------------------------------------------------------------------------------------------ earlier formats


@pytest.mark.parametrize("letters", [b"HOLD", b"HOLC"], ids=["a store", "a backup"])
@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_file_of_a_development_version_is_refused_and_left_alone(tmp_path: Path, letters: bytes, mode: str) -> None:
    path = tmp_path / "agents.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute(f"PRAGMA application_id = {int.from_bytes(letters, 'big')}")
        connection.execute(f"PRAGMA user_version = {(3 << 16) | 4}")
        connection.execute("CREATE TABLE grave (hash BLOB NOT NULL PRIMARY KEY)")
    before = path.read_bytes()
    with pytest.raises(NotAStore, match=r"was made by a development version of Holdfast before 0\.1\.0") as refused:
        holdfast.open(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["agents.db"]


def test_it_is_refused_even_if_this_process_has_it_open(tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {0x484F4C44}")
        connection.execute("CREATE TABLE grave (hash BLOB NOT NULL PRIMARY KEY)")
        with pytest.raises(NotAStore, match=r"before 0\.1\.0"):
            holdfast.open(path)
