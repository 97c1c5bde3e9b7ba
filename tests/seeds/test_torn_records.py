"""What all five fear: a torn or damaged record. It never gives wrong data, and costs no more than itself.

Of a file, so SQLite only; other backends have their own damage.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import holdfast
from holdfast import Corrupt, HoldfastError
from holdfast.testing.driver import head, loaded

STATES = [{"n": n, "log": [f"entry {i} " * 8 for i in range(n)]} for n in range(6)]


@pytest.fixture
def file(tmp_path):
    """A closed SQLite store with thirty threads, all of it in the one file."""
    path = tmp_path / "torn.db"
    with holdfast.open(path) as store:
        for n in range(30):
            thread = store.thread(f"t{n:02}")
            for state in STATES:
                thread.save({**state, "noise": bytes((n * i) % 251 for i in range(900))}, id=f"c{state['n']}")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path


def read_all(path: Path) -> tuple[int, int]:
    """How many threads are as they were saved, and how many say that they can't be read; anything else fails."""
    right = refused = 0
    try:
        store = holdfast.open(path)
    except HoldfastError:
        return 0, 30
    with store:
        for n in range(30):
            try:
                thread = store.thread(f"t{n:02}")
                states = [loaded(thread, info).state for info in thread.history(limit=None)]
            except HoldfastError:
                refused += 1
                continue
            noise = bytes((n * i) % 251 for i in range(900))
            assert states == [{**state, "noise": noise} for state in reversed(STATES)], f"t{n:02} is silently wrong"
            right += 1
    return right, refused


@pytest.mark.parametrize("kept", [0.99, 0.9, 0.75, 0.5, 0.25, 0.1])
def test_a_file_cut_short_never_gives_wrong_data(file, kept):
    assert read_all(file) == (30, 0)
    with file.open("r+b") as handle:
        handle.truncate(int(file.stat().st_size * kept))
    assert read_all(file)[1] > 0


def test_a_page_of_noise_never_gives_wrong_data(file):
    """Pages that hold only what a list of threads needs may go unnoticed here; wrong data may not."""
    data = file.read_bytes()
    page = int.from_bytes(data[16:18], "big")
    refused = 0
    for tenth in range(1, 10):
        start = len(data) * tenth // 10 // page * page
        file.write_bytes(data[:start] + b"\xa5" * page + data[start + page :])
        refused += read_all(file)[1]
    assert refused > 0


def test_one_bad_record_breaks_neither_lists_nor_other_threads(file):
    connection = sqlite3.connect(file)
    (tree,) = connection.execute("SELECT tree FROM thread WHERE id = 't07'").fetchone()
    changed = connection.execute("UPDATE chunk SET body = zeroblob(length(body)) WHERE tree = ?", (tree,))
    assert changed.rowcount > 0
    connection.commit()
    connection.close()
    with holdfast.open(file) as store:
        assert len(store.threads()) == 30
        assert [info.id for info in store.thread("t07").history()] == [f"c{n}" for n in range(5, -1, -1)]
        with pytest.raises(Corrupt):
            store.thread("t07").latest()
    assert read_all(file) == (29, 1)


def test_a_torn_last_record_keeps_the_earlier_ones_and_the_next_save_works(tmp_path):
    """The log that SQLite writes ahead, cut in its last transaction, as a crash leaves it."""
    path = tmp_path / "agents.db"
    store = holdfast.open(path)
    for n, state in enumerate(STATES):
        store.thread("t").save(state, id=f"c{n}")
    torn = tmp_path / "torn.db"
    torn.write_bytes(path.read_bytes())
    log = Path(f"{path}-wal").read_bytes()
    Path(f"{torn}-wal").write_bytes(log[:-100])
    store.close()
    with holdfast.open(torn) as again:
        thread = again.thread("t")
        assert [loaded(thread, info).state for info in thread.history()] == STATES[4::-1]
        assert thread.save(STATES[5], id="c5").seq == 6
        assert head(thread).state == STATES[5]
