"""One round of a repair: what is put, what goes, and what is set aside on the way."""

from __future__ import annotations

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
    ThreadRow,
    has_typed_key,
    is_sound,
    sealed,
    table_name,
)
from holdfast.engine.context import Engine, now
from holdfast.engine.treerows import key_of
from holdfast.ids import new_number
from holdfast.model import Fault, Lost

_MOST_SWAPPED: Final = 100
_LAST_MOMENT: Final = 253_402_300_799_999_999  # microseconds, in the year 9999
_encode = Encoder().encode


@dataclass
class Mending:
    """What has been done so far."""

    plan: tuple[Fault, ...]
    lost: list[Lost] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    quarantined: int = 0
    gone: dict[tuple[int, int], CheckpointRow] = field(default_factory=dict)  # checkpoints, as they said they were
    torn: set[tuple[int, int]] = field(default_factory=set)  # where writes were that are lost: line and number
    told: set[tuple[object, object]] = field(default_factory=set)  # where checkpoints were that are told as lost
    names: dict[tuple[int, int], str | None] = field(default_factory=dict)  # ids of missing parents, by their children
    anew: set[int] = field(default_factory=set)  # lines that were made anew, and whose counts say nothing


@dataclass
class Round:
    """One batch in the making."""

    reason: str = ""
    puts: dict[tuple[type[Row], tuple[object, ...]], Row] = field(default_factory=dict)
    drops: list[Drop] = field(default_factory=list)
    aside: int = 0
    lost: list[Lost] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)

    def put(self, row: Row) -> None:
        """In the place of what is there: backends only change what a save may change of these two."""
        self.puts[type(row), key_of(row)] = row
        if isinstance(row, LineRow | ThreadRow):
            self.drop(row)

    def drop(self, row: Row) -> None:
        self.drops.append(DropRow(type(row), tuple(row[: KEYS[type(row)]])))
        if isinstance(row, ChunkRow) and has_typed_key(row):  # another may be put in its place only so
            self.drops.append(DropChunks(row.tree, row.log, row.lo, row.lo))

    def set_aside(self, row: Row, reason: str) -> None:
        body = _encode([_kept(column) for column in row])
        self.put(sealed(QuarantineRow(new_number(), table_name(type(row)), body, reason, now())))
        self.drop(row)
        self.aside += 1

    def __bool__(self) -> bool:
        return bool(self.puts or self.drops)


def _kept(column: Any) -> Any:
    """Damaged text may be no text: its bytes are kept."""
    if isinstance(column, str):
        try:
            column.encode()
        except UnicodeEncodeError:
            return column.encode("utf-8", "surrogateescape")
    return column


async def commit(engine: Engine, work: Mending, one: Round, lines: list[LineRow]) -> None:
    """If a writer was faster, the next round looks again."""
    expects = [LineAt(line.tree, line.line, line.version) for line in lines]
    if await engine.backend.commit(Batch([*expects], list(one.puts.values()), one.drops)):
        work.lost += one.lost
        work.mended += one.mended
        work.quarantined += one.aside


def moment(said: int) -> int:
    """When something was, if that was on a day of the calendar."""
    return said if 0 <= said <= _LAST_MOMENT else now()


def as_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def unswapped(one: Round, damaged: list[Row]) -> set[tuple[object, ...]]:
    """Rows that have changed places are whole again under each other's keys: then nothing of them is lost."""
    found: set[tuple[object, ...]] = set()
    for row in damaged[:_MOST_SWAPPED]:
        for other in damaged[:_MOST_SWAPPED]:
            if type(other) is type(row) and other is not row:
                whole = type(row)._make((*key_of(row), *other[KEYS[type(row)] :]))
                if is_sound(whole):
                    one.put(whole)
                    one.mended.append(f"{table_name(type(row))} {key_of(row)}: two rows had changed places")
                    found.add(key_of(row))
    return found
