"""The folder: made, refused, moved, lost, or not to be written."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Corrupt, InvalidArgument, NotAStore, ReadOnly, StorageFailed, StorageFull
from tests.crash import files_reader
from tests.files.stores import backend_of, copied, folder_of, grown, latest, open_files, rows_of, state


def listed(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_the_written_format_is_enough_to_read_all_rows(tmp_path: Path) -> None:
    """By a reader that was written from that page: it finds the rows that the store has in memory."""
    root = tmp_path / "agents"
    with open_files(root) as store:
        for n in range(70):
            store.thread("t", metadata={"k": 1}).save(state(n), run_id=f"r{n % 3}", status=f"s{n % 2}")
        thread = store.thread("t")
        thread.put_writes(thread.history()[0].id, [("c", 1)], task_id="x")
        thread.journal.append("note", {"a": 1}, key="k")
        thread.fork(to="fork").save({"n": "other"})
        store.thread("gone").save(state(0))
        store.thread("gone").delete()
        cache = backend_of(store)._cache
        tables = [cache.directory.tables, *(tree.tables for tree in cache.trees.values())]
        stored = [row for one in tables for row in one.rows()]
        found = [row for rows in files_reader.read(root).values() for row in rows]
        assert sorted(map(repr, found)) == sorted(map(repr, stored))
        assert len({type(row) for row in found}) == 9


def test_a_new_folder_says_what_it_is(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    with open_files(root) as store:
        store.thread("support/Desk").save(state(0))
        store.thread("support/Desk").fork(to="fork")
        assert backend_of(store).capabilities.name == "files"
    (folder,) = (root / "threads").iterdir()
    assert folder.name.startswith("support%2f=desk~")
    assert listed(root) == sorted([
        "README.txt", "directory.hfs", "info.json", "lock", "threads", f"threads/{folder.name}",
        f"threads/{folder.name}/info.json",
        f"threads/{folder.name}/rows.hfs",
    ])  # fmt: skip
    assert "store of Holdfast" in (root / "README.txt").read_text()


def test_a_relative_path_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with holdfast.open("file:agents") as store:
        monkeypatch.chdir("/")
        store.thread("t").save(state(0))
    assert folder_of(tmp_path / "agents", "t").is_dir()


def test_a_folder_that_is_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").write_text("milk")
    (tmp_path / "file").write_text("x")
    for name in ("notes", "file"):
        with pytest.raises(NotAStore):
            open_files(tmp_path / name)
    assert listed(tmp_path) == ["file", "notes", "notes/todo.txt"]


def test_a_store_without_its_directory_is_not_created_again(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    grown(root, "t", 2)
    (root / "directory.hfs").unlink()
    with pytest.raises(NotAStore, match="restore"):
        open_files(root)
    assert rows_of(root, "t").exists()


def test_a_directory_that_is_another_file_is_reported(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    grown(root, "t", 2)
    (root / "directory.hfs").write_bytes(b"not a directory")
    with pytest.raises(Corrupt, match=r"directory\.hfs"), open_files(root) as store:
        store.thread("t").latest()


def test_urls_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="needs a folder"):
        holdfast.open("file:")
    with pytest.raises(InvalidArgument, match="write 'file:agents'"):
        holdfast.open("file://agents")
    with pytest.raises(ReadOnly, match="does not exist; create it first"):
        open_files(tmp_path / "no" / "agents")


def test_a_full_url_is_a_full_path(tmp_path: Path) -> None:
    with holdfast.open(f"file://{tmp_path}/agents") as store:
        store.thread("t").save(state(0))
    assert folder_of(tmp_path / "agents", "t").is_dir()


# ------------------------------------------------------------------------------------------------ moved and lost


def test_a_folder_that_was_moved_away_is_reported_and_can_come_back(tmp_path: Path) -> None:
    root, away = tmp_path / "agents", tmp_path / "away"
    grown(root, "t", 2)
    with open_files(root) as store:
        assert latest(store, "t") == state(1)
        root.rename(away)
        calls: list[Callable[[], Any]] = [
            lambda: latest(store, "t"),
            lambda: store.thread("t").save(state(2)),
            store.threads,
            store.bytes_stored,
            store.stats,
            lambda: store.backup(tmp_path / "backup"),
        ]
        for call in calls:
            with pytest.raises(StorageFailed, match=f"{root}.*gone"):
                call()
        assert not root.exists()
        away.rename(root)
        store.thread("t").save(state(2))
        assert latest(store, "t") == state(2)


def test_a_folder_that_was_replaced_by_its_backup_is_read_again(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    grown(root, "t", 2)
    backup = copied(root, "backup")
    with open_files(root) as store:
        store.thread("t").save(state(2))
        store.thread("new").save(state(0))
        shutil.rmtree(root)
        backup.rename(root)
        store._calls.engine.cache.clear()
        assert latest(store, "t") == state(1)
        assert latest(store, "new") is None
        store.thread("t").save(state(3))
    with open_files(root) as store:
        assert [one.seq for one in store.thread("t").history()] == [3, 2, 1]


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_lost_tree_is_reported_and_affects_no_other(tmp_path: Path, what: str) -> None:
    root = tmp_path / "agents"
    for thread_id in ("a", "b"):
        grown(root, thread_id, 3)
    kept = copied(root, "kept")
    for _ in range(2):
        if what == "folder":
            shutil.rmtree(folder_of(root, "a"))
        else:
            rows_of(root, "a").unlink()
        with open_files(root) as store:
            for call in (lambda: latest(store, "a"), lambda: store.thread("a").save(state(9))):
                with pytest.raises(Corrupt, match="missing; restore"):
                    call()
            assert [info.id for info in store.threads()] == ["a", "b"]
            store.thread("b").save(state(9))
            assert latest(store, "b") == state(9)
        shutil.copytree(kept / "threads", root / "threads", dirs_exist_ok=True)
        with open_files(root) as store:
            assert latest(store, "a") == state(2)


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_lost_tree_is_left_out_of_stats_and_named_by_an_erasure(tmp_path: Path, what: str) -> None:
    root = tmp_path / "agents"
    with open_files(root) as store:
        for thread_id in ("a", "b", "c"):
            for n in range(3):
                store.thread(thread_id, metadata={"user": "ada"}).save(state(n), run_id=f"run of {thread_id}")
        store.thread("a").fork(to="fork").save(state(9))
    if what == "folder":
        shutil.rmtree(folder_of(root, "a"))
    else:
        rows_of(root, "a").unlink()
    with open_files(root) as store:
        found = store.stats()
        assert (found.checkpoints, {one.id for one in found.largest}) == (6, {"b", "c"})
        for dry_run in (True, False):
            certificate = store.erase({"user": "nobody"}, dry_run=dry_run)
            assert not certificate.complete
            assert any("rows.hfs: the file is missing" in one for one in certificate.skipped)
        certificate = store.erase({"user": "ada"})
        assert set(certificate.thread_ids) == {"b", "c"}
        assert any("thread 'a'" in one for one in certificate.skipped)
        assert [info.id for info in store.threads()] == ["a", "fork"]
        assert not store.repair(store.verify()).unrepaired
        assert store.erase({"user": "ada"}).complete


def test_a_folder_that_the_directory_does_not_list_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root, other = tmp_path / "agents", tmp_path / "other"
    grown(root, "t", 2)
    grown(other, "stranger", 3)
    folder = folder_of(other, "stranger")
    shutil.copytree(folder, root / "threads" / folder.name)
    (root / "threads" / "stray.txt").write_text("x")
    with open_files(root) as store:
        store.thread("t").save(state(2))
        assert [info.id for info in store.threads()] == ["t"]
    assert (root / "threads" / folder.name / "rows.hfs").read_bytes() == (folder / "rows.hfs").read_bytes()
    assert (root / "threads" / "stray.txt").exists()
    assert folder.name in caplog.text


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    root, target = tmp_path / "agents", tmp_path / "target"
    grown(root, "t", 2)
    rows_of(root, "t").rename(target)
    rows_of_link = folder_of(root, "t") / "rows.hfs"
    rows_of_link.symlink_to(target)
    with open_files(root) as store, pytest.raises(StorageFailed, match="link"):
        latest(store, "t")


def test_a_link_in_the_place_of_an_unfinished_file_is_not_followed(tmp_path: Path) -> None:
    root, target = tmp_path / "agents", tmp_path / "target"
    grown(root, "t", 2)
    target.write_text("secret")
    folder = folder_of(root, "t")
    for name in ("info.json.new", "rows.hfs.new", "info.json.0123456789ab.new", "rows.hfs.0123456789ab.new"):
        (folder / name).symlink_to(target)
    (folder / "info.json").unlink()
    (folder / "info.json").symlink_to(target)
    with open_files(root) as store:
        store.thread("t").save(state(2))
        store.thread("t").fork(to="fork")
        store.erase({"user": "nobody"})
        assert latest(store, "t") == state(2)
    assert target.read_text() == "secret"
    assert listed(folder) == ["info.json", "rows.hfs"]
    assert not (folder / "info.json").is_symlink()


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder outside of the store, with a private file and files that have names of the store."""
    folder = tmp_path / "keys"
    folder.mkdir()
    for name in ("id_ed25519", "rows.hfs", "info.json"):
        (folder / name).write_text("secret")
    return folder


