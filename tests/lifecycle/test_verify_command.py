"""`holdfast verify` and `holdfast repair`: what they print, and what they exit with."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "holdfast", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL)


@pytest.fixture
def path(tmp_path: Path) -> str:
    with holdfast.open(tmp_path / "agents.db") as store:
        for n in range(3):
            store.thread("main").save({"n": n}, id=f"c{n}")
    return str(tmp_path / "agents.db")


@pytest.fixture
def broken(path: str) -> str:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE checkpoint SET node = 'other' WHERE seq = 2")
    connection.close()
    return path


def test_a_sound_store_has_no_faults(path: str) -> None:
    done = command("verify", path)
    assert (done.returncode, done.stdout) == (
        0, "checked 1 thread, 3 checkpoints, 0 values in 6 rows\nno faults\n",
    )  # fmt: skip
    done = command("repair", path)
    assert (done.returncode, done.stdout) == (0, "nothing to repair\n")


@pytest.mark.parametrize(
    "line",
    [("verify",), ("repair",), ("export", "x.bundle", "--all"), ("copy", "new.db", "--all")],
    ids=lambda line: line[0],
)
def test_a_store_is_not_made_by_looking_for_it(tmp_path: Path, line: tuple[str, ...]) -> None:
    name, *rest = line
    for store in (tmp_path / "typo.db", f"file:{tmp_path / 'typo'}"):
        done = command(name, str(store), *(str(tmp_path / one) if "." in one else one for one in rest))
        assert done.returncode == 2
        assert "there is no store at" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_faults_are_listed_and_the_exit_code_says_so(broken: str) -> None:
    done = command("verify", broken)
    assert done.returncode == 1
    assert "thread 'main', checkpoint 'c1'" in done.stdout
    report = json.loads(command("verify", broken, "--json").stdout)
    assert {fault["kind"] for fault in report["faults"]} >= {"checksum"}


def test_a_repair_needs_a_yes(broken: str) -> None:
    asked = command("repair", broken)
    assert (asked.returncode, asked.stdout) == (1, "nothing was changed\n")
    assert "1 row to be set aside" in asked.stderr
    assert json.loads(command("repair", broken, "--json").stdout)["dry_run"] is True
    assert command("verify", broken).returncode == 1
    done = command("repair", broken, "--yes")
    assert done.returncode == 0
    assert "thread 'main', checkpoint 'c1', the checkpoint" in done.stdout
    assert command("verify", broken).returncode == 0
