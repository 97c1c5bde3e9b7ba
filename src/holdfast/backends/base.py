"""The contract between the engine and whatever keeps its rows.

A backend sees ids, index fields and bytes, never Python values. It keeps fourteen kinds of row (see
`rows`) and answers a dozen questions about them. Everything the engine writes goes through one verb::

    applied = await backend.commit(Batch(expects=[LineAt(...)], puts=[line_row, checkpoint_row, chunk_row]))

What a backend promises:

- **Atomic.** A batch is applied whole or not at all, also when the process or machine dies at any byte.
- **Conditional.** All of `expects` hold at the moment the batch is applied, or `commit` returns False and nothing
  changed. A failed expectation is an answer, never an exception, so that many batches can share one commit and only
  the stale ones fail.
- **Durable.** When `commit` returns True the batch is on disk (unless `Capabilities.durable` is False).
- **Isolated.** A read sees whole batches only, and every batch that was acknowledged before the read began.
- **Any thread.** Verbs may be called from several threads at once, and after `os.fork()` in the child.
- **Errors** are raised as `holdfast.errors`: a driver's own exceptions stay inside.

Puts insert a row or replace the one with the same key; `KEYS` says what the key of each kind of row is. Chunks alone
are never replaced: they are what was saved, and a second one at the same position is an error that changes nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from holdfast.backends.rows import (
    AnyRow,
    CheckpointRow,
    ChunkRow,
    JournalRow,
    LineRow,
    MarkRow,
    PendingRow,
    Row,
    RunRow,
    SealedRow,
    ThreadRow,
    WaitingRow,
)
from holdfast.errors import InvalidArgument

# ------------------------------------------------------------------------------------------------ expectations


class LineAt(NamedTuple):
    """The line row has this version; 0 means that there is none."""

    tree: int
    line: int
    version: int


class NamespaceFree(NamedTuple):
    """The thread has no line for this namespace yet."""

    tree: int
    thread: int
    namespace: str


class RootAt(NamedTuple):
    """The thread has been forked and taken this often, its journal ends here, and it still exists."""

    tree: int
    line: int
    forks: int
    epoch: int
    journal: int


class ForksAt(NamedTuple):
    """The thread has been forked this often, and its root line still exists."""

    tree: int
    line: int
    forks: int


class ThreadAbsent(NamedTuple):
    """The directory has no thread of this id."""

    id: str


class ThreadAt(NamedTuple):
    """The directory leads from this id to this line."""

    id: str
    line: int


class GraveAt(NamedTuple):
    """The id has been deleted this often; 0 means never."""

    hash: bytes
    generation: int


class IdFree(NamedTuple):
    """The line has no checkpoint row of this id."""

    tree: int
    line: int
    id: str


class KeyFree(NamedTuple):
    """The line's journal has no entry with this key."""

    tree: int
    line: int
    key: str


class CheckpointThere(NamedTuple):
    """The line has a row with this number."""

    tree: int
    line: int
    seq: int


class CheckpointAt(NamedTuple):
    """The checkpoint of this number is this very row, by its checksum."""

    tree: int
    line: int
    seq: int
    sum: int


class ChunkAt(NamedTuple):
    """The chunk at this position is this very row, by its checksum."""

    tree: int
    log: int
    lo: int
    sum: int


class PendingAt(NamedTuple):
    """The pending write of this key is this very row, by its checksum."""

    tree: int
    line: int
    seq: int
    task_id: str
    idx: int
    era: int
    sum: int


class WaitingAt(NamedTuple):
    """So many writes wait for this checkpoint."""

    thread: str
    namespace: str
    checkpoint: str
    writes: int


Expect = (
    LineAt
    | NamespaceFree
    | RootAt
    | ForksAt
    | ThreadAbsent
    | ThreadAt
    | GraveAt
    | IdFree
    | KeyFree
    | CheckpointThere
    | CheckpointAt
    | ChunkAt
    | PendingAt
    | WaitingAt
)


# ------------------------------------------------------------------------------------------------ removals


class DropRow(NamedTuple):
    """Remove one row by its key."""

    table: type[Row]
    key: tuple[object, ...]


class DropChunks(NamedTuple):
    """Remove the chunks of a log that lie within lo..hi."""

    tree: int
    log: int
    lo: int
    hi: int


class DropTree(NamedTuple):
    """Remove every row of a tree but its threads' directory entries."""

    tree: int


class DropWaiting(NamedTuple):
    """Remove the waiting writes of a thread (of all threads, if empty) that are older than this."""

    thread: str
    before: int


Drop = DropRow | DropChunks | DropTree | DropWaiting


@dataclass(slots=True)
class Batch:
    """What one operation changes, and what must be true for it."""

    expects: list[Expect]
    puts: Sequence[Row]
    drops: Sequence[Drop] = ()
    puts_if_free: Sequence[PendingRow | WaitingRow] = ()


# ------------------------------------------------------------------------------------------------ answers


class Found(NamedTuple):
    """What `find` knows about one namespace of one thread."""

    thread: ThreadRow | None
    root: LineRow | None
    line: LineRow | None
    head: CheckpointRow | None
    generation: int  # of the grave; 0 when the thread lives or never was
    last: str = ""  # of the grave, also when the thread lives again


class Listed(NamedTuple):
    """One thread in a list."""

    thread: ThreadRow
    root: LineRow | None  # None only if its row got lost
    head: CheckpointRow | None


class Want(NamedTuple):
    """One version of one value log."""

    log: int
    pos: int


class Piece(NamedTuple):
    """A chunk on the way to a wanted version, and the last of its positions that belongs to it."""

    chunk: ChunkRow
    upto: int


class Filter(NamedTuple):
    """Equality on a checkpoint's own columns; None means any."""

    run_id: str | None = None
    status: str | None = None
    source: str | None = None
    node: str | None = None
    max_step: int | None = None
    max_time: int | None = None
    max_journal: int | None = None


class Tally(NamedTuple):
    """What a thread has saved on one day; without a thread, what else a tree takes up."""

    thread: str
    tree: int
    day: int  # since 1970
    checkpoints: int  # each with the thread that saved it, and none that was removed, or whose thread is gone
    size: int  # of their states, each written whole
    stored: int  # bytes of rows


Frames = tuple[int, ...]
"""After how many changes of a value those are stored as one, compressed together; largest first."""

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much."""

ANY: Final = Filter()
BACKUPS: Final = "backups and other copies of the store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What the engine may rely on. Data, so that nobody has to probe for methods."""

    name: str
    blocking: bool  # verbs block the calling thread; the async façade runs them on a worker
    durable: bool  # acknowledged means on disk
    shared: bool  # other processes may write at the same time
    frames: Frames = (256, 64, 16)


