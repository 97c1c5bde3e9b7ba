"""Every test of the checkpointer, on each backend. A new backend joins with one line in `tests.support.urls`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import SIDES, Side, Twin, open_saver
from tests.adapters.langgraph.plain import check_as_in_memory
from tests.support.urls import LASTING, URLS

Opened = Callable[..., HoldfastSaver]


@pytest.fixture(params=list(URLS))
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return URLS[request.param](tmp_path)


@pytest.fixture
def saver(url: str) -> Iterator[HoldfastSaver]:
    with open_saver(url) as saver:
        yield saver


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest, saver: HoldfastSaver) -> Iterator[Side]:
    with Side(saver, request.param) as side:
        yield side


@pytest.fixture
def calls(side: Side) -> Twin:
    """The saver's verbs, through each half of its interface in turn."""
    return side.calls


@pytest.fixture(params=LASTING)
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store that can be opened more than once."""
    return URLS[request.param](tmp_path)


@pytest.fixture
def opened(lasting: str) -> Iterator[Opened]:
    """``opened()`` is a new saver on the same data; what is left open is closed in the end."""
    with ExitStack() as stack:

        def opened(**options: Any) -> HoldfastSaver:
            saver = open_saver(lasting, **options)
            stack.callback(saver.close)
            return saver

        yield opened


@pytest.fixture
def same(side: Side) -> Callable[..., None]:
    """Plays a scenario, and holds all it showed against what it shows with LangGraph's saver in memory."""

    return lambda scenario, *options: check_as_in_memory(side, scenario, *options)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files and SQLite through the sync half only: the other is the same on a worker thread, which the contract tests.

    The async half itself runs on memory and on PostgreSQL, whose calls are async all the way.
    """
    left_out = [item for item in items if _is_on_a_worker_thread(item)]
    gone = {*map(id, left_out)}
    items[:] = [item for item in items if id(item) not in gone]
    config.hook.pytest_deselected(items=left_out)


def _is_on_a_worker_thread(item: pytest.Item) -> bool:
    if not item.path.is_relative_to(Path(__file__).parent):
        return False
    given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return given.get("side") == "async" and given.get("url") in ("files", "sqlite")
