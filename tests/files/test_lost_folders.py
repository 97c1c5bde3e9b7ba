"""Folders that the directory has lost are reported, and repair lists them again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast import Corrupt, Store
from holdfast._system.atomic_files import sync_folder
from holdfast.backends.files import committer
from holdfast.backends.files.logs import directory_log as directories
from tests.files.stores import copied, folder_of, grown, latest, name_at, open_files, rows_of, state

WRITER = """
import sys, holdfast
from holdfast.backends.files import committer
committer._LARGE, committer._FULL_DIRECTORY = 2000, 4000
with holdfast.open(sys.argv[1]) as store:
    for n in range(int(sys.argv[2])):
        thread = store.thread(f"t{n % 7}", reuse=True)
        for m in range(3):
            thread.save({"n": n, "text": "x" * 100 * (n % 7)})
        thread.fork(to=f"fork {n}").save({"fork": n})
        if n % 3:
            store.thread(f"t{n % 7}").delete()
            store.thread(f"fork {n}").delete()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three threads of several saves each, and a fork of the first, with metadata."""
    root = tmp_path / "agents"
    with open_files(root) as store:
        for name in ("a", "b", "c"):
            for n in range(4):
                store.thread(name, metadata={"user": name}).save(state(n), id=f"{name}{n}")
        store.thread("a").fork(to="fork").save(state(9))
    return root


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def ids(store: Store) -> list[str]:
    return [info.id for info in store.threads()]


def test_a_thread_whose_record_in_the_directory_is_damaged_comes_back_with_name_and_metadata(root: Path) -> None:
    for thread_id in ("a", "b", "c"):
        again = copied(root, "again")
        flip(again / "directory.hfs", name_at(root, thread_id))
        with open_files(again) as store:
            report = store.verify()
            assert any(folder_of(again, thread_id).name in fault.message for fault in report.faults)
            assert store.repair(report, dry_run=True).dry_run
            repaired = store.repair(report)
            assert (repaired.lost, repaired.unrepaired) == ((), ())
            assert store.verify().ok
            assert ids(store) == ["a", "b", "c", "fork"]
            assert latest(store, thread_id) == state(3)
            assert [info.id for info in store.threads(where={"user": thread_id})] == (
                ["a", "fork"] if thread_id == "a" else [thread_id]
            )
            store.thread(thread_id).save(state(4))
        with open_files(again) as store:
            assert latest(store, thread_id) == state(4)
            assert store.verify().ok


def test_any_byte_of_the_directory_costs_no_thread(root: Path) -> None:
    length = (root / "directory.hfs").stat().st_size
    for at in range(5, length, 37):
        again = copied(root, "again")
        flip(again / "directory.hfs", at)
        with open_files(again) as store:
            repaired = store.repair(store.verify())
            assert not repaired.unrepaired
            assert ids(store) == ["a", "b", "c", "fork"], at
            assert [latest(store, one) for one in ids(store)] == [state(3), state(3), state(3), state(9)]


def test_a_folder_without_info_comes_back_as_recovered(root: Path) -> None:
    (folder_of(root, "b") / "info.json").unlink()
    flip(root / "directory.hfs", name_at(root, "b"))
    with open_files(root) as store:
        assert not store.repair(store.verify()).unrepaired
        (found,) = [one for one in ids(store) if one.startswith("recovered/")]
        assert latest(store, found) == state(3)
        assert store.verify().ok


def test_what_was_in_the_damaged_record_is_reported_as_lost(tmp_path: Path) -> None:
    """The first save of a thread is in the directory's record, until the next one takes it along."""
    root = tmp_path / "agents"
    for name in ("a", "b", "c"):
        grown(root, name, 1)
    flip(root / "directory.hfs", name_at(root, "b"))
    with open_files(root) as store:
        repaired = store.repair(store.verify())
        assert [lost.thread_id for lost in repaired.lost] == ["b"]
        assert not repaired.unrepaired
        assert ids(store) == ["a", "c"]
        store.thread("b").save(state(5))
        assert latest(store, "b") == state(5)
        assert store.verify().ok


