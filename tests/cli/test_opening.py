"""Looking makes nothing: what a command opens has to be there. And the commands as processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import holdfast
from holdfast.cli.app import run
from holdfast.cli.args.store_url import without_secrets
from tests.cli.conftest import invoke

COMMANDS = [("threads",), ("log", "t"), ("show", "t"), ("diff", "t", "HEAD")]


@pytest.fixture(params=COMMANDS, ids=lambda command: command[0])
def arguments(request):
    """The arguments of each command, on a store."""
    name, *rest = request.param
    return lambda store: (name, str(store), *rest)


def test_a_missing_file_is_not_created(arguments, tmp_path):
    for url in (tmp_path / "no.db", f"sqlite:{tmp_path / 'no.db'}", tmp_path / "no" / "no.db"):
        shown = invoke(*arguments(url))
        assert (shown.code, shown.out) == (2, "")
        assert shown.err == f"holdfast: there is no store at {str(url)!r}\n"
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_stays_empty(arguments, tmp_path):
    path = tmp_path / "empty.db"
    path.touch()
    shown = invoke(*arguments(path))
    assert (shown.code, shown.out) == (2, "")
    assert "is empty, not a store" in shown.err
    assert path.stat().st_size == 0
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_too_long_for_a_file_is_refused(arguments):
    shown = invoke(*arguments("x" * 5000))
    assert shown.code == 2
    assert "can't be opened: File name too long" in shown.err


def test_memory_is_a_store_with_nothing_in_it():
    assert invoke("threads", "memory:") == (0, "", "no threads\n")
    assert invoke("log", "memory:", "t").code == 2


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("agents.db", "agents.db"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://me:secret@host/db", "postgresql://me@host/db"),
        ("postgresql://me:s@ec:r/et@host/db", "postgresql://…"),
        ("postgresql:/me:secret@host", "postgresql:…@host"),
        ("postgresql:/host/db?password=sec&ret", "postgresql:/host/db?password=…"),
        ("host=h password = 'sec ret'", "host=h password =…"),
        ("postgresql://host/db?user=me&password=secret&schema=x", "postgresql://host/db?user=me&schema=x"),
        ("file:///home/me:me@host", "file:///home/me:me@host"),
        ("backups/me@host.db", "backups/me@host.db"),
    ],
)
def test_no_password_is_shown(url, shown):
    assert without_secrets(url) == shown


HIDDEN = [
    "postgres:/me:hunter2@host/db", "nosuch://me:hunter2@host/db", "postgresql://me:a@hunter2@localhost:1/db",
    "postgresql://me:a/hunter2@localhost:1/db", "postgresql://me:hunter2localhost/db",
    "postgresql://me:a[hunter2@nohost.invalid/db", "postgresql://nohost.invalid/db?password=a&hunter2",
]  # fmt: skip


def test_no_password_is_shown_by_a_command(arguments, monkeypatch, capsys):
    for url in HIDDEN:
        monkeypatch.setattr(sys, "argv", ["holdfast", *arguments(url)])
        with pytest.raises(SystemExit) as ended:
            run()
        assert ended.value.code in (1, 2)
        assert "hunter2" not in "".join(capsys.readouterr())


# ------------------------------------------------------------------------------------------------ as processes


def holdfast_process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "holdfast", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Messages of LangChain, which the command does not import, among them."""
    from langchain_core.messages import AIMessage, HumanMessage

    path = tmp_path_factory.mktemp("store") / "agents.db"
    with holdfast.open(path) as store:
        thread = store.thread("t")
        thread.save({"messages": [HumanMessage("hi → you")]}, node="input")
        thread.save({"messages": [HumanMessage("hi → you"), AIMessage("hello")]}, node="model", status="completed")
    return path


def test_the_commands_work_as_processes(path):
    threads = holdfast_process("threads", str(path))
    assert (threads.returncode, threads.stderr) == (0, "")
    assert threads.stdout.splitlines()[1].split()[:2] == ["t", "completed"]
    log = holdfast_process("log", str(path), "t")
    assert [line.split()[4] for line in log.stdout.splitlines()] == ["model", "input"]
    short = log.stdout.splitlines()[1].split()[1]
    diff = holdfast_process("diff", str(path), "t", short)
    assert diff.stdout.splitlines()[-2:] == ["+ messages[1]", "  + ai: hello"]


def test_no_password_is_shown_by_a_process():
    for url in HIDDEN:
        shown = holdfast_process("threads", url)
        assert shown.returncode in (1, 2)
        assert "hunter2" not in shown.stdout + shown.stderr
        assert "Traceback" not in shown.stderr


def test_messages_are_readable_without_langchain(path):
    shown = holdfast_process("show", str(path), "t")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "  messages:\n    human: hi → you\n    ai: hello\n" in shown.stdout
    found = json.loads(holdfast_process("show", str(path), "t", "--json").stdout)
    assert found["state"]["messages"][1]["$class"] == "langchain_core.messages.ai.AIMessage"


def test_output_is_plain_without_a_terminal_and_coloured_on_request(path):
    assert "\x1b" not in holdfast_process("log", str(path), "t").stdout
    assert "\x1b[" in holdfast_process("log", str(path), "t", FORCE_COLOR="1").stdout


def test_an_encoding_that_lacks_a_character_is_not_an_error(path):
    shown = holdfast_process("show", str(path), "t", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert shown.returncode == 0
    assert r"human: hi \u2192 you" in shown.stdout


def test_a_refusal_of_the_library_is_one_line(tmp_path):
    path = tmp_path / "other.db"
    path.write_bytes(b"something else")
    shown = holdfast_process("threads", str(path))
    assert (shown.returncode, shown.stdout) == (1, "")
    assert shown.stderr == f"holdfast: {path}: this is not a Holdfast file, and it was not changed; name another file\n"
    assert path.read_bytes() == b"something else"
