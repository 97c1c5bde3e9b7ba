"""Two stores on one file in one process, and another process beside them: none of them takes the file for its own."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast

OTHER = "import holdfast, sys; s = holdfast.open(sys.argv[1]); s.thread(sys.argv[2]).save({'n': 0}); s.close()"


def another_process(path: Path, thread: str) -> None:
    """Opens the store, saves, and closes it: as the last one to do so, it would remove the log."""
    subprocess.run([sys.executable, "-c", OTHER, str(path), thread], check=True, timeout=60)


def seen_by_another(path: Path) -> dict[str, int]:
    code = (
        "import holdfast, sys\n"
        "with holdfast.open(sys.argv[1]) as s:\n"
        "    for info in s.threads(): print(info.id, s.thread(info.id).latest().state['n'])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=True, timeout=60, capture_output=True, text=True
    )
    return {name: int(n) for name, n in (line.split() for line in told.stdout.splitlines())}


@pytest.mark.parametrize("times", [1, 3])
def test_a_second_store_that_was_opened_and_closed_takes_no_locks_away(tmp_path: Path, times: int) -> None:
    path = tmp_path / "agents.db"
    with holdfast.open(path) as store:
        store.thread("mine").save({"n": 1})
        for turn in range(times):
            holdfast.open(path).close()
            another_process(path, f"theirs {turn}".replace(" ", "-"))
            store.thread("mine").save({"n": 2 + turn})
            assert seen_by_another(path)["mine"] == 2 + turn
    assert seen_by_another(path)["mine"] == 1 + times


def test_a_store_that_is_opened_takes_no_locks_from_a_connection_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    holdfast.open(path).close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        holdfast.open(path).close()
        code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=0); c.execute('BEGIN IMMEDIATE')"
        told = subprocess.run(
            [sys.executable, "-c", code, str(path)], timeout=60, capture_output=True, text=True, check=False
        )
        assert "database is locked" in told.stderr
    finally:
        connection.close()


def test_a_file_that_is_no_store_is_still_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database")
    with path.open("rb"), pytest.raises(holdfast.NotAStore):
        holdfast.open(path)
    assert path.read_text() == "not a database"
