"""For every test: those that take long begin first, the schemas that one used on a server are given back, and none may
take the whole machine's memory: one that never ends fails with a MemoryError that says where."""

from __future__ import annotations

import resource
import sys
from collections.abc import Generator

import pytest

LONG = ("stateful", "crash", "faults", "lifecycle", "transfer")
"""Folders of tests that take long. They begin first, so that no worker is left alone with one of them at the end."""


MOST = 8 << 30
"""Bytes of memory for a worker and its children. It takes two, with all that it has mapped."""


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # tests/failover runs alone: etcd maps more than it ever uses
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST if hard == resource.RLIM_INFINITY else min(MOST, hard), hard))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: next((place for place, name in enumerate(LONG) if name in item.path.parts), len(LONG)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, None, None]:
    yield
    used = sys.modules.get("tests.support.postgres")
    if used is not None:
        used.schemas.release()
