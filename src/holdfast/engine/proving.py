"""Whether the versions that are named in a tree can be made from its chunks, and are what their digests say.

Chunks come in the order of their logs. A log is looked at when all of it has come, together with those it continues
from or that continue from it; nothing else is held meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from holdfast.backends.rows import ChunkRow, LogRow
from holdfast.backends.snapshot import Snapshot
from holdfast.engine import values
from holdfast.engine.digests import item_digests, value_digest
from holdfast.engine.judging import Need
from holdfast.engine.manifest import Ref
from holdfast.engine.parts import LIST
from holdfast.engine.treerows import is_value
from holdfast.errors import Corrupt

Needs = dict[int, dict[int, Need]]


class Broken(NamedTuple):
    """A version that can't be had as it was saved."""

    log: int
    pos: int
    why: str


class Proof:
    """Chunks go in, in order; what is broken comes out."""

    def __init__(self, tree: int, logs: dict[int, LogRow], needs: Needs) -> None:
        self._tree = tree
        self._needs = needs
        self._logs = {log: row for log, row in logs.items() if _grounded(logs, row)}
        self._families = _families(self._logs)
        self._waiting: dict[int, Snapshot] = {}  # by the last log of the family
        self.broken: list[Broken] = []
        self.proven = 0
        self.orphans = 0  # chunks of logs that nothing names

    def take(self, row: ChunkRow) -> None:
        self._finish(before=row.log)
        members = self._families.get(row.log, [row.log])
        if row.log not in self._needs and not any(log in self._needs for log in members):
            self.orphans += 1
            return
        self._tables(members).put(row)

    def _tables(self, members: list[int]) -> Snapshot:
        last = max(members)
        if last not in self._waiting:
            self._waiting[last] = tables = Snapshot()
            for log in members:
                if log in self._logs:
                    tables.put(self._logs[log])
        return self._waiting[last]

    def finish(self) -> None:
        self._finish(before=1 << 63)
        for log in sorted(self._needs):  # those of which not one chunk came
            self.broken += [Broken(log, pos, "its log is not there") for pos in sorted(self._needs[log])]

    def _finish(self, before: int) -> None:
        for last in [last for last in self._waiting if last < before]:
            tables = self._waiting.pop(last)
            for log in self._families.get(last, [last]):
                self._prove_log(tables, log, self._needs.pop(log, {}))

    def _prove_log(self, tables: Snapshot, log: int, needs: dict[int, Need]) -> None:
        left = sorted(needs)
        while left:
            found = tables.pieces(self._tree, log, left[-1])
            first = found[0].chunk.lo if found and found[0].chunk.log == log else 0
            stretch = [pos for pos in left if pos >= first]
            if not stretch:
                stretch = left[-1:]
            left = left[: len(left) - len(stretch)]
            self.broken += _proven(tables, self._tree, log, stretch, needs)
            self.proven += len(stretch)


def _grounded(logs: dict[int, LogRow], row: LogRow) -> bool:
    """Whether the way down from here has an end."""
    passed = {row.log}
    while row.base_log in logs:
        if row.base_log in passed:
            return False
        passed.add(row.base_log)
        row = logs[row.base_log]
    return True


def _families(logs: dict[int, LogRow]) -> dict[int, list[int]]:
    """For each log that continues another, or is continued, all logs that hang together with it."""
    found: dict[int, list[int]] = {}
    for row in logs.values():
        one, other = found.get(row.log, [row.log]), found.get(row.base_log, [row.base_log])
        if one is other:
            continue
        whole = one + other
        for log in whole:
            found[log] = whole
    return found


def _proven(tables: Snapshot, tree: int, log: int, stretch: list[int], needs: dict[int, Need]) -> list[Broken]:
    """What is broken among these positions, which all come after one key."""
    try:
        return [*_compared(tables, tree, log, stretch, needs)]
    except Corrupt:
        readable = _readable(tables, tree, log, stretch)
    found = [*_compared(tables, tree, log, stretch[:readable], needs)] if readable else []
    return found + [Broken(log, pos, _why(tables, tree, log, pos)) for pos in stretch[readable:]]


def _readable(tables: Snapshot, tree: int, log: int, stretch: list[int]) -> int:
    """How many of them can be read: whoever is stopped at one is stopped at all later ones."""
    low, high = 0, len(stretch)
    while low < high:
        middle = (low + high) // 2
        if _why(tables, tree, log, stretch[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def _why(tables: Snapshot, tree: int, log: int, pos: int) -> str:
    """Why a position can't be read; empty if it can."""
    try:
        for _ in values.walk([Ref(log, pos, b"")], tables.pieces(tree, log, pos)):
            pass
    except Corrupt as error:
        return str(error)
    return ""


def _compared(tables: Snapshot, tree: int, log: int, stretch: list[int], needs: dict[int, Need]) -> Iterator[Broken]:
    """Each version against its digest; the digests of items that a version shares with the one before serve again."""
    old, known = None, b""
    refs = [Ref(log, pos, b"") for pos in stretch]
    for pos, parts in zip(stretch, values.walk(refs, tables.pieces(tree, log, stretch[-1])), strict=True):
        known = item_digests(parts, old, known)
        old = parts
        digest = value_digest(parts, known)
        need = needs[pos]
        if any(one != digest for one in need.digests):
            yield Broken(log, pos, "the value does not match its digest")
        elif not need.digests and not is_value(parts.enc):
            yield Broken(log, pos, "the value is not whole")
        elif need.items and (parts.kind != LIST or len(parts.items) < need.items):
            yield Broken(log, pos, f"a write is said to be its item {need.items - 1}, and it has {len(parts.items)}")
