"""Moving in from the files of SqliteSaver: all of it arrives, and the source does not notice."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from holdfast.adapters.langgraph.importer import ImportProgress, ImportReport, import_threads, open_source
from holdfast.errors import Corrupt, InvalidArgument, NotAStore, NotFound, ReadOnly
from tests.adapters.langgraph.test_import_samples import (
    TARGETS,
    Saver,
    assert_same,
    at,
    chat,
    crowd,
    everything,
    fill,
    nested,
    official_file,
    place,
)

CRASHES = """
import os, sqlite3, sys
from langgraph.checkpoint.sqlite import SqliteSaver
from tests.adapters.langgraph.test_import_samples import at, chat
connection = sqlite3.connect(sys.argv[1], check_same_thread=False)
chat(SqliteSaver(connection)).invoke({"messages": ["hello"]}, at("crashed"))
os.kill(os.getpid(), 9)
"""
CUT_OFF = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("CREATE TABLE checkpoints (thread_id)")
connection.execute("PRAGMA cache_size = 5")
connection.execute("BEGIN")
connection.executemany("INSERT INTO checkpoints VALUES (?)", [("x" * 1000,)] * 1000)
os.kill(os.getpid(), 9)
"""
WRITES_ON = """
import sqlite3, sys
from langgraph.checkpoint.sqlite import SqliteSaver
from tests.adapters.langgraph.test_import_samples import at, chat
graph = chat(SqliteSaver(sqlite3.connect(sys.argv[1], check_same_thread=False)))
for turn in range(int(sys.argv[2])):
    graph.invoke({"messages": [f"question {turn}"]}, at(f"live {turn % 3}"))
    print(turn, flush=True)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that SqliteSaver filled and closed. Only to be copied."""
    path = tmp_path_factory.mktemp("made") / "checkpoints.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        fill(saver)
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "checkpoints.sqlite"))


@pytest.fixture(params=list(TARGETS))
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Saver]:
    with TARGETS[request.param](tmp_path) as saver:
        yield saver


