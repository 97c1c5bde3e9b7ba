"""Lists of checkpoints over one or more namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from langgraph.checkpoint.base import CheckpointTuple

from holdfast.adapters.langgraph.checkpoint_tuple import tuple_of
from holdfast.adapters.langgraph.metadata import fits, unpacked
from holdfast.codec.gc_pause import gc_paused
from holdfast.engine.port import NO_LIMIT, CheckpointRow, Handle, Port, StoredCheckpoints, View

_PAGE: Final = 20
_BATCH: Final = 8 * 1024 * 1024  # bytes of state that become objects at once


class _Read(NamedTuple):
    """A checkpoint that is read and not yet decoded."""

    stored: StoredCheckpoints
    row: CheckpointRow
    handle: Handle


class CheckpointList:
    """A list of checkpoints as it is read: rows of several namespaces in the order of their ids, page by page."""

    def __init__(
        self, port: Port, sources: list[tuple[Handle, View]], wanted: str | None, before: str | None,
        where: Mapping[str, Any] | None, limit: int | None,
    ) -> None:  # fmt: skip
        self._port = port
        self._sources = sources
        self._wanted = wanted
        self._before: list[str | None] = [before] * len(sources)
        self._ahead: list[list[CheckpointRow]] = [[] for _ in sources]
        self._done = [False] * len(sources)
        self._where = dict(where or {})
        self._left = NO_LIMIT if limit is None else max(limit, 0)
        self._read: list[_Read] = []

    async def batch(self) -> list[CheckpointTuple]:
        """The next checkpoints, at most 8 MB of them at once; none at the end. Those before a damaged one are returned
        first."""
        if not self._read:
            self._read = await self._page()
        found: list[CheckpointTuple] = []
        size = 0
        with gc_paused:
            while self._read and size < _BATCH:
                stored, row, handle = self._read[0]
                try:
                    found.append(tuple_of(stored, row, handle, handle.thread_id))
                except Exception:
                    if not found:
                        raise
                    break
                size += row.size
                del self._read[0]
        return found

    async def _page(self) -> list[_Read]:
        chosen = await self._chosen()
        self._left -= len(chosen)
        stored: dict[int, StoredCheckpoints] = {}
        for number in {number for number, _ in chosen}:
            rows = [row for source, row in chosen if source == number]
            stored[number] = await self._port.read(self._sources[number][1], rows)
        return [_Read(stored[number], row, self._sources[number][0]) for number, row in chosen]

    async def _chosen(self) -> list[tuple[int, CheckpointRow]]:
        """The next rows of all sources, highest id first, each with the number of its source."""
        chosen: list[tuple[int, CheckpointRow]] = []
        while len(chosen) < min(_PAGE, self._left):
            await self._fill()
            sources = [number for number, rows in enumerate(self._ahead) if rows]
            if not sources:
                break
            number = max(sources, key=lambda source: self._ahead[source][0].id)
            chosen.append((number, self._ahead[number].pop(0)))
        return chosen

    async def _fill(self) -> None:
        for number, (_, view) in enumerate(self._sources):
            if self._ahead[number] or self._done[number]:
                continue
            rows = await self._rows(view, self._before[number], min(_PAGE, self._left))
            self._ahead[number] = rows
            self._done[number] = len(rows) < min(_PAGE, self._left)
            if rows:
                self._before[number] = rows[-1].id

    async def _rows(self, view: View, before: str | None, limit: int) -> list[CheckpointRow]:
        if self._wanted is None:
            return await self._port.scan(view, before, limit, self._keep if self._where else None)
        row = await self._port.by_id(view, self._wanted)
        fits = row is not None and (before is None or row.id < before) and self._keep(row)
        return [row] if row is not None and fits else []

    def _keep(self, row: CheckpointRow) -> bool:
        return not self._where or fits(unpacked(row, self._port.codec), self._where)
