"""Checks of values: whether each version that a tree refers to can be read from its chunks and matches its digest.

Chunks arrive in the order of their logs. A log is checked when all of it has arrived, together with the logs that it
continues and those that continue it. Nothing else is held in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Final, NamedTuple

from holdfast.backends.memory.scratch import RowSnapshot
from holdfast.backends.rows import ChunkRow, LogRow
from holdfast.codec import Codec
from holdfast.codec.inspection import problem_in
from holdfast.engine.integrity.findings import Needs, VersionNeed
from holdfast.engine.integrity.tree_rows import is_value
from holdfast.engine.values import log_reader
from holdfast.engine.values.digests import item_digests, value_digest
from holdfast.engine.values.manifest import Ref
from holdfast.engine.values.msgpack_parts import LIST, Parts, is_tagged
from holdfast.errors import Corrupt, TooLarge

_SMALL_ITEM: Final = 32


class BrokenVersion(NamedTuple):
    """A version that can't be read as it was saved."""

    log: int
    pos: int
    why: str


class ValueCheck:
    """`take` every chunk of a tree, in order, then `finish`; `broken` then has the versions that are damaged. The logs
    of manifests were checked before, since they say which versions are needed."""

    def __init__(
        self, tree: int, logs: dict[int, LogRow], needs: Needs, codec: Codec, manifests: Iterable[int] = ()
    ) -> None:
        self._tree = tree
        self._codec = codec
        self._needs = {log: dict(positions) for log, positions in needs.items()}
        self._logs = _grounded(logs)
        self._groups = _groups(self._logs)
        self._wanted: set[int] = set()  # logs that are needed, and those that are connected with them
        for log in (*needs, *manifests):
            if log not in self._wanted:
                self._wanted.update(self._groups.get(log, [log]))
        self._arriving: dict[int, RowSnapshot] = {}  # by the last log of the group
        self._lasts: list[int] = []  # the same numbers, as a heap
        self.broken: list[BrokenVersion] = []
        self.checked = 0
        self.too_large = 0  # versions that this store was not opened for
        self.orphans = 0  # chunks of logs that nothing refers to

    def take(self, row: ChunkRow) -> None:
        # Logs arrive in order, so groups whose last log is lower are complete.
        self._check_groups(before=row.log)
        if row.log not in self._wanted:
            self.orphans += 1
            return
        self._tables(self._groups.get(row.log, [row.log])).put(row)

    def _tables(self, group: list[int]) -> RowSnapshot:
        last = group[-1]
        if last not in self._arriving:
            self._arriving[last] = RowSnapshot(self._logs[log] for log in group if log in self._logs)
            heappush(self._lasts, last)
        return self._arriving[last]

    def finish(self) -> None:
        self._check_groups(before=1 << 63)
        # What is left are logs of which not one chunk arrived.
        for log in sorted(self._needs):
            self.broken += [BrokenVersion(log, pos, "its log is missing") for pos in sorted(self._needs[log])]

    def _check_groups(self, before: int) -> None:
        while self._lasts and self._lasts[0] < before:
            last = heappop(self._lasts)
            tables = self._arriving.pop(last)
            for log in self._groups.get(last, [last]):
                self._check_log(tables, log, self._needs.pop(log, {}))

    def _check_log(self, tables: RowSnapshot, log: int, needs: dict[int, VersionNeed]) -> None:
        """From the end, all positions after one key at a time: they are read in one pass."""
        left = sorted(needs)
        while left:
            pieces = tables.pieces(self._tree, log, left[-1])
            # The key may be in the log that this one continues: then all positions are made from it.
            first = pieces[0].chunk.lo if pieces and pieces[0].chunk.log == log else 0
            positions = [pos for pos in left if pos >= first] or left[-1:]
            left = left[: len(left) - len(positions)]
            try:
                self.broken += _broken(_Log(tables, self._tree, log, self._codec), positions, needs)
                self.checked += len(positions)
            except TooLarge:
                self.too_large += len(positions)


