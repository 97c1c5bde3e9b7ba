"""Trimming a journal: what no checkpoint, fork, effect or key needs goes.

A checkpoint goes on from the entry that it covers. So up to the least that any surviving checkpoint of the thread
covers, nobody comes back to the entries for their own sake. Those stay nevertheless that a fork sees, that have a key
of the user's (whoever appends it again is told the first one), that tell of an effect which is not finished or a
question which is not answered, or of a run in a namespace that has no checkpoint; and the last one. What went is told
by one entry at its end, so that `verify` can tell it from what was lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import msgspec

from holdfast import journal
from holdfast.backends.base import Batch, DropRow, ForksAt
from holdfast.backends.rows import CheckpointRow, JournalRow, LineRow, Row, sealed
from holdfast.engine import appending, reach
from holdfast.engine.context import Engine, Handle
from holdfast.journal import JournalEntry

_ALL: Final = 1 << 62
_AT_ONCE: Final = 500
Stretch = tuple[int, int]
_encode = msgspec.msgpack.Encoder().encode


@dataclass
class Journal:
    """A thread's journal, read once."""

    root: LineRow
    entries: list[JournalEntry]
    gone: list[Stretch]  # what was trimmed before
    upto: int = _ALL  # nothing is known past this number

    def unfinished(self, namespace: str) -> list[int]:
        known = journal.effects(journal.within(self.entries, namespace))
        return [one.seq for one in known.values() if one.status == "unfinished"]

    def open(self) -> set[int]:
        """Entries of effects and questions that nothing has ended yet."""
        effects, questions = journal.effects(self.entries), journal.questions(self.entries)
        return {
            *(one.seq for one in effects.values() if one.status in ("unfinished", "retry")),
            *(one.seq for one in questions.values() if not one.answered),
        }


async def read(engine: Engine, handle: Handle, root: LineRow, limit: int = _ALL) -> Journal:
    """The whole, or its oldest entries."""
    rows = await appending.read_all(engine, root, 0, _ALL, limit) if root.journal else []
    upto = rows[-1].seq if rows and rows[-1].seq < root.journal else _ALL
    entries = [journal.entry(handle.codec, row) for row in rows if row.kind != journal.TRIMMED]
    return Journal(root, entries, [gone_by(row) for row in rows if row.kind == journal.TRIMMED], upto)


def gone_by(row: JournalRow) -> Stretch:
    """The entries that one tells are gone, itself included."""
    return msgspec.msgpack.decode(row.body, type=int), row.seq


async def trim(engine: Engine, known: Journal, survivors: Mapping[str, Sequence[CheckpointRow]], dry_run: bool) -> int:
    """Says how many entries went, or would go."""
    if not known.entries:
        return 0
    covered = [row.journal_seq for rows in survivors.values() for row in rows]
    upto = min([*covered, known.root.journal - 1])
    first = max(known.root.base_journal, await _seen_by_forks(engine, known.root)) + 1
    there = {namespace for namespace, rows in survivors.items() if rows}
    needed = known.open()
    gone = [
        one.seq for one in known.entries
        if first <= one.seq <= upto and one.seq not in needed and not _is_kept(one, there, needed)
    ]  # fmt: skip
    if not dry_run:
        await _drop(engine, known, first, gone)
    return len(gone)


def _is_kept(one: JournalEntry, there: set[str], needed: set[int]) -> bool:
    if one.key is not None and not one.key.startswith(journal.OWN):
        return True
    if one.kind in journal.SCOPED and one.data["namespace"] not in there:
        return True
    return one.kind in journal.ENDINGS and one.data["of"] in needed


async def _seen_by_forks(engine: Engine, root: LineRow) -> int:
    """Up to which number the threads that were forked from this one see its journal."""
    if not root.forks:
        return 0
    lines = await reach.scanned(engine, LineRow, root.tree)
    seen = [line.base_journal for line in lines if line.base_line == root.line]  # a fork of a fork sees no more
    return max(seen, default=0)


async def _drop(engine: Engine, known: Journal, first: int, gone: Sequence[int]) -> None:
    """In batches, oldest first; whoever is stopped in between starts over. A fork made since sees what it saw."""
    root = known.root
    told = [stretch for stretch in known.gone if stretch[0] >= first]
    left = iter(gone)
    while some := list(islice(left, _AT_ONCE)):
        after = _joined([*told, *((seq, seq) for seq in some)])
        dropped = {*some, *(high for low, high in told if (low, high) not in after)}
        drops = [DropRow(JournalRow, (root.tree, root.line, seq)) for seq in sorted(dropped)]
        puts = [telling(root, stretch) for stretch in after if stretch not in told]
        if not await engine.backend.commit(Batch([ForksAt(root.tree, root.line, root.forks)], puts, drops)):
            return  # it was forked, or deleted: the next prune looks again
        told = after


def _joined(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Neighbours as one."""
    found: list[Stretch] = []
    for low, high in sorted(stretches):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found


def telling(root: LineRow, stretch: Stretch) -> Row:
    low, high = stretch
    return sealed(JournalRow(root.tree, root.line, high, journal.TRIMMED, None, 0, _encode(low)))