class Backend(ABC):
    """See the module's docstring for what is promised."""

    capabilities: ClassVar[Capabilities]

    @abstractmethod
    async def commit(self, batch: Batch) -> bool:
        """Apply the batch if all its expectations hold; say whether they did."""

    @abstractmethod
    async def find(self, thread_id: str, namespace: str, grave: bytes) -> Found:
        """Directory entry, root line, this namespace's line and its head, in one look."""

    @abstractmethod
    async def ancestry(self, tree: int, line: int) -> list[LineRow]:
        """This line, the one it was forked from, and so on."""

    @abstractmethod
    async def namespaces(self, tree: int, thread: int) -> list[LineRow]:
        """Every line of a thread, the root first."""

    @abstractmethod
    async def namespace(self, tree: int, thread: int, namespace: str) -> LineRow | None:
        """One line of a thread, by its namespace."""

    @abstractmethod
    async def tree_threads(self, tree: int) -> list[ThreadRow]:
        """The living threads of a tree."""

    @abstractmethod
    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        """Rows of one line with lo <= seq <= hi, newest first (or oldest first), as raw rows: marks are not applied."""

    @abstractmethod
    async def by_id(self, tree: int, lines: Sequence[int], checkpoint_id: str) -> list[CheckpointRow]:
        """Rows of this id in any of these lines."""

    @abstractmethod
    async def checkpoints_by_id(self, tree: int, line: int, before: str | None, limit: int) -> list[CheckpointRow]:
        """Rows of one line in the order of their ids as text, highest first; those lower than `before`, if given."""

    @abstractmethod
    async def marks(self, tree: int, lines: Sequence[int]) -> list[MarkRow]:
        """Every mark of these lines."""

    @abstractmethod
    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        """For each wanted version the chunks that make it up: from the last key at or before it, through the logs it
        continues from, oldest first."""

    @abstractmethod
    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SealedRow]:
        """The pending writes that a line sees for these numbers, sealed or not: its own, and those of each line below
        that were written before the era at which the line above was forked off, as long as the number is theirs.
        Farthest line first, then by era; of one line and era the sealed ones first, by number. The line itself need
        not be stored yet."""

    @abstractmethod
    async def waiting(self, thread: str, namespace: str, checkpoint: str) -> list[WaitingRow]:
        """The writes that wait for one checkpoint."""

    @abstractmethod
    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        """Entries of one line's journal with lo <= seq <= hi, oldest first."""

    @abstractmethod
    async def journal_key(self, tree: int, lines: Sequence[int], key: str) -> list[JournalRow]:
        """Entries with this key in any of these lines."""

    @abstractmethod
    async def now(self) -> int:
        """The store's clock, in microseconds: what leases are measured by, whichever machine asks."""

    @abstractmethod
    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        """Threads with a checkpoint or a journal, and all forks, that have all tags, by id; the id starts with `prefix`
        and follows `after`."""

    @abstractmethod
    async def run_lines(self, run_id: str) -> list[RunRow]:
        """Where a run has written."""

    @abstractmethod
    async def thread_of(self, tree: int, line: int) -> ThreadRow | None:
        """The living thread whose root line this is."""

    @abstractmethod
    async def trees(self, after: int, limit: int) -> list[int]:
        """The numbers of trees that have rows of any kind, in order; those that follow `after`. Damage may have put a
        row into a tree that has no line: nobody else would come by."""

    @abstractmethod
    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        """Rows of one kind in the order of their keys, those that follow the key `after` (all, if it is empty): for
        whoever goes through everything. Of one tree, for the kinds that name it first; else `tree` is None."""

    async def check(self) -> list[str]:
        """What is wrong with the storage itself, below the rows; one sentence each."""
        return []

    async def unlisted(self) -> list[str]:
        """Why there may be threads that no list of threads or trees leads to; one sentence each. Whoever speaks for the
        whole store asks this, and nobody else has to: a damaged thread does not stop a list of the others."""
        return []

    async def mend(self) -> list[str]:
        """Set aside what is damaged below the rows, and go on with the rows that can still be read. Says what was set
        aside, and where it is."""
        return []

    @abstractmethod
    async def bytes_stored(self) -> int:
        """What the store takes up where it lives."""

    @abstractmethod
    async def tally(self, lo: int, hi: int) -> list[Tally]:
        """What the trees lo..hi hold, added up; no row of values leaves the storage for it."""

    async def backup(self, path: Path, progress: Progress | None) -> str:
        """Write a whole copy of the store as it is at one moment, beside whoever writes, under a name that is free;
        says how to open it. Whoever opens the copy first raises every lease epoch in it. May block."""
        raise InvalidArgument(
            f"a store on {self.capabilities.name} can't be backed up; holdfast.copy() moves its threads"
        )

    @abstractmethod
    async def give_back(self) -> None:
        """Give the space of dropped rows back to whoever lent it, as far as that can be done beside others."""

    async def scrub(self) -> list[str]:
        """Leave no byte of dropped rows behind, as far as that can be done. Says where some may still be, or copies of
        them; one sentence each."""
        await self.give_back()
        return [BACKUPS, "free space of the storage, until something else is written there"]

    @abstractmethod
    async def close(self) -> None:
        """Give everything back. Closing twice is fine."""

    def within(self, connection: object) -> Backend:
        """A backend whose batches are part of the transaction that the caller has open on this connection."""
        raise InvalidArgument(
            f"a store on {self.capabilities.name} can't write within a transaction of yours; PostgreSQL's can"
        )
