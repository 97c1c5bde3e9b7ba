"""Settling a step: once the next checkpoint is saved, what the step's tasks wrote becomes one row of references.

A task's write is stored when it arrives, since the process may die before the step is done. The next checkpoint then
holds the same messages again, in the logs of its channels. So the save of that checkpoint replaces the rows of the
writes by one row, in which every larger value is a reference into the versions that this save stores. Writes that
arrive during that save, or after it, are settled by the one that follows.

A save settles only writes that this process has put, and only if they are still those rows; any other stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Raw

from holdfast.backends.base import Batch, Drop, DropRow, PendingAt
from holdfast.backends.rows import CheckpointRow, PendingRow, SettledRow, with_checksum
from holdfast.engine.cache import Cache
from holdfast.engine.context import Engine
from holdfast.engine.values.manifest import Entry, Ref
from holdfast.engine.values.msgpack_parts import LIST, Parts, is_tagged, shape_of, split_items
from holdfast.engine.values.state_change import Changed
from holdfast.engine.values.value_log import Version
from holdfast.engine.writes.write_format import SettledTasks, decode_write, encode, short_id

_WORTH_A_REFERENCE: Final = 40
_LINES: Final = 10_000
_WINDOW: Final = 256  # how far from its end a list is searched for what was added to it


def note(engine: Engine, rows: Sequence[PendingRow]) -> None:
    """These were put, and wait for a save that settles them."""
    if rows:
        while len(engine.unsettled) > _LINES:
            engine.unsettled.pop(next(iter(engine.unsettled)), None)
        engine.unsettled.setdefault(rows[0].line, {}).setdefault(rows[0].seq, []).extend(rows)


def has_controls(engine: Engine, row: CheckpointRow) -> bool:
    """Whether the checkpoint that was just saved came with control writes."""
    noted = engine.unsettled.get(row.line, {}).get(row.seq)
    return noted is not None and any(write.idx < 0 for write in noted)


def settle(engine: Engine, row: CheckpointRow, changed: Changed, batch: Batch) -> list[PendingRow]:
    """Add to the batch that saves `row` what settles the steps before it; returns the rows that it settles. A step may
    be settled more than once, each time for the writes that arrived since."""
    found: list[PendingRow] = []
    for seq, noted in list(engine.unsettled.get(row.line, {}).items()):
        rows = _data(list(noted)) if seq != row.seq else []
        if rows:
            batch.puts = [*batch.puts, _settled_row(rows, row.seq, engine, changed)]
            found += rows
    drops: list[Drop] = []
    for write in found:
        batch.expects.append(PendingAt(*write[:6], write.sum))
        drops.append(DropRow(PendingRow, write[:6]))
    batch.drops = [*batch.drops, *drops]
    return found


def forget(engine: Engine, rows: Sequence[PendingRow]) -> None:
    """They are settled; or they are no longer what was put, and stay as they are."""
    settled = set(rows)
    for line, seq in {(row.line, row.seq) for row in rows}:
        steps = engine.unsettled.get(line, {})
        left = [row for row in steps.get(seq, ()) if row.idx >= 0 and row not in settled]
        if left:
            steps[seq] = left
        else:
            steps.pop(seq, None)


def _data(rows: list[PendingRow]) -> list[PendingRow]:
    """Data writes only: a control write may be replaced at any time. Of one era: a fork must see what it saw."""
    unique: dict[tuple[object, ...], PendingRow] = {}
    for row in reversed(rows):
        if row.idx >= 0 and row.era == rows[0].era:
            unique[row[:6]] = row
    return list(reversed(unique.values()))


def _settled_row(rows: list[PendingRow], number: int, engine: Engine, changed: Changed) -> SettledRow:
    tasks: dict[tuple[str | bytes, str], list[tuple[int, str, bytes | list[int]]]] = {}
    channels, fresh = changed.manifest.channels, dict(changed.versions)
    for row in rows:
        task = (short_id(row.task_id), row.task_path)
        channel, enc = decode_write(row.body, engine.codec.max_value)
        value = _as_reference(enc, channels.get(channel), fresh, engine.cache)
        tasks.setdefault(task, []).append((row.idx, channel, value))
    settled: SettledTasks = [(task, path, found) for (task, path), found in tasks.items()]
    first = rows[0]
    return with_checksum(SettledRow(first.tree, first.line, first.seq, number, first.era, encode(settled)))


def _as_reference(enc: bytes, entry: Entry | None, fresh: Mapping[Ref, Version], cache: Cache) -> bytes | list[int]:
    """A reference into what the channel holds in the checkpoint that is being saved, if that version is fresh or
    cached and has the value; else the value itself."""
    if len(enc) <= _WORTH_A_REFERENCE or not isinstance(entry, Ref):
        return enc
    version = fresh.get(entry) or cache.get(entry[:2])
    place = None if version is None else _place(enc, version.parts)
    return enc if place is None else [entry.log, entry.pos, *place]


def _place(enc: bytes, parts: Parts) -> list[int] | None:
    """Where the value stands in a version: as the whole, as some of its items, or as one of them."""
    items = (parts.items or split_items(parts.enc)) if parts.kind == LIST else []
    if items and not is_tagged(items[0]):
        fresh = split_items(enc) if shape_of(enc).kind == LIST else []
        if fresh and not is_tagged(fresh[0]):
            start = _find(items, fresh)
            return None if start is None else [start, start + len(fresh)]
        start = _find(items, [Raw(enc)])
        return None if start is None else [start]
    return [] if parts.size == len(enc) and parts.enc == enc else None


def _find(items: list[Raw], wanted: list[Raw]) -> int | None:
    last = len(items) - len(wanted)
    for start in range(last, max(last - _WINDOW, -1), -1):
        if items[start] == wanted[0] and items[start : start + len(wanted)] == wanted:
            return start
    return None
