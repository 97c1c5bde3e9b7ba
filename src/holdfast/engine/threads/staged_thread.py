"""Threads that are being transferred into a store: they have lines, and no directory entry until they are complete.

Their root line says so in the columns of the lease, with a duration that no lease has. A transfer that was stopped
resumes where it was; threads whose transfer did not resume within a day are freed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from holdfast.backends.rows import LineRow

_SPAN: Final = -1
_ABANDONED: Final = "abandoned"


def staged(root: LineRow, moment: int) -> LineRow:
    return root._replace(worker="", lease_at=moment, lease_ttl=_SPAN)


def abandoned(root: LineRow) -> LineRow:
    """The root line of an earlier, different transfer: its numbers are not used again."""
    return root._replace(worker=_ABANDONED, lease_ttl=_SPAN)


def published(root: LineRow) -> LineRow:
    return root._replace(lease_at=0, lease_ttl=0) if is_staged(root) else root


def is_staged(root: LineRow) -> bool:
    return root.lease_ttl == _SPAN


def is_abandoned(root: LineRow) -> bool:
    return is_staged(root) and root.worker == _ABANDONED


def all_staged(lines: Iterable[LineRow]) -> bool:
    """Whether all of these lines belong to threads that are being transferred."""
    roots = [line for line in lines if line.line == line.thread]
    return bool(roots) and all(map(is_staged, roots))


def are_left(lines: Iterable[LineRow], before: int) -> bool:
    """Whether their transfer has not continued since then."""
    return all_staged(lines) and all(
        is_abandoned(line) or line.lease_at < before for line in lines if line.line == line.thread
    )
