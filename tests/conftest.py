"""For every test: slow folders start first, PostgreSQL schemas are returned after each test, and a worker's memory is
limited, so that a test that never ends fails with a MemoryError instead of stopping the machine."""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Generator

import pytest

SLOW = ("stateful", "crash", "faults", "lifecycle", "transfer")
"""Folders of slow tests. They start first, so that no worker is left alone with one of them at the end."""

MEMORY_LIMIT = 8 << 30
"""Bytes of address space for a worker and its children. A worker needs two gigabytes."""


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # tests/failover runs without workers: etcd maps more than the limit
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_limit(hard), hard))


def _limit(hard: int) -> int:
    return MEMORY_LIMIT if hard == resource.RLIM_INFINITY else min(MEMORY_LIMIT, hard)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_start_order)


def _start_order(item: pytest.Item) -> int:
    return next((rank for rank, folder in enumerate(SLOW) if folder in item.path.parts), len(SLOW))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, None, None]:
    """Collect without the garbage collector, and hide the collected tests from it.

    About a million objects are behind them. They stay until the end, and scanning them again and again takes longer
    than many tests.
    """
    gc.disable()
    yield
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, None, None]:
    yield
    used = sys.modules.get("tests.support.postgres")
    if used is not None:
        used.schemas.release()
