"""Which chunks of value logs the needed versions are made of."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from holdfast.backends.rows import KEY, LogRow

VersionKey = tuple[int, int]
"""The value log and the position of a version."""


class Chunk(NamedTuple):
    """A chunk without its body."""

    lo: int
    hi: int
    kind: int
    size: int
    sum: int


def needed_chunks(
    versions: Iterable[VersionKey], stored: Mapping[int, list[Chunk]], bases: Mapping[int, LogRow]
) -> dict[int, set[int]]:
    """Where those start, by log. The chunks of a log are in order; `bases` has the versions that logs continue."""
    found: dict[int, set[int]] = {}
    paths = {log: _Paths(chunks) for log, chunks in stored.items()}
    left = list(versions)
    seen: set[VersionKey] = set()
    while left:
        log, pos = left.pop()
        if (log, pos) in seen:
            continue
        seen.add((log, pos))
        needed = found.setdefault(log, set())
        has_key = log in paths and paths[log].mark(pos, needed)
        if not has_key and log in bases:
            left.append((bases[log].base_log, bases[log].base_pos))
    return found


class _Paths:
    """The chunks of one log, of which each version needs those from the last key before it up to its own."""

    def __init__(self, chunks: list[Chunk]) -> None:
        self._chunks = chunks
        self._starts = [chunk.lo for chunk in chunks]
        self._keys = [index for index, chunk in enumerate(chunks) if chunk.kind == KEY]
        self._marked: dict[int, int] = {}  # by the index of the first chunk: up to which one they are marked

    def mark(self, pos: int, needed: set[int]) -> bool:
        """Add where the chunks of a version start. False if there is no key: then the log continues another."""
        end = bisect_right(self._starts, pos)
        keys = bisect_left(self._keys, end)
        first = self._keys[keys - 1] if keys else 0
        marked = max(first, self._marked.get(first, 0))
        if end > marked:
            needed.update(self._starts[marked:end])
            self._marked[first] = end
        return keys > 0
