"""Pauses Python's garbage collector while a large value is decoded.

Decoding creates thousands of objects, and all of them stay alive. The collector would start again and again, look
through them and free nothing; for a long history that takes longer than the decoding. Paused, it looks through the new
objects once, afterwards.
"""

from __future__ import annotations

import gc
import threading
from types import TracebackType

from holdfast._system import process_fork


class _GcPause:
    """A context manager for any number of threads; the collector resumes when the last of them has left."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._was_on = False

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                # A program that has switched the collector off keeps it off.
                self._was_on = gc.isenabled()
                gc.disable()
            self._inside += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._was_on:
                gc.enable()

    def after_fork(self) -> None:
        """In the child, the threads that were inside do not exist."""
        if self._inside and self._was_on:
            gc.enable()
        self._inside = 0
        self._lock = threading.Lock()


gc_paused = _GcPause()
process_fork.register(after_in_child=gc_paused.after_fork)
