"""What every operation of one opened store shares, and who is asking."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol
from weakref import WeakSet

from holdfast.backends.base import Backend
from holdfast.backends.rows import PendingRow
from holdfast.codec import Codec
from holdfast.engine import terms
from holdfast.engine.cache import Cache
from holdfast.engine.terms import Terms
from holdfast.engine.values import Home
from holdfast.errors import Closed


class Pending(Protocol):
    """Writes of one thread that are still on their way."""

    def flush(self) -> None: ...


@dataclass(eq=False)
class Engine:
    """One backend, one codec, and the caches in front of them."""

    backend: Backend
    codec: Codec
    url: str
    durability: str = "sync"
    cache: Cache = field(default_factory=Cache)
    usual: Terms = terms.NONE  # the terms of threads for which nobody asked for others
    backlogs: dict[str, Pending] = field(default_factory=dict)
    noted: dict[int, dict[int, list[PendingRow]]] = field(default_factory=dict)  # line, seq: see engine/sealing.py
    closed: bool = False
    tends: bool = True  # retentions are applied as threads are written
    ahead: tuple[float, int] | None = None  # the store's clock, when and by how much: see engine/clocks.py

    def __post_init__(self) -> None:
        _alive.add(self)

    @property
    def awaitable(self) -> bool:
        """Whether what the engine does may be awaited on an event loop. Waiting for a backlog blocks."""
        return not (self.backend.capabilities.blocking or self.backlogs)

    def home(self, tree: int) -> Home:
        """Where the values of a tree are stored, and how."""
        return Home(tree, self.backend.capabilities.frames)

    def flush(self, thread_id: str) -> None:
        """A read of a thread comes after what was saved to it before."""
        backlog = self.backlogs.get(thread_id)
        if backlog is not None:
            backlog.flush()

    def check_open(self) -> None:
        if self.closed:
            raise Closed(f"the store {self.url!r} is closed; open it again with holdfast.open()")


_alive: WeakSet[Engine] = WeakSet()


def _after_fork() -> None:
    for engine in list(_alive):
        engine.cache.after_fork()
        engine.backlogs = {}
        engine.noted = {}


os.register_at_fork(after_in_child=_after_fork)


@dataclass(eq=False)
class Handle:
    """One namespace of one thread, as one caller knows it.

    `generation` is which life of the thread the caller means: it is learned at the first touch, and from then on a
    handle never writes into a later life of a thread that was deleted.
    """

    thread_id: str
    namespace: str
    codec: Codec
    metadata: Mapping[str, Any] | None = None
    reuse: bool = False
    generation: int | None = None
    epoch: int | None = None  # of the lease that the caller holds
    asked: Terms = terms.NONE  # for how long the thread lives and what is kept of it, if the caller says so

    def inner(self, namespace: str) -> Handle:
        """The same caller in another namespace of the thread."""
        if namespace == self.namespace and self.metadata is None:
            return self
        return replace(self, namespace=namespace, metadata=None)

    @property
    def name(self) -> str:
        return f"thread {self.thread_id!r}" + (f", namespace {self.namespace!r}" if self.namespace else "")


def now() -> int:
    """The store's clock, in microseconds."""
    return time.time_ns() // 1000


def as_datetime(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds // 1_000_000, UTC).replace(microsecond=microseconds % 1_000_000)


def as_microseconds(moment: datetime) -> int:
    if moment.tzinfo is None:
        moment = moment.astimezone()
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond
