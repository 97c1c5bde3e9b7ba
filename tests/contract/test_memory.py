"""The memory backend keeps the contract, and every batch that reaches it lies in one tree."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing import PlacedContract, RowContract


class TestMemoryStore(PlacedContract):
    """Through both façades, in full. The engine without its cache is tested on SQLite, which then reads everything."""

    modes = ("sync", "async")

    def inner_url(self, folder: Path) -> str:
        return "memory:"


class TestMemoryRows(RowContract):
    def url(self, folder: Path) -> str:
        return "memory:"
