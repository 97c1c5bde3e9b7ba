"""Sealing a step: once its checkpoint is saved, what its tasks wrote becomes one row that names what the logs hold.

A task's write is stored when it comes, since the process may die before the step is done. The checkpoint then holds the
same messages again, in the logs of its channels. So the save that follows a checkpoint replaces the rows of its writes
by one, in which every larger value is a reference into the versions that this save stores. Writes may also come while
that save is on its way, or after it: then the next one sees to them.

Only writes that this process has put are sealed, and only if they are still those rows; any other stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Raw

from holdfast.backends.base import Batch, DropRow, PendingAt
from holdfast.backends.rows import CheckpointRow, PendingRow, SealedRow, sealed
from holdfast.engine import load, places
from holdfast.engine.context import Engine, Handle
from holdfast.engine.load import Stored
from holdfast.engine.manifest import Ref
from holdfast.engine.parts import LIST, Parts, is_tagged, shape_of, split_items
from holdfast.engine.states import Changed

_WORTH_A_REFERENCE: Final = 40
_LINES: Final = 10_000
_WINDOW: Final = 256  # how far from its end a list is searched for what was added to it


def note(engine: Engine, rows: Sequence[PendingRow]) -> None:
    """These were put, and wait for a save that seals them."""
    if rows:
        while len(engine.noted) > _LINES:
            engine.noted.pop(next(iter(engine.noted)), None)
        engine.noted.setdefault(rows[0].line, {}).setdefault(rows[0].seq, []).extend(rows)


def has_controls(engine: Engine, handle: Handle, checkpoint_id: str) -> bool:
    """Whether the checkpoint that was just saved came with control writes."""
    here = places.remembered(engine, handle)
    if here is None or here.head is None or here.head.id != checkpoint_id:
        return False
    return any(row.idx < 0 for row in engine.noted.get(here.head.line, {}).get(here.head.seq, ()))


def seal(engine: Engine, row: CheckpointRow, changed: Changed, batch: Batch) -> list[PendingRow]:
    """Add to the save of `row` what seals the steps before it. The rows that it seals. A checkpoint may be sealed more
    than once, each time for the writes that came since."""
    found: list[PendingRow] = []
    parts = _Parts(engine, changed)
    for seq, noted in list(engine.noted.get(row.line, {}).items()):
        rows = _data(list(noted)) if seq != row.seq else []
        if rows:
            batch.expects += [PendingAt(*one[:6], one.sum) for one in rows]
            batch.drops = [*batch.drops, *(DropRow(PendingRow, one[:6]) for one in rows)]
            batch.puts = [*batch.puts, _whole(rows, row.seq, parts)]
            found += rows
    return found


def forget(engine: Engine, rows: Sequence[PendingRow]) -> None:
    """They were sealed; or they are no longer what was put, and stay as they are."""
    for line, seq in {(row.line, row.seq) for row in rows}:
        steps = engine.noted.get(line, {})
        left = [row for row in steps.get(seq, ()) if row not in rows and row.idx >= 0]
        if left:
            steps[seq] = left
        else:
            steps.pop(seq, None)


def _data(rows: list[PendingRow]) -> list[PendingRow]:
    """Data writes only: a control write may be replaced at any time. Of one era: a fork must see what it saw."""
    unique = {row[:6]: row for row in reversed(rows) if row.idx >= 0 and row.era == rows[0].era}
    return list(reversed(unique.values()))


def _whole(rows: list[PendingRow], number: int, parts: _Parts) -> SealedRow:
    tasks: dict[tuple[str | bytes, str], list[tuple[int, str, bytes | list[int]]]] = {}
    for write in (_sealed(one, parts) for row in rows for one in load.writes_in(row)):
        tasks.setdefault((load.short(write.task_id), write.task_path), []).append(
            (write.idx, write.channel, write.value)
        )
    whole: load.Sealed = [(task, path, found) for (task, path), found in tasks.items()]
    first = rows[0]
    return sealed(SealedRow(first.tree, first.line, first.seq, number, first.era, load.encode(whole)))


class _Parts:
    """The values of a checkpoint that is being saved, taken apart: those that are new, and others that are at hand."""

    def __init__(self, engine: Engine, changed: Changed) -> None:
        self._engine = engine
        self._channels = changed.manifest.channels
        self._fresh = {ref[:2]: version for ref, version in changed.versions}

    def of(self, channel: str) -> tuple[Ref, Parts] | None:
        entry = self._channels.get(channel)
        if not isinstance(entry, Ref):
            return None
        version = self._fresh.get(entry[:2]) or self._engine.cache.get(entry[:2])
        return None if version is None else (entry, version.parts)


def _sealed(write: Stored, parts: _Parts) -> Stored:
    if len(write.value) <= _WORTH_A_REFERENCE:
        return write
    found = parts.of(write.channel)
    place = _place(bytes(write.value), found[1]) if found is not None else None
    if found is None or place is None:
        return write
    return write._replace(value=[found[0].log, found[0].pos, *place])


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
