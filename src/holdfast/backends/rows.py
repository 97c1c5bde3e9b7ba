"""The rows that a backend stores: fourteen kinds, each a NamedTuple whose last column is a checksum of the others."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from typing import Annotated, Any, Final, NamedTuple, TypeVar, get_args, get_type_hints
from zlib import crc32

from msgspec import DecodeError, Meta
from msgspec.msgpack import Decoder, Encoder

from holdfast.errors import Corrupt

KEY: Final = 0  # a chunk holding one whole value
OP: Final = 1  # a chunk holding one change
FRAME: Final = 2  # a chunk holding many changes, compressed together

NO_LIMIT: Final = 1 << 62  # as a limit, or as the last number of a range: all rows
DAY: Final = 86_400_000_000  # microseconds
LARGEST: Final = 1 << 62
"""No counter is greater, so that the next number fits into the storage too."""
LATEST: Final = 253_370_764_800_000_000
"""The start of the year 9999: no time is later, so that it is within the calendar in every time zone."""

Key = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]  # of a tree, a line or a log
Number = Annotated[int, Meta(ge=0, le=LARGEST)]
Signed = Annotated[int, Meta(ge=-LARGEST, le=LARGEST + (1 << 61))]  # a caller's own; steps grow from what it chose
Time = Annotated[int, Meta(ge=0, le=LATEST)]  # microseconds since 1970


class ThreadRow(NamedTuple):
    """An entry of the directory: from the id that a user chose to the tree and the root line."""

    id: str
    tree: Key
    line: Key
    generation: Number
    created_at: Time
    metadata: bytes
    from_thread: str | None
    from_checkpoint: str | None
    sum: int = 0


class TombstoneRow(NamedTuple):
    """What is left of a deleted thread: a hash of its id, how often it was deleted, and its last checkpoint id."""

    hash: bytes
    generation: Number
    last: str  # the highest checkpoint id, as text: a late write that names it or a lower one is refused
    sum: int = 0


class TagRow(NamedTuple):
    """One indexed fact about a thread, for `threads(where=…)`."""

    key: str
    value: str
    thread: str
    sum: int = 0


class LineRow(NamedTuple):
    """One namespace of one thread: the only row that a save changes."""

    tree: Key
    line: Key
    thread: Key  # the root line of the same thread; equal to `line` for the root itself
    namespace: str
    version: Number = 0  # grows with every change of this row; what `LineAt` compares
    seq: Number = 0  # the number of the last checkpoint that was saved
    head_line: Key = 0  # the line of the head's row: a base, until a fork saves its first checkpoint
    head_seq: Number = 0  # 0 if there is no checkpoint
    checkpoints: Number = 0
    size: Number = 0
    updated_at: Time = 0
    forks: Number = 0  # how often this thread was forked or copied, which is the era of the next write
    overlays: Number = 0  # how many overlays concern what this line sees; 0 lets reads skip them
    base_line: Key | None = None  # the line this one was forked from
    base_seq: Number = 0
    base_era: Number = 0  # overlays and writes of the base from this era on are not seen
    is_copy: Number = 0  # 1 for a copy, which sees all branches of its base; 0 for a fork, which sees one lineage
    journal: Number = 0  # the last number of the thread's journal; only in the root line, like all that follow
    base_journal: Number = 0  # up to here the journal is that of the base
    epoch: Number = 0  # how often a worker has taken the lease
    worker: str = ""  # the holder of the lease; empty if there is none
    lease_at: Time = 0  # when the lease was taken or renewed, by the store's clock
    lease_ttl: Signed = 0  # how long it is valid from then on
    sum: int = 0


class CheckpointRow(NamedTuple):
    """One checkpoint; `manifest` says where its values are."""

    tree: Key
    line: Key
    seq: Number
    id: str
    parent_id: str | None
    parent_seq: Number  # 0 if there is no parent, or none that this line sees
    parent_thread: str | None  # None if it is this thread
    parent_digest: bytes | None  # only if this line does not see the parent: part of what `digest` covers
    chain_start: Number  # every row of this line from here to `seq` is an ancestor (see docs/reference/format.md)
    depth: Number  # how many checkpoints its lineage had when it was saved, itself included
    step: Signed
    source: str
    node: str
    next: bytes
    run_id: str | None
    status: str
    label: str
    metadata: bytes
    created_at: Time
    journal_seq: Number
    size: Number
    origin: str | None
    era: Number
    digest: bytes
    manifest: bytes
    sum: int = 0


class OverlayRow(NamedTuple):
    """A later decision about a checkpoint: a new label or status, or its removal from this line's view."""

    tree: Key
    line: Key
    seq: Number
    era: Number
    hidden: Number  # 1: removed; 2: replaced by another row of the same id
    label: str | None
    status: str | None
    sum: int = 0


class LogRow(NamedTuple):
    """The version of another log that a value log continues. Logs that start with a key have no such row."""

    tree: Key
    log: Key
    base_log: Key
    base_pos: Number
    sum: int = 0


class ChunkRow(NamedTuple):
    """Positions lo..hi of one value log."""

    tree: Key
    log: Key
    lo: Number
    hi: Number
    kind: Number
    body: bytes
    sum: int = 0


class PendingRow(NamedTuple):
    """One write of a task on top of a checkpoint."""

    tree: Key
    line: Key
    seq: Number
    task_id: str
    idx: Signed
    era: Number  # part of the key: a control write that replaces another leaves the older one to the forks that saw it
    task_path: str
    body: bytes  # channel and value
    sum: int = 0


class SettledRow(NamedTuple):
    """The pending writes of a checkpoint, once a later save has stored most of their values in logs."""

    tree: Key
    line: Key
    seq: Number
    number: Number  # of the checkpoint that was saved with this row
    era: Number
    body: bytes
    sum: int = 0


class EarlyWriteRow(NamedTuple):
    """A write that arrived before its checkpoint: invisible until the checkpoint is saved, removed after a day."""

    thread: str
    namespace: str
    checkpoint: str
    task_id: str
    idx: Signed
    task_path: str
    created_at: Time
    body: bytes  # channel and value
    sum: int = 0


class JournalRow(NamedTuple):
    """One entry of a thread's journal; `line` is the root line that it was appended to."""

    tree: Key
    line: Key
    seq: Number
    kind: str
    key: str | None
    created_at: Time
    body: bytes
    sum: int = 0


class RunRow(NamedTuple):
    """A line that a run has written to, so that a run can be deleted without reading every thread."""

    run_id: str
    tree: Key
    line: Key
    sum: int = 0


class QuarantineRow(NamedTuple):
    """A damaged row that repair() has set aside, as it was read."""

    number: Number
    kind: str  # the table it was in
    body: bytes  # its columns
    reason: str
    created_at: Time
    sum: int = 0


Row = (
    ThreadRow
    | TombstoneRow
    | TagRow
    | LineRow
    | CheckpointRow
    | OverlayRow
    | LogRow
    | ChunkRow
    | PendingRow
    | SettledRow
    | EarlyWriteRow
    | JournalRow
    | RunRow
    | QuarantineRow
)

KEYS: Final[dict[type[Row], int]] = {
    ThreadRow: 1, TombstoneRow: 1, TagRow: 3, LineRow: 2, CheckpointRow: 3,
    OverlayRow: 4, LogRow: 2, ChunkRow: 3, PendingRow: 6, SettledRow: 5, EarlyWriteRow: 5, JournalRow: 3, RunRow: 3,
    QuarantineRow: 1,
}  # fmt: skip
"""How many leading columns are the key of each kind of row."""

OF_TREES: Final[tuple[Any, ...]] = (
    LineRow, CheckpointRow, OverlayRow, LogRow, ChunkRow, PendingRow, SettledRow, JournalRow,
)  # fmt: skip
"""The kinds of row that belong to one tree, whose number is their first column."""

OF_DIRECTORY: Final[tuple[Any, ...]] = (ThreadRow, TombstoneRow, TagRow, EarlyWriteRow, RunRow, QuarantineRow)
"""All other kinds of row."""

WITH_BODY: Final[tuple[Any, ...]] = (ChunkRow, PendingRow, SettledRow, JournalRow)
"""The kinds of row in a tree that hold most of its bytes, in the column `body`."""


def key_of(row: Row) -> tuple[Any, ...]:
    """The key of a row."""
    return tuple(row[: KEYS[type(row)]])


# ------------------------------------------------------------------------------------------------ checksums

_encode = Encoder().encode
AnyRow = TypeVar(
    "AnyRow",
    ThreadRow,
    TombstoneRow,
    TagRow,
    LineRow,
    CheckpointRow,
    OverlayRow,
    LogRow,
    ChunkRow,
    PendingRow,
    SettledRow,
    EarlyWriteRow,
    JournalRow,
    RunRow,
    QuarantineRow,
)


def with_checksum(row: AnyRow) -> AnyRow:
    """The row with its checksum filled in. It covers the key too, so that a swapped row is found like a flipped bit."""
    columns: tuple[object, ...] = row[:-1]
    total = crc32(_encode(columns)) if len(getattr(row, "body", b"")) < _LARGE else _piecewise(columns)
    return tuple.__new__(type(row), (*columns, total))


def _piecewise(columns: tuple[object, ...]) -> int:
    """The same checksum without the encoding of all columns in one piece, for a row that takes megabytes."""
    total = crc32(bytes((0x90 | len(columns),)))  # no kind of row with a body has more than 15 columns
    for column in columns:
        if isinstance(column, bytes) and len(column) >= _LARGE:
            total = crc32(column, crc32(b"\xc6" + len(column).to_bytes(4, "big"), total))
        else:
            total = crc32(_encode(column), total)
    return total


