"""The manifests of many checkpoints, one at a time: thousands of wide ones would not fit into memory together.

Wide manifests are read log by log, all versions after a key in one pass. Verify and repair continue after one that
can't be read, and nothing else does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import NamedTuple

from holdfast.backends.base import Piece, Want
from holdfast.backends.rows import CheckpointRow
from holdfast.engine.context import Engine
from holdfast.engine.values import loader, log_reader, manifest_log
from holdfast.engine.values.digests import item_digests, value_digest
from holdfast.engine.values.manifest import Header, Manifest, Ref
from holdfast.engine.values.msgpack_parts import Parts
from holdfast.errors import Corrupt, TooLarge

Unreadable = Corrupt | TooLarge
Scanned = tuple[CheckpointRow, Manifest | Unreadable]


async def each(engine: Engine, rows: Iterable[CheckpointRow]) -> AsyncIterator[tuple[CheckpointRow, Manifest]]:
    """The narrow ones in the order of the rows, then the wide ones."""
    async for row, found in tolerant(engine, rows):
        if not isinstance(found, Manifest):
            raise found
        yield row, found


async def tolerant(engine: Engine, rows: Iterable[CheckpointRow]) -> AsyncIterator[Scanned]:
    """The same, with an error in the place of a manifest that can't be read."""
    logs: dict[tuple[int, int], dict[int, list[tuple[CheckpointRow, Header]]]] = {}
    for row in rows:
        try:
            known = loader.unpacked(row)
        except Corrupt as error:
            yield row, error
            continue
        if isinstance(known, Manifest):
            yield row, known
        else:
            logs.setdefault((row.tree, known.ref.log), {}).setdefault(known.ref.pos, []).append((row, known))
    for (tree, log), wide in logs.items():
        async for pos, parts in _Log(engine, tree, log).lists(sorted(wide)):
            for row, header in wide[pos]:
                yield row, _manifest(row, header, parts)


def _manifest(row: CheckpointRow, header: Header, parts: Parts | Unreadable) -> Manifest | Unreadable:
    if not isinstance(parts, Parts):
        return parts
    if value_digest(parts, item_digests(parts, None, b"")) != header.ref.digest:
        return Corrupt(f"the manifest of checkpoint {row.id!r} does not match its digest")
    try:
        return loader.read_logged(row, header, parts.enc)
    except Corrupt as error:
        return error


class Outline(NamedTuple):
    """The channels of a checkpoint, without their values."""

    open: frozenset[str]
    stored: frozenset[str]


class Outlines:
    """The outlines of many checkpoints of one tree. Most are equal, and are kept once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[tuple[int, int], Outline] = {}
        self._sets: dict[frozenset[str], frozenset[str]] = {}

    def add(self, row: CheckpointRow, known: Manifest) -> Outline:
        found = Outline(self._once(frozenset(known.open)), self._once(frozenset(known.channels)))
        self._known[row.line, row.seq] = found
        return found

    def _once(self, names: frozenset[str]) -> frozenset[str]:
        return self._sets.setdefault(names, names)

    async def of(self, row: CheckpointRow) -> Outline:
        known = self._known.get((row.line, row.seq))
        return self.add(row, await loader.manifest_of(self._engine, row)) if known is None else known


class _Log(NamedTuple):
    """One log of manifests."""

    engine: Engine
    tree: int
    log: int

    async def lists(self, positions: Sequence[int]) -> AsyncIterator[tuple[int, Parts | Unreadable]]:
        """From the end, all positions after one key at a time."""
        left = positions
        while left:
            pieces = await self._pieces(left[-1])
            first = pieces[0].chunk.lo if pieces and pieces[0].chunk.log == self.log else 0
            now = [pos for pos in left if pos >= first] or left[-1:]
            left = left[: len(left) - len(now)]
            done = 0
            try:
                for parts in self._walk(now, pieces):
                    yield now[done], parts
                    done += 1
            except (Corrupt, TooLarge) as error:
                async for found in self._after_damage(now[done:], error):
                    yield found

    async def _after_damage(
        self, positions: Sequence[int], error: Unreadable
    ) -> AsyncIterator[tuple[int, Parts | Unreadable]]:
        """Damage at one position stops the read of every later one, so bisection finds the first."""
        low, high = 0, len(positions) - 1
        while low < high:
            middle = (low + high) // 2
            if await self._is_readable(positions[middle]):
                low = middle + 1
            else:
                high = middle
        if low:
            async for found in self.lists(positions[:low]):
                yield found
        for pos in positions[low:]:
            yield pos, error

    async def _is_readable(self, pos: int) -> bool:
        try:
            return len([*self._walk([pos], await self._pieces(pos))]) == 1
        except (Corrupt, TooLarge):
            return False

    async def _pieces(self, pos: int) -> Sequence[Piece]:
        """Empty if they can't be read, as for a log whose rows are gone."""
        try:
            return (await self.engine.backend.chunks(self.tree, [Want(self.log, pos)]))[0]
        except Corrupt:
            return ()

    def _walk(self, positions: Sequence[int], pieces: Sequence[Piece]) -> Iterator[Parts]:
        refs = [Ref(self.log, pos, b"") for pos in positions]
        most = manifest_log.most_bytes(self.engine)
        for parts in log_reader.walk(refs, pieces, most):
            if parts.size > most:
                raise TooLarge(f"a list of channels has {parts.size} bytes; open the store with a larger max_value")
            yield parts
