"""A queue of batches: the thread that gets the lock commits all of them, and each caller gets its own result.

A signal handler may raise at any place. A caller that is interrupted withdraws its batches. If it was committing those
of others too, each of these callers gets the lock in turn, finds its batches not done, and commits them itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from threading import Lock

from holdfast.backends.base import Batch


@dataclass(slots=True, eq=False)
class Ticket:
    """One batch in the queue, and its result."""

    batch: Batch
    applied: bool = False
    error: BaseException | None = None
    marks: list[bool] = field(default_factory=list)  # not empty once it is done; shared with those of the same commit
    is_withdrawn: bool = False

    @property
    def is_done(self) -> bool:
        return bool(self.marks)

    def answer(self, applied: bool) -> None:
        self.applied = applied
        self.marks.append(True)

    def fail(self, error: BaseException) -> None:
        self.error = error
        self.marks.append(True)


def commit_each(
    batches: Sequence[Batch], queue: deque[Ticket], writing: Lock, commit_all: Callable[[list[Ticket]], None]
) -> list[bool]:
    """Wait for the lock and commit every batch in the queue, unless another thread has already committed these."""
    own = [*map(Ticket, batches)]
    try:
        queue.extend(own)
        with writing:
            if own and not own[-1].marks:  # they are committed together
                commit_all(_unfinished(own, queue))
    except BaseException:
        for ticket in own:
            ticket.is_withdrawn = True
        raise
    for ticket in own:
        if ticket.error is not None:
            raise ticket.error
    return [*map(_applied, own)]


def _unfinished(own: list[Ticket], queue: deque[Ticket]) -> list[Ticket]:
    """The caller's tickets, and all others in the queue. The caller's may not be in it: a thread that was interrupted
    may have taken them out."""
    tickets = [ticket for ticket in own if not ticket.marks]
    known = {*map(id, own)}
    while queue:  # also those that other threads add while it is emptied
        other = queue.popleft()
        if id(other) not in known and not other.marks and not other.is_withdrawn:
            tickets.append(other)
    return tickets


_applied = attrgetter("applied")