_LARGE: Final = 1 << 20
_NOT_ENCODED: Final = (TypeError, ValueError, OverflowError, DecodeError)


def is_sound(row: Row) -> bool:
    """Whether the checksum holds, and each column has a value that it may have. Neither may be so in a damaged row."""
    try:
        checked(row)  # type: ignore[type-var]  # a row of any kind
    except Corrupt:
        return False
    return True


def checked(row: AnyRow) -> AnyRow:
    """The row itself if it is sound. Every row passes here before the engine uses what it says.

    Storage may be loosely typed, and anyone can compute a checksum. The encoding that is summed is decoded once more by
    the types of the columns: that is done in C, and faster than anything that looks at single columns.
    """
    try:
        if len(getattr(row, "body", b"")) >= _LARGE:
            if row[-1] == _piecewise(row[:-1]) and is_typed(row):
                return row
        else:
            encoded = _encode(row[:-1])
            if row[-1] == crc32(encoded):
                _SHAPES[type(row)](encoded)
                return row
    except DecodeError as error:
        where = f"the {table_name(type(row))} row with {describe_key(row)}"
        raise Corrupt(f"{where} has a column that no program writes: {error}") from error
    except _NOT_ENCODED:
        pass
    raise Corrupt(
        f"the {table_name(type(row))} row with {describe_key(row)} does not match its checksum: "
        "the storage changed it after it was written"
    )


def is_typed(row: Row) -> bool:
    """Whether every column has a value that it may have, whatever the checksum."""
    columns: tuple[object, ...] = row
    if not all(isinstance(column, hint) for column, hint in zip(columns, _TYPES[type(row)], strict=True)):
        return False
    try:
        # A long text or body is not a matter of its length.
        _SHAPES[type(row)](_encode([column[:1] if isinstance(column, bytes) else column for column in columns[:-1]]))
    except _NOT_ENCODED:
        return False
    return True


def in_bounds(row: AnyRow, moment: int) -> AnyRow:
    """What a damaged row says, with 0 for each number that its column may not have, and this moment for such a time. A
    key stays as it is: with another one it would be another row."""
    columns: list[Any] = [*row]
    for index in range(KEYS[type(row)], len(columns)):
        column, bound = columns[index], _BOUNDS[type(row)][index]
        if bound is not None and isinstance(column, int) and not bound.ge <= column <= bound.le:
            columns[index] = moment if bound.le == LATEST else 0
    return tuple.__new__(type(row), columns)


def has_typed_key(row: Row) -> bool:
    """Whether the columns of the key have the right types, so that it can be compared with other keys."""
    return all(type(column) is type(lowest) for column, lowest in zip(key_of(row), first_key(type(row)), strict=True))


def first_key(kind: type[Row]) -> tuple[object, ...]:
    """Lower than the key of any row of this kind."""
    return tuple(_LOWEST[hint] for hint in _TYPES[kind][: KEYS[kind]])


_TYPES: Final[dict[type, tuple[type, ...]]] = {kind: tuple(get_type_hints(kind).values()) for kind in KEYS}


def _bound(hint: Any) -> Any:
    """The least and the greatest number that a column may have."""
    for part in (hint, *get_args(hint)):
        for meta in getattr(part, "__metadata__", ()):
            return meta
    return None


_BOUNDS: Final[dict[type, list[Any]]] = {
    kind: [_bound(hint) for hint in get_type_hints(kind, include_extras=True).values()] for kind in KEYS
}


def _shape(kind: type[Row]) -> Callable[[bytes], object]:
    """Decodes the columns that are summed, by the types and bounds that the class gives them."""
    columns = [*get_type_hints(kind, include_extras=True).values()][:-1]
    return Decoder(types.GenericAlias(tuple, tuple(columns))).decode


_SHAPES: Final = {kind: _shape(kind) for kind in KEYS}
_TABLES: Final = {kind: re.sub("(?<!^)(?=[A-Z])", "_", kind.__name__.removesuffix("Row")).lower() for kind in KEYS}
_LOWEST: Final[dict[type, object]] = {int: -(1 << 63), str: "", bytes: b""}


def table_name(kind: type[Row]) -> str:
    """``EarlyWriteRow`` is stored in ``early_write``."""
    return _TABLES[kind]


def weight(row: Row) -> int:
    """The size of a row in bytes, roughly: its texts and bodies, and a little for each column."""
    total = 2 * len(row)
    for column in row:
        if isinstance(column, bytes | str):
            total += len(column)
    return total


def describe_key(row: Row) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in zip(row._fields, key_of(row), strict=False))
