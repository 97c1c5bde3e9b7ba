"""Decoding a large value makes thousands of objects at once, and all of them are there to stay.

Python's garbage collector starts whenever enough new objects are alive, looks through them, finds nothing, and starts
again: for a long history that takes more time than everything else together. So it waits while a burst lasts, and looks
through the new objects once, after it.
"""

from __future__ import annotations

import gc
import os
import threading
from types import TracebackType


class _Burst:
    """Entered by any number of threads; the collector goes on when the last of them has left."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._was_on = False

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._was_on = gc.isenabled()  # whoever runs without a collector goes on without one
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
        """Whoever was inside is inside in the parent."""
        if self._inside and self._was_on:
            gc.enable()
        self._inside = 0
        self._lock = threading.Lock()


burst = _Burst()
os.register_at_fork(after_in_child=burst.after_fork)
