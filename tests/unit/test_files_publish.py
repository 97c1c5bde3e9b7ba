"""Files are published by one module: complete, synced, under their name, and with nothing left beside them."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Conflict, ReadOnly, StorageFailed, StorageFull
from holdfast._system import atomic_files
from holdfast._system.atomic_files import NewFile, publish_new
from holdfast.backends.files.logs import log_file
from holdfast.transfer import bundle_file, json_lines

Publish = Callable[[Path], None]


def write_file(path: Path) -> None:
    with NewFile(path) as new:
        new.write(b"new")
        new.publish()


def write_new(path: Path) -> None:
    with publish_new(path) as part:
        part.write_bytes(b"new")


def write_folder(path: Path) -> None:
    with publish_new(path, is_folder=True) as part:
        (part / "file").write_bytes(b"new")


def write_bundle(path: Path) -> None:
    with bundle_file.Writer(path):
        pass


def write_lines(path: Path) -> None:
    with json_lines.Writer(path) as lines:
        lines.write({"n": 1})


def write_log(path: Path) -> None:
    with atomic_files.translated(path):
        log_file.write_new(path, [b"one"], 7)


FILES: list[Publish] = [write_file, write_new, write_bundle, write_lines, write_log]
ALL: list[Publish] = [*FILES, write_folder]
REPLACING: list[Publish] = [write_file, write_bundle, write_lines, write_log]
TRANSLATING: list[Publish] = [write_new, write_folder, write_bundle, write_lines, write_log]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The syncs and renames that are asked for, in their order."""
    done: list[str] = []
    fsync, replace, rename, link = os.fsync, os.replace, os.rename, os.link

    def synced(descriptor: int) -> None:
        done.append("sync folder" if Path(f"/proc/self/fd/{descriptor}").is_dir() else "sync file")
        fsync(descriptor)

    def named(do: Callable[..., None]) -> Callable[..., None]:
        def call(*args: Any, **more: Any) -> None:
            done.append("name")
            do(*args, **more)

        return call

    monkeypatch.setattr(os, "fsync", synced)
    for name, call in (("replace", replace), ("rename", rename), ("link", link)):
        monkeypatch.setattr(os, name, named(call))
    return done


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors are looked up in /proc")
@pytest.mark.parametrize("publish", FILES)
def test_the_file_is_synced_before_it_is_named_and_the_folder_after(
    tmp_path: Path, steps: list[str], publish: Publish
) -> None:
    publish(tmp_path / "file")
    assert steps == ["sync file", "name", "sync folder"]


@pytest.mark.parametrize("publish", ALL)
def test_only_the_file_is_left(tmp_path: Path, publish: Publish) -> None:
    publish(tmp_path / "file")
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("publish", ALL)
def test_a_link_at_the_temporary_name_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, publish: Publish
) -> None:
    target = tmp_path / "target"
    target.write_text("secret")
    (tmp_path / "planted").symlink_to(target)
    monkeypatch.setattr(atomic_files, "_temporary_name", lambda *_: tmp_path / "planted")
    with pytest.raises((StorageFailed, FileExistsError)):
        publish(tmp_path / "file")
    assert target.read_text() == "secret"
    assert names(tmp_path) == ["planted", "target"]


@pytest.mark.parametrize("publish", TRANSLATING)
@pytest.mark.parametrize(
    ("code", "error"), [(errno.ENOSPC, StorageFull), (errno.EDQUOT, StorageFull), (5, StorageFailed)]
)
def test_a_failure_leaves_nothing_and_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, publish: Publish, code: int, error: type[Exception]
) -> None:
    def refuse(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(error, match="file"):
        publish(tmp_path / "file")
    assert names(tmp_path) == []


@pytest.mark.parametrize("publish", REPLACING)
def test_a_failure_leaves_the_file_that_has_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, publish: Publish
) -> None:
    (tmp_path / "file").write_text("old")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises((StorageFull, OSError)):
        publish(tmp_path / "file")
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize("publish", ALL)
def test_a_file_that_has_the_name_is_replaced_or_refused(tmp_path: Path, publish: Publish) -> None:
    (tmp_path / "file").write_text("old")
    if publish in REPLACING:
        publish(tmp_path / "file")
        assert (tmp_path / "file").read_bytes() != b"old"
    else:
        with pytest.raises(Conflict, match="already exists"):
            publish(tmp_path / "file")
        assert (tmp_path / "file").read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_a_name_that_is_taken_while_the_file_is_written_stays_with_its_owner(tmp_path: Path) -> None:
    def write_both() -> None:
        with publish_new(tmp_path / "file") as part:
            part.write_bytes(b"new")
            (tmp_path / "file").write_bytes(b"first")

    with pytest.raises(Conflict):
        write_both()
    assert (tmp_path / "file").read_bytes() == b"first"
    assert names(tmp_path) == ["file"]


def test_a_file_without_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadOnly, match="does not exist; create it first"):
        write_new(tmp_path / "nowhere" / "file")


@pytest.mark.parametrize("missing", [AttributeError("link"), OSError(errno.EPERM, "no links here")])
def test_without_links_the_name_is_taken_by_a_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: Exception
) -> None:
    def refuse(*_: object) -> None:
        raise missing

    monkeypatch.setattr(os, "link", refuse)
    write_new(tmp_path / "file")
    assert names(tmp_path) == ["file"]
    with pytest.raises(Conflict):
        write_new(tmp_path / "file")
    assert atomic_files.set_aside(tmp_path / "file").read_bytes() == b"new"
    assert atomic_files.set_aside(tmp_path / "file").name == "file.damaged-2"


def test_a_folder_that_can_not_be_synced_needs_no_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.EINVAL, "not for folders")

    monkeypatch.setattr(os, "fsync", refuse)
    atomic_files.sync(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError, match="not for folders"):
        atomic_files.sync(tmp_path / "file")


def test_what_sqlite_leaves_beside_a_temporary_file_is_removed(tmp_path: Path) -> None:
    def fail() -> None:
        with publish_new(tmp_path / "file") as part:
            with closing(sqlite3.connect(part)) as connection:
                connection.execute("CREATE TABLE t (n)")
            for ending in ("-wal", "-shm", "-journal"):
                part.with_name(part.name + ending).write_bytes(b"x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert names(tmp_path) == []


@pytest.mark.parametrize("ending", ["bundle", "jsonl"])
def test_two_threads_that_export_to_one_path_do_not_share_a_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    writer: Any = bundle_file.Writer if ending == "bundle" else json_lines.Writer
    with writer(path), writer(path):
        assert len(names(tmp_path)) == 2
    both, failed = threading.Barrier(2), list[BaseException]()
    with holdfast.open("memory:") as store:
        for n in range(20):
            store.thread("t").save({"n": n})

        def export() -> None:
            both.wait()
            try:
                store.export(["t"], path, json=ending == "jsonl")
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=export) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []
    assert names(tmp_path) == [path.name]
