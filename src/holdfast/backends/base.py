"""The contract between the engine and whatever keeps its rows.

A backend sees ids, index fields and bytes, never Python values. It keeps thirteen kinds of row (the NamedTuples below)
and answers a dozen questions about them. Everything the engine writes goes through one verb::

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
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple, TypeVar
from zlib import crc32

from msgspec.msgpack import Encoder

from holdfast.errors import Corrupt

KEY: Final = 0  # a chunk holding one whole value
OP: Final = 1  # a chunk holding one change
FRAME: Final = 2  # a chunk holding many changes, compressed together


class ThreadRow(NamedTuple):
    """The directory: from the id a user chose to the tree and the root line."""

    id: str
    tree: int
    line: int
    generation: int
    created_at: int
    metadata: bytes
    from_thread: str | None
    from_checkpoint: str | None
    sum: int = 0


class GraveRow(NamedTuple):
    """What is left of a deleted thread: a hash of its id, how many lives it has had, and where the last one ended."""

    hash: bytes
    generation: int
    last: str  # the highest checkpoint id, as text: whoever names it or a lower one comes too late
    sum: int = 0


class TagRow(NamedTuple):
    """One indexed fact about a thread, for `threads(where=…)`."""

    key: str
    value: str
    thread: str
    sum: int = 0


class LineRow(NamedTuple):
    """One namespace of one thread: the only row that a save locks."""

    tree: int
    line: int
    thread: int  # the root line of the same thread; equal to `line` for the root itself
    namespace: str
    version: int = 0  # grows with every change of this row; what `LineAt` compares
    seq: int = 0  # the last number handed out
    head_line: int = 0  # where the head's row lives: another line, until a fork writes on
    head_seq: int = 0  # 0 when there is no checkpoint
    checkpoints: int = 0
    size: int = 0
    updated_at: int = 0
    forks: int = 0  # how often this thread was forked or copied: the era of what is written next
    marks: int = 0  # how many marks were made on what this line sees; 0 lets reads skip them
    base_line: int | None = None  # the line this one was forked from
    base_seq: int = 0
    base_era: int = 0  # what that thread wrote in this era or later is not seen
    whole: int = 0  # 1 if a copy, which sees all of the base and not only the fork point's ancestors
    journal: int = 0  # the last number of the thread's journal; kept in the root line, like what follows
    base_journal: int = 0  # up to here the journal is that of the base
    epoch: int = 0  # how often a worker took the thread
    worker: str = ""  # who holds it; empty if nobody
    lease_at: int = 0  # when the hold was taken or renewed, by the store's clock
    lease_ttl: int = 0  # for how long
    sum: int = 0


class CheckpointRow(NamedTuple):
    tree: int
    line: int
    seq: int
    id: str
    parent_id: str | None
    parent_seq: int  # 0 when there is none, or none that this line sees
    parent_thread: str | None  # None when it is this thread
    parent_digest: bytes | None  # only where the parent can't be seen: what the digest below was made with
    stretch: int  # every row of this line from here to `seq` is an ancestor (see docs/reference/format.md)
    depth: int  # how many checkpoints its lineage had when it was saved, itself included
    step: int
    source: str
    node: str
    next: bytes
    run_id: str | None
    status: str
    label: str
    metadata: bytes
    created_at: int
    journal_seq: int
    size: int
    origin: str | None
    era: int
    digest: bytes
    manifest: bytes
    sum: int = 0


class MarkRow(NamedTuple):
    """A change of mind about a checkpoint: a new label or status, or that it was removed from this line's view."""

    tree: int
    line: int
    seq: int
    era: int
    hidden: int  # 1: removed; 2: replaced by another row of the same id
    label: str | None
    status: str | None
    sum: int = 0


class LogRow(NamedTuple):
    """Where a value log continues from. Only logs that started from another log's version have one."""

    tree: int
    log: int
    base_log: int
    base_pos: int
    sum: int = 0


