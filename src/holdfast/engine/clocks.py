"""The store's clock, and what it says about a thread: whether a worker holds it, and whether its time is over.

A thread with a ttl is over so long after it was last used. Saves to its root namespace are noted exactly. Whatever else
counts as use would not have to write the root line: saves to inner namespaces, pending writes, and reads if they are to
count. It is noted once in a tenth of the ttl.
"""

from __future__ import annotations

import time
from typing import Final

from holdfast.backends.rows import LineRow, ThreadRow
from holdfast.engine import terms
from holdfast.engine.context import Engine, now

_ASKED_AGAIN: Final = 60.0  # seconds
_NEAR: Final = 2_000_000  # microseconds: closer to the end than that the clock itself decides


async def reckoned(engine: Engine) -> int:
    """The store's clock. It may be a round trip away, so it is asked once a minute, and reckoned in between."""
    if engine.ahead is None or not 0 <= time.monotonic() - engine.ahead[0] < _ASKED_AGAIN:
        before = now()
        there = await engine.backend.now()
        engine.ahead = (time.monotonic(), there - (before + now()) // 2)
    return now() + engine.ahead[1]


def is_live(root: LineRow, now: int) -> bool:
    """Whether a worker holds the thread. A clock that stepped back by more than the ttl ends the hold as well: it must
    not lock a thread for good."""
    return bool(root.worker) and root.lease_at - root.lease_ttl <= now < root.lease_at + root.lease_ttl


def end_of(thread: ThreadRow, root: LineRow) -> int | None:
    """When the thread's time is over, if nobody uses it until then and no worker holds it."""
    ttl = terms.of(thread).ttl
    return None if ttl is None else _last_use(thread, root) + ttl


def _last_use(thread: ThreadRow, root: LineRow) -> int:
    return max(thread.created_at, root.updated_at, root.lease_at)


async def has_expired(engine: Engine, thread: ThreadRow, root: LineRow) -> bool:
    end = end_of(thread, root)
    if end is None or await reckoned(engine) < end - _NEAR:
        return False
    moment = await engine.backend.now()
    return moment >= end and not is_live(root, moment)


async def stamp(engine: Engine, thread: ThreadRow) -> int | None:
    """When a save to this thread happens, by the store's clock; None if nobody will ask."""
    return None if terms.of(thread).ttl is None else await reckoned(engine)


async def written(engine: Engine, thread: ThreadRow, root: LineRow) -> LineRow:
    """The root line after something else was written to the thread: the same, unless that has to be noted."""
    moment = await _worth_noting(engine, thread, root)
    return root if moment is None else root._replace(updated_at=moment)


async def read(engine: Engine, thread: ThreadRow, root: LineRow) -> LineRow:
    """The root line after the thread was read: the same, unless that counts and has to be noted."""
    moment = await _worth_noting(engine, thread, root) if terms.of(thread).refresh else None
    if moment is None:
        return root
    return root._replace(updated_at=moment) if root.worker else root._replace(lease_at=moment)


async def _worth_noting(engine: Engine, thread: ThreadRow, root: LineRow) -> int | None:
    ttl = terms.of(thread).ttl
    if ttl is None:
        return None
    moment = await reckoned(engine)
    return moment if moment - _last_use(thread, root) >= ttl // 10 else None
