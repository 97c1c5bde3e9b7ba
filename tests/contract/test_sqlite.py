"""The SQLite backend keeps the contract, and the promises that only a file can make."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing import SharedRowContract, SharedStoreContract


class TestSqliteStore(SharedStoreContract):
    def url(self, folder: Path) -> str:
        return str(folder / "agents.db")


class TestSqliteRows(SharedRowContract):
    def url(self, folder: Path) -> str:
        return f"sqlite:{folder / 'agents.db'}"
