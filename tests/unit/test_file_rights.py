"""Backups, exports and repaired files are readable for no more users than what they are made from."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import holdfast
from holdfast import Store
from holdfast._system import atomic_files


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def filled(url: str) -> Store:
    store = holdfast.open(url)
    for n in range(3):
        store.thread("t").save({"n": n})
    return store


def written(store: Store, folder: Path) -> list[str]:
    store.backup(folder / "backup")
    store.export(["t"], folder / "bundle")
    store.export(["t"], folder / "lines", json=True)
    return [rights(folder / name) for name in ("backup", "bundle", "lines")]


@pytest.mark.parametrize(("own", "copies"), [(0o600, "0o600"), (0o640, "0o640"), (0o644, "0o644"), (0o444, "0o644")])
def test_copies_of_a_sqlite_store_have_the_rights_of_its_file(tmp_path: Path, own: int, copies: str) -> None:
    with filled(str(tmp_path / "agents.db")) as store:
        (tmp_path / "agents.db").chmod(own)
        assert written(store, tmp_path) == [copies] * 3


def test_the_umask_still_counts(tmp_path: Path) -> None:
    with filled(str(tmp_path / "agents.db")) as store:
        (tmp_path / "agents.db").chmod(0o666)
        assert written(store, tmp_path) == ["0o644"] * 3


def test_copies_of_a_store_in_memory_are_private(tmp_path: Path) -> None:
    with filled("memory:") as store:
        assert written(store, tmp_path) == ["0o600"] * 3


@pytest.mark.parametrize(
    ("folder", "files", "copies"),
    [
        (0o700, 0o644, ["0o700", "0o600", "0o600"]),
        (0o755, 0o600, ["0o755", "0o600", "0o600"]),
        (0o750, 0o644, ["0o750", "0o640", "0o640"]),
        (0o755, 0o644, ["0o755", "0o644", "0o644"]),
    ],
)
def test_copies_of_a_store_of_files_are_as_closed_as_its_folder_and_its_files(
    tmp_path: Path, folder: int, files: int, copies: list[str]
) -> None:
    root = tmp_path / "agents"
    filled(f"file:{root}").close()
    inner = [path for path in root.rglob("*") if path.is_file()]
    for path in inner:
        path.chmod(files)
    root.chmod(folder)
    (root / "threads").chmod(0o700)
    with holdfast.open(f"file:{root}") as store:
        assert written(store, tmp_path) == copies
    backup = tmp_path / "backup"
    assert rights(backup / "threads") == "0o700"
    kept = {rights(path) for path in backup.rglob("*") if path.is_file() and path.name not in ("copied", "info.json")}
    assert kept == {oct(files)}


def test_a_repaired_sqlite_file_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    with filled(str(path)):
        pass
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'checkpoint'").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * 2048)
        file.write(b"\0" * 100)
    path.chmod(0o660)
    with holdfast.open(str(path)) as store:
        store.repair(store.verify())
    aside = tmp_path / "agents.db.damaged-1"
    assert (rights(path), rights(aside)) == ("0o660", "0o660")


def test_the_files_that_sqlite_puts_beside_a_private_store_are_private(tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    filled(str(path)).close()
    path.chmod(0o600)
    with filled(str(path)):
        beside = sorted(tmp_path.glob("agents.db-*"))
        assert [rights(file) for file in beside] == ["0o600"] * 2


def test_a_temporary_file_is_never_readable_for_more_users(tmp_path: Path) -> None:
    with atomic_files.publish_new(tmp_path / "file", rights=0o640) as part:
        assert (rights(part), rights(part.parent)) == ("0o640", "0o700")
    assert rights(tmp_path / "file") == "0o640"
    with atomic_files.NewFile(tmp_path / "other"):
        (temporary,) = tmp_path.glob("other.*")
        assert rights(temporary) == "0o600"
