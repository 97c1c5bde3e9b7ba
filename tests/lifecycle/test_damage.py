"""Damage at random places: every change of what a read returns is found, and repair keeps what is sound.

``DAMAGES=780 pytest tests/lifecycle/test_damage.py`` runs until that many have changed what is read; sixty by default.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from re import sub
from typing import Any

import pytest

import holdfast
from holdfast import LookAtTheStorage, Store
from holdfast.backends.rows import KEYS, LineRow, ThreadRow, table_name
from tests.lifecycle.damaged_store import all_rows, backend_of, break_bytes, damaged, everything, fill, replace
from tests.support.postgres import schemas

EACH = 20  # damages in one test that change what is read
PARTS = range(-(-int(os.environ.get("DAMAGES") or 30) // 3 // EACH))  # of each kind
BROKEN = ("Corrupt", "StorageFailed")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[Any, Any]]]:
    """A store of each kind that is kept in files, and what it shows."""
    found = {}
    for kind in ("sqlite", "files"):
        path = tmp_path_factory.mktemp(kind) / "agents"
        with holdfast.open(url(kind, path)) as store:
            fill(store)
        with holdfast.open(url(kind, path)) as store:
            assert store.verify().faults == ()
            found[kind] = (path, everything(store))
    return found


def url(kind: str, path: Path) -> str:
    return f"file:{path}" if kind == "files" else f"sqlite:{path}"


def check(store: Store, before: dict[Any, Any], seed: int) -> bool:
    """Whether the damage shows; if so it must be found, and be mended."""
    found, plan = everything(store), store.verify()
    if found == before:
        return False
    assert plan.faults, f"seed {seed}: what is read has changed, and verify() says nothing"
    assert all(fault.message for fault in plan.faults)
    report = store.repair(plan)
    after = store.verify()
    assert after.faults == report.unrepaired == (), f"seed {seed}"
    assert [key for key, value in everything(store).items() if value in BROKEN] == [], f"seed {seed}"
    return True


def until_enough_show(part: int, damage: Callable[[int], bool]) -> None:
    """Damage to a row that no thread sees does not count: another row is damaged then."""
    shown = 0
    for seed in range(1000 * part, 1000 * part + 10 * EACH):
        shown += damage(seed)
        if shown == EACH:
            return
    raise AssertionError(f"of {10 * EACH} damages only {shown} change what is read")


@pytest.mark.parametrize("part", PARTS)
def test_rows_that_were_changed_or_lost(part: int) -> None:
    def damage(seed: int) -> bool:
        with holdfast.open("memory:") as store:
            fill(store)
            before = everything(store)
            spoil(store, seed)
            return check(store, before, seed)

    until_enough_show(part, damage)


def spoil(store: Store, seed: int) -> None:
    backend = backend_of(store)
    replace(backend, *damaged(all_rows(backend), Random(seed)))
    store._calls.engine.cache.clear()
    store._calls.engine.unsettled.clear()


def test_a_line_that_seems_to_be_a_root_gets_a_name() -> None:
    with holdfast.open("memory:") as store:
        store.thread("main").save({"n": 1})
        store.thread("main", "inner").save({"n": 2}, id="kept")
        (row,) = [one for one in all_rows(backend_of(store)) if isinstance(one, LineRow) and one.namespace]
        replace(backend_of(store), [row], [row._replace(namespace="")])
        store._calls.engine.cache.clear()
        assert store.repair(store.verify()).unrepaired == ()
        assert [one.id for one in store.thread("main", f"recovered/{row.line:x}").history()] == ["kept"]
        assert [one.state for one in [store.thread("main").latest()] if one] == [{"n": 1}]


def test_a_root_line_that_is_in_no_tree_any_more_becomes_a_thread_and_its_thread_gets_a_new_one() -> None:
    with holdfast.open("memory:") as store:
        store.thread("one").save({"n": 1}, id="kept")
        (row,) = [one for one in all_rows(backend_of(store)) if isinstance(one, LineRow)]
        replace(backend_of(store), [row], [row._replace(tree=row.tree + 1, line=0, thread=0)])
        store._calls.engine.cache.clear()
        assert store.repair(store.verify()).unrepaired == ()
        assert [one.id for one in store.thread("one").history()] == ["kept"]


def test_a_moment_that_no_calendar_has_is_not_kept() -> None:
    with holdfast.open("memory:") as store:
        store.thread("one").save({"n": 1})
        for row in all_rows(backend_of(store)):
            if isinstance(row, LineRow):
                replace(backend_of(store), [row], [row._replace(updated_at=1 << 62)])
            elif isinstance(row, ThreadRow):
                replace(backend_of(store), [row], [row._replace(created_at=1 << 62)])
        store._calls.engine.cache.clear()
        assert store.repair(store.verify()).unrepaired == ()
        assert [one.id for one in store.threads()] == ["one"]


def test_text_that_is_no_longer_text(tmp_path: Path) -> None:
    """Half a character in the key of a row: verify reports it, and repair sets the row aside and rebuilds it."""
    path = tmp_path / "agents.db"
    with holdfast.open(url("sqlite", path)) as store:
        for name in ("a", "b", "c"):
            store.thread(name, metadata={"user": "u"}).save({})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE tag SET thread = CAST(x'62c4' AS TEXT) WHERE thread = 'b' AND key = 'metadata.user'")
    with holdfast.open(url("sqlite", path)) as store:
        plan = store.verify()
        assert not plan.ok
        assert store.repair(plan).unrepaired == ()
        assert [one.id for one in store.threads(where={"user": "u"})] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("table", "change"), [(table_name(kind), ("one less", "one more")[n % 2]) for n, kind in enumerate(KEYS)]
)
def test_a_file_that_no_longer_says_which_columns_a_table_has(
    sound: dict[str, Any], tmp_path: Path, table: str, change: str
) -> None:
    path, before = sound["sqlite"]
    copy = tmp_path / "agents.db"
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        fewer, more = sub(r",\s*sum INTEGER NOT NULL", "", sql), sql.replace("sum INTEGER", "sum INTEGER, more INTEGER")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = ? WHERE name = ?", (more if change == "one more" else fewer, table)
        )
    with holdfast.open(url("sqlite", copy)) as store:
        everything(store)
        plan = store.verify()
        assert not plan.ok
        assert store.repair(plan).unrepaired == ()
    with holdfast.open(url("sqlite", copy)) as store:
        assert store.verify().faults == ()
        assert everything(store) == before


def test_rows_on_a_server(tmp_path: Path) -> None:
    for seed in range(1000, 1000 + EACH):
        folder = tmp_path / str(seed)
        folder.mkdir()
        with holdfast.open(schemas.url(folder)) as store:
            fill(store)
            before = everything(store)
            spoil(store, seed)
            check(store, before, seed)


@pytest.mark.parametrize("part", PARTS)
def test_bytes_of_files(sound: dict[str, Any], tmp_path: Path, part: int) -> None:
    path, before = sound["files"]

    def damage(seed: int) -> bool:
        copy = tmp_path / str(seed)
        shutil.copytree(path, copy)
        random = Random(seed)
        break_bytes(random.choice(sorted(copy.rglob("*.hfs"))), random)
        with holdfast.open(url("files", copy)) as store:
            return check(store, before, seed)

    until_enough_show(part, damage)


@pytest.mark.parametrize("part", PARTS)
def test_bytes_of_a_database(sound: dict[str, Any], tmp_path: Path, part: int) -> None:
    """A file that is not even opened is refused with the reason, and does not count."""
    path, before = sound["sqlite"]

    def damage(seed: int) -> bool:
        copy = tmp_path / str(seed)
        shutil.copy(path, copy)
        break_bytes(copy, Random(seed))
        try:
            store = holdfast.open(url("sqlite", copy))
        except LookAtTheStorage:
            return False
        with store:
            return check(store, before, seed)

    until_enough_show(part, damage)
