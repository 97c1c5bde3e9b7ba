"""The server's disk is full: a clear error, what was acknowledged stays readable, and space is all that it needs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from holdfast import StorageFull, Store
from holdfast.testing.driver import OPENERS
from tests.faults.disk import Disk, small_disk
from tests.servers.postgres import Server
from tests.servers.programs import own_folder

ENOUGH = 200


@pytest.fixture
def disk() -> Iterator[Disk]:
    with small_disk(megabytes=48) as found:
        yield found


@pytest.fixture
def database_on_it(server: Server, disk: Disk) -> Iterator[str]:
    """A database whose tables are on the small disk; the server's log of changes is elsewhere."""
    own_folder(disk.folder / "space")
    server.run(f"CREATE TABLESPACE small LOCATION '{disk.folder / 'space'}'")
    server.run("CREATE DATABASE full_disk TABLESPACE small")
    yield "full_disk"
    server.run("DROP DATABASE full_disk WITH (FORCE)", "DROP TABLESPACE small")


def state(number: int) -> dict[str, Any]:
    """What does not compress, so that it needs new pages."""
    return {"number": number, "bytes": os.urandom(50_000)}


def save_until_full(store: Store, first: int) -> list[dict[str, Any]]:
    """The states that were acknowledged before the first error."""
    saved: list[dict[str, Any]] = []
    with pytest.raises(StorageFull, match="space"):  # noqa: PT012  which of them fails is up to the server
        while len(saved) < ENOUGH:
            next_one = state(first + len(saved))
            store.thread("t").save(next_one)
            saved.append(next_one)
    return saved


@pytest.mark.parametrize("facade", ["sync", "async"])
def test_what_was_acknowledged_stays_and_saving_goes_on_with_space(
    server: Server, disk: Disk, database_on_it: str, facade: str
) -> None:
    with ExitStack() as stack:
        store = OPENERS[facade](stack, server.url(database_on_it))
        saved = [state(0)]
        store.thread("t").save(saved[0])
        disk.fill()
        saved += save_until_full(store, len(saved))
        assert stored(store) == saved, "with the disk full"
        disk.empty()
        saved.append(state(len(saved)))
        store.thread("t").save(saved[-1])
    with ExitStack() as stack:
        assert stored(OPENERS[facade](stack, server.url(database_on_it))) == saved


def stored(store: Store) -> list[dict[str, Any]]:
    thread = store.thread("t")
    found = [thread.load(info.id) for info in reversed(thread.history(limit=None))]
    return [one.state for one in found if one is not None]
