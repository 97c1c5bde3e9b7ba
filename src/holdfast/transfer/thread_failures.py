"""Errors of a transfer that concern one thread: the other threads are moved nevertheless."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from holdfast.errors import Conflict, Contended, Corrupt, Deleted, HoldfastError, ThreadBusy

OF_ONE_THREAD: Final = (Conflict, Deleted, Corrupt, ThreadBusy, Contended)
_MOST_SHOWN: Final = 20


@contextmanager
def naming_thread(thread_id: str) -> Iterator[None]:
    """An error about a damaged row names the thread that the row belongs to."""
    try:
        yield
    except Corrupt as error:
        if repr(thread_id) in str(error):
            raise
        raise Corrupt(f"thread {thread_id!r}: {error}") from error


@dataclass(eq=False)
class ThreadFailures:
    """The errors of threads that could not be moved."""

    errors: list[HoldfastError] = field(default_factory=list)

    def add(self, error: HoldfastError) -> None:
        self.errors.append(error)

    def check(self) -> None:
        """Raise the error, or one that sums up several."""
        if len(self.errors) == 1:
            raise self.errors[0]
        if self.errors:
            raise self._kind()(
                f"{len(self.errors)} threads could not be moved, and are unchanged; the others are moved. "
                + " ".join(f"[{error}]" for error in self.errors[:_MOST_SHOWN])
            ) from self.errors[0]

    def _kind(self) -> type[HoldfastError]:
        """The kind that all errors have. If they differ, damage takes precedence."""
        kinds = {type(error) for error in self.errors}
        if len(kinds) == 1 and Deleted not in kinds:
            return kinds.pop()
        return Corrupt if Corrupt in kinds else Conflict
