"""What one line sees: its own checkpoints, and those of the lines it was forked from, frozen at the fork.

A fork copies nothing. Its line names a base (line, seq, era), and its view continues there: the fork point, that
checkpoint's ancestors, and nothing else. Numbers are unique within a view, since a fork counts from its fork point.

A view may be opened whole, with all its overlays, or lazily: then they are read for the numbers that are asked about,
and a read of a few checkpoints costs the same however many labels the thread has.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Final, NamedTuple

from holdfast.backends.base import ANY, Filter
from holdfast.backends.rows import NO_LIMIT, CheckpointRow, LineRow, OverlayRow, checked
from holdfast.engine.context import Engine
from holdfast.engine.threads.segments import EVERY_NUMBER, Past, Segment

REMOVED: Final = 1
REPLACED: Final = 2
_PAGE: Final = 256
_BLOCK: Final = 64  # overlays are read for this many numbers at once, and a few more below
_BELOW: Final = 8
_RANGES: Final = 16  # after this many reads all overlays are read
_ALL: Final = (-NO_LIMIT, NO_LIMIT)


class Overlay(NamedTuple):
    """What the overlay rows of a view add up to for one checkpoint."""

    hidden: int = 0
    label: str | None = None
    status: str | None = None


_hidden = attrgetter("hidden")


@dataclass(eq=False)
class View:
    """A line, and the overlays in its view by checkpoint number. The lines it was forked from are read when needed."""

    line: LineRow
    overlays: dict[int, Overlay] = field(default_factory=dict)
    known: list[tuple[int, int]] | None = None  # the ranges of numbers whose overlays were read; None means all
    _past: Past | None = None
    _key: Hashable = None  # of the overlays in the cache

    @property
    def own(self) -> Segment:
        return Segment(self.line.line, self.line.base_seq + 1, self.line.seq)

    @property
    def past(self) -> Past:
        if self._past is None:
            self._past = Past(self.line)
        return self._past

    def with_removed(self) -> View:
        """The same line as it was saved: with the checkpoints that were removed since."""
        return View(self.line, {}, None, self._past)

    def hides(self, seq: int) -> bool:
        return seq in self.overlays and bool(self.overlays[seq].hidden)

    def was_replaced(self, seq: int) -> bool:
        """Whether it is hidden because it was saved again under the same id."""
        return seq in self.overlays and self.overlays[seq].hidden == REPLACED

    def label(self, row: CheckpointRow) -> str:
        overlay = self.overlays.get(row.seq)
        return row.label if overlay is None or overlay.label is None else overlay.label

    def status(self, row: CheckpointRow) -> str:
        overlay = self.overlays.get(row.seq)
        return row.status if overlay is None or overlay.status is None else overlay.status


async def open_view(engine: Engine, line: LineRow) -> View:
    """With all its overlays."""
    if not line.overlays:
        return View(line)
    view = await open_lazily(engine, line)
    await know(engine, view, *_ALL)
    return view


async def open_lazily(engine: Engine, line: LineRow) -> View:
    """Without its overlays: `know` reads them, for the numbers that are asked about."""
    if not line.overlays:
        return View(line)
    # The line counts every new overlay, and no overlay is added to its bases in the eras that it sees: so equal counts
    # mean equal overlays.
    key = ("overlays", line.tree, line.line, line.overlays) if line.version and line.line else None
    overlays, known = (None if key is None else engine.cache.get(key)) or ({}, [])
    return View(line, overlays, known, _key=key)


async def know(engine: Engine, view: View, lo: int, hi: int) -> None:
    """Read the overlays of the numbers lo..hi, unless they are known."""
    if view.known is None or any(first <= lo and hi <= last for first, last in view.known):
        return
    # A view that is asked about many places reads everything once. Else whole blocks, so that neighbours are known too.
    if len(view.known) >= _RANGES:
        lo, hi = _ALL
    elif (lo, hi) != _ALL:
        lo, hi = (lo - _BELOW) // _BLOCK * _BLOCK, hi | (_BLOCK - 1)
    # Views of several threads may share them: what is known is complete at any moment.
    view.overlays.update(await _read_overlays(engine, view, lo, hi))
    view.known.append((lo, hi))
    _remember(engine, view)


def _remember(engine: Engine, view: View) -> None:
    if view._key is not None:
        engine.cache.put(view._key, (view.overlays, view.known), 100 + 200 * len(view.overlays))


def remember_changed(engine: Engine, view: View, after: LineRow, rows: Iterable[OverlayRow]) -> None:
    """The overlays of the line as it is after these rows of its own were committed: what was known is known still."""
    overlays = dict(view.overlays)
    for row in rows:
        overlays[row.seq] = _with(overlays.get(row.seq, Overlay()), row)
    known = [_ALL] if view.known is None else list(view.known)
    _remember(engine, View(after, overlays, known, _key=("overlays", after.tree, after.line, after.overlays)))


async def ancestry(engine: Engine, view: View) -> list[LineRow]:
    """The view's line, the one it was forked from, and so on."""
    return await view.past.lines_down_to(engine, EVERY_NUMBER)


async def _read_overlays(engine: Engine, view: View, lo: int, hi: int) -> dict[int, Overlay]:
    """Farthest line first, so that the nearest takes precedence. A fork does not see the overlays that its origin added
    after the fork, nor those past the fork point, where the fork has numbers of its own."""
    lines = await view.past.lines_down_to(engine, EVERY_NUMBER if (lo, hi) == _ALL else max(lo, 1))
    # For each line below, the era and the number up to which this view sees it. Every fork on the way limits the
    # number, and only the fork made from that line limits the era.
    cuts = {line.line: above.base_era for above, line in pairwise(lines)}
    shared = dict(
        zip([line.line for line in lines[1:]], accumulate((line.base_seq for line in lines), min), strict=False)
    )
    of_line: dict[int, list[OverlayRow]] = {}
    for row in await engine.backend.overlays(view.line.tree, [line.line for line in lines], lo, hi):
        of_line.setdefault(row.line, []).append(checked(row))
    found: dict[int, Overlay] = {}
    for line in reversed(lines):
        for row in sorted(of_line.get(line.line, ())):
            if line is view.line or (row.era < cuts[line.line] and row.seq <= shared[line.line]):
                found[row.seq] = _with(found.get(row.seq, Overlay()), row)
    return found


def _with(known: Overlay, row: OverlayRow) -> Overlay:
    label = known.label if row.label is None else row.label
    status = known.status if row.status is None else row.status
    return Overlay(row.hidden or known.hidden, label, status)


async def inherited(engine: Engine, view: View) -> list[Segment]:
    """What the view sees below its own rows, newest first."""
    return await view.past.inherited(engine)


async def chain(engine: Engine, view: View, seq: int) -> list[Segment]:
    """The checkpoint with this number and its ancestors, newest first."""
    return await view.past.chain(engine, seq)


# ------------------------------------------------------------------------------------------------ reading


async def find(engine: Engine, view: View, checkpoint_id: str) -> CheckpointRow | None:
    """The checkpoint of this id, if the view sees it."""
    await view.past.lines_after(engine, 1)  # so that a fork's own line and the nearest below it are one query
    count = 0
    while lines := await view.past.lines_after(engine, count):
        for row in await engine.backend.by_id(view.line.tree, [line.line for line in lines], checkpoint_id):
            if await sees(engine, view, checked(row)):
                return row
        count += len(lines)
    return None


async def sees(engine: Engine, view: View, row: CheckpointRow) -> bool:
    if view.known is not None:
        await know(engine, view, row.seq, row.seq)
    if view.hides(row.seq):
        return False
    if row.line == view.line.line:
        return True
    # Segments come newest first: once one ends below the number, none of the others has it.
    index = 0
    while (segment := await view.past.segment(engine, index)) is not None and row.seq <= segment.hi:
        if segment.line == row.line and segment.lo <= row.seq:
            return True
        index += 1
    return False


