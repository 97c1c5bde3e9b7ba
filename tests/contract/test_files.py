"""The files backend keeps the contract, and the promises that only files can make."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing import SharedRowContract, SharedStoreContract


class TestFilesStore(SharedStoreContract):
    def url(self, folder: Path) -> str:
        return f"file:{folder / 'agents'}"


class TestFilesRows(SharedRowContract):
    def url(self, folder: Path) -> str:
        return f"file:{folder / 'agents'}"
