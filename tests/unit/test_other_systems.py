"""Without the calls that only POSIX systems have, as on Windows: they are taken away before Holdfast is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """
import os, sys
import asyncio, shutil, subprocess, tempfile  # these were installed for this system, and need its calls
import langgraph.graph, rich.console, typer.testing

for name in (
    "fork", "forkpty", "register_at_fork", "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "pread", "pwrite", "uname",
    "getuid", "geteuid", "getppid", "fchmod", "fchown", "chown", "killpg", "wait", "waitpid", "statvfs", "sysconf",
):
    if hasattr(os, name):
        delattr(os, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[name] = None
import signal
for name in ("SIGKILL", "SIGALRM", "SIGHUP", "SIGUSR1", "alarm"):
    delattr(signal, name)
folder = sys.argv[1]

import holdfast
"""

USE = """
import holdfast.aio, holdfast.backends.files.logs.record_format  # whose magic is searched in any imported file

for url in ("memory:", f"sqlite:{folder}/agents.db"):
    with holdfast.open(url) as store:
        thread = store.thread("t")
        for n in range(3):
            thread.save({"n": n, "log": ["line"] * n})
        assert thread.latest().state["n"] == 2
        assert len(list(thread.history())) == 3
        fork = thread.fork(to="fork", edits={"n": 7})
        assert fork.latest().state["n"] == 7
        assert store.verify().ok
        store.collect()
        copy = f"{folder}/{url[:6]}.backup"
        store.backup(copy)
    with holdfast.open(copy) as restored:
        assert restored.thread("t").latest().state["n"] == 2
        assert restored.verify().ok
"""

SAVER = """
from holdfast.adapters.langgraph import HoldfastSaver
from langgraph.checkpoint.base import empty_checkpoint

for url in ("memory:", f"sqlite:{folder}/saver.db"):
    with HoldfastSaver.from_url(url) as saver:
        asked = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        put = saver.put(asked, empty_checkpoint(), {"source": "loop", "step": 0, "parents": {}}, {})
        saver.put_writes(put, [("log", 1)], "task")
        assert saver.get_tuple(asked).pending_writes == [("task", "log", 1)]
"""

COMMANDS = """
from holdfast.cli.app import build
from typer.testing import CliRunner

with holdfast.open(f"{folder}/agents.db") as store:
    store.thread("t").save({"n": 1})
written = ["backup", f"{folder}/copy.db"], ["export", f"{folder}/out", "t"]
for name, *more in (["threads"], ["log", "t"], ["verify"], *written):
    command = [name, f"{folder}/agents.db", *more]
    ran = CliRunner().invoke(build(), command)
    assert ran.exit_code == 0, (command, ran.output, ran.exception)
"""

FILES = """
try:
    holdfast.open(f"file:{folder}/agents")
except holdfast.InvalidArgument as error:
    assert "needs POSIX file locks" in str(error) and "SQLite" in str(error), error
else:
    raise AssertionError("it was opened")
assert not os.path.exists(f"{folder}/agents")
"""


@pytest.mark.parametrize("script", [USE, SAVER, COMMANDS, FILES], ids=["use", "saver", "commands", "files"])
def test_without_posix_calls(tmp_path: Path, script: str) -> None:
    command = [sys.executable, "-c", WITHOUT + script, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