async def scan(
    engine: Engine, view: View, before: int, limit: int, where: Filter = ANY,
    keep: Callable[[CheckpointRow], bool] | None = None,
) -> list[CheckpointRow]:  # fmt: skip
    """Checkpoints of the view with a number up to `before`, newest first."""
    found = await scan_segments(engine, view, [view.own], before, limit, where, keep)
    index = 0
    while len(found) < limit and view.line.base_line is not None:
        segment = await view.past.segment(engine, index)
        if segment is None:
            break
        found += await scan_segments(engine, view, [segment], before, limit - len(found), where, keep)
        index += 1
    return found


async def scan_oldest(engine: Engine, view: View, limit: int, after: int = 0) -> list[CheckpointRow]:
    """The oldest checkpoints of the view past a number, in the order of their numbers."""
    found: list[CheckpointRow] = []
    for segment in [*reversed(await inherited(engine, view)), view.own]:
        low = max(segment.lo, after + 1)
        while low <= segment.hi and len(found) < limit:
            rows = await engine.backend.checkpoints(view.line.tree, segment.line, low, segment.hi, _PAGE, oldest=True)
            if rows and view.known is not None:
                await know(engine, view, rows[0].seq, rows[-1].seq)
            found += [row for row in map(checked, rows) if not view.hides(row.seq)]
            low = rows[-1].seq + 1 if len(rows) == _PAGE else segment.hi + 1
    return found[:limit]


async def count(engine: Engine, view: View, point: CheckpointRow) -> int:
    """How many checkpoints of its lineage the view shows: as many as there were, less what was removed since."""
    await know(engine, view, *_ALL)
    # The stored depth is right as long as nothing was removed.
    if not any(map(_hidden, view.overlays.values())):
        return point.depth
    segments = await chain(engine, view, point.seq)
    return len(await scan_segments(engine, view, segments, point.seq, NO_LIMIT))


async def scan_segments(
    engine: Engine, view: View, segments: list[Segment], before: int, limit: int, where: Filter = ANY,
    keep: Callable[[CheckpointRow], bool] | None = None,
) -> list[CheckpointRow]:  # fmt: skip
    found: list[CheckpointRow] = []
    for segment in segments:
        high = min(segment.hi, before)
        page = limit - len(found) if keep is None else _PAGE
        while high >= segment.lo and len(found) < limit:
            rows = await engine.backend.checkpoints(view.line.tree, segment.line, segment.lo, high, page, where)
            if rows and view.known is not None:
                await know(engine, view, rows[-1].seq, rows[0].seq)
            found += [row for row in map(checked, rows) if not view.hides(row.seq) and (keep is None or keep(row))]
            high = rows[-1].seq - 1 if len(rows) == page else segment.lo - 1
            page = max(page, _PAGE)  # some were hidden, perhaps many
    return found[:limit]


async def scan_by_id(
    engine: Engine, view: View, before: str | None, limit: int, keep: Callable[[CheckpointRow], bool] | None = None
) -> list[CheckpointRow]:
    """Checkpoints of the view in the order of their ids as text, highest first; those lower than `before`, if given."""
    found: list[CheckpointRow] = []
    for line in await ancestry(engine, view):
        # Each line is in the order of its ids, and ids of different lines interleave: so `limit` from each.
        cursor, own = before, 0
        while own < limit:
            plain = keep is None and not view.overlays and view.known is None
            page = limit - own if plain else max(_PAGE, limit - own)
            rows = await engine.backend.checkpoints_by_id(view.line.tree, line.line, cursor, page)
            if len(rows) == page:  # two rows may have the same id, and the page may end between them
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
    """The nearest ancestor that the view still sees: a removed parent is replaced by its own parent, unless it was
    saved again under the same id."""
    if view.known is not None:
        await know(engine, view, row.parent_seq, row.parent_seq)
    if not view.hides(row.parent_seq):
        return row.parent_id, row.parent_seq
    # The second save of the parent has another number, and may come after its child.
    again = await find(engine, view, row.parent_id or "") if view.was_replaced(row.parent_seq) else None
    if again is not None:
        return again.id, again.seq
    segments = await chain(engine, view, row.parent_seq)
    nearest = await scan_segments(engine, view, segments, row.parent_seq, 1)
    return (nearest[0].id, nearest[0].seq) if nearest else (None, 0)
