"""Each system's operations and facts, on every backend. A new backend joins with one line in `tests.support.urls`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import holdfast
from holdfast import Store
from tests.support.urls import LASTING, URLS

Opened = Callable[[], Store]


@pytest.fixture(params=list(URLS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with holdfast.open(URLS[request.param](tmp_path)) as store:
        yield store


@pytest.fixture(params=LASTING)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """``opened()`` is a new handle on the same store."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(holdfast.open(URLS[request.param](tmp_path)))
