"""One batch of a repair in the making, and what a repair remembers from one batch to the next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec.msgpack import Encoder

from holdfast.backends.base import Batch, Drop, DropChunks, DropRow, LineAt
from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    ChunkRow,
    LineRow,
    QuarantineRow,
    Row,
    has_typed_key,
    is_sound,
    key_of,
    table_name,
    with_checksum,
)
from holdfast.engine.context import Engine, now
from holdfast.engine.integrity.check_index import Directory
from holdfast.engine.integrity.findings import PointKey, TreeFindings
from holdfast.engine.integrity.tree_rows import TreeRows
from holdfast.engine.integrity.verification import CheckedTree
from holdfast.ids import new_number
from holdfast.model import Fault, Lost

CHANGED: Final = "it did not match its checksum"
_MOST_SWAPPED: Final = 100
_encode = Encoder().encode


@dataclass
class RepairState:
    """What has been done so far."""

    faults: tuple[Fault, ...]  # that `verify` reported
    lost: list[Lost] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    quarantined: int = 0
    removed: dict[PointKey, CheckpointRow] = field(default_factory=dict)  # checkpoints, as they were stored
    reported: set[tuple[object, object]] = field(default_factory=set)  # checkpoints that are in `lost`: line and number
    lost_writes: set[PointKey] = field(default_factory=set)  # checkpoints that lost writes
    parent_ids: dict[PointKey, str | None] = field(default_factory=dict)  # of missing parents, as their children say
    rebuilt: set[int] = field(default_factory=set)  # lines whose row was damaged: their counters prove nothing


@dataclass
class TreeRepair:
    """A tree as it was just checked, and what was done so far."""

    state: RepairState
    directory: Directory
    checked: CheckedTree
    engine: Engine

    @property
    def findings(self) -> TreeFindings:
        return self.checked.findings

    @property
    def tree(self) -> TreeRows:
        return self.checked.findings.tree

    def keys(self, table: str, *kinds: str) -> set[tuple[Any, ...]]:
        """The keys of the rows of a table that have a fault of these kinds."""
        return {fault.key for fault in self.checked.faults if fault.table == table and fault.kind in kinds}

    def lost(self, line: object, what: str, checkpoint_id: str | None = None) -> Lost:
        """A loss in the thread and namespace of a line. The number of a damaged row may be of any type."""
        owner = self.findings.owner(line) if isinstance(line, int) else None
        return Lost(
            what=what, thread_id=owner.thread_id if owner else None, namespace=owner.namespace if owner else "",
            checkpoint_id=checkpoint_id,
        )  # fmt: skip


@dataclass
class RepairBatch:
    puts: dict[tuple[type[Row], tuple[object, ...]], Row] = field(default_factory=dict)
    drops: list[Drop] = field(default_factory=list)
    aside: int = 0
    lost: list[Lost] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)

    def put(self, row: Row) -> None:
        """Replace the stored row. A line is dropped first: if two lines have changed places, its namespace may still be
        that of another line, and a thread has one line for each namespace."""
        self.puts[type(row), key_of(row)] = row
        if isinstance(row, LineRow):
            self.drop(row)

    def drop(self, row: Row) -> None:
        self.drops.append(DropRow(type(row), key_of(row)))
        # A chunk is never replaced, so the stored one is dropped before another is put in its place.
        if isinstance(row, ChunkRow) and has_typed_key(row):
            self.drops.append(DropChunks(row.tree, row.log, row.lo, row.lo))

    def set_aside(self, row: Row, reason: str) -> None:
        """Move a row to the quarantine, as it was found."""
        columns: tuple[object, ...] = row
        body = _encode([_encodable(column) for column in columns])
        self.put(with_checksum(QuarantineRow(new_number(), table_name(type(row)), body, reason, now())))
        self.drop(row)
        self.aside += 1

    def __bool__(self) -> bool:
        return bool(self.puts or self.drops)

    async def commit(self, engine: Engine, state: RepairState, lines: Iterable[LineRow] = ()) -> None:
        """If a writer was faster nothing is applied, and the next batch is planned from what is stored then."""
        expects = [LineAt(line.tree, line.line, line.version) for line in lines]
        batch = Batch([*expects], list(self.puts.values()), self.drops, is_repair=True)
        if await engine.backend.commit(batch):
            state.lost += self.lost
            state.mended += self.mended
            state.quarantined += self.aside


def _encodable(column: object) -> object:
    """Damaged text may not be valid text: its bytes are kept."""
    if isinstance(column, str):
        try:
            column.encode()
        except UnicodeEncodeError:
            return column.encode("utf-8", "surrogateescape")
    return column


def as_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def restore_swapped(batch: RepairBatch, damaged: list[Row]) -> set[tuple[object, ...]]:
    """Rows that have changed places are sound again under each other's keys, and nothing of them is lost. Returns the
    keys of those that were restored."""
    restored: set[tuple[object, ...]] = set()
    for row in damaged[:_MOST_SWAPPED]:
        for other in damaged[:_MOST_SWAPPED]:
            if type(other) is not type(row) or other is row:
                continue
            swapped = type(row)._make((*key_of(row), *other[KEYS[type(row)] :]))
            if is_sound(swapped):
                batch.put(swapped)
                batch.mended.append(f"{table_name(type(row))} {key_of(row)}: two rows had changed places")
                restored.add(key_of(row))
    return restored
