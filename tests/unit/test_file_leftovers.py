"""Temporary files: several writers of one path, and what killed ones leave behind."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import StorageFull
from holdfast._system import atomic_files, temporary_files
from holdfast.transfer import bundle_file

LEAVE = """
import os, signal, sys
from pathlib import Path
from holdfast._system import atomic_files

path = Path(sys.argv[1])
if sys.argv[2] == "NewFile":
    held = atomic_files.NewFile(path)
else:
    held = atomic_files.publish_new(path, is_folder=sys.argv[2] == "folder")
    part = held.__enter__()
    (part / "file" if part.is_dir() else part).write_bytes(b"half")
print("ready", flush=True)
sys.stdin.read()
"""
KINDS = ["NewFile", "file", "folder"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def started(path: Path, kind: str) -> subprocess.Popen[str]:
    """A process that has begun to write a file, and waits."""
    command = [sys.executable, "-c", LEAVE, str(path), kind]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    with process:
        process.send_signal(signal.SIGKILL)


def write(path: Path, kind: str) -> None:
    if kind == "NewFile":
        with atomic_files.NewFile(path) as new:
            new.publish()
    else:
        with atomic_files.publish_new(path, is_folder=kind == "folder"):
            pass


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_killed_process_left_is_removed_by_the_next_that_writes_there(tmp_path: Path, kind: str) -> None:
    end(started(tmp_path / "out", kind))
    (left,) = names(tmp_path)
    assert left.startswith("out.")
    assert left.endswith(".part")
    write(tmp_path / "other", kind)
    assert left in names(tmp_path), "it belongs to another path"
    write(tmp_path / "out", kind)
    assert names(tmp_path) == ["other", "out"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_living_process_writes_is_left_alone(tmp_path: Path, kind: str) -> None:
    process = started(tmp_path / "out", kind)
    (part,) = names(tmp_path)
    write(tmp_path / "out", kind)
    assert names(tmp_path) == ["out", part]
    end(process)


def test_files_with_similar_names_are_left_alone(tmp_path: Path) -> None:
    mine = ["out.part", "out.mine.part", "out.0123456789AB.part", "xout.0123456789ab.part", "out.0123456789ab.part.txt"]
    for name in mine:
        (tmp_path / name).write_text("mine")
    write(tmp_path / "out", "NewFile")
    assert names(tmp_path) == sorted([*mine, "out"])


def test_a_link_or_a_pipe_with_the_name_of_a_leftover_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "file").write_text("mine")
    (tmp_path / "out.0123456789ab.part").symlink_to(tmp_path / "target")
    (tmp_path / "out.0123456789ac.part").symlink_to(tmp_path / "target" / "file")
    os.mkfifo(tmp_path / "out.0123456789ad.part")
    write(tmp_path / "out", "NewFile")
    assert (tmp_path / "target" / "file").read_text() == "mine"


def test_a_file_that_is_taken_for_a_leftover_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its creation and its lock."""
    lock, calls = temporary_files._lock, []

    def late(descriptor: int) -> bool:
        calls.append(descriptor)
        if len(calls) == 1:
            temporary_files.remove_leftovers(tmp_path / "out", ".part")
        return lock(descriptor)

    monkeypatch.setattr(temporary_files, "_lock", late)
    write(tmp_path / "out", "NewFile")
    assert names(tmp_path) == ["out"]
    assert len(calls) == 2


def test_without_locks_leftovers_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out.0123456789ab.part").write_text("half")
    monkeypatch.setattr(temporary_files, "_HAS_LOCKS", False)
    for kind in KINDS:
        write(tmp_path / f"out-{kind}", kind)
    write(tmp_path / "out", "NewFile")
    assert names(tmp_path) == ["out", "out-NewFile", "out-file", "out-folder", "out.0123456789ab.part"]


# ------------------------------------------------------------------------------------------------ failures


def fail_close(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing a file reports what the system could not write, as on a network file system."""

    class Failing(io.BufferedWriter):
        def close(self) -> None:
            was_closed = self.closed
            super().close()
            if not was_closed:
                raise OSError(errno.ENOSPC, "full")

    def opened(descriptor: int, mode: str) -> Any:
        return Failing(io.FileIO(descriptor, mode))

    monkeypatch.setattr(os, "fdopen", opened)


def fail_write(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.FileIO):
        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fdopen", lambda descriptor, mode: io.BufferedWriter(Failing(descriptor, mode)))


@pytest.mark.parametrize("failure", [fail_close, fail_write])
@pytest.mark.parametrize("json", [False, True])
def test_a_full_disk_is_reported_as_such_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Callable[[pytest.MonkeyPatch], None], json: bool
) -> None:
    with holdfast.open("memory:") as store:
        store.thread("t").save({"text": "x" * 100_000})
        (tmp_path / "out").write_text("old")
        with monkeypatch.context() as patch:
            failure(patch)
            with pytest.raises(StorageFull, match="out"):
                store.export(["t"], tmp_path / "out", json=json)
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out").read_text() == "old"


def test_an_interrupted_export_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with holdfast.open("memory:") as store:
        store.thread("t").save({"n": 1})
        with pytest.raises(KeyboardInterrupt):
            store.export(["t"], tmp_path / "out", progress=interrupt)
    assert names(tmp_path) == []


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    for kind in KINDS:
        write(tmp_path / f"warm {kind}", kind)
    before = len(os.listdir("/proc/self/fd"))
    for kind in KINDS:
        write(tmp_path / kind, kind)
    atomic_files.NewFile(tmp_path / "discarded").discard()
    assert len(os.listdir("/proc/self/fd")) == before


# ------------------------------------------------------------------------------------------------ several writers

EXPORT = """
import sys, threading, holdfast

with holdfast.open("memory:") as store:
    for n in range(5):
        store.thread("t").save({"n": n, "text": sys.argv[2] * 50_000})

    def export():
        for _ in range(8):
            store.export(["t"], sys.argv[1])

    threads = [threading.Thread(target=export) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_several_processes_and_threads_may_export_to_one_path(tmp_path: Path) -> None:
    """Whatever is at the path while they do is one whole bundle."""
    path = tmp_path / "out"
    commands = [[sys.executable, "-W", "error", "-c", EXPORT, str(path), mark] for mark in "abc"]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
    ended, read = threading.Event(), 0

    def wait() -> None:
        for process in processes:
            process.wait()
        ended.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    while not ended.is_set() or not read:
        if path.exists():
            assert sum(1 for _ in bundle_file.read(path)) > 5
            read += 1
    waiting.join()
    for process in processes:
        with process:
            assert process.stderr is not None
            assert (process.wait(), process.stderr.read()) == (0, "")
    assert names(tmp_path) == ["out"]
