"""A process and everything that it started, killed or stopped as one."""

from __future__ import annotations

import contextlib
import functools
import signal
import time
from collections.abc import Callable

import psutil

_GONE = (psutil.STATUS_DEAD, psutil.STATUS_ZOMBIE)  # it may have no parent that waits for it


def kill_all(pid: int) -> None:
    """SIGKILL. The first one is stopped before, so that it starts nothing while the others are killed."""
    family = stop_all(pid)
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    wait_until("all of them are gone", lambda: all(_is(one, *_GONE) for one in family))


def stop_all(pid: int) -> list[psutil.Process]:
    """SIGSTOP, parents first: a stopped process starts nothing more."""
    found: list[psutil.Process] = []
    with contextlib.suppress(psutil.NoSuchProcess):
        found = [psutil.Process(pid)]
    for one in found:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.send_signal(signal.SIGSTOP)
            wait_until("it stands still", functools.partial(_is, one, psutil.STATUS_STOPPED, *_GONE))
            found += one.children()
    return found


def _is(one: psutil.Process, *states: str) -> bool:
    try:
        return one.status() in states
    except psutil.NoSuchProcess:
        return psutil.STATUS_DEAD in states


def continue_all(family: list[psutil.Process]) -> None:
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.send_signal(signal.SIGCONT)


def wait_until(what: str, holds: Callable[[], object], seconds: float = 60.0, pause: float = 0.005) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"after {seconds} s still not: {what}"
        time.sleep(pause)
