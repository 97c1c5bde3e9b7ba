"""The SQLite backend keeps the contract, and the promises that only a file can make."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing import SharedRowContract, SharedStoreContract
from tests.contract.subjects import WaitingContract


class TestSqliteStore(SharedStoreContract):
    modes = ("sync", "uncached")

    def url(self, folder: Path) -> str:
        return str(folder / "agents.db")


class TestSqliteStoreOnWorkers(WaitingContract):
    modes = ("async",)

    def url(self, folder: Path) -> str:
        return str(folder / "agents.db")


class TestSqliteRows(SharedRowContract):
    def url(self, folder: Path) -> str:
        return f"sqlite:{folder / 'agents.db'}"
