"""Stores for the tests of runs: every backend through both façades, a clock to move, and workers that die."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from holdfast.backends.base import Backend, Batch
from holdfast.backends.rows import CheckpointRow, JournalRow
from holdfast.errors import StorageFailed
from holdfast.runs import heartbeat
from holdfast.testing.driver import OPENERS
from tests.support.urls import URLS

STALL: Final = 5.0  # seconds, after which a write that is held up continues, since another caller waits for it


MODES: Final = {
    "memory": tuple(OPENERS),  # the cache is the engine's, the same on every backend
    "sqlite": ("sync", "async"),
    "files": ("sync",),
    "postgresql": ("sync", "async"),
}
WORLDS: Final = [f"{url}-{opener}" for url in URLS for opener in MODES[url]]


class World:
    """Where one test runs. Each `open` is another handle on the same store, where the backend allows several."""

    def __init__(self, name: str, folder: Path, stack: ExitStack) -> None:
        self.name = name
        self._url, self._opener = name.split("-")
        self._folder = folder
        self._stack = stack
        self._only: Any = None

    def open(self, **options: Any) -> Any:
        if self._url == "memory" and self._only is not None:
            return self._only
        self._only = OPENERS[self._opener](self._stack, URLS[self._url](self._folder), **options)
        return self._only


class Clock:
    """The store's clock, standing still until it is moved."""

    def __init__(self) -> None:
        self.time = time.time_ns() // 1000

    async def now(self) -> int:
        return self.time

    def move(self, seconds: float) -> None:
        self.time += int(seconds * 1_000_000)

    def rule(self, store: Any) -> None:
        backend(store).now = self.now  # type: ignore[method-assign]


def backend(store: Any) -> Backend:
    found: Backend = store._calls.engine.backend
    return found


# ------------------------------------------------------------------------------------------------ workers that die


def entered(run: Any) -> Any:
    """A run whose worker dies: its block is never left."""
    return run.__enter__()


def die(run: Any) -> None:
    """What SIGKILL leaves behind: the lease as it is, which no process renews."""
    heartbeat.beats.stop(run._calls._beat)


def died(thread: Any, work: Callable[[Any], object] = lambda run: None, **options: Any) -> Any:
    """A worker that took the thread for 5 seconds, did this much, and died."""
    run = entered(thread.run(**{"ttl": 5, **options}))
    work(run)
    die(run)
    return run


class Killed(BaseException):
    """Ends a step as a kill would: the function began, and nothing says how it ended."""


def killed_in(name: str, **options: Any) -> Callable[[Any], None]:
    """Work that begins a step and dies in it."""

    def kill() -> None:
        raise Killed

    def work(run: Any) -> None:
        try:
            run.step(name, kill, **options)
        except Killed:
            return

    return work


# ------------------------------------------------------------------------------------------------ storage that fails


class Failing:
    """A backend's `commit` that fails for batches with a certain kind of row, or holds them up until `go` is set."""

    def __init__(self, store: Any, kind: type) -> None:
        self._kind = kind
        self._commit = backend(store).commit
        self.failing = False
        self.go = threading.Event()
        self.go.set()
        self.stalled = False
        self.seen: list[Any] = []  # rows of the kind, whether they were stored or not
        backend(store).commit = self.commit  # type: ignore[method-assign]

    async def commit(self, batch: Batch) -> bool:
        rows = [row for row in batch.puts if isinstance(row, self._kind)]
        if rows:
            self.seen += rows
            self.stalled |= not self.go.wait(STALL)
            if self.failing:
                raise StorageFailed("the disk reported an error")
        return await self._commit(batch)


def failing_saves(store: Any) -> Failing:
    return Failing(store, CheckpointRow)


def failing_appends(store: Any) -> Failing:
    return Failing(store, JournalRow)


# ------------------------------------------------------------------------------------------------ words for tests


class Calls:
    """A function that counts how often it was called, and answers with what it was given to say."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers) or ["done"]
        self.count = 0

    def __call__(self, *args: Any) -> Any:
        answer = self.answers[min(self.count, len(self.answers) - 1)]
        self.count += 1
        if isinstance(answer, BaseException):
            raise answer
        return answer


def statuses(thread: Any) -> list[str]:
    """Of all checkpoints, oldest first."""
    return [info.status for info in reversed(thread.history(limit=None))]


def states(thread: Any) -> list[Any]:
    """Of all checkpoints, oldest first."""
    return [thread.load(info.id).state for info in reversed(thread.history(limit=None))]


def kinds(thread: Any) -> list[str]:
    return [entry.kind for entry in thread.journal.read(limit=None)]
