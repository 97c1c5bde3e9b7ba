"""The PostgreSQL backend keeps the contract."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing import SharedRowContract, SharedStoreContract
from tests.support.postgres import schemas


class TestPostgresStore(SharedStoreContract):
    def url(self, folder: Path) -> str:
        return schemas.url(folder)


class TestPostgresRows(SharedRowContract):
    def url(self, folder: Path) -> str:
        return schemas.url(folder)
