"""Trimming a journal: entries that no checkpoint, fork, effect or key needs are dropped.

A checkpoint resumes from the journal entry that it covers. So entries up to the lowest number that any surviving
checkpoint of the thread covers are not read for replay. Some of them stay nevertheless:

- entries that a fork sees;
- entries with a key of the user's, since appending the key again returns the first entry;
- entries of an effect that is not finished or a question that is not answered;
- entries of a run in a namespace that has no checkpoint;
- the last entry.

One record at the end of each dropped range says which entries were trimmed (see `journal/trimmed.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from holdfast.backends.base import Batch, DropRow, ForksAt
from holdfast.backends.rows import NO_LIMIT, CheckpointRow, JournalRow, LineRow
from holdfast.engine import table_scan
from holdfast.engine.context import Engine, Handle
from holdfast.engine.journal import entries, reader
from holdfast.engine.journal.entries import JournalEntry
from holdfast.engine.journal.trimmed import Range, trimmed_range, trimmed_row

_AT_ONCE: Final = 500


@dataclass
class Journal:
    """A thread's journal, read once."""

    root: LineRow
    entries: list[JournalEntry]
    trimmed: list[Range]  # by earlier calls
    upto: int = NO_LIMIT  # nothing was read past this number

    def unfinished(self, namespace: str) -> list[int]:
        return self._unfinished.get(namespace, [])

    @cached_property
    def _unfinished(self) -> dict[str, list[int]]:
        """The numbers of effects that are not finished, by namespace."""
        found: dict[str, list[int]] = {}
        effects = entries.effects(self.entries)
        for entry in self.entries:
            if entry.seq in effects and effects[entry.seq].status == "unfinished":
                found.setdefault(entry.data["namespace"], []).append(entry.seq)
        return found

    def open(self) -> set[int]:
        """The numbers of effects that may still be retried and questions that may still be answered."""
        effects, questions = entries.effects(self.entries), entries.questions(self.entries)
        return {
            *(effect.seq for effect in effects.values() if effect.status in ("unfinished", "retry")),
            *(question.seq for question in questions.values() if not question.answered),
        }


async def read(engine: Engine, handle: Handle, root: LineRow, limit: int = NO_LIMIT) -> Journal:
    """The whole journal, or its oldest entries."""
    rows = await reader.read_all(engine, root, 0, NO_LIMIT, limit) if root.journal else []
    upto = rows[-1].seq if rows and rows[-1].seq < root.journal else NO_LIMIT
    stored = [entries.entry(handle.codec, row) for row in rows if row.kind != entries.TRIMMED]
    return Journal(root, stored, [trimmed_range(row) for row in rows if row.kind == entries.TRIMMED], upto)


async def trim(
    engine: Engine, journal: Journal, survivors: Mapping[str, Sequence[CheckpointRow]], dry_run: bool
) -> int:
    """Drop the entries that are not needed; returns how many. `survivors` are the checkpoints of each namespace."""
    if not journal.entries:
        return 0
    first = max(journal.root.base_journal, await _seen_by_forks(engine, journal.root)) + 1
    covered = [row.journal_seq for rows in survivors.values() for row in rows]
    last = min([*covered, journal.root.journal - 1])
    kept = _Kept(journal.open(), {namespace for namespace, rows in survivors.items() if rows})
    dropped = [entry.seq for entry in journal.entries if first <= entry.seq <= last and entry not in kept]
    if not dry_run:
        await _drop(engine, journal, first, dropped)
    return len(dropped)


@dataclass
class _Kept:
    """The entries that stay although every checkpoint covers them."""

    open: set[int]
    namespaces: set[str]  # those that have a checkpoint

    def __contains__(self, entry: JournalEntry) -> bool:
        if entry.seq in self.open:
            return True
        if entry.key is not None and not entry.key.startswith(entries.OWN):
            return True
        if entry.kind in entries.SCOPED and entry.data["namespace"] not in self.namespaces:
            return True
        return entry.kind in entries.ENDINGS and entry.data["of"] in self.open


async def _seen_by_forks(engine: Engine, root: LineRow) -> int:
    """The highest number of this journal that a fork of the thread sees. A fork of a fork sees no more than that."""
    if not root.forks:
        return 0
    lines = await table_scan.sound_rows(engine.backend, LineRow, root.tree)
    return max((line.base_journal for line in lines if line.base_line == root.line), default=0)


async def _drop(engine: Engine, journal: Journal, first: int, numbers: Sequence[int]) -> None:
    """In batches, oldest first, so that an interrupted call leaves a shorter journal. A fork that is made in between
    keeps what it sees: the batch that follows is not applied, and the next prune starts over."""
    root = journal.root
    before = [trimmed for trimmed in journal.trimmed if trimmed[0] >= first]
    left = iter(numbers)
    while some := list(islice(left, _AT_ONCE)):
        after = _joined([*before, *((seq, seq) for seq in some)])
        if not await engine.backend.commit(_dropping(root, some, before, after)):
            return
        before = after


def _dropping(root: LineRow, numbers: Sequence[int], before: list[Range], after: list[Range]) -> Batch:
    """The batch that drops these entries and replaces the records of trimmed ranges."""
    replaced = [last for first, last in before if (first, last) not in after]
    drops = [DropRow(JournalRow, (root.tree, root.line, seq)) for seq in sorted({*numbers, *replaced})]
    puts = [trimmed_row(root, trimmed) for trimmed in after if trimmed not in before]
    return Batch([ForksAt(root.tree, root.line, root.forks)], puts, drops)


def _joined(ranges: Iterable[Range]) -> list[Range]:
    """The same numbers in as few ranges as possible."""
    joined: list[Range] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined
