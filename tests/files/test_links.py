"""Links, hard links and pipes in a store's folder: nothing is read, written or removed through them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Corrupt, InvalidArgument, StorageFailed
from tests.files.stores import copied, folder_of, grown, latest, open_files, rows_of, state


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def linked_folder(root: Path, thread_id: str) -> Path:
    """The thread's folder becomes a link to where it is now."""
    folder, elsewhere = folder_of(root, thread_id), root.with_name("elsewhere")
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    return elsewhere


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "agents"
    for thread_id in ("t", "other"):
        grown(root, thread_id, 3)
    return root


# ------------------------------------------------------------------------------------------------ a thread's folder


def test_a_folder_that_is_a_link_is_not_read_or_written_through(root: Path) -> None:
    before = contents(elsewhere := linked_folder(root, "t"))
    with open_files(root) as store:
        calls: list[Callable[[], Any]] = [
            lambda: latest(store, "t"),
            lambda: store.thread("t").save(state(9)),
            lambda: store.thread("t").fork(to="fork"),
            lambda: store.thread("t").delete(),
        ]
        for call in calls:
            with pytest.raises(Corrupt, match=r"t~[0-9a-f]+: .*link.*put the folder itself"):
                call()
        store.thread("other").save(state(9))
        assert latest(store, "other") == state(9)
    assert contents(elsewhere) == before


def test_a_folder_that_becomes_a_link_while_the_store_is_open_is_not_written_through(root: Path) -> None:
    with open_files(root) as store:
        store.thread("t").save(state(3))
        before = contents(elsewhere := linked_folder(root, "t"))
        with pytest.raises(Corrupt, match="link"):
            store.thread("t").save(state(4))
        store.thread("other").save(state(9))
    assert contents(elsewhere) == before


def test_verify_reports_a_folder_that_is_a_link_and_repair_leaves_what_is_behind_it(root: Path) -> None:
    before = contents(elsewhere := linked_folder(root, "t"))
    with open_files(root) as store:
        report = store.verify()
        assert not report.ok
        assert any("link" in str(fault) and "t~" in str(fault) for fault in report.faults)
        store.repair(report)
        assert latest(store, "other") == state(2)
        assert not store.verify().ok
    assert contents(elsewhere) == before
    assert folder_of(root, "t").is_symlink()


def test_a_folder_that_is_back_in_its_place_is_read_again(root: Path) -> None:
    elsewhere = linked_folder(root, "t")
    folder = folder_of(root, "t")
    with open_files(root) as store:
        with pytest.raises(Corrupt):
            latest(store, "t")
        folder.unlink()
        elsewhere.rename(folder)
        assert latest(store, "t") == state(2)
        assert store.verify().ok


def test_an_erasure_says_that_it_skipped_a_folder_that_is_a_link(root: Path) -> None:
    before = contents(elsewhere := linked_folder(root, "t"))
    with open_files(root) as store:
        certificate = store.erase({"user": "ada"})
        assert not certificate.complete
        assert any("link" in one for one in certificate.skipped)
    assert contents(elsewhere) == before


@pytest.mark.parametrize("target", ["an empty folder", "nothing"])
def test_repair_fills_no_folder_behind_a_link(root: Path, tmp_path: Path, target: str) -> None:
    folder, elsewhere = folder_of(root, "t"), tmp_path / "elsewhere"
    folder.rename(tmp_path / "away")
    if target == "an empty folder":
        elsewhere.mkdir()
    folder.symlink_to(elsewhere)
    with open_files(root) as store:
        assert any("a link is in the place" in str(fault) for fault in store.verify().faults)
        store.repair(store.verify())
        store.thread("other").save(state(9))
    assert not elsewhere.exists() or list(elsewhere.iterdir()) == []


