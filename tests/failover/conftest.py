from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.crash.nursery import Nursery
from tests.failover.cluster import Cluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    found = Cluster(tmp_path_factory.mktemp("cluster") / "cluster")
    yield found
    found.close()


@pytest.fixture(scope="session")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    found = Nursery(tmp_path_factory.mktemp("nursery") / "log.txt")
    yield found
    found.close()