def python(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def files(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        file.name: (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
        for file in sorted(folder.iterdir())
    }


def count(path: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(path)) as connection:
        (checkpoints,) = connection.execute("SELECT count(*) FROM checkpoints").fetchone()
        (writes,) = connection.execute("SELECT count(*) FROM writes").fetchone()
    return checkpoints, writes


# ---------------------------------------------------------------- all of it arrives


def test_everything_arrives_as_the_official_saver_reads_it(path, target):
    report = import_threads(path, target)
    assert report == ImportReport(7, *count(path), 0, ())
    with SqliteSaver.from_conn_string(str(path)) as source:
        assert_same(target, source)


def test_a_graph_continues_in_the_target_where_it_stood(path, target):
    import_threads(path, target)
    graph = nested(target)
    assert graph.get_state(at("nested"), subgraphs=True).tasks[0].interrupts[0].value == "inside?"
    assert graph.invoke(Command(resume="yes"), at("nested"))["items"][-3:] == ["inner", "yes", "after"]


def test_writes_keep_their_indices_and_the_paths_of_their_tasks(path, tmp_path):
    """A task that is resumed writes under the same indices again, and must not find its writes under others."""
    with official_file(tmp_path) as target:
        import_threads(path, target)
    assert places(tmp_path / "target.sqlite") == places(path)


def places(path: Path) -> list[tuple[object, ...]]:
    columns = "thread_id, checkpoint_ns, checkpoint_id, task_id, idx, task_path, channel"
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {columns} FROM writes ORDER BY {columns}").fetchall()  # noqa: S608  constant


def test_only_the_threads_that_were_named_are_imported(path):
    target = InMemorySaver()
    report = import_threads(path, target, threads=["crowd", "log", "crowd"])
    assert report.threads == 2
    assert {place(one)[0] for one in everything(target)} == {"crowd", "log"}


def test_a_thread_that_is_not_there_is_named_before_anything_is_imported(path):
    target = InMemorySaver()
    with pytest.raises(NotFound, match="no thread 'nobody'"):
        import_threads(path, target, threads=["log", "nobody"])
    assert everything(target) == []


def test_checkpoints_come_in_the_order_of_their_ids(path):
    class Noting(InMemorySaver):
        def put(self, config, checkpoint, metadata, new_versions):
            noted.append((config["configurable"]["thread_id"], checkpoint["id"]))
            return super().put(config, checkpoint, metadata, new_versions)

    noted: list[tuple[str, str]] = []
    import_threads(path, Noting())
    assert noted == sorted(noted)


def test_new_versions_are_those_that_differ_from_the_parent(path):
    class Noting(InMemorySaver):
        def put(self, config, checkpoint, metadata, new_versions):
            before = self.get_tuple(config) if "checkpoint_id" in config["configurable"] else None
            old = before.checkpoint["channel_versions"] if before else {}
            changed = {key: one for key, one in checkpoint["channel_versions"].items() if old.get(key) != one}
            assert new_versions == changed
            return super().put(config, checkpoint, metadata, new_versions)

    assert import_threads(path, Noting()).problems == ()


def test_progress_is_reported_after_every_checkpoint(path):
    reports: list[ImportProgress] = []
    report = import_threads(path, InMemorySaver(), progress=reports.append)
    assert [one.done for one in reports] == list(range(1, report.checkpoints + 1))
    assert {one.total for one in reports} == {report.checkpoints}
    assert [one.threads_done for one in reports] == sorted(one.threads_done for one in reports)
    assert reports[-1].threads_done == 6


def test_pages_of_keys_join_without_a_gap(path, monkeypatch):
    monkeypatch.setattr("holdfast.adapters.langgraph.importer.checkpoint_import._PAGE", 3)
    monkeypatch.setattr("holdfast.adapters.langgraph.importer.checkpoint_import._REMEMBERED", 1)
    target = InMemorySaver()
    assert import_threads(path, target).problems == ()
    with SqliteSaver.from_conn_string(str(path)) as source:
        assert_same(target, source)


def test_what_the_asynchronous_saver_made_arrives_too(tmp_path):
    path = tmp_path / "async.sqlite"

    async def make() -> None:
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            await chat(saver).ainvoke({"messages": ["hello"]}, at("t"))

    asyncio.run(make())
    target = InMemorySaver()
    assert import_threads(path, target).checkpoints == 4
    with SqliteSaver.from_conn_string(str(path)) as source:
        assert_same(target, source)


def test_a_file_from_before_task_paths_is_read(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE writes DROP COLUMN task_path")
    target = InMemorySaver()
    assert import_threads(path, target).problems == ()
    with SqliteSaver.from_conn_string(str(path)) as source:  # only now: it adds the column
        assert_same(target, source)


def test_a_file_without_checkpoints_is_imported_in_no_time(tmp_path):
    path = tmp_path / "empty.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        saver.setup()
    assert import_threads(path, InMemorySaver()) == ImportReport(0, 0, 0, 0, ())


@pytest.mark.parametrize("name", ["a b.sqlite", "what?.sqlite", "50%41#x.sqlite", "ä.sqlite", "file:x"])
def test_any_name_of_a_file_will_do(path, name):
    renamed = path.rename(path.with_name(name))
    assert import_threads(renamed, InMemorySaver()).threads == 7
    assert import_threads(f"sqlite:{renamed}", InMemorySaver()).threads == 7


# ---------------------------------------------------------------- the source does not notice


def test_a_file_at_rest_is_read_without_a_trace(path):
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        before = files(path.parent)
        assert import_threads(path, InMemorySaver()).problems == ()
        assert files(path.parent) == before
    finally:
        path.parent.chmod(0o755)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a -shm is brought up to date, as every reader does it")
@pytest.mark.parametrize("missing", [None, "-shm"])
def test_what_a_crash_left_in_the_wal_is_read_without_a_trace(tmp_path, missing):
    path = tmp_path / "crashed.sqlite"
    assert python(CRASHES, path).returncode == -9
    if missing:
        path.with_name(path.name + missing).unlink()
    assert path.with_name(path.name + "-wal").stat().st_size > 0
    before = files(tmp_path)
    target = InMemorySaver()
    report = import_threads(path, target)
    assert (report.checkpoints, report.problems) == (4, ())
    assert files(tmp_path) == before


def test_a_link_to_a_file_is_read_without_a_trace(path, tmp_path):
    folder = tmp_path / "links"
    folder.mkdir()
    link = folder / "link.sqlite"
    link.symlink_to(path)
    assert import_threads(link, InMemorySaver()).threads == 7
    assert list(folder.iterdir()) == [link]


def test_a_file_that_this_process_has_open_is_read_to_its_last_commit(path):
    with SqliteSaver.from_conn_string(str(path)) as source:
        crowd(source).invoke({"items": []}, at("only in the WAL"))
        target = InMemorySaver()
        assert import_threads(path, target).problems == ()
        assert_same(target, source)
        crowd(source).invoke({"items": []}, at("afterwards"))


def test_a_file_that_is_opened_during_the_import_is_read_in_its_new_state(path):
    with open_source(path) as opened:
        before = opened.totals()
        with SqliteSaver.from_conn_string(str(path)) as source:
            crowd(source).invoke({"items": []}, at("new"))
            assert opened.totals() == (before.threads + 1, before.checkpoints + 3)
        assert "new" in list(opened.threads())


def test_a_file_is_read_while_another_process_writes_to_it_and_afterwards(tmp_path):
    path = tmp_path / "live.sqlite"
    command = [sys.executable, "-c", WRITES_ON, str(path), "60"]
    target, rounds = InMemorySaver(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        while process.poll() is None:
            assert import_threads(path, target).problems == ()
            rounds += 1
            time.sleep(0.01)
    assert process.returncode == 0
    assert rounds > 1
    assert import_threads(path, target).problems == ()
    with SqliteSaver.from_conn_string(str(path)) as source:
        assert len(everything(source)) == 60 * 4
        assert_same(target, source)


# ---------------------------------------------------------------- what is not a source


def test_a_file_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(NotFound, match="no such file"):
        open_source(tmp_path / "nothing.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(NotAStore, match="this is a folder"):
        open_source(tmp_path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("just some text\n" * 100)
    with pytest.raises(NotAStore, match="not an SQLite database"):
        open_source(path)
    assert path.read_text() == "just some text\n" * 100


def test_an_empty_file_is_refused(tmp_path):
    path = tmp_path / "empty"
    path.touch()
    with pytest.raises(NotAStore, match="no table 'checkpoints'"):
        open_source(path)
    assert path.stat().st_size == 0


def test_a_database_of_another_program_is_refused(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT, thread_ts TEXT)")
    with pytest.raises(NotAStore, match=r"table 'checkpoints' has no column .*checkpoint_id"):
        open_source(path)


def test_a_damaged_file_is_reported(path):
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    with pytest.raises(Corrupt, match="damaged"):
        import_threads(path, InMemorySaver())


def test_a_file_that_was_left_in_the_middle_of_a_change_is_left_so(tmp_path):
    path = tmp_path / "cut off.sqlite"
    assert python(CUT_OFF, path).returncode == -9
    before = files(tmp_path)
    with pytest.raises(ReadOnly, match="let its application open it once"):
        open_source(path)
    assert files(tmp_path) == before


@pytest.mark.parametrize("source", ["", "sqlite:", "redis://localhost", "a\0b"])
def test_a_source_that_can_not_be_is_refused(source):
    with pytest.raises(InvalidArgument):
        open_source(source)
