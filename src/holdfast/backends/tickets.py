"""Batches that wait to be committed: whoever gets the lock commits them all, and tells each how it went."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from threading import Lock

from holdfast.backends.base import Batch


class Ticket:
    """One batch waiting for its commit."""

    __slots__ = ("batch", "done", "applied", "error")

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.done = False
        self.applied = False
        self.error: BaseException | None = None

    def answer(self, applied: bool) -> None:
        self.applied, self.done = applied, True

    def fail(self, error: BaseException) -> None:
        self.error, self.done = error, True

    def result(self) -> bool:
        if self.error is not None:
            raise self.error
        return self.applied


def commit(batch: Batch, queue: deque[Ticket], writing: Lock, commit_all: Callable[[list[Ticket]], None]) -> bool:
    """Wait for the lock, and commit everyone in the queue, unless someone else has done it meanwhile."""
    ticket = Ticket(batch)
    queue.append(ticket)
    with writing:
        if not ticket.done:
            tickets = list(_waiting(queue))
            try:
                commit_all(tickets)
            except BaseException:
                for one in tickets:  # whoever waits must not believe in a commit that never was
                    if not one.done:
                        one.fail(RuntimeError("the commit was interrupted"))
                raise
    return ticket.result()


def _waiting(queue: deque[Ticket]) -> Iterator[Ticket]:
    """Everyone in the queue; others may join it meanwhile, and are taken along."""
    while queue:
        yield queue.popleft()
