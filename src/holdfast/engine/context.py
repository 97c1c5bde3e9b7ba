"""What every operation of one opened store shares, and which thread a caller means."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from holdfast._system import process_fork
from holdfast.backends.base import Backend
from holdfast.backends.rows import PendingRow
from holdfast.codec import Codec
from holdfast.engine import policy
from holdfast.engine.cache import Cache
from holdfast.engine.policy import Policy
from holdfast.errors import Closed
from holdfast.model import Retention


class Backlog(Protocol):
    """Saves of one thread that are queued and not stored yet."""

    def flush(self) -> None: ...


AfterSave = Callable[["Engine", "Handle", Any, Retention], Awaitable[None]]
"""Called after each save to a thread that has a retention, with where the thread is then, and the retention."""


@dataclass(eq=False)
class Engine:
    """One backend, one codec, and the caches in front of them."""

    backend: Backend
    codec: Codec
    url: str
    durability: str = "sync"
    cache: Cache = field(default_factory=Cache)
    default_policy: Policy = policy.NONE  # of threads whose caller requests no other
    after_save: AfterSave | None = None  # applies retentions as threads are written
    backlogs: dict[str, Backlog] = field(default_factory=dict)  # by thread id
    # Pending writes that this process has put, by line and number: the save that follows settles them.
    unsettled: dict[int, dict[int, list[PendingRow]]] = field(default_factory=dict)
    closed: bool = False
    # When the backend's clock was last asked (by time.monotonic), and how far it is ahead of this machine's.
    clock_offset: tuple[float, int] | None = None

    def __post_init__(self) -> None:
        process_fork.register(after_in_child=self.after_fork)

    @property
    def awaitable(self) -> bool:
        """Whether the engine's coroutines may be awaited on an event loop. Waiting for a backlog blocks."""
        return not (self.backend.capabilities.blocking or self.backlogs)

    def flush(self, thread_id: str) -> None:
        """Wait until the queued saves of a thread are stored, so that a read sees them."""
        backlog = self.backlogs.get(thread_id)
        if backlog is not None:
            backlog.flush()

    def flush_all(self) -> None:
        """Wait until the queued saves of all threads are stored."""
        for backlog in list(self.backlogs.values()):
            backlog.flush()

    def check_open(self) -> None:
        if self.closed:
            raise Closed(f"the store {self.url!r} is closed; open it again with holdfast.open()")

    def after_fork(self) -> None:
        """What is queued or unsettled belongs to the parent process."""
        self.cache.after_fork()
        self.backlogs = {}
        self.unsettled = {}


@dataclass(eq=False)
class Handle:
    """One namespace of one thread, as one caller knows it.

    `generation` is the generation of the thread that the caller means: the first use sets it, and from then on a handle
    never writes to a later generation of a thread that was deleted.
    """

    thread_id: str
    namespace: str
    codec: Codec
    metadata: Mapping[str, Any] | None = None
    reuse: bool = False
    generation: int | None = None
    epoch: int | None = None  # of the lease that the caller holds
    requested: Policy = policy.NONE  # how long the thread lives, and which of its checkpoints are kept

    def inner(self, namespace: str) -> Handle:
        """The same caller in another namespace of the thread."""
        if namespace == self.namespace and self.metadata is None:
            return self
        return replace(self, namespace=namespace, metadata=None)

    def root(self) -> Handle:
        """The same caller in the root namespace, with the metadata that it gives to a new thread."""
        return replace(self, namespace="") if self.namespace else self

    @property
    def name(self) -> str:
        return f"thread {self.thread_id!r}" + (f", namespace {self.namespace!r}" if self.namespace else "")


def now() -> int:
    """This machine's clock, in microseconds."""
    return time.time_ns() // 1000


def as_datetime(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds // 1_000_000, UTC).replace(microsecond=microseconds % 1_000_000)


def as_microseconds(moment: datetime) -> int:
    if moment.tzinfo is None:
        moment = moment.astimezone()
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond
