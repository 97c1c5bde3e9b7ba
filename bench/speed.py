"""How long things take, beside a bare SQLite insert of the same bytes with the same durability."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import holdfast
from bench.report import Row
from bench.texts import Texts

STEPS = 1000


def timed(call: Callable[..., Any], *arguments: Any) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    call(*arguments)
    return (time.perf_counter() - start) * 1000


class Bare:
    """The least that storing these bytes durably takes."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute("CREATE TABLE message (number INTEGER PRIMARY KEY, body BLOB)")

    def insert(self, message: dict[str, Any]) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.execute("INSERT INTO message (body) VALUES (?)", (json.dumps(message).encode(),))
        self.connection.execute("COMMIT")


def rows() -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        yield from _saving(Path(folder))
        yield from _reading(Path(folder))
    yield from _starting()


def _saving(folder: Path) -> Iterator[Row]:
    """In turns, so that a noisy moment hits both."""
    texts, bare = Texts(), Bare(folder / "bare.db")
    inserts, saves, updates = [], [], []
    with holdfast.open(folder / "chat.db") as store:
        saved, updated = store.thread("saved"), store.thread("updated")
        updated.save({"messages": []})
        messages: list[dict[str, Any]] = []
        for number in range(STEPS):
            message = texts.message(number)
            messages.append(message)
            inserts.append(timed(bare.insert, message))
            saves.append(timed(saved.save, {"messages": messages}))
            updates.append(timed(_extend, updated, message))
    bare.connection.close()
    insert, early = median(inserts), median(saves[5:25])
    yield Row("bare insert of a 1 KB message (median)", insert, "ms")
    yield Row("save with one appended message, steps 5 to 25 / bare", early / insert, "x", 2.0, f"{early:.3f} ms")
    late = median(saves[-50:])
    yield Row("save at step 1,000 / save at step 10", late / early, "x", 4.0, f"{late:.3f} ms")
    late = median(updates[-50:])
    yield Row("update with extend at step 1,000 / bare", late / insert, "x", None, f"{late:.3f} ms")


def _extend(thread: holdfast.Thread[dict[str, Any]], message: dict[str, Any]) -> None:
    thread.update({"messages": [message]}, reduce={"messages": holdfast.extend})


def _reading(folder: Path) -> Iterator[Row]:
    def cold(call: Callable[[holdfast.Thread[dict[str, Any]]], Any]) -> float:
        times = []
        for _ in range(9):
            with holdfast.open(folder / "chat.db") as store:
                times.append(timed(call, store.thread("saved")))
        return median(times)

    yield Row("latest() of 1,000 messages, cold store", cold(lambda thread: thread.latest()), "ms")
    yield Row("history(20), cold store", cold(lambda thread: thread.history(20)), "ms", 2.0)
    yield Row("fork of the thread, cold store", cold(lambda thread: thread.fork()), "ms")
    with holdfast.open(folder / "chat.db") as store:
        thread = store.thread("saved")
        yield Row(
            "fork of the thread, warm store", median([timed(lambda: thread.fork()) for _ in range(20)]), "ms", 2.0
        )


def _starting() -> Iterator[Row]:
    command = [sys.executable, "-m", "holdfast", "--help"]
    times = [timed(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(7)]
    yield Row("holdfast --help", min(times), "ms", 300)