def test_a_directory_that_lost_its_end_forgets_no_thread(root: Path) -> None:
    path = root / "directory.hfs"
    before = path.stat().st_size
    with open_files(root) as store:
        for n in range(3):
            store.thread("late").save(state(n))
        left = copied(root, "left")  # this copy was not closed
    with (left / "directory.hfs").open("r+b") as file:
        file.truncate(before)
    with open_files(left) as store:
        assert ids(store) == ["a", "b", "c", "fork"]
        report = store.verify()
        assert not report.ok
        assert not store.repair(report).unrepaired
        assert latest(store, "late") == state(2)


def test_a_deleted_thread_does_not_come_back_though_info_names_it(root: Path) -> None:
    """Its process was killed before it could describe the folder, where the fork remains."""
    described = (folder_of(root, "a") / "info.json").read_bytes()
    with open_files(root) as store:
        store.thread("a").delete()
    (folder_of(root, "a") / "info.json").write_bytes(described)
    flip(root / "directory.hfs", name_at(root, "c"))
    with open_files(root) as store:
        assert not store.repair(store.verify()).unrepaired
        assert ids(store) == ["b", "c", "fork"]


@pytest.mark.parametrize("how", ["damaged", "cut"])
def test_a_forgotten_fork_comes_back_though_its_tree_was_written_and_described_since(root: Path, how: str) -> None:
    path = root / "directory.hfs"
    before = path.stat().st_size
    with open_files(root) as store:
        store.thread("b").fork(to="forgotten").save(state(7))
        if how == "damaged":
            store.thread("later").save(state(0))
    if how == "damaged":
        flip(path, before + 40)
    else:
        path.write_bytes(path.read_bytes()[:before])
    with open_files(root) as store:
        assert "forgotten" not in ids(store)
        store.thread("b").save(state(4))
    with open_files(root) as store:
        assert not store.repair(store.verify()).unrepaired
        assert latest(store, "forgotten") == state(7)
        assert latest(store, "b") == state(4)


def test_a_folder_of_another_store_is_reported_and_can_be_listed(root: Path, tmp_path: Path) -> None:
    grown(tmp_path / "other", "stranger", 3)
    folder = folder_of(tmp_path / "other", "stranger")
    shutil.copytree(folder, root / "threads" / folder.name)
    with open_files(root) as store:
        report = store.verify()
        assert [fault.kind for fault in report.faults] == ["storage"]
        store.repair(report)
        assert latest(store, "stranger") == state(2)
        assert store.verify().ok


def test_a_copy_of_a_folder_within_the_store_is_reported_and_left_alone(root: Path) -> None:
    folder = folder_of(root, "b")
    twin = folder.with_name(folder.name.replace("b~", "copy~"))
    shutil.copytree(folder, twin)
    with open_files(root) as store:
        report = store.verify()
        assert [str(twin) in fault.message and "move it" in fault.message for fault in report.faults] == [True]
        assert len(store.repair(report).unrepaired) == 1
        assert latest(store, "b") == state(3)
    shutil.rmtree(twin)
    with open_files(root) as store:
        assert store.verify().ok


def test_folders_that_are_being_created_are_not_faults(root: Path) -> None:
    (root / "threads" / "unborn~1f").mkdir()
    (root / "threads" / "empty~2f").mkdir()
    shutil.copy(rows_of(root, "a"), root / "threads" / "empty~2f" / "rows.hfs.new")
    (root / "threads" / "unborn~1f" / "rows.hfs").write_bytes(rows_of(root, "a").read_bytes()[:16])
    with open_files(root) as store:
        assert store.verify().ok


def test_verify_beside_a_writer_that_makes_and_removes_threads_finds_nothing(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    with (
        open_files(root) as store,
        subprocess.Popen([sys.executable, "-c", WRITER, f"file:{root}", "120"]) as writer,
    ):
        looks = 0
        while writer.poll() is None:
            assert store.verify().faults == ()
            looks += 1
        assert writer.returncode == 0
        assert looks > 3


def test_erasing_leaves_no_row_of_a_deleted_thread_in_info(root: Path) -> None:
    """Its process was killed before it could describe the folder, where another thread remains."""
    described = (folder_of(root, "a") / "info.json").read_bytes()
    with open_files(root) as store:
        store.thread("a").delete()
    path = folder_of(root, "a") / "info.json"
    path.write_bytes(described)
    with open_files(root) as store:
        store.erase({"user": "nobody"})
    assert path.read_bytes() != described
    assert b'"id": "a"' not in path.read_bytes()


def test_a_leftover_is_off_the_disk_before_the_directory_forgets_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    rewrite = directories.DirectoryLog.rewrite

    def synced(path: Path) -> None:
        done.append(path.name)
        sync_folder(path)

    def rewritten(self: directories.DirectoryLog) -> None:
        done.append("rewritten")
        rewrite(self)

    monkeypatch.setattr(committer, "sync_folder", synced)
    monkeypatch.setattr(directories.DirectoryLog, "rewrite", rewritten)
    with open_files(root) as store:
        store.thread("b").delete()
        store.erase({"user": "nobody"})
    assert done[:2] == ["threads", "rewritten"]


# ------------------------------------------------------------------------------------------------ calls for all threads


@pytest.fixture(params=["damaged", "cut", "unlisted"])
def forgetful(root: Path, request: pytest.FixtureRequest) -> Path:
    """The directory does not name `c` or `b` any more, in one of three ways."""
    path = root / "directory.hfs"
    data = path.read_bytes()
    if request.param == "damaged":
        flip(path, name_at(root, "b"))
    else:
        at = data.rindex(b"\xf1REC", 0, name_at(root, "c"))
        path.write_bytes(data[:at])
    if request.param == "unlisted":
        (root / "info.json").unlink()
    return root


def test_calls_for_all_threads_fail_if_some_are_not_listed(forgetful: Path, tmp_path: Path) -> None:
    with open_files(forgetful) as store, holdfast.open("memory:") as target:
        assert len(ids(store)) in (2, 3), "the others are listed, and can be read"
        with pytest.raises(Corrupt, match=r"verify\(\) and repair\(\)"):
            store.export(None, tmp_path / "all")
        with pytest.raises(Corrupt, match=r"verify\(\) and repair\(\)"):
            holdfast.copy(store, target)
        assert not (tmp_path / "all").exists()
        assert ids(target) == []
        holdfast.copy(store, target, ["a"])
        assert ids(target) == ["a"]
        store.repair(store.verify())
        store.export(None, tmp_path / "all")
        holdfast.copy(store, target)
        assert ids(target) == ids(store)
        assert {"a", "b", "c"} <= set(ids(store))


def test_erasing_does_not_certify_what_it_can_not_list(forgetful: Path) -> None:
    damaged = (forgetful / "directory.hfs").read_bytes()
    with open_files(forgetful) as store:
        for dry_run in (True, False):
            certificate = store.erase({"user": "nobody"}, dry_run=dry_run)
            assert not certificate.complete
            assert any("directory" in one for one in certificate.skipped)
    if b"b~" not in damaged:
        assert (forgetful / "directory.hfs").read_bytes() == damaged, "a damaged one stays as it is"
    with open_files(forgetful) as store:
        assert not store.verify().ok, "and does not look sound afterwards"
        store.repair(store.verify())
        for user in ("b", "c"):
            certificate = store.erase({"user": user})
            assert certificate.complete
            assert certificate.threads == 1
        assert ids(store) in (["a", "fork"], ["a"])
    assert {one.name.split("~")[0] for one in (forgetful / "threads").iterdir()} == {"a"}