class ChunkRow(NamedTuple):
    """Positions lo..hi of one value log."""

    tree: int
    log: int
    lo: int
    hi: int
    kind: int
    body: bytes
    sum: int = 0


class PendingRow(NamedTuple):
    tree: int
    line: int
    seq: int
    task_id: str
    idx: int
    era: int  # a control write that replaces another leaves it to the forks that saw it
    task_path: str
    body: bytes  # channel and value
    sum: int = 0


class SealedRow(NamedTuple):
    """The pending writes of a checkpoint, once the save that follows it holds what they wrote."""

    tree: int
    line: int
    seq: int
    number: int  # of the save that sealed them
    era: int
    body: bytes
    sum: int = 0


class WaitingRow(NamedTuple):
    """A write for a checkpoint that has not come yet: unseen until it does, and forgotten if it never does."""

    thread: str
    namespace: str
    checkpoint: str
    task_id: str
    idx: int
    task_path: str
    created_at: int
    body: bytes  # channel and value
    sum: int = 0


class JournalRow(NamedTuple):
    """One entry of a thread's journal; `line` is the root line that it was appended to."""

    tree: int
    line: int
    seq: int
    kind: str
    key: str | None
    created_at: int
    body: bytes
    sum: int = 0


class RunRow(NamedTuple):
    """In which lines a run has written, so that a run can be deleted without looking at every thread."""

    run_id: str
    tree: int
    line: int
    sum: int = 0


Row = (
    ThreadRow
    | GraveRow
    | TagRow
    | LineRow
    | CheckpointRow
    | MarkRow
    | LogRow
    | ChunkRow
    | PendingRow
    | SealedRow
    | WaitingRow
    | JournalRow
    | RunRow
)

KEYS: Final[dict[type[Row], int]] = {
    ThreadRow: 1, GraveRow: 1, TagRow: 3, LineRow: 2, CheckpointRow: 3,
    MarkRow: 4, LogRow: 2, ChunkRow: 3, PendingRow: 6, SealedRow: 5, WaitingRow: 5, JournalRow: 3, RunRow: 3,
}  # fmt: skip
"""How many leading columns make up the key of each kind of row."""


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
    | ThreadAbsent
    | ThreadAt
    | GraveAt
    | IdFree
    | KeyFree
    | CheckpointThere
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


ANY: Final = Filter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What the engine may rely on. Data, so that nobody has to probe for methods."""

    name: str
    blocking: bool  # verbs block the calling thread; the async façade runs them on a worker
    durable: bool  # acknowledged means on disk
    shared: bool  # other processes may write at the same time


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
    async def bytes_stored(self) -> int:
        """What the store takes up where it lives."""

    @abstractmethod
    async def close(self) -> None:
        """Give everything back. Closing twice is fine."""


# ------------------------------------------------------------------------------------------------ checksums

_encode = Encoder().encode
R = TypeVar(
    "R",
    ThreadRow,
    GraveRow,
    TagRow,
    LineRow,
    CheckpointRow,
    MarkRow,
    LogRow,
    ChunkRow,
    PendingRow,
    SealedRow,
    WaitingRow,
    JournalRow,
    RunRow,
)


def sealed(row: R) -> R:
    """The row with its checksum filled in: over every column, so that a swapped row shows as well as a flipped bit."""
    columns: tuple[object, ...] = row[:-1]
    return tuple.__new__(type(row), (*columns, crc32(_encode(columns))))


def checked(row: R) -> R:
    """The row itself if its checksum holds."""
    if row[-1] != crc32(_encode(row[:-1])):
        raise Corrupt(
            f"the {table_name(type(row))} row with {describe_key(row)} does not match its checksum: "
            "the storage changed it after it was written"
        )
    return row


def table_name(kind: type[Row]) -> str:
    """``CheckpointRow`` is kept in ``checkpoint``."""
    return kind.__name__.removesuffix("Row").lower()


def describe_key(row: Row) -> str:
    columns = row._fields[: KEYS[type(row)]]
    return ", ".join(f"{name}={value!r}" for name, value in zip(columns, row, strict=False))
