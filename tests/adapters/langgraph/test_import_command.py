"""`holdfast import-langgraph`: what it copies, shows and refuses."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.cli import app
from tests.adapters.langgraph.test_import_samples import Saver, assert_same, at, chat, everything, place, valuable

WITHOUT_OFFICIAL_SAVERS = """
import sys
sys.modules["langgraph.checkpoint.sqlite"] = sys.modules["langgraph.checkpoint.postgres"] = None
from holdfast.adapters.langgraph.importer import import_threads
from langgraph.checkpoint.memory import InMemorySaver
print(import_threads(sys.argv[1], InMemorySaver()).checkpoints)
"""
STATES = """
from dataclasses import dataclass

@dataclass
class Ticket:
    number: int
"""


class Done(NamedTuple):
    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["holdfast", "import-langgraph", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            app.run()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


@contextmanager
def opened(url: Path) -> Iterator[Saver]:
    with HoldfastSaver.from_url(str(url)) as saver:
        yield saver


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "checkpoints.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        for thread in ("one", "two"):
            chat(saver).invoke({"messages": ["hello"]}, at(thread))
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "agents.db"


def damage(source: Path) -> None:
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("UPDATE checkpoints SET metadata = '[]' WHERE thread_id = 'two'")
        connection.commit()


# ---------------------------------------------------------------- copying


def test_it_copies_everything_and_says_so(run, source, target):
    done = run(source, target)
    assert done.code == 0
    assert re.fullmatch(
        r"copied   8 checkpoints and \d+ writes, of 2 threads; each was read back and is equal\n", done.out
    )
    with opened(target) as saver, SqliteSaver.from_conn_string(str(source)) as wanted:
        assert_same(saver, wanted)


def test_a_second_time_it_skips_what_is_there(run, source, target):
    run(source, target)
    done = run(source, target)
    assert done.code == 0
    assert done.out.splitlines() == [
        "copied   0 checkpoints and 0 writes, of 2 threads; each was read back and is equal",
        "skipped  8 checkpoints that the target already had, all equal",
    ]


def test_it_copies_the_threads_that_are_named(run, source, target):
    assert run(f"sqlite:{source}", target, "--thread", "two").code == 0
    with opened(target) as saver:
        assert {place(one)[0] for one in everything(saver)} == {"two"}


def test_classes_of_the_application_are_imported_on_request(run, tmp_path, target, monkeypatch):
    (tmp_path / "ticketing.py").write_text(STATES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "tickets.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        import ticketing  # type: ignore[import-not-found]

        valuable(saver).update_state(at("t"), {"things": [ticketing.Ticket(7)]})
    monkeypatch.delitem(sys.modules, "ticketing")
    refused = run(path, target)
    assert refused.code == 1
    assert "the channel 'things', at [0]: the class ticketing.Ticket is not known" in refused.out
    assert run(path, target, "--import", "ticketing").code == 0
    assert run(path, target, "--import", "tickets.gone").code == 2


# ---------------------------------------------------------------- problems


def test_problems_are_listed_and_make_it_fail(run, source, target):
    damage(source)
    done = run(source, target)
    assert done.code == 1
    copied, problems, *listed = done.out.splitlines()
    assert copied.startswith("copied   4 checkpoints")
    assert problems == "problems 4; these checkpoints are not in the target as in the source"
    assert len(listed) == 4
    assert all(re.match(r"  thread 'two', checkpoint \S+: the metadata is damaged", line) for line in listed)


def test_of_many_problems_some_are_listed(run, source, target, monkeypatch):
    monkeypatch.setattr("holdfast.cli.ui.render_transfer.LISTED", 1)
    damage(source)
    assert run(source, target).out.splitlines()[-1] == "  … and 3 more; --json lists all"


def test_the_report_can_be_json(run, source, target):
    damage(source)
    done = run(source, target, "--json")
    report = json.loads(done.out)
    assert (done.code, done.err) == (1, "")
    assert list(report) == ["threads", "checkpoints", "writes", "skipped", "problems"]
    assert report["checkpoints"] == 4
    assert [list(one) for one in report["problems"]] == [["thread", "namespace", "checkpoint", "what"]] * 4


# ---------------------------------------------------------------- progress


def test_progress_is_plain_lines_without_a_terminal(run, source, target):
    assert run(source, target).err == "8 of 8 checkpoints, thread 2 of 2\n"


def test_progress_comes_in_lines_that_are_some_seconds_apart(run, source, target, monkeypatch):
    monkeypatch.setattr("holdfast.cli.ui.progress.SECONDS_BETWEEN_LINES", 0)
    lines = run(source, target).err.splitlines()
    assert lines[0] == "1 of 8 checkpoints, thread 1 of 2"
    assert len(lines) == 8


def test_progress_is_a_bar_on_a_terminal(run, source, target, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert run(source, target).code == 0
    assert "8/8" in terminal.getvalue()


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("nothing.sqlite", "there is no such file"),
        (".", "this is a folder"),
        ("notes.txt", "it is not an SQLite database"),
        ("redis://localhost", "'redis://' is not supported"),
        ("postgresql:///db?host=nowhere", "PostgreSQL can't be reached"),
    ],
)
def test_a_source_that_can_not_be_read_leaves_no_store_behind(run, wrong, message, tmp_path, target, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("text " * 100)
    done = run(wrong, target)
    assert done.code == 1
    assert done.err.startswith("holdfast: ")
    assert message in done.err
    assert not target.exists()


def test_a_thread_that_is_not_there_is_named(run, source, target):
    done = run(source, target, "--thread", "three")
    assert done.code == 1
    assert "there is no thread 'three'" in done.err


def test_the_source_can_not_be_the_target(run, source):
    before = source.read_bytes()
    done = run(source, source)
    assert done.code == 1
    assert "belongs to another program" in done.err
    assert source.read_bytes() == before


def test_stopped_by_hand_it_says_how_to_resume(run, source, target, monkeypatch):
    def stop(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("holdfast.adapters.langgraph.importer.import_threads", stop)
        done = run(source, target)
    assert done.code == 130
    assert done.err == "stopped; what was copied so far is safe, and the same command resumes from here\n"
    assert run(source, target).code == 0


def test_without_langgraph_it_says_what_to_install(run, source, target, monkeypatch):
    monkeypatch.setitem(sys.modules, "langgraph.checkpoint.base", None)
    done = run(source, target)
    assert done.code == 2
    assert done.err == "holdfast: importing from LangGraph needs an extra: pip install 'holdfast[langgraph]'\n"


def test_without_psycopg_it_says_what_to_install(run, target, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = run("postgresql://localhost/db", target)
    assert done.code == 1
    assert "pip install 'psycopg[binary]'" in done.err


def test_the_official_savers_need_not_be_installed(source):
    command = [sys.executable, "-c", WITHOUT_OFFICIAL_SAVERS, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("8\n", "")
