"""One thread that renews the leases of all runs of the process while their steps take long.

What callers share with it are a dict and a queue that C code changes at once, so that a signal handler may raise at any
place of a call. A run whose block was never left, because a handler raised as it began to leave, has its lease released
when its object is gone.
"""

from __future__ import annotations

import _thread
import heapq
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from queue import Empty, SimpleQueue
from typing import NamedTuple
from weakref import ref

from holdfast._system import process_fork


class _Beat(NamedTuple):
    every: float
    call: Callable[[], bool]
    ended: Callable[[], None]
    owner: ref[object]


class _Beats:
    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._is_running = False
        self._numbers = count(1)
        self._beats: dict[int, _Beat] = {}
        self._due: SimpleQueue[tuple[float, int]] = SimpleQueue()

    def add(self, every: float, call: Callable[[], bool], ended: Callable[[], None], owner: object) -> int:
        """Make the call every `every` seconds from now on, until it returns False; returns a number for `stop`.

        Once the owner is gone, call `ended` instead. Neither of the two may refer to the owner.
        """
        number = next(self._numbers)
        due = self._due
        self._beats[number] = _Beat(every, call, ended, ref(owner, lambda _: due.put((0.0, number))))
        due.put((time.monotonic() + every, number))
        with self._starting:
            if not self._is_running:
                _thread.start_new_thread(self._run, ())
                self._is_running = True
        return number

    def stop(self, number: int) -> None:
        self._beats.pop(number, None)

    def _run(self) -> None:
        waiting: list[tuple[float, int]] = []
        while True:
            timeout = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
            with suppress(Empty):
                heapq.heappush(waiting, self._due.get(timeout=timeout))
            while waiting and waiting[0][0] <= time.monotonic():
                self._make(heapq.heappop(waiting)[1])

    def _make(self, number: int) -> None:
        beat = self._beats.get(number)
        if beat is None:
            return
        with suppress(Exception):  # an error with one lease must not stop the others
            if beat.owner() is None:
                self.stop(number)
                beat.ended()
            elif beat.call():
                self._due.put((time.monotonic() + beat.every, number))
            else:
                self.stop(number)


beats = _Beats()


def _after_fork() -> None:
    global beats
    beats = _Beats()  # a child holds none of its parent's leases


process_fork.register(after_in_child=_after_fork)
