"""One thread that keeps leases alive while steps take long, for every run of the process."""

from __future__ import annotations

import heapq
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress


class _Beats:
    def __init__(self) -> None:
        self._wake = threading.Condition()
        self._due: list[tuple[float, int]] = []
        self._calls: dict[int, tuple[float, Callable[[], None]]] = {}
        self._last = 0
        self._thread: threading.Thread | None = None

    def add(self, every: float, call: Callable[[], None]) -> int:
        """Call every so many seconds, from now on; gives a number to stop it by."""
        with self._wake:
            self._last += 1
            self._calls[self._last] = (every, call)
            heapq.heappush(self._due, (time.monotonic() + every, self._last))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="holdfast-heartbeat", daemon=True)
                self._thread.start()
            self._wake.notify()
            return self._last

    def stop(self, number: int) -> None:
        with self._wake:
            self._calls.pop(number, None)

    def _run(self) -> None:
        while True:
            call = self._next()
            if call is not None:
                with suppress(Exception):  # what goes wrong with one lease must not cost the others theirs
                    call()

    def _next(self) -> Callable[[], None] | None:
        with self._wake:
            if not self._due:
                self._wake.wait()
                return None
            due, number = self._due[0]
            if due > time.monotonic():
                self._wake.wait(due - time.monotonic())
                return None
            heapq.heappop(self._due)
            if number not in self._calls:
                return None
            every, call = self._calls[number]
            heapq.heappush(self._due, (time.monotonic() + every, number))
            return call


beats = _Beats()


def _after_fork() -> None:
    global beats
    beats = _Beats()  # a child holds none of its parent's leases


os.register_at_fork(after_in_child=_after_fork)