def test_a_dead_tree_whose_folder_is_a_link_is_not_followed(tmp_path: Path, keys: Path) -> None:
    root = tmp_path / "agents"
    grown(root, "t", 2)
    folder = folder_of(root, "t")
    with open_files(root) as store:
        store.thread("t").delete()
    assert not folder.exists()
    folder.symlink_to(keys)
    with open_files(root) as store:
        store.thread("other").save(state(0))
        assert latest(store, "other") == state(0)
    assert listed(keys) == ["id_ed25519", "info.json", "rows.hfs"]


def test_deleting_a_thread_whose_folder_is_a_link_leaves_the_target(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "agents", tmp_path / "elsewhere"
    with open_files(root) as store:
        store.thread("t", metadata={"user": "ada"}).save(state(0))
    folder = folder_of(root, "t")
    with open_files(root) as store:
        assert latest(store, "t") == state(0)
        folder.rename(elsewhere)
        folder.symlink_to(elsewhere)
        certificate = store.erase({"user": "ada"})
        assert store.threads() == []
        assert any(str(folder) in one for one in certificate.remains), "the rows are still there"
    assert listed(elsewhere) == ["info.json", "rows.hfs"]


def test_folders_are_not_removed_through_a_link_in_the_place_of_threads(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "agents", tmp_path / "elsewhere"
    grown(root, "t", 2)
    (root / "threads").rename(elsewhere)
    (root / "threads").symlink_to(elsewhere)
    with open_files(root) as store, pytest.raises(Corrupt, match="threads: a link"):
        store.thread("t").delete()
    assert len(list(elsewhere.glob("t~*/rows.hfs"))) == 1


def test_only_files_of_the_store_go_with_a_thread(tmp_path: Path, keys: Path) -> None:
    root = tmp_path / "agents"
    grown(root, "t", 2)
    folder = folder_of(root, "t")
    (folder / "notes.txt").write_text("mine")
    (folder / "rows.hfs.damaged-1").write_text("x")
    (folder / "info.json.new").symlink_to(keys / "rows.hfs")
    with open_files(root) as store:
        store.thread("t").delete()
        assert listed(folder) == ["notes.txt"]
        (folder / "notes.txt").unlink()
    with open_files(root) as store:
        store.thread("other").save(state(0))
    assert not folder.exists()
    assert (keys / "rows.hfs").read_text() == "secret"


# ------------------------------------------------------------------------------------------------ not to be written


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that other users may enter, unlike pytest's."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # noqa: S103  that is the point
        yield Path(name)


def as_other_user(work: Callable[[], Any]) -> None:
    """In a child process without root's rights, even if root runs the tests."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            work()
            code = 0
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0


def test_a_folder_without_the_right_to_write_can_be_read(open_to_all: Path) -> None:
    root = open_to_all / "agents"
    grown(root, "t", 3)
    everything = [root, *root.rglob("*")]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)

    def work() -> None:
        with open_files(root) as store:
            assert latest(store, "t") == state(2)
            assert [info.id for info in store.threads()] == ["t"]
            for thread_id in ("t", "new"):
                with pytest.raises(ReadOnly, match="can't be written"):
                    store.thread(thread_id).save(state(3))
            assert latest(store, "t") == state(2)
        with pytest.raises(ReadOnly):
            open_files(root / "inner")

    try:
        as_other_user(work)
    finally:
        for path in everything:
            path.chmod(0o755)


@pytest.mark.parametrize(
    ("code", "error"),
    [(errno.EROFS, ReadOnly), (errno.ENOSPC, StorageFull), (errno.EDQUOT, StorageFull), (errno.EIO, StorageFailed)],
)
def test_errors_of_the_system_are_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, error: type[Exception]
) -> None:
    root = tmp_path / "agents"
    grown(root, "t", 3)

    def refuse(*_: Any) -> int:
        raise OSError(code, os.strerror(code))

    with open_files(root) as store:
        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", refuse)
            with pytest.raises(error, match=str(root)):
                store.thread("t").save(state(3))
        assert latest(store, "t") == state(2)
        store.thread("t").save(state(3))
        assert [one.seq for one in store.thread("t").history()] == [4, 3, 2, 1]


def test_a_store_that_can_not_undo_a_failed_write_keeps_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "agents"
    grown(root, "t", 3)
    size = rows_of(root, "t").stat().st_size
    broken = OSError(errno.EIO, "broken")

    def refuse(*_: Any) -> None:
        raise broken

    with open_files(root) as store, open_files(root) as other:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", refuse)
            patch.setattr(os, "ftruncate", refuse)
            for _ in range(2):
                with pytest.raises(StorageFailed):
                    store.thread("t").save(state(3))
            assert rows_of(root, "t").stat().st_size > size, "the record is there, and may not last"
            assert latest(store, "t") == state(2)
            patch.setattr("holdfast.backends.files.lock.BUSY_SECONDS", 0.05)
            with pytest.raises(holdfast.Busy):
                other.thread("u").save(state(0))
        store.thread("t").save(state(4))
        other.thread("u").save(state(0))
        assert latest(other, "t") == latest(store, "t") == state(4)
        assert [one.seq for one in other.thread("t").history()] == [4, 3, 2, 1]