def _grounded(logs: dict[int, LogRow]) -> dict[int, LogRow]:
    """The logs of which following the bases ends at a log that has none."""
    known: set[int] = set()
    for row in logs.values():
        passed = {row.log}
        base = row.base_log
        while base in logs and base not in known and base not in passed:
            passed.add(base)
            base = logs[base].base_log
        if base not in passed:
            known |= passed
    return {log: row for log, row in logs.items() if log in known}


def _groups(logs: dict[int, LogRow]) -> dict[int, list[int]]:
    """For each log that continues another or is continued, all logs that are connected with it, in order. Each goes
    through its bases to the one that has none, which all of them share."""
    firsts: dict[int, int] = {}
    groups: dict[int, list[int]] = {}
    for log in logs:
        passed = []
        while log in logs and log not in firsts:
            passed.append(log)
            log = logs[log].base_log
        first = firsts.get(log, log)
        firsts.update(dict.fromkeys(passed, first))
        groups.setdefault(first, [first]).extend(passed)
    return {log: group for group in map(sorted, groups.values()) for log in group}


class _Log(NamedTuple):
    """One log among the rows of its group."""

    tables: RowSnapshot
    tree: int
    log: int
    codec: Codec

    def walk(self, positions: list[int]) -> Iterator[Parts]:
        refs = [Ref(self.log, pos, b"") for pos in positions]
        return log_reader.walk(refs, self.tables.pieces(self.tree, self.log, positions[-1]), self.codec.max_value)


class _FreshItems:
    """Looks whether versions can be decoded: of a list, only the items that the version before does not have."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def problem(self, parts: Parts) -> str:
        items = parts.items if parts.kind == LIST else []
        # Many small items are faster to decode than to compare.
        if not items or len(items) * _SMALL_ITEM > parts.size or is_tagged(items[0]):
            return problem_in(parts.enc)
        now = {*map(bytes, items)}
        fresh, self._known = now - self._known, now
        return next(filter(None, map(problem_in, fresh)), "")


def _broken(log: _Log, positions: list[int], needs: dict[int, VersionNeed]) -> list[BrokenVersion]:
    """Those of the positions, which all follow one key, that are broken."""
    try:
        return list(_mismatches(log, positions, needs))
    except Corrupt:
        # The read stopped at the first damage, and its result is lost. Find where that is, and read up to there again.
        count = _count_readable(log, positions)
    broken = list(_mismatches(log, positions[:count], needs)) if count else []
    return broken + [BrokenVersion(log.log, pos, _problem(log, pos)) for pos in positions[count:]]


def _count_readable(log: _Log, positions: list[int]) -> int:
    """How many of them can be read. Damage at one position stops the read of every later one, so bisection finds it."""
    low, high = 0, len(positions)
    while low < high:
        middle = (low + high) // 2
        if _problem(log, positions[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def _problem(log: _Log, pos: int) -> str:
    """Why a position can't be read; empty if it can."""
    try:
        for _ in log.walk([pos]):
            pass
    except Corrupt as error:
        return str(error)
    return ""


def _mismatches(log: _Log, positions: list[int], needs: dict[int, VersionNeed]) -> Iterator[BrokenVersion]:
    """Versions that are not what is expected. Digests of items that a version shares with the one before are reused."""
    before, digests = None, b""
    fresh = _FreshItems()
    for pos, parts in zip(positions, log.walk(positions), strict=True):
        digests = item_digests(parts, before, digests)
        before = parts
        digest = value_digest(parts, digests)
        need = needs[pos]
        if any(expected != digest for expected in need.digests):
            yield BrokenVersion(log.log, pos, "the value does not match its digest")
        elif not need.digests and not is_value(parts.enc):
            yield BrokenVersion(log.log, pos, "the value is incomplete")
        elif problem := fresh.problem(parts):
            yield BrokenVersion(log.log, pos, problem)
        elif need.items and (parts.kind != LIST or len(parts.items) < need.items):
            message = f"a write refers to its item {need.items - 1}, and it has {len(parts.items)} items"
            yield BrokenVersion(log.log, pos, message)
