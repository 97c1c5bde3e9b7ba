"""Lease epochs in a restored copy: higher than any that a worker of another copy can have."""

from __future__ import annotations

import time

from holdfast.backends.rows import LineRow, is_sound, sealed


def raised(row: LineRow) -> LineRow | None:
    """The root line of a thread as it is when a copy is opened first: nobody holds it, and whoever held it elsewhere,
    or remembers it from elsewhere, comes too late. None if the row is not one, or damaged.

    The store that the copy was made of may have gone on, and the same copy may be restored twice. So the numbers do not
    grow by one: they continue from the clock, and no two copies hand out the same.
    """
    if row.line != row.thread or not is_sound(row):
        return None
    now = time.time_ns() // 1000
    return sealed(row._replace(version=max(row.version + 1, now), epoch=max(row.epoch + 1, now), worker=""))
