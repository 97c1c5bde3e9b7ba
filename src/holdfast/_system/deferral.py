"""A section of the main thread in which Ctrl-C waits.

Most programs have one signal handler that can raise: Python's own for SIGINT. For the time of a section it is exchanged
for one that notes the signal, and KeyboardInterrupt is raised when the section ends. That takes 3 µs, where a call on
another thread (`uninterrupted`) takes 25 µs or more. A program that has installed handlers of its own keeps them:
then `is_possible` is false.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what `signal` wraps in slower Python code
import _thread
import threading
import time
from signal import SIGINT, Signals, default_int_handler
from types import FrameType
from typing import Final

from holdfast._system.interrupts import installed_handlers


class _Section:
    def __init__(self) -> None:
        self.is_open = False
        self.arrived: list[int] = []

    def __enter__(self) -> None:
        # From the call of `signal` on nothing can raise. If an exception comes before it, nothing has begun.
        self.arrived.clear()
        self.is_open = True
        _signal.signal(SIGINT, _note)

    def __exit__(self, *_: object) -> None:
        _signal.signal(SIGINT, default_int_handler)
        self.is_open = False
        if self.arrived:
            _thread.interrupt_main(SIGINT)  # as if it arrived now


deferred: Final = _Section()


def _note(number: int, frame: FrameType | None) -> None:
    if deferred.is_open:
        deferred.arrived.append(number)
    else:
        default_int_handler(Signals(number), frame)


def is_possible() -> bool:
    """Whether this is the main thread, and no handler but Python's own can raise in it."""
    if _thread.get_ident() != threading.main_thread().ident:
        return False
    return installed_handlers() in ([default_int_handler], [_note])


def sleep(seconds: float) -> None:
    """Wait. In a section, Ctrl-C raises during the wait: the caller has nothing half done."""
    if not deferred.is_open or _thread.get_ident() != threading.main_thread().ident:
        time.sleep(seconds)
        return
    deferred.__exit__()
    time.sleep(seconds)
    deferred.__enter__()
