from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.conftest import quick
from tests.crash.nursery import Nursery
from tests.faults.proxy import Proxy
from tests.servers.postgres import Server
from tests.support.postgres import kept

__all__ = ["quick"]
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def _connections_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that is opened here must not get a connection that another one left: its server may be dead by now."""
    monkeypatch.setattr(kept, "on", False)


@pytest.fixture(scope="session")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    found = Nursery(tmp_path_factory.mktemp("nursery") / "log.txt")
    yield found
    found.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that keeps running, and therefore need not wait for its disk."""
    yield from _running(Server(tmp_path_factory.mktemp("server") / "server", fsync="off"))


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[Server]:
    """A server of the test's own, to be killed and stopped."""
    yield from _running(Server(tmp_path / "server"))


def _running(found: Server) -> Iterator[Server]:
    found.start()
    yield found
    found.kill()


@pytest.fixture
def database(server: Server) -> str:
    """The name of an empty database of the test's own."""
    return new_database(server)


def new_database(server: Server) -> str:
    name = f"test_{next(_numbers)}"
    server.run(f"CREATE DATABASE {name}")
    return name


@pytest.fixture
def proxied(server: Server) -> Iterator[Proxy]:
    found = Proxy(server.port)
    yield found
    found.close()
