"""Several processes and stores on one folder: writers take turns, readers take no lock and see whole batches."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import holdfast
from holdfast import Busy
from holdfast.backends.files import committer, lock, log_cache
from holdfast.backends.files.lock import ProcessLock
from holdfast.backends.files.logs.log_file import FileState, LogFile
from tests.files.stores import backend_of, latest, open_files, rows_of, state

WRITER = """
import sys, holdfast
from holdfast.backends.files import committer
committer._LARGE, committer._FULL_DIRECTORY = 2000, 4000
with holdfast.open(sys.argv[1]) as store:
    for n in range(1, int(sys.argv[2]) + 1):
        store.thread("t").save({"n": n, "double": 2 * n, "text": "x" * 100 * (n % 7)})
        store.thread(f"extra {n % 5}", metadata={"n": n}).save({"n": n})
        if n % 5 == 0:
            store.thread(f"extra {n // 5 % 5}").delete()
            store.thread(f"extra {n // 5 % 5}", reuse=True).save({"n": n})
        if n == 1:
            print("ready", flush=True)
"""


def test_readers_beside_a_writer_see_whole_batches_that_only_grow(tmp_path: Path) -> None:
    """While the writer creates and removes threads and rewrites its files."""
    root, saves = tmp_path / "agents", 150
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, f"file:{root}", str(saves)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        last = looks = 0
        with open_files(root) as store:
            while last < saves:
                found = latest(store, "t")
                assert found == {"n": found["n"], "double": 2 * found["n"], "text": "x" * 100 * (found["n"] % 7)}
                assert found["n"] >= last
                last = found["n"]
                assert len(store.thread("t").history(limit=None)) >= last
                for info in store.threads(prefix="extra"):
                    assert info.checkpoints > 0
                    assert info.status == "running"
                looks += 1
        assert writer.wait(60) == 0
    assert looks > 1


def test_two_processes_and_two_stores_write_in_turn(tmp_path: Path) -> None:
    root, saves = tmp_path / "agents", 30
    code = (
        "import sys, holdfast\n"
        "with holdfast.open(sys.argv[1]) as store:\n"
        "    for n in range(int(sys.argv[3])):\n"
        "        store.thread('shared').update({'log': [sys.argv[2]]}, reduce={'log': holdfast.extend})\n"
    )
    others = [subprocess.Popen([sys.executable, "-c", code, f"file:{root}", name, str(saves)]) for name in "ab"]
    with open_files(root) as one, open_files(root) as other:

        def work(name: str) -> None:
            store = one if name == "c" else other
            for _ in range(saves):
                store.thread("shared").update({"log": [name]}, reduce={"log": holdfast.extend})

        threads = [threading.Thread(target=work, args=(name,)) for name in "cd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [process.wait(60) for process in others] == [0, 0]
        for store in (one, other):
            assert sorted(latest(store, "shared")["log"]) == sorted("abcd" * saves)


def between_check_and_read(patch: pytest.MonkeyPatch, name: str, work: Callable[[], None]) -> list[str]:
    """Do this once a store has seen that a file of this name has grown, before it reads the new records."""
    state_of, done = LogFile.state, list[str]()

    def looked(self: LogFile) -> FileState:
        found = state_of(self)
        if self.path.name == name and found is FileState.GROWN and not done:
            done.append(name)
            work()
        return found

    patch.setattr(LogFile, "state", looked)
    return done


def test_a_file_that_is_rewritten_between_a_check_and_a_read_is_read_from_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "agents"
    with open_files(root) as writer, holdfast.open(f"file:{root}", cache=0) as reader:
        for n in range(40):
            writer.thread("t").save({"n": n, "noise": os.urandom(300)})
        assert latest(reader, "t")["n"] == 39
        writer.thread("t").save(state(40))

        def rewrite() -> None:
            writer.thread("t").prune(holdfast.Retention(keep_last=2))
            writer.collect()
            writer.thread("t").save(state(41))

        done = between_check_and_read(monkeypatch, "rows.hfs", rewrite)
        assert latest(reader, "t") == state(41)
        assert done
        reader.thread("t").save(state(42))
        assert latest(writer, "t") == state(42)
        assert not reader.verify().faults
    with open_files(root) as again:
        assert latest(again, "t") == state(42)
        assert not again.verify().faults
        assert not backend_of(again).torn_writes


def test_a_directory_that_is_rewritten_between_a_check_and_a_read_is_read_from_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "agents"
    with open_files(root) as writer, open_files(root) as reader:
        for n in range(20):
            writer.thread(f"old {n}").save(state(n))
        assert len(reader.threads()) == 20
        writer.thread("new").save(state(0))

        def rewrite() -> None:
            for n in range(15):
                writer.thread(f"old {n}").delete()
            monkeypatch.setattr(committer, "_FULL_DIRECTORY", 0)
            writer.thread("newer").save(state(1), status="completed")

        done = between_check_and_read(monkeypatch, "directory.hfs", rewrite)
        wanted = ["new", "newer", *(f"old {n}" for n in range(15, 20))]
        assert [info.id for info in reader.threads()] == wanted
        assert done
        reader.thread("newest").save(state(2))
        assert [info.id for info in writer.threads()] == sorted([*wanted, "newest"])
        assert not writer.verify().faults


def test_a_failed_write_that_is_cut_off_between_a_check_and_a_read_is_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "agents"
    with open_files(root) as writer, holdfast.open(f"file:{root}", cache=0) as reader:
        writer.thread("t").save(state(0))
        writer.thread("t").save(state(1))
        path, before = rows_of(root, "t"), rows_of(root, "t").read_bytes()
        writer.thread("t").save(state(2))
        unsynced = path.read_bytes()
        assert latest(reader, "t") == state(2)
        path.write_bytes(unsynced + b"\xf1REC")

        def cut_off() -> None:
            os.truncate(path, len(before))
            with open_files(root) as other:
                other.thread("t").save({"instead": "x" * 1000})

        done = between_check_and_read(monkeypatch, "rows.hfs", cut_off)
        assert latest(reader, "t") == {"instead": "x" * 1000}
        assert done


def test_a_writer_waits_and_then_names_the_process_that_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "agents"
    with open_files(root) as store:
        store.thread("t").save(state(0))
        holder = ProcessLock(root / "lock")
        holder.acquire()
        monkeypatch.setattr(lock, "BUSY_SECONDS", 0.05)
        with pytest.raises(Busy, match=f"process {os.getpid()} on "):
            store.thread("t").save(state(1))
        assert latest(store, "t") == state(0), "readers need no lock"
        with open_files(root) as reader:
            assert latest(reader, "t") == state(0)
        monkeypatch.setattr(lock, "BUSY_SECONDS", 30.0)
        threading.Timer(0.1, holder.close).start()
        store.thread("t").save(state(1))
        assert latest(store, "t") == state(1)


def test_a_store_that_closes_while_another_writes_does_not_wait(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    store = open_files(root)
    store.thread("t").save(state(0))
    holder = ProcessLock(root / "lock")
    holder.acquire()
    store.close()
    holder.close()
    with open_files(root) as again:
        assert latest(again, "t") == state(0)


def test_a_store_that_closes_keeps_what_another_wrote(tmp_path: Path) -> None:
    """It rewrites its files, with everything they hold by then."""
    root = tmp_path / "agents"
    with open_files(root) as other:
        with open_files(root) as store:
            for n in range(60):
                store.thread("t").save(state(n))
            for n in range(60, 70):
                other.thread("t").save(state(n))
        assert latest(other, "t") == state(69)
        assert len(other.thread("t").history(limit=None)) == 70


def test_a_store_opened_before_a_fork_works_on_both_sides(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    with open_files(root) as store:
        store.thread("t").save(state(0))
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                store.thread("t").save(state(1))
                store.thread("child").save(state(0))
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(pid, 0)[1] == 0
        assert latest(store, "child") == state(0)
        assert latest(store, "t") == state(1)
        store.thread("t").save(state(2))
        assert [one.seq for one in store.thread("t").history()] == [3, 2, 1]


def test_a_child_does_not_keep_the_lock_of_its_dead_parent(tmp_path: Path) -> None:
    """The parent holds the lock when it forks and dies; the child lives on, and others write."""
    root = tmp_path / "agents"
    with open_files(root) as store:
        store.thread("t").save(state(0))
    code = (
        "import os, sys, time, holdfast\n"
        "store = holdfast.open(sys.argv[1])\n"
        "store._calls.engine.backend._lock.acquire()\n"
        "if os.fork() == 0:\n"
        "    os.close(1)\n"
        "    time.sleep(20)\n"
        "print('forked', flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, f"file:{root}"], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as parent:
        try:
            assert parent.stdout is not None
            assert parent.stdout.readline() == "forked\n"
            assert parent.wait(20) == -9
            with open_files(root) as store:
                store.thread("t").save(state(1))
                assert latest(store, "t") == state(1)
        finally:
            os.killpg(parent.pid, 9)


def test_trees_that_were_dropped_from_memory_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_cache, "MOST_TREES", 2)
    with open_files(tmp_path / "agents") as store:
        for n in range(4):
            for name in "abcde":
                store.thread(name).save(state(n))
        assert len(backend_of(store)._cache.trees) <= 2
        for name in "abcde":
            assert latest(store, name) == state(3)
            assert len(store.thread(name).history()) == 4
        assert [info.checkpoints for info in store.threads()] == [4] * 5
        monkeypatch.setattr(log_cache, "MOST_BYTES", 10)
        assert [latest(store, name) for name in "abcde"] == [state(3)] * 5
        assert len(backend_of(store)._cache.trees) <= 2


# ------------------------------------------------------------------------------------------------ rewritten


def test_files_are_rewritten_without_replaced_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committer, "_LARGE", 2000)
    root = tmp_path / "agents"
    with open_files(root) as store, open_files(root) as reader:
        thread = store.thread("t")
        first = thread.save(state(0))
        seen = set()
        for n in range(300):
            thread.put_writes(first.id, [("__interrupt__", "x" * 200 + str(n), -3)], task_id="task")
            seen.add(rows_of(root, "t").stat().st_ino)
            if n % 10 == 0:
                found = reader.thread("t").latest()
                assert found is not None
                assert [one.value for one in found.pending_writes] == ["x" * 200 + str(n)]
        assert len(seen) > 2, "the file was replaced now and then"
        assert rows_of(root, "t").stat().st_size < 6000, "300 writes of 200 bytes, of which one is left"


def test_what_waits_for_a_tree_that_is_missing_stays_until_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The directory is rewritten in between, and must keep what only it holds."""
    root = tmp_path / "agents"
    with open_files(root) as store:
        store.thread("t").save(state(0))
        store.thread("t").save(state(1), status="completed")
        store.thread("t").save(state(2), status="paused")
    folder = next((root / "threads").glob("t~*"))
    folder.rename(tmp_path / "aside")
    monkeypatch.setattr(committer, "_FULL_DIRECTORY", 1000)
    with open_files(root) as store:
        before = (root / "directory.hfs").stat().st_ino
        for n in range(5):
            store.thread(f"other {n}").save({"text": "x" * 1000 + str(n)})
        assert (root / "directory.hfs").stat().st_ino != before
    (tmp_path / "aside").rename(folder)
    with open_files(root) as store:
        assert latest(store, "t") == state(2)
        assert [one.status for one in store.thread("t").history()] == ["paused", "completed", "running"]
        assert len(store.threads()) == 6
