"""Lease epochs in a restored backup: higher than any that a worker of another copy can have."""

from __future__ import annotations

import time

from holdfast.backends.rows import LineRow, is_sound, with_checksum


def raised(row: LineRow) -> LineRow | None:
    """The root line of a thread when a backup is first opened: it has no lease, and writes of workers that held or read
    it elsewhere are refused. None if the row is not a root line, or is damaged.

    The original store may have continued since the backup, and the same backup may be restored twice. So the numbers do
    not grow by one: they continue from the clock, and no two copies assign the same ones.
    """
    if row.line != row.thread or not is_sound(row):
        return None
    now = time.time_ns() // 1000
    return with_checksum(row._replace(version=max(row.version + 1, now), epoch=max(row.epoch + 1, now), worker=""))
