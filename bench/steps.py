"""`run.step` beside a DBOS step: both on SQLite, both synced to disk, in turns.

DBOS 3 leaves SQLite as it comes: a rollback journal, `synchronous=FULL`. Holdfast uses WAL, `synchronous=FULL`. What is
committed is on disk in both: the same durability, and the budget is held against what a user of DBOS gets. The rollback
journal costs DBOS more syncs than its code would need, so its database is also put into WAL mode, which SQLite
remembers in the file, and shown beside it.

Measured once each WAL has been filled and starts again from its beginning, as it does for nearly all of a store's life:
a file that still grows costs more to sync than one that is written over.

A DBOS step is one commit, its output; ours is two, the intent before the call and the result after. Counted: 2 syncs a
step for ours, 1 for DBOS with WAL, about 4 as it comes. So the ratio says what the code costs only on an idle machine
whose disk syncs fast; where syncs take milliseconds it goes towards 2 with WAL, towards 0.5 as it comes.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import holdfast
from bench.report import Row

ROUNDS = 12
STEPS = 50  # a round
WARM = 500  # steps until every WAL has wrapped, at a thousand pages
MODES = {"as it comes": "PRAGMA journal_mode = DELETE", "WAL as ours": "PRAGMA journal_mode = WAL"}


def rows() -> Iterator[Row]:
    try:
        import dbos  # noqa: F401  # only to see whether it is there
    except ImportError:
        yield Row("run.step / DBOS step: not measured, dbos is not installed (make bench)", 0, "")
        return
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ours = _ours(stack, Path(folder))
        plain, wal = (stack.enter_context(Dbos(Path(folder, f"dbos {name}.db"), MODES[name])) for name in MODES)
        times = _in_turns(ours, plain.steps, wal.steps)
    step, as_shipped, same = (median(found) for found in times)
    yield Row("run.step (median)", step, "ms")
    yield Row("DBOS step, WAL as ours (median)", same, "ms", None, wal.settings)
    yield Row("DBOS step as it comes (median)", as_shipped, "ms", None, plain.settings)
    yield Row("run.step / DBOS step, WAL as ours", step / same, "x")
    yield Row("run.step / DBOS step as it comes", step / as_shipped, "x", 0.25)


def _in_turns(*measured: Callable[[int], float]) -> list[list[float]]:
    """Milliseconds a step; a noisy moment hits all of them."""
    for steps in measured:
        steps(WARM)
    rounds = [[steps(STEPS) for steps in measured] for _ in range(ROUNDS)]
    return [list(found) for found in zip(*rounds, strict=True)]


def _ours(stack: ExitStack, folder: Path) -> Callable[[int], float]:
    store = stack.enter_context(holdfast.open(folder / "ours.db"))
    run = stack.enter_context(store.thread("bench").run(input={}))

    def steps(count: int) -> float:
        start = time.perf_counter()
        for n in range(count):
            run.step("step", _same, n)
        return (time.perf_counter() - start) * 1000 / count

    return steps


def _same(n: int) -> int:
    return n


class Dbos:
    """DBOS in a process of its own, since there can be only one of it in each; it measures on request."""

    def __init__(self, path: Path, journal_mode: str) -> None:
        connection = sqlite3.connect(path)
        connection.execute(journal_mode)
        connection.execute("PRAGMA user_version = 0")  # so that there is a file, which keeps the mode
        connection.close()
        self._path = path

    def __enter__(self) -> Dbos:
        command = [sys.executable, "-m", "bench.dbos_worker", str(self._path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.settings = self._answer()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def steps(self, count: int) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{count}\n")
        self._process.stdin.flush()
        return float(self._answer())

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())
