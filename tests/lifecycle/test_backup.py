"""Backups beside writers in other processes, backups that are killed, and workers that outlive a restore."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

import holdfast
from holdfast import Conflict, Fenced, Store
from holdfast.backends.files import folder_backup
from holdfast.backends.files.committer import Committer
from holdfast.backends.sqlite import file_backup
from tests.support.urls import LASTING, URLS

JOBS: Final = Path(__file__).with_name("backup_jobs.py")
ON_DISK: Final = ("sqlite", "files")


@contextmanager
def job(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process of `backup_jobs`, which is gone when the block ends."""
    with subprocess.Popen([sys.executable, str(JOBS), *arguments], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said = process.stdout.readline()
    assert said, f"the process ended with {process.wait()}"
    return said.strip()


def filled(url: str, threads: int = 20, saves: int = 20) -> None:
    with holdfast.open(url) as store:
        for number in range(threads):
            thread = store.thread(f"t{number}")
            for n in range(saves):
                thread.save({"n": n, "text": f"{number}-{n} " * 40})


def restored(kind: str, url: str, backup: str) -> None:
    """Put the backup in the place of the store, as docs/how-to/backup.md says."""
    place, source = Path(url.removeprefix("file:")), Path(backup.removeprefix("file:"))
    if kind == "files":
        shutil.rmtree(place)
    else:
        for left in ("-wal", "-shm"):
            place.with_name(place.name + left).unlink(missing_ok=True)
    source.replace(place)


def state(store: Store, name: str) -> dict[str, Any]:
    found = store.thread(name).latest()
    assert found is not None
    return found.state


# ------------------------------------------------------------------------------------------------ beside writers


@pytest.mark.parametrize("kind", LASTING)
def test_all_that_was_acknowledged_before_is_in_it(kind: str, tmp_path: Path) -> None:
    url = URLS[kind](tmp_path)
    filled(url)
    with holdfast.open(url) as store, job("write", url, "one") as one, job("write", url, "two") as two:
        for number in range(3):
            acknowledged = [[line(process) for _ in range(20)][-1] for process in (one, two)]
            report = store.backup(tmp_path / f"copy-{number}")
            after = [int(line(process)) for process in (one, two)]  # they still run
            with holdfast.open(report.url) as copy:
                assert copy.verify().faults == ()
                assert len(copy.threads()) == 22
                for name, least, now in zip(("one", "two"), acknowledged, after, strict=True):
                    n = state(copy, name)["n"]
                    assert n >= int(least)
                    assert now >= int(least)
                    assert [one.step for one in copy.thread(name).history(limit=None)] == list(range(n, -1, -1))


# ------------------------------------------------------------------------------------------------ killed


@pytest.mark.parametrize("kind", LASTING)
def test_a_killed_backup_leaves_no_file_of_that_name(kind: str, tmp_path: Path) -> None:
    url = URLS[kind](tmp_path)
    filled(url)
    with holdfast.open(url) as store:
        store.thread("large").save({str(n): random.Random(n).randbytes(400_000) for n in range(20)})
    path = tmp_path / "copy"
    with job("back_up", url, str(path)) as process:
        line(process)
        process.kill()
        assert "done" not in process.communicate()[0]  # it was in the middle
    assert not path.exists()
    assert [one.name.startswith("copy.") for one in tmp_path.glob("*.part")] == [True]
    with holdfast.open(url) as store:
        store.thread("t0").save({"n": "after"})
        with holdfast.open(store.backup(path).url) as copy:
            assert copy.verify().faults == ()
            assert state(copy, "t0") == {"n": "after"}


# ------------------------------------------------------------------------------------------------ restored


@pytest.mark.parametrize("kind", ON_DISK)
def test_a_worker_of_the_old_store_is_fenced(kind: str, tmp_path: Path) -> None:
    url = URLS[kind](tmp_path)
    store = holdfast.open(url)
    plain = store.thread("plain")
    plain.save({"n": 0})
    with pytest.raises(Fenced), store.thread("held").run(input={"n": 0}, ttl=3600) as run:  # noqa: PT012  # as the run ends
        report = store.backup(tmp_path / "copy")
        run.save({"n": 1})
        restored(kind, url, report.url)
        with job("take", url, "held") as other:  # at once, though the lease was for an hour
            assert int(line(other)) > 1_000_000
            other.wait()
        with pytest.raises(Fenced):
            run.save({"n": 2})
        run.save({"n": 3})
    assert state(store, "held") == {"n": 0}
    plain.save({"n": 1})  # a writer without a lease writes to the store that is there now
    store.close()
    with holdfast.open(url) as again:
        assert (state(again, "held"), state(again, "plain")) == ({"n": 0}, {"n": 1})
        assert again.verify().faults == ()


@pytest.mark.parametrize("kind", ON_DISK)
def test_it_does_not_help_that_the_old_store_was_taken_often(kind: str, tmp_path: Path) -> None:
    """Nor that the copy was: the same backup, restored twice, hands out other epochs."""
    url = URLS[kind](tmp_path)
    with holdfast.open(url) as store:
        with store.thread("t").run(input={"n": 0}):
            pass
        backup = Path(store.backup(tmp_path / "copy").url.removeprefix("file:"))
    epochs = []
    for number in range(2):
        twin = tmp_path / f"twin-{number}"
        (shutil.copytree if backup.is_dir() else shutil.copyfile)(backup, twin)
        with job("take", f"file:{twin}" if backup.is_dir() else str(twin), "t", "begin") as process:
            epochs.append(int(line(process)))
            process.wait()
    assert epochs[1] > epochs[0] + 1000


@pytest.mark.parametrize("kind", ON_DISK)
def test_of_several_that_open_it_first_one_raises_the_epochs(kind: str, tmp_path: Path) -> None:
    url = URLS[kind](tmp_path)
    with holdfast.open(url) as store:
        with store.thread("t").run(input={"n": 0}):
            pass
        backup = store.backup(tmp_path / "copy").url
    command = [sys.executable, str(JOBS), "take", backup, "t", "begin"]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = [process.communicate()[0] for process in processes]
    epochs = sorted(int(one) for one in said)
    assert [epoch - epochs[0] for epoch in epochs] == [0, 1, 2, 3]  # each took it from the one before


def test_a_log_of_the_store_that_was_there_is_not_read(tmp_path: Path) -> None:
    url = str(tmp_path / "agents.db")
    with holdfast.open(url) as store:
        store.thread("t").save({"n": 0})
        backup = store.backup(tmp_path / "copy").url
        store.thread("t").save({"n": 1})
        log = Path(url + "-wal").read_bytes()
    shutil.copyfile(backup, url)
    Path(url + "-wal").write_bytes(log)  # as a killed worker leaves it
    with pytest.raises(Conflict, match=r"agents\.db-wal belong.* remove them"):
        holdfast.open(url)
    assert Path(url + "-wal").read_bytes() == log
    Path(url + "-wal").unlink()
    with holdfast.open(url) as store:
        assert state(store, "t") == {"n": 0}
        assert store.verify().faults == ()


class Stopped(BaseException):
    """As if the process ended here."""


def stop(*_: object) -> None:
    raise Stopped


def test_an_interrupted_open_leaves_it_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with holdfast.open(str(tmp_path / "agents.db")) as store, store.thread("t").run(input={"n": 0}, ttl=3600):
        backup = store.backup(tmp_path / "copy").url
    raise_all = file_backup._raise_all

    def raised_and_stopped(connection: sqlite3.Connection) -> None:
        raise_all(connection)
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr(file_backup, "_raise_all", raised_and_stopped)
        with pytest.raises(Stopped):
            holdfast.open(backup)
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (file_backup.COPY_ID,)
        assert connection.execute("SELECT worker <> '', epoch < 10 FROM line").fetchall() == [(1, 1)]
    with holdfast.open(backup) as copy:
        assert copy.threads()[0].lease is None


def test_the_same_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with holdfast.open(f"file:{tmp_path / 'agents'}") as store, store.thread("t").run(input={"n": 0}, ttl=3600):
        backup = store.backup(tmp_path / "copy")
    with monkeypatch.context() as patched:
        patched.setattr(Committer, "commit", stop)
        with pytest.raises(Stopped):
            holdfast.open(backup.url)
    assert (tmp_path / "copy" / folder_backup.MARKER).exists()
    with holdfast.open(backup.url) as copy:
        assert copy.threads()[0].lease is None
        assert copy.verify().faults == ()
    assert not (tmp_path / "copy" / folder_backup.MARKER).exists()


def test_a_store_of_files_is_not_backed_up_into_itself(tmp_path: Path) -> None:
    with (
        holdfast.open(f"file:{tmp_path / 'agents'}") as store,
        pytest.raises(holdfast.InvalidArgument, match="inside the store's own folder"),
    ):
        store.backup(tmp_path / "agents" / "copy")


# ------------------------------------------------------------------------------------------------ a server's


def test_a_backup_of_a_server_is_restored_to_a_server(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    with holdfast.open(URLS["postgresql"](tmp_path / "old")) as store:
        saved = [store.thread("t").save({"n": n}) for n in range(5)]
        store.thread("t").fork(saved[2].id, to="fork")
        backup = store.backup(tmp_path / "copy").url
    with holdfast.open(backup) as copy, holdfast.open(URLS["postgresql"](tmp_path / "new")) as new:
        holdfast.copy(copy, new)
        assert new.thread("t").history() == saved[::-1]
        assert state(new, "fork") == {"n": 2}
        assert new.verify().faults == ()
