"""A backend with the required methods and a backup keeps the contract: every default gives the right answer."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

import holdfast
from holdfast.backends.base import (
    ANY,
    Backend,
    Batch,
    Capabilities,
    Filter,
    Found,
    Listed,
    Piece,
    Progress,
    Tally,
    Want,
)
from holdfast.backends.memory import MemoryBackend
from holdfast.backends.registry import OPENERS
from holdfast.backends.rows import NO_LIMIT, AnyRow, CheckpointRow, JournalRow, LineRow, PendingRow, SettledRow
from holdfast.testing import RowContract, StoreContract

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "new-backend.md"


class SmallBackend(Backend):
    """The eleven required methods and a backup, on rows in memory."""

    capabilities: ClassVar = Capabilities(name="small", blocking=True, durable=False, shared=False)

    def __init__(self) -> None:
        self._rows = MemoryBackend()

    async def commit(self, batch: Batch) -> bool:
        return await self._rows.commit(batch)

    async def find(self, thread_id: str, namespace: str, tombstone: bytes) -> Found:
        return await self._rows.find(thread_id, namespace, tombstone)

    async def ancestry(self, tree: int, line: int, limit: int = NO_LIMIT) -> list[LineRow]:
        return await self._rows.ancestry(tree, line, limit)

    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        return await self._rows.checkpoints(tree, line, lo, hi, limit, where, oldest=oldest)

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        return await self._rows.chunks(tree, wants)

    async def pending(self, line: LineRow, seqs: Sequence[int]) -> list[PendingRow | SettledRow]:
        return await self._rows.pending(line, seqs)

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        return await self._rows.journal(tree, line, lo, hi, limit)

    async def threads(self, prefix: str, tags: Sequence[tuple[str, str]], after: str, limit: int) -> list[Listed]:
        return await self._rows.threads(prefix, tags, after, limit)

    async def trees(self, after: int, limit: int) -> list[int]:
        return await self._rows.trees(after, limit)

    async def scan(self, kind: type[AnyRow], tree: int | None, after: tuple[object, ...], limit: int) -> list[AnyRow]:
        return await self._rows.scan(kind, tree, after, limit)

    async def close(self) -> None:
        await self._rows.close()

    async def backup(self, path: Path, progress: Progress | None) -> str:
        """Its default refuses: no sequence of scans is a copy of one moment."""
        return await self._rows.backup(path, progress)


def test_the_small_backend_overrides_no_default() -> None:
    own = {name for name, _ in inspect.getmembers(SmallBackend, inspect.isfunction) if name in vars(SmallBackend)}
    assert own - {"__init__", "backup"} == Backend.__abstractmethods__


def test_the_guide_lists_every_method() -> None:
    """Required ones in a table of two columns, those with a default in one of three."""
    rows = [line.split(" | ") for line in GUIDE.read_text("utf-8").splitlines() if line.startswith("| `")]
    required, optional = ({row[0].strip("| `") for row in rows if len(row) == width} for width in (2, 3))
    methods = {name for name, _ in inspect.getmembers(Backend, inspect.isfunction) if not name.startswith("_")}
    assert required == Backend.__abstractmethods__
    assert optional == methods - required


@pytest.fixture(autouse=True)
def small_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPENERS, "small", lambda rest: SmallBackend())


class TestDefaultsOfStores(StoreContract):
    modes = ("sync",)

    def url(self, folder: Path) -> str:
        return "small:"


class TestDefaultsOfRows(RowContract):
    def url(self, folder: Path) -> str:
        return "small:"


async def _tallies(backend: Backend) -> list[Tally]:
    return sorted(await backend.tally(0, NO_LIMIT))


def test_a_tally_by_default_is_that_of_the_memory_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    small = SmallBackend()
    monkeypatch.setitem(OPENERS, "small", lambda rest: small)
    with holdfast.open("small:") as store:
        thread = store.thread("t")
        for n in range(5):
            thread.save({"messages": ["x" * 100] * n}, id=str(n))
        thread.delete_checkpoints(["2"])
        thread.fork("3", to="fork").save({"n": 1})
        thread.journal.append("note", 1)
        found = asyncio.run(_tallies(small))
        assert found == asyncio.run(_tallies(small._rows))
        assert [(tally.thread, tally.checkpoints) for tally in found] == [("", 0), ("fork", 1), ("t", 4)]
