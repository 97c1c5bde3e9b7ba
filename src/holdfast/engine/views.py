"""What one line sees: its own checkpoints, and those of the lines it was forked from, frozen at the fork.

A fork copies nothing. Its line names a base (line, seq, era), and its view continues there: the fork point, that
checkpoint's ancestors, and nothing else. Numbers are unique within a view, since a fork counts on from its fork point.

Chains are walked by stretches, not row by row: a row's `stretch` is the first number of an unbroken run of parents that
ends in it, so that a thread without branches is one stretch however long it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from holdfast.backends.base import ANY, Filter
from holdfast.backends.rows import CheckpointRow, LineRow, checked
from holdfast.engine.context import Engine
from holdfast.errors import Corrupt

REMOVED: Final = 1
REPLACED: Final = 2
_PAGE: Final = 256


class Segment(NamedTuple):
    """Rows lo..hi of one line."""

    line: int
    lo: int
    hi: int


class Mark(NamedTuple):
    """The latest word on one checkpoint in a view."""

    hidden: int = 0
    label: str | None = None
    status: str | None = None


@dataclass(eq=False)
class View:
    """A line, and what is said in its view about single checkpoints. The lines under it are looked up when needed."""

    line: LineRow
    marks: dict[int, Mark] = field(default_factory=dict)
    _ancestry: list[LineRow] | None = None
    _inherited: list[Segment] | None = None

    @property
    def own(self) -> Segment:
        return Segment(self.line.line, self.line.base_seq + 1, self.line.seq)

    def hides(self, seq: int) -> bool:
        return seq in self.marks and bool(self.marks[seq].hidden)

    def was_replaced(self, seq: int) -> bool:
        """Whether it is hidden because it was saved again under the same id."""
        return seq in self.marks and self.marks[seq].hidden == REPLACED

    def label(self, row: CheckpointRow) -> str:
        mark = self.marks.get(row.seq)
        return row.label if mark is None or mark.label is None else mark.label

    def status(self, row: CheckpointRow) -> str:
        mark = self.marks.get(row.seq)
        return row.status if mark is None or mark.status is None else mark.status


async def open_view(engine: Engine, line: LineRow) -> View:
    view = View(line)
    if not line.marks:
        return view
    # Every new mark counts up in the line, and those of lines below are of eras that are over: so the number tells.
    key = ("marks", line.tree, line.line, line.marks)
    known: dict[int, Mark] | None = engine.cache.get(key) if line.version else None
    if known is not None:
        view.marks = known
        return view
    await _read_marks(engine, view)
    if line.version and line.line:
        engine.cache.put(key, view.marks, 100 + 200 * len(view.marks))
    return view


async def ancestry(engine: Engine, view: View) -> list[LineRow]:
    """The view's line, the one it was forked from, and so on."""
    if view._ancestry is None:
        base = view.line.base_line
        below = [] if base is None else await engine.backend.ancestry(view.line.tree, base)
        view._ancestry = [view.line, *map(checked, below)]
    return view._ancestry


async def _home(engine: Engine, view: View, seq: int) -> int:
    """The line whose row has this number in this view."""
    lines = await ancestry(engine, view)
    for line in lines:
        if seq > line.base_seq or line.base_line is None:
            return line.line
    raise _base_is_lost(lines[-1])


def _base_is_lost(line: LineRow) -> Corrupt:
    return Corrupt(f"line {line.line} was forked from line {line.base_line}, which is not there: its row is missing")


async def _read_marks(engine: Engine, view: View) -> None:
    """Farthest line first, so that the nearest has the last word. A fork does not see what its origin marked later, nor
    what it marked beyond the fork point, where the fork has numbers of its own."""
    lines = await ancestry(engine, view)
    cuts = {line.line: above.base_era for above, line in pairwise(lines)}
    shared = dict(
        zip([line.line for line in lines[1:]], accumulate((line.base_seq for line in lines), min), strict=False)
    )
    rows = await engine.backend.marks(view.line.tree, [line.line for line in lines])
    for line in reversed(lines):
        for row in sorted(checked(row) for row in rows if row.line == line.line):
            if line is view.line or (row.era < cuts[line.line] and row.seq <= shared[line.line]):
                known = view.marks.get(row.seq, Mark())
                label = known.label if row.label is None else row.label
                status = known.status if row.status is None else row.status
                view.marks[row.seq] = Mark(row.hidden or known.hidden, label, status)


# ------------------------------------------------------------------------------------------------ segments


async def inherited(engine: Engine, view: View) -> list[Segment]:
    """What the view sees below its own rows, newest first."""
    if view._inherited is None:
        view._inherited = await _inherited(engine, view, 0)
    return view._inherited


async def _inherited(engine: Engine, view: View, level: int) -> list[Segment]:
    lines = await ancestry(engine, view)
    line = lines[level]
    if line.base_line is None:
        return []
    if not line.whole:
        return await chain(engine, view, line.base_seq)
    if level + 1 == len(lines):
        raise _base_is_lost(line)
    base = lines[level + 1]
    return [Segment(base.line, base.base_seq + 1, line.base_seq), *await _inherited(engine, view, level + 1)]


async def chain(engine: Engine, view: View, seq: int) -> list[Segment]:
    """The checkpoint with this number and its ancestors, newest first. Numbers only fall, so a cycle can't loop."""
    found, end = await _chain(engine, view, seq)
    while end:  # a row is missing; or it was collected while we were on our way, and the way leads elsewhere now
        again, there = await _chain(engine, view, seq)
        if (again, there) == (found, end):
            break
        found, end = again, there
    return found


