"""The files backend keeps the contract, and the promises that only files can make."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing import SharedRowContract, SharedStoreContract


class TestFilesStore(SharedStoreContract):
    modes = ("sync",)  # async is the same on a worker thread, and without the cache the engine is the same as on SQLite

    def url(self, folder: Path) -> str:
        return f"file:{folder / 'agents'}"


class TestFilesRows(SharedRowContract):
    def url(self, folder: Path) -> str:
        return f"file:{folder / 'agents'}"
