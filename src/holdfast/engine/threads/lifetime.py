"""How long a thread lives, by the store's clock, and whether a worker holds it.

A thread with a ttl expires that long after its last use. A save to the root namespace writes the root line anyway, so
it records its time exactly. Other uses do not otherwise write the root line: saves to inner namespaces, pending
writes, and reads where these count. They are recorded at most once per ttl/10.
"""

from __future__ import annotations

import time
from typing import Final

from holdfast.backends.base import ClockNear, Expect
from holdfast.backends.rows import LineRow, ThreadRow
from holdfast.engine import policy
from holdfast.engine.context import Engine, now
from holdfast.engine.policy import Policy

_ASK_AGAIN: Final = 60.0  # seconds
_MAY_DIFFER: Final = 10_000_000  # microseconds: by how much the store's clock may have been set without notice
_NEAR: Final = 2_000_000  # microseconds: closer to the end than that, the backend's clock itself decides


async def store_time(engine: Engine) -> int:
    """The store's clock. It may be a round trip away, so the backend is asked once a minute; in between, this process
    adds the difference to its own clock."""
    if engine.clock_offset is None or not 0 <= time.monotonic() - engine.clock_offset[0] < _ASK_AGAIN:
        before = now()
        there = await engine.backend.now()
        engine.clock_offset = (time.monotonic(), there - (before + now()) // 2)
    return now() + engine.clock_offset[1]


async def in_time(engine: Engine, thread_policy: Policy) -> list[Expect]:
    """What a write to a thread with a ttl expects: that the store's clock was not set since it was last asked. By a
    wrong time it would record a use that is long past for others, or pass for one in a thread that has expired."""
    return [] if thread_policy.ttl is None else [near(await store_time(engine))]


async def start_of(engine: Engine, thread: ThreadRow) -> int:
    """When a new thread was first used: by the store's clock, if it has a ttl. By the clock of a process that is slow
    it might have expired already."""
    return thread.created_at if policy.of(thread).ttl is None else await store_time(engine)


def near(moment: int) -> Expect:
    """That the store's clock is where it was taken to be."""
    return ClockNear(moment, _MAY_DIFFER)


def ask_again(engine: Engine) -> None:
    """Ask the store's clock before it is next used: it may have been set, as after a batch that was refused."""
    engine.clock_offset = None


def is_live(root: LineRow, now: int) -> bool:
    """Whether a worker holds the thread. A clock that stepped back by more than the ttl ends the hold as well, so that
    it can't lock a thread for good."""
    return bool(root.worker) and root.lease_at - root.lease_ttl <= now < root.lease_at + root.lease_ttl


def end_of(thread: ThreadRow, root: LineRow) -> int | None:
    """When the thread expires, unless it is used before then or a worker holds it."""
    ttl = policy.of(thread).ttl
    return None if ttl is None else _last_use(thread, root) + ttl


def _last_use(thread: ThreadRow, root: LineRow) -> int:
    return max(thread.created_at, root.updated_at, root.lease_at)


async def has_expired(engine: Engine, thread: ThreadRow, root: LineRow) -> bool:
    end = end_of(thread, root)
    if end is None or await store_time(engine) < end - _NEAR:
        return False
    moment = await engine.backend.now()
    return moment >= end and not is_live(root, moment)


async def written(engine: Engine, thread_policy: Policy, thread: ThreadRow, root: LineRow) -> LineRow:
    """The root line after a write elsewhere in the thread: the same row, unless that use has to be recorded."""
    moment = await _worth_recording(engine, thread_policy, thread, root)
    return root if moment is None else root._replace(updated_at=moment)


async def read(engine: Engine, thread_policy: Policy, thread: ThreadRow, root: LineRow) -> LineRow:
    """The root line after a read: the same row, unless reads count and this one has to be recorded."""
    moment = await _worth_recording(engine, thread_policy, thread, root) if thread_policy.refresh else None
    if moment is None:
        return root
    return root._replace(updated_at=moment) if root.worker else root._replace(lease_at=moment)


async def _worth_recording(engine: Engine, thread_policy: Policy, thread: ThreadRow, root: LineRow) -> int | None:
    if thread_policy.ttl is None:
        return None
    moment = await store_time(engine)
    return moment if moment - _last_use(thread, root) >= thread_policy.ttl // 10 else None
