"""The memory backend keeps the contract."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing import RowContract, StoreContract


class TestMemoryStore(StoreContract):
    modes = ("sync", "async")  # nothing is faster with the cache, or slower without

    def url(self, folder: Path) -> str:
        return "memory:"


class TestMemoryRows(RowContract):
    def url(self, folder: Path) -> str:
        return "memory:"
