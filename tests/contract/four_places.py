"""A store in memory whose trees are in four places, between which nothing is atomic.

An id belongs to the place that its hash chooses, and so does a tree that is made for it. The place of an id keeps a
note of where the thread is, if that is another place: a fork is in the tree of its origin. A batch with a claim is
committed in three steps, as it would be on four servers:

1. *Reserve*: the id's place notes a token and the tree's place, if the id is free there.
2. *Commit*: the tree's place applies the batch, unless it has refused the token since.
3. *Confirm*: the id's place drops the token, and keeps the note or the tombstone.

A writer may die after any step. A reader that finds a token asks the tree's place: if the batch was applied there the
steps are completed, and if not the token is refused there, so that it can't be applied later, and the note is
dropped. Here every third writer with a claim dies after it has reserved, and every fifth after it has committed.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import count
from typing import Any, ClassVar

from holdfast.backends.base import (
    ANY,
    Backend,
    Batch,
    Capabilities,
    DropEarlyWrites,
    DropRow,
    EarlyWritesAt,
    Expect,
    Filter,
    Found,
    Listed,
    Piece,
    Tally,
    ThreadAbsent,
    ThreadAt,
    TombstoneAt,
    Want,
)
from holdfast.backends.memory import MemoryBackend
from holdfast.backends.rows import (
    NO_LIMIT,
    OF_TREES,
    AnyRow,
    CheckpointRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    OverlayRow,
    PendingRow,
    QuarantineRow,
    RunRow,
    SettledRow,
    TagRow,
    ThreadRow,
    TombstoneRow,
    key_of,
)
from holdfast.ids import new_number, tombstone_hash

_PLACES = 4


@dataclass
class _Note:
    """Where the thread of an id is, if it is not in the id's own place."""

    place: int
    token: int | None = None  # set while the steps are not completed
    batch: Batch | None = None  # what the token's writer wants to do here once it is committed there


@dataclass
class _Place:
    rows: MemoryBackend = field(default_factory=MemoryBackend)
    notes: dict[str, _Note] = field(default_factory=dict)
    committed: set[int] = field(default_factory=set)  # tokens whose batches were applied here
    refused: set[int] = field(default_factory=set)


def _home(thread_id: str) -> int:
    return blake2b(thread_id.encode(), digest_size=1).digest()[0] % _PLACES


class FourPlaces(Backend):
    capabilities: ClassVar = Capabilities(name="four places", blocking=True, durable=False, shared=False)

    def __init__(self) -> None:
        self._places = [_Place() for _ in range(_PLACES)]
        self._steps = threading.RLock()  # one step at a time: between two steps anything may happen
        self._claims = count(1)

    # ---------------------------------------------------------------- where things are

    def new_tree(self, thread_id: str) -> int:
        number = new_number() >> 3
        return number * _PLACES + _home(thread_id) or _PLACES

    def _of_tree(self, tree: int) -> _Place:
        return self._places[tree % _PLACES]

    async def _of_thread(self, thread_id: str) -> _Place:
        """Where a thread is; the place of its id, if there is none."""
        home = self._places[_home(thread_id)]
        note = await self._settled_note(home, thread_id)
        return home if note is None else self._places[note.place]

    async def _settled_note(self, home: _Place, thread_id: str) -> _Note | None:
        """The note of an id, after the steps of a writer that died are completed or undone."""
        with self._steps:
            note = home.notes.get(thread_id)
        if note is None or note.token is None:
            return note
        there = self._places[note.place]
        with self._steps:
            if note.token not in there.committed:
                there.refused.add(note.token)
        await self._confirm(home, thread_id, note)
        with self._steps:
            return home.notes.get(thread_id)

    # ---------------------------------------------------------------- committing

    async def commit(self, batch: Batch) -> bool:
        if batch.is_repair:
            return await self._repair(batch)
        place = await self._place_of(batch)
        abroad = [claim.id for claim in batch.claims if self._places[_home(claim.id)] is not place]
        if not abroad:
            with self._steps:
                return await place.rows.commit(batch)
        (thread_id,) = abroad
        return await self._commit_claimed(batch, place, thread_id)

    async def _commit_claimed(self, batch: Batch, place: _Place, thread_id: str) -> bool:
        home = self._places[_home(thread_id)]
        here, there = _parted(batch, thread_id)
        token = next(self._claims)
        before = await self._settled_note(home, thread_id)
        with self._steps:  # reserve
            if home.notes.get(thread_id) is not before or not await home.rows.commit(Batch(here.expects, [])):
                return False
            is_new = any(isinstance(expect, ThreadAbsent) and expect.id == thread_id for expect in batch.expects)
            if is_new and before is not None:
                return False
            home.notes[thread_id] = _Note(self._places.index(place), token, here)
        if token % 3 == 0:  # the writer dies, and another one comes with the same batch
            return await self._commit_claimed(batch, place, thread_id)
        with self._steps:  # commit
            if token in place.refused or not await place.rows.commit(there):
                applied = False
            else:
                place.committed.add(token)
                applied = True
        if token % 5 == 0:
            return applied  # the writer dies: the next reader completes the steps
        await self._confirm(home, thread_id, home.notes[thread_id])
        return applied

    async def _confirm(self, home: _Place, thread_id: str, note: _Note) -> None:
        with self._steps:
            if home.notes.get(thread_id) is not note or note.token is None:
                return
            there = self._places[note.place]
            if note.token in there.committed and note.batch is not None:
                await home.rows.commit(replace(note.batch, expects=[]))
            exists = (await there.rows.find(thread_id, "", b"")).thread is not None
            if exists:
                home.notes[thread_id] = _Note(note.place)
            else:
                del home.notes[thread_id]

    async def _place_of(self, batch: Batch) -> _Place:
        named: list[Any] = [*batch.puts, *batch.puts_if_free, *batch.expects, *batch.drops]
        for one in named:
            if hasattr(one, "tree"):
                return self._of_tree(one.tree)
            if isinstance(one, DropRow) and (one.table in OF_TREES or one.table is RunRow):
                tree: Any = one.key[0 if one.table in OF_TREES else 1]
                return self._of_tree(tree)
        thread_id = _thread_of(batch)
        return await self._of_tombstone(batch) if thread_id is None else await self._of_thread(thread_id)

    async def _of_tombstone(self, batch: Batch) -> _Place:
        """A batch about tombstones alone: they have only a hash, and one place has them."""
        for tombstone in [row for row in batch.puts if isinstance(row, TombstoneRow)]:
            for place in self._places:
                if (await place.rows.find("", "", tombstone.hash)).generation:
                    return place
        return self._places[0]

    async def _repair(self, batch: Batch) -> bool:
        """Each place is repaired by itself, with the rows that it has. A thread may be led to another place."""
        # A row that is put in one place may have been in another.
        moved = [DropRow(type(row), key_of(row)) for row in batch.puts if isinstance(row, ThreadRow | TagRow)]
        parts = [Batch([], [], [*batch.drops, *moved], is_repair=True) for _ in self._places]
        named: list[Any] = [*batch.expects]
        for expect in named:
            parts[expect.tree % _PLACES].expects.append(expect)
        for row in batch.puts:
            part = parts[await self._repaired_in(row)]
            part.puts = [*part.puts, row]
            if isinstance(row, ThreadRow):
                self._lead_to(row)
        with self._steps:
            return all([await place.rows.commit(part) for place, part in zip(self._places, parts, strict=True)])

    def _lead_to(self, row: ThreadRow) -> None:
        notes, place = self._places[_home(row.id)].notes, row.tree % _PLACES
        if place == _home(row.id):
            notes.pop(row.id, None)
        else:
            notes[row.id] = _Note(place)

    async def _repaired_in(self, row: Any) -> int:
        if hasattr(row, "tree"):
            place: int = row.tree % _PLACES
            return place
        if isinstance(row, TagRow | EarlyWriteRow):
            return self._places.index(await self._of_thread(row.thread))
        return 0

    async def drop_early_writes(self, before: int) -> None:
        for place in self._places:
            await place.rows.drop_early_writes(before)

    # ---------------------------------------------------------------- reading

    async def find(self, thread_id: str, namespace: str, tombstone: bytes) -> Found:
        home, place = self._places[_home(thread_id)], await self._of_thread(thread_id)
        found = await place.rows.find(thread_id, namespace, tombstone)
        if place is home:
            return found
        deleted = await home.rows.find(thread_id, namespace, tombstone)
        return found._replace(generation=0 if found.thread is not None else deleted.generation, last=deleted.last)

    async def ancestry(self, tree: int, line: int, limit: int = NO_LIMIT) -> list[LineRow]:
        return await self._of_tree(tree).rows.ancestry(tree, line, limit)

    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        return await self._of_tree(tree).rows.checkpoints(tree, line, lo, hi, limit, where, oldest=oldest)

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        return await self._of_tree(tree).rows.chunks(tree, wants)

    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SettledRow]:
        return await self._of_tree(line.tree).rows.pending(line, seqs)

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        return await self._of_tree(tree).rows.journal(tree, line, lo, hi, limit)

    async def namespaces(self, tree: int, thread: int) -> list[LineRow]:
        return await self._of_tree(tree).rows.namespaces(tree, thread)

    async def tree_threads(self, tree: int) -> list[ThreadRow]:
        return await self._of_tree(tree).rows.tree_threads(tree)

    async def overlays(
        self, tree: int, lines: Sequence[int], lo: int = -NO_LIMIT, hi: int = NO_LIMIT
    ) -> list[OverlayRow]:
        return await self._of_tree(tree).rows.overlays(tree, lines, lo, hi)

    async def early_writes(self, thread: str, namespace: str, checkpoint: str) -> list[EarlyWriteRow]:
        return await (await self._of_thread(thread)).rows.early_writes(thread, namespace, checkpoint)

    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        pages = [await place.rows.threads(prefix, tags, after, limit) for place in self._places]
        listed = sorted((row for page in pages for row in page), key=lambda row: row.thread.id)
        return listed if limit < 0 else listed[:limit]

    async def trees(self, after: int, limit: int) -> list[int]:
        return sorted([tree for place in self._places for tree in await place.rows.trees(after, limit)])[:limit]

    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        if tree is not None:
            return await self._of_tree(tree).rows.scan(kind, tree, after, limit)
        pages = [await place.rows.scan(kind, None, after, limit) for place in self._places]
        return sorted((row for page in pages for row in page), key=key_of)[:limit]

    async def tally(self, lo: int, hi: int) -> list[Tally]:
        return [one for place in self._places for one in await place.rows.tally(lo, hi)]

    async def bytes_stored(self) -> int:
        return sum([await place.rows.bytes_stored() for place in self._places])

    async def backup(self, path: Any, progress: Any) -> str:
        """All rows of one moment, through one place in memory."""
        whole = MemoryBackend()
        with self._steps:
            for place in self._places:
                for row in place.rows.directory.rows():
                    whole.directory.put(row)
        return await whole.backup(path, progress)

    async def scrub(self) -> list[str]:
        return []

    async def close(self) -> None:
        for place in self._places:
            await place.rows.close()


def _thread_of(batch: Batch) -> str | None:
    for expect in batch.expects:
        if isinstance(expect, ThreadAbsent | ThreadAt):
            return expect.id
        if isinstance(expect, EarlyWritesAt):
            return expect.thread
    for row in (*batch.puts, *batch.puts_if_free):
        if isinstance(row, TagRow | EarlyWriteRow):
            return row.thread
    for drop in batch.drops:
        if isinstance(drop, DropEarlyWrites):
            return drop.thread
        if isinstance(drop, DropRow) and drop.table in (ThreadRow, TagRow, EarlyWriteRow):
            return str(drop.key[2 if drop.table is TagRow else 0])
    return None


def _parted(batch: Batch, thread_id: str) -> tuple[Batch, Batch]:
    """What the id's place has to hold and gets, and what the tree's."""
    deleted = tombstone_hash(thread_id)
    at_home: list[Expect] = [
        expect for expect in batch.expects
        if (isinstance(expect, TombstoneAt) and expect.hash == deleted) or isinstance(expect, ThreadAbsent)
    ]  # fmt: skip
    tombs = [row for row in batch.puts if isinstance(row, TombstoneRow)]
    there = replace(
        batch,
        expects=[expect for expect in batch.expects if not isinstance(expect, TombstoneAt)],
        puts=[row for row in batch.puts if not isinstance(row, TombstoneRow | QuarantineRow)],
    )
    return Batch(at_home, tombs), there
