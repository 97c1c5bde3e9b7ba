"""The contract between the engine and the storage that keeps its rows.

A backend sees ids, index fields and bytes, never Python values. It keeps fourteen kinds of row (see `rows`) and answers
questions about them. Everything the engine writes goes through one method::

    applied = await backend.commit(Batch(expects=[LineAt(...)], puts=[line_row, checkpoint_row, chunk_row]))

A backend implements eleven methods. The others have defaults in terms of these, which are correct and slow: override
those that the storage can answer faster.

What a backend promises:

- **Atomic.** A batch is applied whole or not at all, even if the process or machine dies at any byte.
- **Conditional.** All of `expects` hold at the moment the batch is applied, or `commit` returns False and nothing
  changed. A failed expectation is an answer, never an exception, so that many batches can share one commit and only
  the stale ones fail.
- **Durable.** When `commit` returns True the batch is on disk (unless `Capabilities.durable` is False).
- **Isolated.** A read sees whole batches only, and every batch that was acknowledged before the read began.
- **Any thread.** Methods may be called from several threads at once, and after `os.fork()` in the child.
- **Errors** are raised as `holdfast.errors`: a driver's own exceptions never reach the caller.

Puts insert a row or replace every column of the one with the same key; `KEYS` says which columns are the key of each
kind of row. Chunks alone are never replaced: a second chunk at the same position is an error, and changes nothing.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from holdfast.backends.answers import ANY, Filter, Found, Frames, Listed, Piece, Progress, Tally, Want, tally_tree
from holdfast.backends.batch import (
    Batch,
    CheckpointAt,
    CheckpointThere,
    ChunkAt,
    Claim,
    ClockNear,
    Drop,
    DropChunks,
    DropEarlyWrites,
    DropRow,
    DropTree,
    EarlyWritesAt,
    Expect,
    ForksAt,
    IdFree,
    KeyFree,
    LineAt,
    NamespaceFree,
    PendingAt,
    RootAt,
    ThreadAbsent,
    ThreadAt,
    TombstoneAt,
    drop_of,
)
from holdfast.backends.rows import (
    NO_LIMIT,
    OF_DIRECTORY,
    OF_TREES,
    WITH_BODY,
    AnyRow,
    CheckpointRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    OverlayRow,
    PendingRow,
    RunRow,
    SettledRow,
    ThreadRow,
    first_key,
    weight,
)
from holdfast.errors import InvalidArgument
from holdfast.ids import new_number

__all__ = [
    "ANY",
    "BACKUPS",
    "Backend",
    "Batch",
    "Capabilities",
    "CheckpointAt",
    "CheckpointThere",
    "ChunkAt",
    "Claim",
    "ClockNear",
    "Drop",
    "DropChunks",
    "DropEarlyWrites",
    "DropRow",
    "DropTree",
    "EarlyWritesAt",
    "Expect",
    "Filter",
    "ForksAt",
    "Found",
    "Frames",
    "IdFree",
    "KeyFree",
    "LineAt",
    "Listed",
    "NamespaceFree",
    "PendingAt",
    "Piece",
    "Progress",
    "RootAt",
    "Tally",
    "ThreadAbsent",
    "ThreadAt",
    "TombstoneAt",
    "Want",
    "drop_of",
]

BACKUPS: Final = "backups and other copies of the store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What the engine may rely on. Data, so that no caller has to probe for methods."""

    name: str
    blocking: bool  # methods block the calling thread; the async façade runs them on a worker thread
    durable: bool  # acknowledged means on disk
    shared: bool  # other processes may write at the same time
    frames: Frames = (256, 64, 16)


class Backend(ABC):
    """The module's docstring has the promises. The first eleven methods are required."""

    capabilities: ClassVar[Capabilities]

    # ---------------------------------------------------------------- required

    @abstractmethod
    async def commit(self, batch: Batch) -> bool:
        """Apply the batch if all its expectations hold; return whether they did."""

    async def commit_each(self, batches: Sequence[Batch]) -> list[bool]:
        """Commit several batches, each by itself; say of each whether it was applied. They may share one wait for the
        disk."""
        return [await self.commit(batch) for batch in batches]

    @abstractmethod
    async def find(self, thread_id: str, namespace: str, tombstone: bytes) -> Found:
        """The directory entry, the root line, this namespace's line and its head, as of one moment."""

    @abstractmethod
    async def ancestry(self, tree: int, line: int, limit: int = NO_LIMIT) -> list[LineRow]:
        """This line, the line it was forked from, and so on, at most `limit` of them. Damaged rows may form a circle;
        the answer is finite."""

    @abstractmethod
    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        """At most `limit` rows of one line with lo <= seq <= hi, newest first (or oldest first). Overlays are not
        applied."""

    @abstractmethod
    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        """For each wanted version the chunks it is made from, oldest first: from the last key at or before it, through
        the logs that its log continues."""

    @abstractmethod
    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SettledRow]:
        """The writes that a line sees for these checkpoints, settled or not: its own, and those of each base line that
        were written before the era of the fork, as long as the checkpoint belongs to that base.

        Farthest base first, then by era; within one line and era the settled rows first, by number. The line itself
        need not be stored yet.
        """

    @abstractmethod
    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        """At most `limit` entries of one line's journal with lo <= seq <= hi, oldest first."""

    @abstractmethod
    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        """Threads that have all these tags, by id; the id starts with `prefix` and is greater than `after`.

        A thread is listed if it has a checkpoint or a journal entry, or is a fork. A negative limit means all.
        """

    @abstractmethod
    async def trees(self, after: int, limit: int) -> list[int]:
        """The numbers of trees that have rows of any kind, in order, those greater than `after`. Damage may leave rows
        in a tree that has no line: such a tree is listed too."""

    @abstractmethod
    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        """At most `limit` rows of one kind in the order of their keys, those whose key is greater than `after` (all, if
        it is empty). Of one tree for the kinds in `OF_TREES`; for the others `tree` is None."""

    @abstractmethod
    async def close(self) -> None:
        """Release all resources. Closing twice is fine."""

    # ---------------------------------------------------------------- writing, with a default

    def new_tree(self, thread_id: str) -> int:
        """A number for the tree of a new thread. A backend with several places chooses one whose place is the id's."""
        return new_number()

    async def drop_early_writes(self, before: int) -> None:
        """Remove the early writes of all threads that were made before this time. It need not be atomic."""
        await self.commit(Batch([], [], [DropEarlyWrites("", before)]))

    # ---------------------------------------------------------------- questions with a default

    async def namespaces(self, tree: int, thread: int) -> list[LineRow]:
        """Every line of a thread, by namespace, so the root first."""
        lines = [line for line in await self.scan(LineRow, tree, (), NO_LIMIT) if line.thread == thread]
        return sorted(lines, key=lambda line: line.namespace)

    async def namespace(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        """One line of a thread, by its namespace."""
        lines = await self.namespaces(tree, thread)
        return next((line for line in lines if line.namespace == namespace), None)

    async def tree_threads(self, tree: int) -> list[ThreadRow]:
        """The living threads of a tree."""
        return [thread for thread in await self.scan(ThreadRow, None, (), NO_LIMIT) if thread.tree == tree]

    async def thread_of(self, tree: int, line: int) -> ThreadRow | None:
        """The living thread whose root line this is."""
        threads = await self.tree_threads(tree)
        return next((thread for thread in threads if thread.line == line), None)

    async def by_id(self, tree: int, lines: Sequence[int], checkpoint_id: str) -> list[CheckpointRow]:
        """Rows with this id in any of these lines."""
        rows = await self.scan(CheckpointRow, tree, (), NO_LIMIT)
        return [row for row in rows if row.id == checkpoint_id and row.line in lines]

    async def checkpoints_by_id(self, tree: int, line: int, before: str | None, limit: int) -> list[CheckpointRow]:
        """At most `limit` rows of one line in the order of their ids as text, highest first; those lower than `before`,
        if given."""
        rows = await self.checkpoints(tree, line, -NO_LIMIT, NO_LIMIT, NO_LIMIT)
        lower = [row for row in rows if before is None or row.id < before]
        return sorted(lower, key=lambda row: (row.id, row.seq), reverse=True)[:limit]

    async def overlays(
        self, tree: int, lines: Sequence[int], lo: int = -NO_LIMIT, hi: int = NO_LIMIT
    ) -> list[OverlayRow]:
        """Every overlay of these lines on a checkpoint whose number is within lo..hi."""
        rows = await self.scan(OverlayRow, tree, (), NO_LIMIT)
        return [row for row in rows if row.line in lines and lo <= row.seq <= hi]

    async def early_writes(self, thread: str, namespace: str, checkpoint: str) -> list[EarlyWriteRow]:
        """The early writes for one checkpoint."""
        wanted = (thread, namespace, checkpoint)
        start = (*wanted, *first_key(EarlyWriteRow)[len(wanted) :])
        rows = await self.scan(EarlyWriteRow, None, start, NO_LIMIT)
        return [row for row in rows if (row.thread, row.namespace, row.checkpoint) == wanted]

    async def journal_key(self, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
        """Entries with this key in any of these lines."""
        rows = await self.scan(JournalRow, tree, (), NO_LIMIT)
        return [row for row in rows if row.key == key and row.line in lines]

    async def run_lines(self, run_id: str) -> list[RunRow]:
        """The lines that a run has written to."""
        start = (run_id, *first_key(RunRow)[1:])
        return [row for row in await self.scan(RunRow, None, start, NO_LIMIT) if row.run_id == run_id]

    async def now(self) -> int:
        """The store's clock in microseconds, by which leases are measured; by default that of this machine."""
        return time.time_ns() // 1000

    async def bytes_stored(self) -> int:
        """The size of the store. By default that of its rows, roughly."""
        total = 0
        for kind in OF_DIRECTORY:
            total += sum(map(weight, await self.scan(kind, None, (), NO_LIMIT)))
        for tree in await self.trees(0, NO_LIMIT):
            for kind in OF_TREES:
                total += sum(map(weight, await self.scan(kind, tree, (), NO_LIMIT)))
        return total

    async def tally(self, lo: int, hi: int) -> list[Tally]:
        """What the trees lo..hi hold, added up."""
        tallies: list[Tally] = []
        for tree in await self.trees(lo - 1, NO_LIMIT):
            if tree <= hi:
                tallies += await self._tally_tree(tree)
        return tallies

    async def _tally_tree(self, tree: int) -> list[Tally]:
        other_bytes = 0
        for kind in WITH_BODY:
            other_bytes += sum(len(row.body) for row in await self.scan(kind, tree, (), NO_LIMIT))
        return tally_tree(
            tree,
            {thread.line: thread.id for thread in await self.tree_threads(tree)},
            await self.scan(LineRow, tree, (), NO_LIMIT),
            await self.scan(OverlayRow, tree, (), NO_LIMIT),
            await self.scan(CheckpointRow, tree, (), NO_LIMIT),
            other_bytes,
        )

    # ---------------------------------------------------------------- upkeep

    async def check(self) -> list[str]:
        """What is wrong with the storage itself, below the rows; one sentence each."""
        return []

    async def unlisted(self) -> list[str]:
        """Why there may be threads that no list of threads or trees shows; one sentence each. Only operations on the
        whole store ask this: a damaged thread does not stop a list of the others."""
        return []

    async def mend(self) -> list[str]:
        """Set aside what is damaged below the rows, and continue with the rows that can still be read. Returns what was
        set aside, and where it is."""
        return []

    async def give_back(self) -> None:  # noqa: B027  # nothing to return by default
        """Return the space of dropped rows to the operating system; must be safe with concurrent writers."""

    async def scrub(self) -> list[str]:
        """Leave no byte of dropped rows behind, where the storage allows that. Returns where some may still be, or
        copies of them; one sentence each."""
        await self.give_back()
        return [BACKUPS, "free space of the storage, until something else is written there"]

    def rights(self) -> int:
        """The permission bits that a file made from this store's content may have: no wider than those of the files
        that the store is in."""
        return 0o600

    async def backup(self, path: Path, progress: Progress | None) -> str:
        """Write a complete copy of the store as it is at one moment to a path that does not exist, with concurrent
        writers; returns how to open it. The first process to open the copy raises every lease epoch in it. May block.
        """
        raise InvalidArgument(
            f"a store on {self.capabilities.name} can't be backed up; holdfast.copy() moves its threads"
        )

    def within(self, connection: object) -> Backend:
        """A backend whose batches are part of the transaction that the caller has open on this connection."""
        raise InvalidArgument(
            f"a store on {self.capabilities.name} can't write within a transaction of yours; PostgreSQL's can"
        )
