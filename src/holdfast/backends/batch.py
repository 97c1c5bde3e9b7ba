"""What the engine writes: a batch of expectations, removals and rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from holdfast.backends.rows import EarlyWriteRow, PendingRow, Row, key_of

# ------------------------------------------------------------------------------------------------ expectations


class LineAt(NamedTuple):
    """The line row has this version; 0 means that there is no such row."""

    tree: int
    line: int
    version: int


class NamespaceFree(NamedTuple):
    """The thread has no line for this namespace yet."""

    tree: int
    thread: int
    namespace: str


class RootAt(NamedTuple):
    """The root line exists, and has these counts of forks and of leases taken, and this end of its journal."""

    tree: int
    line: int
    forks: int
    epoch: int
    journal: int


class ForksAt(NamedTuple):
    """The root line exists, and has this count of forks."""

    tree: int
    line: int
    forks: int


class ThreadAbsent(NamedTuple):
    """The directory has no thread with this id."""

    id: str


class ThreadAt(NamedTuple):
    """The directory has this id, with this root line."""

    id: str
    line: int


class TombstoneAt(NamedTuple):
    """The tombstone of an id has this generation; 0 means that there is none."""

    hash: bytes
    generation: int


class IdFree(NamedTuple):
    """The line has no checkpoint row with this id."""

    tree: int
    line: int
    id: str


class KeyFree(NamedTuple):
    """The line's journal has no entry with this key."""

    tree: int
    line: int
    key: str


class CheckpointThere(NamedTuple):
    """The line has a checkpoint row with this number."""

    tree: int
    line: int
    seq: int


class CheckpointAt(NamedTuple):
    """The line has a checkpoint row with this number and this checksum."""

    tree: int
    line: int
    seq: int
    sum: int


class ChunkAt(NamedTuple):
    """The log has a chunk at this position with this checksum."""

    tree: int
    log: int
    lo: int
    sum: int


class PendingAt(NamedTuple):
    """There is a pending write with this key and this checksum."""

    tree: int
    line: int
    seq: int
    task_id: str
    idx: int
    era: int
    sum: int


class EarlyWritesAt(NamedTuple):
    """There are exactly this many early writes for this checkpoint."""

    thread: str
    namespace: str
    checkpoint: str
    writes: int


class ClockNear(NamedTuple):
    """The store's clock shows this time, give or take `within`; both in microseconds."""

    moment: int
    within: int


Expect = (
    LineAt
    | NamespaceFree
    | RootAt
    | ForksAt
    | ThreadAbsent
    | ThreadAt
    | TombstoneAt
    | IdFree
    | KeyFree
    | CheckpointThere
    | CheckpointAt
    | ChunkAt
    | PendingAt
    | EarlyWritesAt
    | ClockNear
)


# ------------------------------------------------------------------------------------------------ removals


class DropRow(NamedTuple):
    """Remove one row by its key."""

    table: type[Row]
    key: tuple[object, ...]


def drop_of(row: Row) -> DropRow:
    """What removes this row."""
    return DropRow(type(row), key_of(row))


class DropChunks(NamedTuple):
    """Remove the chunks of a log that start within lo..hi."""

    tree: int
    log: int
    lo: int
    hi: int


class DropTree(NamedTuple):
    """Remove every row of a tree except the directory entries of its threads."""

    tree: int


class DropEarlyWrites(NamedTuple):
    """Remove the early writes of a thread that were made before this time. If `thread` is empty, of all threads: such a
    batch holds nothing else."""

    thread: str
    before: int


Drop = DropRow | DropChunks | DropTree | DropEarlyWrites


# ------------------------------------------------------------------------------------------------ batches


class Claim(NamedTuple):
    """The batch makes or removes the directory entry of this id.

    An id belongs to the place that `Backend.new_tree` chooses for it, and the tree of the batch may be in another: a
    fork is in the tree of its origin. A backend that keeps all rows in one place needs no claims; the expectations say
    the same. One with several places reserves the id in its own place, commits the batch in the tree's, and confirms.
    """

    id: str


@dataclass(slots=True)
class Batch:
    """What one operation changes, and what must be true when it is applied.

    A batch lies in one tree: all its rows, expectations and removals are about that tree, its threads and their ids. A
    batch without a tree is about one thread id. Drops are applied before puts. `puts_if_free` leaves a row that has the
    same key as it is.
    """

    expects: list[Expect]
    puts: Sequence[Row]
    drops: Sequence[Drop] = ()
    puts_if_free: Sequence[PendingRow | EarlyWriteRow] = ()
    claims: Sequence[Claim] = ()
    is_repair: bool = False  # a repair: it fixes rows wherever damage has left them, and may change several trees
