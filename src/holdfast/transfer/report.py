"""Reports of a transfer: while it runs, and when it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_CHECKPOINTS_PER_CALL: Final = 200  # between two calls of a listener


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferProgress:
    """How far a transfer has come: it is at `thread`, after `threads_done` others."""

    thread: str
    threads_done: int
    threads_total: int
    checkpoints: int
    """Checkpoints moved so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferReport:
    """What a transfer did."""

    threads: int
    """Threads that were compared."""
    unchanged: int
    """Those of them that the target had already, as they are or further on."""
    checkpoints: int
    writes: int
    entries: int
    """Journal entries; like checkpoints and writes, only those that were moved."""
    size: int
    """Bytes of the states that were moved: the sum of the checkpoints' sizes."""


Listener = Callable[[TransferProgress], None]


@dataclass(slots=True)
class Counts:
    """The counts of a transfer that runs."""

    threads: int = 0
    unchanged: int = 0
    checkpoints: int = 0
    writes: int = 0
    entries: int = 0
    size: int = 0

    def report(self) -> TransferReport:
        return TransferReport(
            threads=self.threads, unchanged=self.unchanged, checkpoints=self.checkpoints, writes=self.writes,
            entries=self.entries, size=self.size,
        )  # fmt: skip


@dataclass(eq=False)
class ProgressReporter:
    """Calls a listener after each thread, and in long threads from time to time."""

    listener: Listener | None
    total: int
    counts: Counts
    _done: int = 0
    _reported: int = 0

    def within(self, thread_id: str) -> None:
        """Some records of a thread were moved."""
        if self.counts.checkpoints - self._reported >= _CHECKPOINTS_PER_CALL:
            self._report(thread_id)

    def after(self, thread_id: str) -> None:
        """A thread is done."""
        self._done += 1
        self._report(thread_id)

    def _report(self, thread_id: str) -> None:
        self._reported = self.counts.checkpoints
        if self.listener is not None:
            self.listener(TransferProgress(
                thread=thread_id, threads_done=self._done, threads_total=max(self.total, self._done),
                checkpoints=self.counts.checkpoints,
            ))  # fmt: skip
