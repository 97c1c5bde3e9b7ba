"""For every test: the schemas that it used on a PostgreSQL server are given back when it ends."""

from __future__ import annotations

import sys
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, None, None]:
    yield
    used = sys.modules.get("tests.support.postgres")
    if used is not None:
        used.schemas.release()