def test_threads_that_is_a_link_is_not_followed(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (root / "threads").rename(elsewhere)
    (root / "threads").symlink_to(elsewhere)
    before = contents(elsewhere)
    with open_files(root) as store:
        for call in (lambda: latest(store, "t"), lambda: store.thread("new").save(state(0))):
            with pytest.raises(Corrupt, match=r"threads: .*link"):
                call()
        report = store.verify()
        assert any("threads: " in str(fault) and "link" in str(fault) for fault in report.faults)
    assert contents(elsewhere) == before


def test_a_new_store_is_not_made_in_a_folder_behind_a_link(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "agents", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    (root / "threads").symlink_to(elsewhere)
    with pytest.raises((Corrupt, holdfast.NotAStore)), open_files(root) as store:
        store.thread("t").save(state(0))
    assert list(elsewhere.iterdir()) == []


def test_a_backup_is_refused_instead_of_leaving_a_linked_thread_out(root: Path, tmp_path: Path) -> None:
    linked_folder(root, "t")
    with open_files(root) as store, pytest.raises(Corrupt, match="link"):
        store.backup(tmp_path / "backup")
    assert not list(tmp_path.glob("backup*"))


# ------------------------------------------------------------------------------------------------ the root


def test_the_root_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to(root)
    with open_files(tmp_path / "current") as store:
        store.thread("t").save(state(3))
        (tmp_path / "current").unlink()
        store.thread("t").save(state(4))
        with pytest.raises(InvalidArgument, match="inside"):
            store.backup(root / "backup")
    with open_files(root) as store:
        assert latest(store, "t") == state(4)


def test_a_backup_into_the_store_through_a_link_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to(root)
    with open_files(root) as store, pytest.raises(InvalidArgument, match="inside"):
        store.backup(tmp_path / "current" / "backup")


# ------------------------------------------------------------------------------------------------ hard links and pipes


def test_a_file_that_is_hard_linked_as_the_lock_is_not_overwritten(root: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine, and important")
    (root / "lock").unlink()
    os.link(mine, root / "lock")
    with open_files(root) as store:
        with pytest.raises(StorageFailed, match=r"lock: .*hard link.*remove"):
            store.thread("t").save(state(3))
        assert latest(store, "t") == state(2)
        (root / "lock").unlink()
        store.thread("t").save(state(3))
    assert mine.read_text() == "mine, and important"


@pytest.mark.parametrize("name", ["rows.hfs", "directory.hfs"])
def test_a_file_with_a_second_name_is_read_and_not_written(root: Path, tmp_path: Path, name: str) -> None:
    file = rows_of(root, "t") if name == "rows.hfs" else root / name
    other = tmp_path / "other name"
    os.link(file, other)
    before = other.read_bytes()
    with open_files(root) as store:
        assert latest(store, "t") == state(2)
        with pytest.raises(StorageFailed, match=rf"{name}: .*hard link"):
            store.thread("t" if name == "rows.hfs" else "new").save(state(3))
        assert other.read_bytes() == before
        other.unlink()
        store.thread("t").save(state(3))
        assert latest(store, "t") == state(3)


def test_the_torn_end_of_a_file_with_a_second_name_is_not_cut_off(root: Path, tmp_path: Path) -> None:
    with rows_of(root, "t").open("ab") as file:
        file.write(b"\xf1REC torn")
    other = tmp_path / "other name"
    os.link(rows_of(root, "t"), other)
    before = other.read_bytes()
    with open_files(root) as store, pytest.raises(StorageFailed, match="hard link"):
        store.thread("t").save(state(3))
    assert other.read_bytes() == before


@pytest.mark.parametrize("name", ["rows.hfs", "info.json"])
def test_a_pipe_in_the_place_of_a_file_stops_nothing(root: Path, name: str) -> None:
    file = folder_of(root, "t") / name
    file.unlink()
    os.mkfifo(file)
    with open_files(root) as store:
        report = store.verify()
        assert report.ok == (name == "info.json")
        store.thread("other").save(state(9))
        if name == "info.json":
            store.thread("t").save(state(3))
            store.thread("t").fork(to="fork")
            assert latest(store, "t") == state(3)
        else:
            with pytest.raises(StorageFailed, match="not a file"):
                latest(store, "t")


def test_a_pipe_in_the_place_of_the_lock_is_refused(root: Path) -> None:
    (root / "lock").unlink()
    os.mkfifo(root / "lock")
    with open_files(root) as store, pytest.raises(StorageFailed, match="not a file"):
        store.thread("t").save(state(3))


def test_info_json_that_is_a_link_is_not_read(root: Path, tmp_path: Path) -> None:
    """A repair would list the threads that another file names."""
    stranger = tmp_path / "stranger"
    grown(stranger, "s", 2)
    info = folder_of(root, "t") / "info.json"
    info.unlink()
    info.symlink_to(folder_of(stranger, "s") / "info.json")
    with (root / "directory.hfs").open("r+b") as file:
        file.seek(-3, os.SEEK_END)
        file.write(b"xxx")
        file.seek(0, os.SEEK_END)
        file.write(b"more")
    with open_files(root) as store:
        store.repair(store.verify())
        assert "s" not in [info.id for info in store.threads()]


# ------------------------------------------------------------------------------------------------ removing


def test_only_files_of_the_store_are_removed_by_an_erasure(root: Path) -> None:
    folder = folder_of(root, "t")
    mine = [root / "notes.new", folder / "mine.new", folder / "rows.hfs.mine.new"]
    for path in mine:
        path.write_text("mine")
    unfinished = [folder / "rows.hfs.0123456789ab.new", root / "directory.hfs.0123456789ab.new"]
    for path in unfinished:
        path.write_text("x")
    with open_files(root) as store:
        store.erase({"user": "nobody"})
    assert [path.exists() for path in mine] == [True] * 3
    assert [path.exists() for path in unfinished] == [False] * 2


def test_a_damaged_file_is_kept_as_a_copy_so_that_a_stopped_repair_leaves_one_name(root: Path) -> None:
    with rows_of(root, "t").open("r+b") as file:
        file.seek(200)
        file.write(b"damage")
    kept = copied(root, "kept")
    with open_files(root) as store:
        store.repair(store.verify())
    aside = folder_of(root, "t") / "rows.hfs.damaged-1"
    assert aside.read_bytes() == rows_of(kept, "t").read_bytes()
    assert aside.stat().st_nlink == rows_of(root, "t").stat().st_nlink == 1


# ------------------------------------------------------------------------------------------------ rights


def test_files_that_are_rewritten_keep_their_rights(root: Path) -> None:
    files = [rows_of(root, "t"), folder_of(root, "t") / "info.json", root / "directory.hfs", root / "info.json"]
    for path in files:
        path.chmod(0o600)
    with open_files(root) as store:
        for n in range(200):
            store.thread("t").save({"n": n, "text": os.urandom(2000).hex()})
        store.thread("t").prune(holdfast.Retention(keep_last=1))
        store.erase({"user": "nobody"})
    assert [oct(path.stat().st_mode & 0o777) for path in files] == ["0o600"] * 4
