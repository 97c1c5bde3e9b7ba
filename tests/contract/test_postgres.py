"""The PostgreSQL backend keeps the contract."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing import SharedRowContract, SharedStoreContract
from tests.contract.subjects import WaitingContract
from tests.support.postgres import schemas


class TestPostgresStore(SharedStoreContract):
    modes = ("sync",)  # the cache is the same as on other backends

    def url(self, folder: Path) -> str:
        return schemas.url(folder)


class TestPostgresStoreOnALoop(WaitingContract):
    modes = ("async",)  # with connections of its own

    def url(self, folder: Path) -> str:
        return schemas.url(folder)


class TestPostgresRows(SharedRowContract):
    def url(self, folder: Path) -> str:
        return schemas.url(folder)
