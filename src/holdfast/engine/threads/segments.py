"""What a line inherits, as ranges of numbers; no more is read from the backend than is needed.

A lineage is read as ranges, not row by row: every row of the line from a row's `chain_start` up to the row is one of
its ancestors, so that a thread without branches is a single range, however long it is. A thread at the end of a chain
of forks has one range or more for each fork; the newest checkpoints need the first few.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, NamedTuple

from holdfast.backends.rows import NO_LIMIT, LineRow, checked
from holdfast.engine.context import Engine
from holdfast.errors import Corrupt

_PAGE: Final = 32  # lines; each page is twice as long as the one before
EVERY_NUMBER: Final = 1 - NO_LIMIT


class Segment(NamedTuple):
    """Rows lo..hi of one line."""

    line: int
    lo: int
    hi: int


class _Next(NamedTuple):
    """Where the walk through what a line inherits is: at a number, or (0) at what the line of a level inherits."""

    level: int
    seq: int


class Past:
    """One line, and what is below it."""

    def __init__(self, line: LineRow) -> None:
        self._tree = line.tree
        self._lines = [line]
        # For each line the lowest number at which it or a line above it starts, negated so that they ascend.
        self._floors = [_floor(line)]
        self._is_lost = False  # the row of the next line is missing
        self._segments: list[Segment] = []
        self._next: _Next | None = _Next(0, 0)
        self._start = 0  # the number at which the lineage starts

    # ---------------------------------------------------------------- lines

    async def lines_down_to(self, engine: Engine, seq: int) -> list[LineRow]:
        """The line, the one it was forked from, and so on, at least down to the one that has this number."""
        while self._floors[-1] <= -seq and not self._is_lost:
            await self._read_lines(engine, NO_LIMIT if seq == EVERY_NUMBER else _PAGE * len(self._lines))
        return self._lines

    async def lines_after(self, engine: Engine, count: int) -> list[LineRow]:
        """Some lines after the first ones; all at hand, and more if there are none. Empty if there are no others."""
        if count >= len(self._lines) and self._lines[-1].base_line is not None and not self._is_lost:
            await self._read_lines(engine, _PAGE * len(self._lines))
        return self._lines[count:]

    async def _read_lines(self, engine: Engine, limit: int) -> None:
        base = self._lines[-1].base_line
        page = [] if base is None else await engine.backend.ancestry(self._tree, base, limit)
        known = {line.line for line in self._lines}
        self._is_lost = not page
        for line in page:
            if line.line in known:  # damaged rows may form a circle
                self._is_lost = True
                break
            known.add(line.line)
            self._lines.append(checked(line))
            self._floors.append(max(self._floors[-1], _floor(line)))

    async def owner(self, engine: Engine, seq: int) -> int:
        """The line whose row has this number."""
        lines = await self.lines_down_to(engine, seq)
        level = bisect_right(self._floors, -seq)
        if level == len(lines):
            raise self._base_is_lost()
        return lines[level].line

    def _base_is_lost(self) -> Corrupt:
        line = self._lines[-1]
        return Corrupt(f"line {line.line} was forked from line {line.base_line}, whose row is missing")

    # ---------------------------------------------------------------- a checkpoint and its ancestors

    async def chain(self, engine: Engine, seq: int) -> list[Segment]:
        """The checkpoint with this number and its ancestors, newest first. Numbers only fall, so a cycle can't loop."""
        found, end = await self._chain(engine, seq)
        while end:  # a row is missing, or was collected during the walk: then a second walk takes another path
            again, there = await self._chain(engine, seq)
            if (again, there) == (found, end):
                break
            found, end = again, there
        return found

    async def _chain(self, engine: Engine, seq: int) -> tuple[list[Segment], int]:
        """The segments, and the number at which a row was missing; 0 if none was."""
        found: list[Segment] = []
        while seq > 0:
            step = await self._step(engine, seq)
            if step is None:
                return found, seq
            segment, seq = step
            found.append(segment)
        return found, 0

    async def _step(self, engine: Engine, seq: int) -> tuple[Segment, int] | None:
        """The segment that ends at a number, and the number below it; None if a row is missing."""
        line = await self.owner(engine, seq)
        newest = await engine.backend.checkpoints(self._tree, line, seq, seq, 1)
        if not newest:
            return None
        start = checked(newest[0]).chain_start
        oldest = newest
        if start != seq:
            oldest = await engine.backend.checkpoints(self._tree, line, start, seq, 1, oldest=True)
        if not oldest:
            return None
        parent = checked(oldest[0]).parent_seq
        return Segment(line, start, seq), parent if parent < oldest[0].seq else 0

    # ---------------------------------------------------------------- all that is inherited

    async def segment(self, engine: Engine, index: int) -> Segment | None:
        """The nth segment below the line's own rows, newest first; None if there are fewer."""
        while self._next is not None and index >= len(self._segments):
            self._next = await self._read_segment(engine, self._next)
        return self._segments[index] if index < len(self._segments) else None

    async def inherited(self, engine: Engine) -> list[Segment]:
        await self.segment(engine, NO_LIMIT)
        return self._segments

    async def _read_segment(self, engine: Engine, at: _Next) -> _Next | None:
        """Add one segment, or find out where it is. A fork inherits a checkpoint with its ancestors, a copy all."""
        if at.seq:
            return await self._read_lineage(engine, at)
        line = self._lines[at.level]
        if line.base_line is None:
            return None
        if not line.is_copy:
            self._start = line.base_seq
            return _Next(at.level, line.base_seq) if line.base_seq > 0 else None
        below = await self.lines_after(engine, at.level + 1)
        if not below:
            raise self._base_is_lost()
        self._segments.append(Segment(below[0].line, below[0].base_seq + 1, line.base_seq))
        return _Next(at.level + 1, 0)

    async def _read_lineage(self, engine: Engine, at: _Next) -> _Next | None:
        step = await self._step(engine, at.seq)
        if step is None:
            # The whole lineage is read, as it is now; the part above the missing row is known.
            last = self._segments[-1].lo if self._segments else NO_LIMIT
            rest = [segment for segment in await self.chain(engine, self._start) if segment.lo < last]
            self._segments += [segment._replace(hi=min(segment.hi, last - 1)) for segment in rest]
            return None
        segment, below = step
        self._segments.append(segment)
        return _Next(at.level, below) if below > 0 else None


def _floor(line: LineRow) -> int:
    return NO_LIMIT if line.base_line is None else -line.base_seq
