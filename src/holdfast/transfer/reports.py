"""What moving threads tells: while it goes on, and at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferProgress:
    """How far a transfer has come: it is at `thread`, with so many done."""

    thread: str
    threads_done: int
    threads_total: int
    checkpoints: int
    """Checkpoints moved so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferReport:
    """What a transfer did."""

    threads: int
    """Threads that were looked at."""
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
    """A report in the making."""

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
