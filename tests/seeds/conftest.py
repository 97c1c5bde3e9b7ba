"""Each system's operations and facts, on every backend. A new backend joins with one line in `BACKENDS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import holdfast
from holdfast import Store
from tests.support.postgres import schemas

Opened = Callable[[], Store]

BACKENDS: dict[str, Callable[[Path], str]] = {
    "memory": lambda folder: "memory:",
    "sqlite": lambda folder: str(folder / "agents.db"),
    "files": lambda folder: f"file:{folder / 'agents'}",
    "postgresql": schemas.url,
}
LASTING = [name for name in BACKENDS if name != "memory"]
"""Those that outlive their handle."""


@pytest.fixture(params=list(BACKENDS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with holdfast.open(BACKENDS[request.param](tmp_path)) as store:
        yield store


@pytest.fixture(params=LASTING)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """``opened()`` is a new handle on the same store."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(holdfast.open(BACKENDS[request.param](tmp_path)))
