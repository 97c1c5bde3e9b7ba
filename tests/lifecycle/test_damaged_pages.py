"""Pages of a SQLite file that are damaged: a repair keeps every row that can be read, wherever the damage lies."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest

import holdfast
from holdfast import HoldfastError, Store
from holdfast.backends.rows import KEYS, CheckpointRow, ChunkRow, table_name
from holdfast.backends.sqlite.page_reader import Pages, rows_of
from holdfast.backends.sqlite.sql import statements
from tests.lifecycle.damaged_store import fill

NOISE = Random(1).randbytes(40_000)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with some of everything, large enough that its tables have many pages, and a value that takes several."""
    path = tmp_path_factory.mktemp("pages") / "agents.db"
    with holdfast.open(path) as store:
        fill(store)
        store.thread("large").save({"file": NOISE})
        for n in range(30):
            thread = store.thread(f"t{n:02}", metadata={"user": f"u{n}"})
            for i in range(4):
                saved = thread.save({"x": Random(n * 10 + i).randbytes(700), "n": i}, run_id=f"run{n}")
                thread.put_writes(saved.id, [("x", "y" * 200)], task_id="task")
                thread.label(saved.id, "kept")
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path


def root_of(path: Path, name: str) -> int:
    connection = sqlite3.connect(path)
    (found,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
    connection.close()
    return int(found)


def pages_of(path: Path, name: str) -> list[int]:
    root = root_of(path, name)
    with path.open("rb") as file:
        return sorted(Pages(file).under(root) - {root}) or [root]


def spoil(path: Path, *numbers: int) -> None:
    """No page of SQLite's begins so."""
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    for number in numbers:
        data[(number - 1) * size : (number - 1) * size + 8] = b"\xff" * 8
    path.write_bytes(data)


def readable(store: Store) -> dict[Any, Any]:
    """Every checkpoint that can be loaded, with its state."""
    found: dict[Any, Any] = {}
    for name in ("main", "fork", "fork/2", "copy", "one", "two", "large", *(f"t{n:02}" for n in range(30))):
        try:
            history = store.thread(name).history(limit=None)
        except HoldfastError:
            continue
        for one in history:
            try:
                found[name, one.id] = getattr(store.thread(name).load(one.id), "state", None)
            except HoldfastError:
                continue
    return found


@pytest.mark.parametrize("kind", KEYS, ids=table_name)
def test_the_pages_of_a_table_hold_its_rows(sound: Path, kind: Any) -> None:
    connection = sqlite3.connect(sound)
    wanted = connection.execute(statements()["all_" + table_name(kind)]).fetchall()
    connection.close()
    found = list(rows_of(sound, kind, root_of(sound, table_name(kind))))
    assert sorted(map(repr, map(tuple, found))) == sorted(map(repr, wanted))


@pytest.mark.parametrize("seed", range(12))
def test_what_could_be_read_before_a_repair_can_be_read_after_it(sound: Path, tmp_path: Path, seed: int) -> None:
    random, path = Random(seed), tmp_path / "agents.db"
    shutil.copy(sound, path)
    for name in random.sample(
        ["checkpoint", "chunk", "pending", "checkpoint_by_seq", "chunk_by_position", "overlay"], 2
    ):
        spoil(path, *random.sample(pages_of(path, name), min(2, len(pages_of(path, name)))))
    with holdfast.open(path) as store:
        before, plan = readable(store), store.verify()
        said, report = store.repair(plan, dry_run=True), store.repair(plan)
        after = readable(store)
        assert {key: after.get(key) for key in before} == before
        assert len(report.lost) <= len(said.lost)
        assert report.unrepaired == store.verify().faults == ()


def test_what_lies_between_two_damaged_pages_stays(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    shutil.copy(sound, path)
    found = pages_of(path, "chunk")
    spoil(path, found[len(found) // 10], found[len(found) * 9 // 10])
    with holdfast.open(path) as store:
        before = readable(store)
        store.repair(store.verify())
        assert readable(store).items() >= before.items()


def test_a_damaged_way_to_the_pages_hides_none_of_them(sound: Path, tmp_path: Path) -> None:
    """The root page of a table is above all the others."""
    path = tmp_path / "agents.db"
    shutil.copy(sound, path)
    with holdfast.open(sound) as store:
        wanted = readable(store)
    for kind in (CheckpointRow, ChunkRow):
        assert len(pages_of(path, table_name(kind))) > 3
        spoil(path, root_of(path, table_name(kind)))
    with holdfast.open(path) as store:
        report = store.repair(store.verify())
        assert readable(store) == wanted
        assert (report.lost, report.unrepaired) == ((), ())


def test_an_index_that_lacks_rows_costs_none(tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    with holdfast.open(path) as store:
        for n in range(40):
            store.thread("t").save({"n": n}, id=f"c{n:02}")
    data = bytearray(path.read_bytes())
    at = (root_of(path, "checkpoint_by_seq") - 1) * int.from_bytes(data[16:18], "big")
    cells = int.from_bytes(data[at + 3 : at + 5], "big")
    data[at + 3 : at + 5] = (cells - 2).to_bytes(2, "big")
    path.write_bytes(data)
    with holdfast.open(path) as store:
        report = store.repair(store.verify())
        assert [one.id for one in store.thread("t").history(limit=None)] == [f"c{n:02}" for n in reversed(range(40))]
        assert (report.lost, report.quarantined, report.unrepaired) == ((), 0, ())


def test_what_was_removed_does_not_come_back(tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    with holdfast.open(path) as store:
        for name in ("a", "b", "c"):
            for n in range(30):
                store.thread(name).save({"x": Random(n).randbytes(1500)})
        store.thread("b").delete()
    with sqlite3.connect(path) as connection:
        (rows,) = connection.execute("SELECT count(*) FROM chunk").fetchone()
    connection.close()
    assert len(list(rows_of(path, ChunkRow, root_of(path, "chunk")))) == rows > 0
