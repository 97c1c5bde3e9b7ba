"""The PostgreSQL backend keeps the contract."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing import SharedRowContract, SharedStoreContract
from tests.support.postgres import schemas


class TestPostgresStore(SharedStoreContract):
    modes = ("sync", "async")  # each has connections of its own; the cache is the same as on other backends

    def url(self, folder: Path) -> str:
        return schemas.url(folder)


class TestPostgresRows(SharedRowContract):
    def url(self, folder: Path) -> str:
        return schemas.url(folder)
