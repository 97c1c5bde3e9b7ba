from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash import shim
from tests.crash.backends import ALL, BACKENDS, Where, drop_databases
from tests.crash.nursery import Nursery
from tests.support.postgres import kept


@pytest.fixture(params=BACKENDS)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    """A store that does not exist yet, on each backend."""
    return BACKENDS[request.param](tmp_path)


@pytest.fixture(params=ALL)
def anywhere(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Where]:
    """The same, on a server too. A database is copied only while it has no connections, so none are kept."""
    monkeypatch.setattr(kept, "on", False)
    folder = tmp_path / "store"
    folder.mkdir()
    yield ALL[request.param](folder)
    if request.param == "postgresql":
        drop_databases()


@pytest.fixture(scope="session")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    found = Nursery(tmp_path_factory.mktemp("nursery") / "log.txt")
    yield found
    found.close()


@pytest.fixture(scope="session")
def shimmed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """Processes whose disk can be made to fail."""
    folder = tmp_path_factory.mktemp("shim")
    found = Nursery(folder / "log.txt", preload=shim.compiled(folder))
    yield found
    found.close()


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one, for tests whose disk is made up anyway."""
    memory = Path("/dev/shm")  # noqa: S108  a folder of its own in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as folder:
        yield Path(folder)
