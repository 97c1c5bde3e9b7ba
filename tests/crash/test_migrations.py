"""A store of an older format is brought up to date, whichever process opens it and whenever that process dies.

There is one format so far. The older one, and the migration from it, are made up: see `made_up_format`.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

import holdfast
from holdfast import NewerFormat
from holdfast.backends.sqlite import migration
from holdfast.backends.sqlite.sql import migrations
from tests.crash import made_up_format, settings, shim
from tests.crash.checker import accepts_saves, check_file
from tests.crash.made_up_format import older_store
from tests.crash.nursery import Child, Nursery
from tests.data.golden import contents, graph_contents

WANTED = json.loads(made_up_format.GOLDEN.with_suffix(".json").read_text())
ROUNDS = settings.ROUNDS // 4


@pytest.fixture
def second_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process knows both formats."""
    monkeypatch.setattr(migration, "migrations", made_up_format.both)


def check_migrated(path: Path, prefix: str = "") -> None:
    """It opens, is of the present format, holds what it held in the threads of this prefix, and takes more."""
    with holdfast.open(path) as store:
        found = contents(store, prefix)
        wanted = {name: held for name, held in WANTED["threads"].items() if name.startswith(prefix)}
        assert {name: found[name] for name in wanted} == wanted
        if not prefix:
            assert graph_contents(store) == WANTED["graph"]
        assert store.thread("gone").info() is None
        accepts_saves(store)
        store.thread("chat").save({"messages": [], "count": 0})
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == ((2 << 16) | 2,)
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    check_file(path)


def check_killed(path: Path, child: Child) -> None:
    """After the death of a process that opened an older store, and perhaps saved to it."""
    saved = any("saved" in line for line in child.rest())
    check_one_format(path)
    with holdfast.open(path) as store:
        assert store.thread("new").info() is not None or not saved
    check_migrated(path, "chat/e")


def check_one_format(path: Path) -> None:
    """The number in the header and the columns are both of the first format, or both of the second."""
    with closing(sqlite3.connect(path)) as connection:
        (packed,) = connection.execute("PRAGMA user_version").fetchone()
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(thread)")]
        assert packed == ((2 << 16) | 2 if "generation" in columns else (1 << 16) | 1)


# ------------------------------------------------------------------------------------------------ to the second format


def test_the_store_is_of_the_older_format(tmp_path: Path) -> None:
    with closing(sqlite3.connect(older_store(tmp_path / "store"))) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == ((1 << 16) | 1,)
        assert len(connection.execute("SELECT * FROM thread").fetchall()[0]) == 8


def test_a_store_of_an_older_format_reads_back_equal(tmp_path: Path, second_format: None) -> None:
    path = older_store(tmp_path / "store")
    with holdfast.open(path) as store:
        assert store.verify().ok
    check_migrated(path)


def test_a_log_that_was_begun_in_an_older_format_is_continued(tmp_path: Path, second_format: None) -> None:
    path = older_store(tmp_path / "store")
    with holdfast.open(path) as store:
        before = store.thread("long").latest()
        for n in range(300):
            store.thread("long").update({"messages": [f"more {n}" * 9]}, reduce={"messages": holdfast.extend})
    with holdfast.open(path) as store:
        after = store.thread("long").latest()
        assert before is not None
        assert after is not None
        assert after.state["messages"] == before.state["messages"] + [f"more {n}" * 9 for n in range(300)]
    check_file(path)


def test_a_journal_and_a_run_work_in_a_store_of_an_older_format(tmp_path: Path, second_format: None) -> None:
    with holdfast.open(older_store(tmp_path / "store")) as store:
        thread = store.thread("chat")
        assert thread.journal.append("note", "first") == 1
        with store.thread("chat/fork").run() as run:
            assert run.resumed
            assert run.step("one", lambda: 1) == 1
        assert store.thread("chat/fork").info().status == "completed"  # type: ignore[union-attr]


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = older_store(tmp_path / "store")
    second = made_up_format.SECOND
    broken = second._replace(sql=f"{second.sql}DROP TABLE missing;\n")
    with monkeypatch.context() as patched:
        patched.setattr(migration, "migrations", lambda: [made_up_format.FIRST, broken])
        with pytest.raises(holdfast.HoldfastError):
            holdfast.open(path)
    check_one_format(path)
    monkeypatch.setattr(migration, "migrations", made_up_format.both)
    check_migrated(path)


