"""A store of an older format is brought up to date, whoever opens it and whenever they die."""

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
from tests.crash import settings, shim
from tests.crash.checker import accepts_saves, check_file
from tests.crash.nursery import Child, Nursery
from tests.data.make_format_1 import contents

DATA = Path(__file__).parents[1] / "data"
WANTED = {number: json.loads((DATA / f"format-{number}.json").read_text()) for number in (1, 2)}
ROUNDS = settings.ROUNDS // 4


def old_store(folder: Path, number: int = 1) -> Path:
    folder.mkdir(exist_ok=True)
    for left in folder.iterdir():
        left.unlink()
    return Path(shutil.copy(DATA / f"format-{number}.db", folder / "agents.db"))


def check_migrated(path: Path, prefix: str = "", number: int = 1) -> None:
    """It opens, is of the present format, holds what it held in the threads of this prefix, and takes more."""
    with holdfast.open(path) as store:
        found = json.loads(json.dumps(contents(store, prefix)))
        wanted = {name: what for name, what in WANTED[number].items() if name.startswith(prefix)}
        assert {name: found[name] for name in wanted} == wanted
        assert store.thread("gone").info() is None
        accepts_saves(store)
        store.thread("chat").save({"messages": [], "count": 0})
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] & 0xFFFF >= 3
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    check_file(path)


def check_killed(path: Path, child: Child) -> None:
    """After the death of a process that opened an old store, and perhaps saved to it."""
    saved = any("saved" in line for line in child.rest())
    with holdfast.open(path) as store:
        assert store.thread("new").info() is not None or not saved
    check_migrated(path, "chat/e")


@pytest.mark.parametrize("number", [1, 2])
def test_the_data_is_of_an_older_format(tmp_path: Path, number: int) -> None:
    with closing(sqlite3.connect(old_store(tmp_path / "store", number))) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == ((number << 16) | number,)


@pytest.mark.parametrize("number", [1, 2])
def test_a_store_of_an_older_format_reads_back_equal(tmp_path: Path, number: int) -> None:
    check_migrated(old_store(tmp_path / "store", number), number=number)


def test_a_log_that_an_older_format_began_goes_on(tmp_path: Path) -> None:
    """Its frames are compressed after one another, those that follow stand alone."""
    path = old_store(tmp_path / "store", 2)
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


def test_a_journal_and_a_run_work_in_a_store_of_the_first_format(tmp_path: Path) -> None:
    with holdfast.open(old_store(tmp_path / "store")) as store:
        thread = store.thread("chat")
        assert thread.journal.append("note", "first") == 1
        with store.thread("chat/fork").run() as run:
            assert run.resumed
            assert run.step("one", lambda: 1) == 1
        assert store.thread("chat/fork").info().status == "completed"  # type: ignore[union-attr]


def test_a_process_killed_while_it_migrates_leaves_a_store_that_opens(tmp_path: Path, nursery: Nursery) -> None:
    rng = random.Random(settings.SEED)
    for turn in range(ROUNDS):
        with settings.told(settings.SEED, turn):
            path = old_store(tmp_path / "store")
            child = nursery.start("worker:open_and_save", url=str(path), thread="new")
            child.until("opening")
            time.sleep(rng.random() * 0.012)
            child.kill()
            check_killed(path, child)


def test_a_migration_survives_death_at_any_call(shimmed: Nursery, quick: Path) -> None:
    at = 0
    while True:
        at += 1
        path = old_store(quick / "store")
        trouble = shim.trouble(path.parent, at, "torn" if at % 2 else "before")
        child = shimmed.start("worker:open_and_save", trouble, url=str(path), thread="new")
        child.rest()
        if child.wait() == 0:
            break
        check_killed(path, child)
    assert at > 50


def test_processes_that_open_an_old_store_at_once_all_succeed(tmp_path: Path, nursery: Nursery) -> None:
    for _ in range(5):
        path = old_store(tmp_path / "store")
        _open_at_once(nursery, path, 3)
        check_migrated(path)


def test_processes_that_create_a_store_at_once_all_succeed(tmp_path: Path, nursery: Nursery) -> None:
    for turn in range(10):
        path = tmp_path / f"{turn}.db"
        _open_at_once(nursery, path, 3)
        with holdfast.open(path) as store:
            assert [info.id for info in store.threads()] == ["new-0", "new-1", "new-2"]
        check_file(path)


def _open_at_once(nursery: Nursery, path: Path, count: int) -> None:
    at = time.time() + 0.03
    children = [
        nursery.start("worker:open_and_save", url=str(path), thread=f"new-{n}", at=at) for n in range(count)
    ]  # fmt: skip
    for child in children:
        child.ended_well()
