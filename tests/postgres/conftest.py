"""A schema for each test, stores on it that are closed in the end, and a plain connection beside them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

import holdfast
from holdfast import Store
from tests.support.postgres import kept, schemas, server, with_option

Opened = Callable[..., Store]


@pytest.fixture(autouse=True)
def _connections_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "on", False)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return with_option(schemas.url(tmp_path), f"application_name=holdfast-{os.getpid()}")


@pytest.fixture
def schema(tmp_path: Path) -> str:
    return schemas.url(tmp_path).rpartition("schema=")[2]


@pytest.fixture
def opened(url: str) -> Iterator[Opened]:
    """``opened()`` is a new handle on the test's store; ``opened("timeout=1")`` one with options in its URL."""
    with ExitStack() as stack:

        def open_one(*options: str, **arguments: Any) -> Store:
            whole = url
            for option in options:
                whole = with_option(whole, option)
            return stack.enter_context(holdfast.open(whole, **arguments))

        yield open_one


@pytest.fixture
def store(opened: Opened) -> Store:
    return opened()


@pytest.fixture
def beside(store: Store, schema: str) -> Iterator[psycopg.Connection[Any]]:
    """Another program's connection, which finds the store's tables by their bare names."""
    with psycopg.connect(server()) as connection:
        connection.execute("SELECT set_config('search_path', %s, false)", (schema,))
        connection.commit()
        yield connection
