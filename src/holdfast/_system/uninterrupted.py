"""Calls that no signal handler can interrupt.

Python runs the handlers of signals in the main thread, between any two of its instructions, and a handler may raise. A
driver whose connections do not survive that is called on another thread; the main thread waits, and only its wait can
be interrupted. Calls from other threads are made where they are.
"""

from __future__ import annotations

import _thread
import os
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

from holdfast._system import process_fork

P = ParamSpec("P")
T = TypeVar("T")
_SETTLE: Final = 2.0  # seconds
_MOMENT: Final = 0.05


class _Job:
    """One call, and what came of it."""

    __slots__ = ("call", "args", "kwargs", "is_queued", "result", "error", "done")

    def __init__(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.call, self.args, self.kwargs = call, args, kwargs
        self.is_queued = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = threading.Lock()
        self.done.acquire()

    def make(self) -> None:
        try:
            self.result = self.call(*self.args, **self.kwargs)
        except BaseException as error:
            self.error = error
        finally:
            self.done.release()


class _Workers:
    """Threads that take jobs from one queue. Usually there is one: the main thread waits for it. A call that the main
    thread no longer waits for keeps its thread until it ends, and the next call gets another."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()  # None ends a thread
        self._ended: SimpleQueue[None] = SimpleQueue()
        self._free: list[None] = []  # one for each thread that waits for a job, or fewer after an interrupt

    def start(self, job: _Job) -> None:
        try:
            self._free.pop()
        except IndexError:
            # Not a threading.Thread: an interrupt of its start may leave it waiting for ever.
            _thread.start_new_thread(self._work, ())
        job.is_queued = True
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.make()
            del job  # or what was saved stays in memory until the next call
            self._free.append(None)
        self._ended.put(None)

    def stop(self) -> None:
        """End the threads that wait for a job."""
        tasks = _task_count()
        idle, self._free = self._free, []
        for _ in idle:
            self._jobs.put(None)
        for _ in idle:
            self._ended.get()
        # Python counts the threads of the system, and one that has ended takes a moment to be gone.
        end = time.monotonic() + _MOMENT
        while idle and tasks and _task_count() > tasks - len(idle) and time.monotonic() < end:
            time.sleep(0.0001)


def _task_count() -> int:
    """How many threads this process has; 0 if the system does not say."""
    try:
        return len(os.listdir("/proc/self/task"))
    except FileNotFoundError:
        return 0


_workers = _Workers()


def uninterrupted(call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of the call. An exception of a signal handler reaches the caller when the call has ended, so that its
    effect is there or is not; after a few seconds it reaches the caller in any case."""
    if _thread.get_ident() != threading.main_thread().ident:
        return call(*args, **kwargs)
    job = _Job(call, args, kwargs)
    try:
        _workers.start(job)
        job.done.acquire()
    except BaseException:
        if job.is_queued:
            job.done.acquire(timeout=_SETTLE)
        raise
    if job.error is not None:
        raise job.error
    result: T = job.result
    return result


def _before_fork() -> None:
    """From Python 3.12 on, a process that has threads gets a warning if it forks."""
    _workers.stop()


def _after_fork() -> None:
    global _workers
    _workers = _Workers()  # the threads stayed in the parent


process_fork.register(before=_before_fork, after_in_child=_after_fork)
