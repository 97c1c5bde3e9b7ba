"""The files that SQLite keeps beside a store: nothing is written through a link that has their name."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import holdfast
from holdfast import StorageFailed

ENDINGS = ["-wal", "-shm", "-journal"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with holdfast.open(tmp_path / "agents.db") as store:
        store.thread("t").save({"n": 1})
    return tmp_path / "agents.db"


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", ["link", "dangling link", "hard link", "pipe"])
@pytest.mark.parametrize("is_new", [False, True])
def test_what_is_not_sqlites_own_file_is_refused_and_left_alone(
    store: Path, tmp_path: Path, ending: str, kind: str, is_new: bool
) -> None:
    target, beside = tmp_path / "target", Path(f"{store}{ending}")
    if is_new:
        store.unlink()
    if kind != "dangling link":
        target.write_text("mine")
    if kind == "pipe":
        os.mkfifo(beside)
    elif kind == "hard link":
        os.link(target, beside)
    else:
        beside.symlink_to(target)
    with pytest.raises(StorageFailed, match=rf"agents\.db{ending}: .*remove"):
        holdfast.open(store)
    assert target.exists() == (kind != "dangling link")
    assert not target.exists() or target.read_text() == "mine"
    assert store.exists() != is_new
    beside.unlink()
    with holdfast.open(store) as opened:
        found = opened.thread("t").latest()
        assert (found is None) == is_new


def test_a_store_may_be_named_by_a_link(store: Path, tmp_path: Path) -> None:
    link = tmp_path / "current.db"
    link.symlink_to(store)
    with holdfast.open(link) as opened:
        opened.thread("t").save({"n": 2})
        assert not list(tmp_path.glob("current.db-*"))
    with holdfast.open(store) as opened:
        found = opened.thread("t").latest()
        assert found is not None
        assert found.state == {"n": 2}


def test_files_beside_the_target_of_a_link_are_checked(store: Path, tmp_path: Path) -> None:
    (tmp_path / "current.db").symlink_to(store)
    (tmp_path / "target").write_text("mine")
    os.link(tmp_path / "target", f"{store}-wal")
    with pytest.raises(StorageFailed, match=r"agents\.db-wal"):
        holdfast.open(tmp_path / "current.db")
    assert (tmp_path / "target").read_text() == "mine"


def test_a_repair_replaces_the_file_and_not_the_link_to_it(store: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'overlay'").fetchone()
    with store.open("r+b") as file:
        file.seek((page - 1) * 2048)
        file.write(b"\xff" * 100)
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "current.db"
    link.symlink_to(store)
    with holdfast.open(link) as opened:
        opened.repair(opened.verify())
        assert opened.verify().ok
    assert link.is_symlink()
    assert [path.name for path in link.parent.iterdir()] == ["current.db"]
    assert b"\xff" * 100 in Path(f"{store}.damaged-1").read_bytes()
    with holdfast.open(store) as opened:
        assert opened.verify().ok
