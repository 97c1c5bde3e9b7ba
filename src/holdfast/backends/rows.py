"""The rows that a backend keeps: fourteen kinds, each a NamedTuple whose last column is a checksum over the others."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeVar, get_type_hints
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


class QuarantineRow(NamedTuple):
    """A damaged row that was set aside, as it was found."""

    number: int
    kind: str  # the table it was in
    body: bytes  # its columns
    reason: str
    created_at: int
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
    | QuarantineRow
)

KEYS: Final[dict[type[Row], int]] = {
    ThreadRow: 1, GraveRow: 1, TagRow: 3, LineRow: 2, CheckpointRow: 3,
    MarkRow: 4, LogRow: 2, ChunkRow: 3, PendingRow: 6, SealedRow: 5, WaitingRow: 5, JournalRow: 3, RunRow: 3,
    QuarantineRow: 1,
}  # fmt: skip
"""How many leading columns make up the key of each kind of row."""


# ------------------------------------------------------------------------------------------------ checksums

_encode = Encoder().encode
AnyRow = TypeVar(
    "AnyRow",
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
    QuarantineRow,
)


def sealed(row: AnyRow) -> AnyRow:
    """The row with its checksum filled in: over every column, so that a swapped row shows as well as a flipped bit."""
    columns: tuple[object, ...] = row[:-1]
    return tuple.__new__(type(row), (*columns, crc32(_encode(columns))))


def is_sound(row: Row) -> bool:
    """Whether the checksum holds. A damaged column may be something that can't even be encoded."""
    try:
        return row[-1] == crc32(_encode(row[:-1]))
    except (TypeError, ValueError, OverflowError):
        return False


def checked(row: AnyRow) -> AnyRow:
    """The row itself if its checksum holds."""
    if not is_sound(row):
        raise Corrupt(
            f"the {table_name(type(row))} row with {describe_key(row)} does not match its checksum: "
            "the storage changed it after it was written"
        )
    return row


def is_typed(row: Row) -> bool:
    """Whether every column is of a type that it may have: in a damaged row it may be any."""
    hints = get_type_hints(type(row)).values()
    columns: tuple[object, ...] = row
    return all(isinstance(column, hint) for column, hint in zip(columns, hints, strict=True))


def has_typed_key(row: Row) -> bool:
    """Whether the key is of the types that keys of its kind have, and so can be put in order with others."""
    columns: tuple[object, ...] = row
    return all(type(column) is type(lowest) for column, lowest in zip(columns, first_key(type(row)), strict=False))


def first_key(kind: type[Row]) -> tuple[object, ...]:
    """Lower than the key of any row of this kind."""
    return tuple(_LOWEST[one] for one in list(get_type_hints(kind).values())[: KEYS[kind]])


_LOWEST: Final[dict[type, object]] = {int: -(1 << 63), str: "", bytes: b""}


def table_name(kind: type[Row]) -> str:
    """``CheckpointRow`` is kept in ``checkpoint``."""
    return kind.__name__.removesuffix("Row").lower()


def describe_key(row: Row) -> str:
    columns = row._fields[: KEYS[type(row)]]
    return ", ".join(f"{name}={value!r}" for name, value in zip(columns, row, strict=False))