def test_a_process_killed_while_it_migrates_leaves_a_store_that_opens(
    tmp_path: Path, nursery: Nursery, second_format: None
) -> None:
    rng = random.Random(settings.SEED)
    for turn in range(ROUNDS):
        with settings.told(settings.SEED, turn):
            path = older_store(tmp_path / "store")
            child = nursery.start("made_up_format:open_and_save", url=str(path), thread="new")
            child.until("opening")
            time.sleep(rng.random() * 0.012)
            child.kill()
            check_killed(path, child)


def test_a_migration_survives_death_at_any_call(shimmed: Nursery, quick: Path, second_format: None) -> None:
    at = 0
    while True:
        at += 1
        path = older_store(quick / "store")
        trouble = shim.trouble(path.parent, at, "torn" if at % 2 else "before")
        child = shimmed.start("made_up_format:open_and_save", trouble, url=str(path), thread="new")
        child.rest()
        if child.wait() == 0:
            break
        check_killed(path, child)
    assert at > 50


def test_processes_that_open_an_older_store_at_once_all_succeed(
    tmp_path: Path, nursery: Nursery, second_format: None
) -> None:
    for _ in range(5):
        path = older_store(tmp_path / "store")
        _open_at_once(nursery, path, 3, "made_up_format:open_and_save")
        check_migrated(path)


# ------------------------------------------------------------------------------------------------ from the first format


def test_code_of_an_older_format_refuses_a_store_that_needs_the_newer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = older_store(tmp_path / "store")
    with monkeypatch.context() as patched:
        patched.setattr(migration, "migrations", made_up_format.both)
        holdfast.open(path).close()
    before = path.read_bytes()
    with pytest.raises(NewerFormat, match=r"needs format 2; .* reads formats up to 1\. Upgrade Holdfast"):
        holdfast.open(path)
    assert path.read_bytes() == before


def with_another_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store to which a newer version has added a table that older ones do not need."""
    path = Path(shutil.copy(made_up_format.GOLDEN, folder / "agents.db"))
    with monkeypatch.context() as patched:
        patched.setattr(migration, "migrations", lambda: [*migrations(), made_up_format.ADDED_TABLE])
        holdfast.open(path).close()
    return path


def test_code_of_an_older_format_uses_a_store_that_only_got_another_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_another_table(tmp_path, monkeypatch)
    with holdfast.open(path) as store:
        assert contents(store) == WANTED["threads"]
        assert store.verify().ok
        accepts_saves(store)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == ((1 << 16) | 2,)
        assert connection.execute("SELECT count(*) FROM more").fetchone() == (0,)
    check_file(path)


def test_repair_leaves_a_store_alone_whose_other_tables_it_would_lose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_another_table(tmp_path, monkeypatch)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP INDEX journal_by_key")
    with holdfast.open(path) as store:
        plan = store.verify()
        assert not plan.ok
        with pytest.raises(NewerFormat, match="repair it with the newer version"):
            store.repair(plan)
    assert [one.name for one in tmp_path.iterdir()] == ["agents.db"]


# ------------------------------------------------------------------------------------------------ new stores


def test_processes_that_create_a_store_at_once_all_succeed(tmp_path: Path, nursery: Nursery) -> None:
    for turn in range(10):
        path = tmp_path / f"{turn}.db"
        _open_at_once(nursery, path, 3)
        with holdfast.open(path) as store:
            assert [info.id for info in store.threads()] == ["new-0", "new-1", "new-2"]
        check_file(path)


def _open_at_once(nursery: Nursery, path: Path, count: int, function: str = "worker:open_and_save") -> None:
    at = time.time() + 0.03
    children = [nursery.start(function, url=str(path), thread=f"new-{n}", at=at) for n in range(count)]
    for child in children:
        child.ended_well()
