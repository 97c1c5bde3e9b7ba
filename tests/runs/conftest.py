"""Every test of runs, on each backend and through both façades. A new backend joins in `tests.support.urls`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.runs.driver import WORLDS, Clock, World


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(request.param, tmp_path, stack)


@pytest.fixture
def store(world: World) -> Any:
    return world.open()


@pytest.fixture
def thread(store: Any) -> Any:
    return store.thread("main")


@pytest.fixture
def other(world: World, store: Any) -> Any:
    """Another worker's handle on the thread: through another store on the same file, where there is one."""
    return world.open().thread("main")


@pytest.fixture
def clock(store: Any, other: Any) -> Clock:
    """The clock of both workers."""
    clock = Clock()
    for one in (store, other):
        clock.rule(one)
    return clock
