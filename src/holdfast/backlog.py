"""Saves on their way to disk while the run goes on: in order, bounded, and none after one that failed."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Final

from holdfast.errors import WriteLost

LIMIT: Final = 64  # saves; a run that is faster than its disk waits here


class Backlog:
    """One worker for one run."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._queue: queue.Queue[tuple[str, Callable[[], object]] | None] = queue.Queue(LIMIT)
        self._lost: tuple[str, BaseException] | None = None
        self._thread = threading.Thread(target=self._work, name="holdfast-backlog", daemon=True)
        self._thread.start()

    def put(self, checkpoint_id: str, write: Callable[[], object]) -> None:
        self.check()
        self._queue.put((checkpoint_id, write))

    def check(self) -> None:
        """Whatever was lost is said at the next boundary, and at every one after it."""
        if self._lost is not None:
            first, error = self._lost
            raise WriteLost(
                f"{self._name}: checkpoint {first!r} could not be written in the background ({error}); "
                "nothing after it was written",
                first=first,
            ) from error

    def flush(self) -> None:
        """Wait until everything is written; a read of the thread comes after what was saved before it."""
        if threading.current_thread() is not self._thread:
            self._queue.join()

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            checkpoint_id, write = item
            try:
                if self._lost is None:
                    write()
            except BaseException as error:
                self._lost = (checkpoint_id, error)
            finally:
                self._queue.task_done()
        self._queue.task_done()