async def _chain(engine: Engine, view: View, seq: int) -> tuple[list[Segment], int]:
    """And the number at which it broke off."""
    found: list[Segment] = []
    while seq > 0:
        home = await _home(engine, view, seq)
        newest = await engine.backend.checkpoints(view.line.tree, home, 1, seq, 1)
        if not newest or newest[0].seq != seq:
            return found, seq
        oldest = await engine.backend.checkpoints(view.line.tree, home, newest[0].stretch, seq, 1, oldest=True)
        if not oldest:
            return found, seq
        found.append(Segment(home, newest[0].stretch, seq))
        parent = checked(oldest[0]).parent_seq
        seq = parent if parent < oldest[0].seq else 0
    return found, 0


# ------------------------------------------------------------------------------------------------ looking


async def find(engine: Engine, view: View, checkpoint_id: str) -> CheckpointRow | None:
    """The checkpoint of this id, if the view sees it."""
    lines = await ancestry(engine, view)
    for row in await engine.backend.by_id(view.line.tree, [line.line for line in lines], checkpoint_id):
        if await sees(engine, view, checked(row)):
            return row
    return None


async def sees(engine: Engine, view: View, row: CheckpointRow) -> bool:
    if view.hides(row.seq):
        return False
    if row.line == view.line.line:
        return True
    return any(s.line == row.line and s.lo <= row.seq <= s.hi for s in await inherited(engine, view))


async def scan(
    engine: Engine, view: View, before: int, limit: int, where: Filter = ANY,
    keep: Callable[[CheckpointRow], bool] | None = None,
) -> list[CheckpointRow]:  # fmt: skip
    """Checkpoints of the view with a number up to `before`, newest first."""
    found = await scan_segments(engine, view, [view.own], before, limit, where, keep)
    if len(found) < limit and view.line.base_line is not None:
        below = await inherited(engine, view)
        found += await scan_segments(engine, view, below, before, limit - len(found), where, keep)
    return found


async def scan_oldest(engine: Engine, view: View, limit: int, after: int = 0) -> list[CheckpointRow]:
    """The oldest checkpoints of the view past a number, in the order of their numbers."""
    found: list[CheckpointRow] = []
    for segment in [*reversed(await inherited(engine, view)), view.own]:
        low = max(segment.lo, after + 1)
        while low <= segment.hi and len(found) < limit:
            rows = await engine.backend.checkpoints(view.line.tree, segment.line, low, segment.hi, _PAGE, oldest=True)
            found += [row for row in map(checked, rows) if not view.hides(row.seq)]
            low = rows[-1].seq + 1 if len(rows) == _PAGE else segment.hi + 1
    return found[:limit]


async def count(engine: Engine, view: View, point: CheckpointRow) -> int:
    """How many checkpoints of its lineage the view shows: as many as there were, less what was removed since."""
    if not any(mark.hidden for mark in view.marks.values()):
        return point.depth
    segments = await chain(engine, view, point.seq)
    return len(await scan_segments(engine, view, segments, point.seq, 1 << 62))


async def scan_segments(
    engine: Engine, view: View, segments: list[Segment], before: int, limit: int, where: Filter = ANY,
    keep: Callable[[CheckpointRow], bool] | None = None,
) -> list[CheckpointRow]:  # fmt: skip
    found: list[CheckpointRow] = []
    for segment in segments:
        high = min(segment.hi, before)
        while high >= segment.lo and len(found) < limit:
            page = limit - len(found) if keep is None and not view.marks else _PAGE
            rows = await engine.backend.checkpoints(view.line.tree, segment.line, segment.lo, high, page, where)
            found += [row for row in map(checked, rows) if not view.hides(row.seq) and (keep is None or keep(row))]
            high = rows[-1].seq - 1 if len(rows) == page else 0
    return found[:limit]


async def scan_by_id(
    engine: Engine, view: View, before: str | None, limit: int, keep: Callable[[CheckpointRow], bool] | None = None
) -> list[CheckpointRow]:
    """Checkpoints of the view in the order of their ids as text, highest first; those lower than `before`, if given."""
    found: list[CheckpointRow] = []
    for line in await ancestry(engine, view):
        cursor, own = before, 0
        while own < limit:
            page = limit - own if keep is None and not view.marks else max(_PAGE, limit - own)
            rows = await engine.backend.checkpoints_by_id(view.line.tree, line.line, cursor, page)
            if len(rows) == page:  # an id may be there twice, and the page may end between the two
                again = await engine.backend.by_id(view.line.tree, [line.line], rows[-1].id)
                rows += [row for row in again if row not in rows]
            for row in map(checked, rows):
                if (keep is None or keep(row)) and await sees(engine, view, row):
                    found.append(row)
                    own += 1
            if len(rows) < page:
                break
            cursor = rows[-1].id
    return sorted(found, key=lambda row: (row.id, row.seq), reverse=True)[:limit]


async def parent_of(engine: Engine, view: View, row: CheckpointRow) -> tuple[str | None, int]:
    """The nearest ancestor that the view still sees: a removed parent passes its place to its own, unless it was saved
    again under the same id."""
    if not view.hides(row.parent_seq):
        return row.parent_id, row.parent_seq
    again = await find(engine, view, row.parent_id or "") if view.was_replaced(row.parent_seq) else None
    if again is not None:
        return again.id, again.seq
    segments = await chain(engine, view, row.parent_seq)
    nearest = await scan_segments(engine, view, segments, row.parent_seq, 1)
    return (nearest[0].id, nearest[0].seq) if nearest else (None, 0)
