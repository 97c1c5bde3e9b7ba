"""Who sees which checkpoints of one tree, all of whose rows are in memory: for `verify` and `collect`.

What a line inherits is what its base sees, so lines that share a past share the answer. Each part of it is walked once,
however many lines see it: rows that were marked are not visited again, and counts are remembered.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from holdfast.backends.rows import NO_LIMIT, CheckpointRow, LineRow, OverlayRow
from holdfast.engine.threads.segments import Segment

RowKey = tuple[int, int]
"""The line and the number of a checkpoint."""


class _Stop(NamedTuple):
    """Where a walk through a past is: at a checkpoint and its ancestors, or (number 0) at all that a line inherits."""

    line: int
    seq: int


class _Part(NamedTuple):
    """One segment of a past, and where it continues."""

    segment: Segment
    after: _Stop | None


class Lineages:
    """The lines, checkpoints and overlays of a tree. Every base of a line is there, and no line is its own base."""

    def __init__(
        self,
        lines: Mapping[int, LineRow],
        rows: Mapping[int, Mapping[int, CheckpointRow]],
        overlays: Iterable[OverlayRow],
        *,
        may_grow: bool = False,
    ) -> None:
        """`may_grow` if lines may have got more rows since they were read."""
        self._lines = lines
        self._rows = rows
        self._may_grow = may_grow
        self._numbers = {line: sorted(numbers) for line, numbers in rows.items()}
        self._overlays: dict[int, list[OverlayRow]] = {}
        for overlay in overlays:
            self._overlays.setdefault(overlay.line, []).append(overlay)
        self._marked: dict[tuple[int, int, _Stop | None], int] = {}  # up to which number rows were marked
        self._counts: dict[_Stop, int] = {}

    # ---------------------------------------------------------------- one line

    def hidden(self, line: LineRow) -> set[int]:
        """The numbers that a line does not show. A fork sees what was removed before it was made."""
        if not line.overlays:
            return set()
        # Below a fork point, only what was removed before the fork, and only numbers that the fork takes from there.
        found = {row.seq for row in self._overlays.get(line.line, ()) if row.hidden}
        last = NO_LIMIT
        while line.base_line is not None:
            last, era = min(last, line.base_seq), line.base_era
            line = self._lines[line.base_line]
            below = self._overlays.get(line.line, ())
            found.update(row.seq for row in below if row.hidden and row.era < era and row.seq <= last)
        return found

    def own(self, line: LineRow) -> Segment:
        return Segment(line.line, line.base_seq + 1, NO_LIMIT if self._may_grow else line.seq)

    def inherited(self, line: LineRow) -> Iterator[Segment]:
        """What a line sees below its own rows, newest first."""
        for part in self._parts(_Stop(line.line, 0)):
            yield part.segment

    def rows(self, segments: Iterable[Segment], hidden: Collection[int]) -> Iterator[CheckpointRow]:
        """The rows of these segments that are shown, newest first."""
        for segment in segments:
            for seq in reversed(self._within(segment)):
                if seq not in hidden:
                    yield self._rows[segment.line][seq]

    def _within(self, segment: Segment) -> list[int]:
        numbers = self._numbers.get(segment.line, [])
        return numbers[bisect_left(numbers, segment.lo) : bisect_right(numbers, segment.hi)]

    def _count(self, segment: Segment) -> int:
        numbers = self._numbers.get(segment.line, [])
        return bisect_right(numbers, segment.hi) - bisect_left(numbers, segment.lo)

    # ---------------------------------------------------------------- a past

    def _parts(self, stop: _Stop | None) -> Iterator[_Part]:
        while stop is not None:
            part = self._of_line(stop.line) if stop.seq == 0 else self._of_checkpoint(stop)
            if part is None:
                return
            yield part
            stop = part.after

    def _of_line(self, number: int) -> _Part | None:
        """The first part of what a line inherits: a fork sees one checkpoint of its base with its ancestors, and a copy
        everything."""
        line = self._lines[number]
        if line.base_line is None:
            return None
        if not line.is_copy:
            return self._of_checkpoint(_Stop(self._owner(line.base_line, line.base_seq), line.base_seq))
        base = self._lines[line.base_line]
        return _Part(Segment(base.line, base.base_seq + 1, line.base_seq), _Stop(base.line, 0))

    def _of_checkpoint(self, stop: _Stop) -> _Part | None:
        """The rows of its line from which the checkpoint descends without a branch; None if its row is missing."""
        row = self._rows.get(stop.line, {}).get(stop.seq)
        if row is None:
            return None
        segment = Segment(stop.line, row.chain_start, stop.seq)
        numbers = self._within(segment)
        if not numbers:
            return None
        # The oldest row of the chain leads further down. A parent with a higher number is damage, and a circle.
        parent = self._rows[stop.line][numbers[0]].parent_seq
        after = _Stop(self._owner(stop.line, parent), parent) if 0 < parent < numbers[0] else None
        return _Part(segment, after)

    def _owner(self, number: int, seq: int) -> int:
        """The line whose row has this number in the view of a line."""
        line = self._lines[number]
        while line.base_line is not None and seq <= line.base_seq:
            line = self._lines[line.base_line]
        return line.line

    # ---------------------------------------------------------------- what lines share

    def count(self, line: LineRow, hidden: Collection[int]) -> int:
        """How many checkpoints a line shows."""
        if hidden:
            return sum(1 for _ in self.rows(chain([self.own(line)], self.inherited(line)), hidden))
        return self._count(self.own(line)) + self._inherited_count(_Stop(line.line, 0))

    def _inherited_count(self, stop: _Stop) -> int:
        passed: list[tuple[_Stop, int]] = []
        left: _Stop | None = stop
        for part in self._parts(stop):
            if left is None or left in self._counts:
                break
            passed.append((left, self._count(part.segment)))
            left = part.after
        total = self._counts.get(left, 0) if left is not None else 0
        # From the far end back, so that each stop on the way has its own total for the next line.
        for walked, count in reversed(passed):
            total += count
            self._counts[walked] = total
        return total

    def newly_seen(self, line: LineRow, hidden: Collection[int]) -> Iterator[RowKey]:
        """What a line shows, without most of what was returned before for a line that hides nothing of it."""
        # What is hidden here may be shown by other lines: nothing of this walk may count as returned.
        if hidden:
            for row in self.rows(chain([self.own(line)], self.inherited(line)), hidden):
                yield row.line, row.seq
            return
        below = _Stop(line.line, 0)
        for segment, after in chain([_Part(self.own(line), below)], self._parts(below)):
            key = (segment.line, segment.lo, after)
            before = self._marked.get(key)
            if before is None or before < segment.hi:
                self._marked[key] = segment.hi
                for seq in self._within(segment if before is None else segment._replace(lo=before + 1)):
                    yield segment.line, seq
            if before is not None:  # so was what comes below
                return

    # ---------------------------------------------------------------- lines

    def pass_through(self, line: LineRow, used: set[int]) -> None:
        """Add the line, and all that it was forked from."""
        number: int | None = line.line
        while number is not None and number not in used:
            used.add(number)
            number = self._lines[number].base_line


def is_grounded(lines: Mapping[int, LineRow], row: LineRow, known: set[int]) -> bool:
    """Whether following the bases of a line ends at a line that has none. `known` collects those of which it is
    known."""
    passed = {row.line}
    while row.base_line is not None and row.line not in known:
        base = lines.get(row.base_line)
        if base is None or base.line in passed:
            return False
        passed.add(base.line)
        row = base
    known |= passed
    return True


class NamespaceNames:
    """The namespaces that the threads of a tree have written to, and see through what they were forked from."""

    def __init__(self, lines: Mapping[int, LineRow]) -> None:
        self._lines = lines
        self._own: dict[int, dict[str, LineRow]] = {}  # by root line
        for line in lines.values():
            self._own.setdefault(line.thread, {}).setdefault(line.namespace, line)
        self._seen: dict[int, frozenset[str]] = {}

    def own(self, root: int) -> Mapping[str, LineRow]:
        return self._own.get(root, {})

    def seen(self, root: LineRow) -> frozenset[str]:
        """Forks that add no name share one set."""
        passed: list[LineRow] = []
        line: LineRow | None = root
        while line is not None and line.line not in self._seen:
            passed.append(line)
            line = None if line.base_line is None else self._lines[line.base_line]
        names = frozenset() if line is None else self._seen[line.line]
        for walked in reversed(passed):
            if not self._own.get(walked.line, {}).keys() <= names:
                names |= self._own[walked.line].keys()
            self._seen[walked.line] = names
        return names
