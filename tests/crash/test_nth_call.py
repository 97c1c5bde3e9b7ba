"""The process dies at, or the disk fails at, every single write, fsync, truncate and unlink of a short life."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crash import settings, shim
from tests.crash.backends import ON_DISK
from tests.crash.checker import check
from tests.crash.ledger import Ledger
from tests.crash.nursery import Child, Nursery
from tests.crash.scenario import LANE, OPERATIONS, said

PARTS = 2
"""The calls are dealt out to so many tests, so that they run side by side."""
STRIDES = {"sqlite": max(1, 4 * 240 // settings.ROUNDS), "files": 1}
"""Every one of them in a long run of the tests, every few in a short one where there are many."""
CALLS = {"sqlite": 200, "files": 80}
WRITES = {"sqlite": 200, "files": 30}
"""A life has more of them than this, or it was not lived to its end."""


@pytest.fixture(params=ON_DISK)
def store(request: pytest.FixtureRequest, quick: Path) -> Path:
    """The folder of a store that is not there yet; its name is that of its backend."""
    return quick / str(request.param)


def lived(shimmed: Nursery, folder: Path, at: int, mode: str, **trouble: Any) -> Child:
    """A short life in a new store, whose nth call goes wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    heal_after = {"before": 0, "torn": 0, "after": 0}.get(mode, 3 if trouble.get("lasts") else 1)
    url = ON_DISK[folder.name](folder).url
    return shimmed.start("scenario:play", shim.trouble(folder, at, mode, **trouble), url=url, heal_after=heal_after)


def check_life(folder: Path, at: int, lines: list[dict[str, Any]]) -> int:
    """Everything that was acknowledged to the process is there; returns how much it was."""
    ledger = Ledger(LANE)
    ledger.hear(lines)
    acknowledged = ledger.acknowledged
    with settings.noted(f"call {at} went wrong; SEED={settings.SEED}"):
        where = ON_DISK[folder.name](folder)
        check(where.url, ledger)
        where.check_all()
    return acknowledged


def calls(part: int, stride: int) -> Iterator[int]:
    first = 1 + part + PARTS * random.Random(f"{settings.SEED}/{part}").randrange(stride)
    return itertools.count(first, PARTS * stride)


def deaths(shimmed: Nursery, folder: Path, part: int, mode: str, kinds: str = "") -> int:
    """Let the process die at every call of a part, until one lives; says where."""
    for at in calls(part, STRIDES[folder.name]):
        child = lived(shimmed, folder, at, mode, kinds=kinds)
        check_life(folder, at, child.rest())
        if child.wait() == 0:
            return at
    raise AssertionError("it never ends")


def full(errors: set[str]) -> bool:
    """SQLite reports some of its writes, as that to the shared index, as failed and not as full."""
    return "StorageFull" in errors and errors <= {"StorageFull", "StorageFailed"}


@pytest.mark.parametrize("part", range(PARTS))
def test_a_store_survives_death_before_any_call(shimmed: Nursery, store: Path, part: int) -> None:
    assert deaths(shimmed, store, part, "before") > CALLS[store.name]


@pytest.mark.parametrize("part", range(PARTS))
def test_a_store_survives_death_in_the_middle_of_any_write(shimmed: Nursery, store: Path, part: int) -> None:
    assert deaths(shimmed, store, part, "torn", kinds="W") > WRITES[store.name]


def test_a_store_survives_death_right_after_any_sync(shimmed: Nursery, store: Path) -> None:
    assert sum(deaths(shimmed, store, part, "after", kinds="S") for part in range(PARTS)) > 20


def failures(shimmed: Nursery, folder: Path, part: int, mode: str, kinds: str, lasts: bool) -> set[str]:
    """Let every call of a part fail, and the process continue until all is done; returns which errors were raised."""
    raised: set[str] = set()
    for at in calls(part, 4 if lasts else STRIDES[folder.name]):
        child = lived(shimmed, folder, at, mode, kinds=kinds, lasts=lasts)
        with settings.noted(f"call {at} failed; SEED={settings.SEED}"):
            lines = child.ended_well()
        assert check_life(folder, at, lines) == len(OPERATIONS) - 1
        if said(lines, "calls")[0] < at:
            return raised
        raised |= set(said(lines, "failed"))
    raise AssertionError("it never ends")


@pytest.mark.parametrize("part", range(PARTS))
def test_a_read_or_write_error_is_told_and_harms_nothing(shimmed: Nursery, store: Path, part: int) -> None:
    assert failures(shimmed, store, part, "eio", "", lasts=False) == {"StorageFailed"}


@pytest.mark.parametrize("part", range(PARTS))
def test_a_full_disk_is_told_and_harms_nothing(shimmed: Nursery, store: Path, part: int) -> None:
    assert full(failures(shimmed, store, part, "enospc", "W", lasts=False))


@pytest.mark.parametrize("part", range(PARTS))
def test_a_disk_that_fails_for_a_while_harms_nothing(shimmed: Nursery, store: Path, part: int) -> None:
    assert failures(shimmed, store, part, "eio", "", lasts=True) == {"StorageFailed"}


@pytest.mark.parametrize("part", range(PARTS))
def test_a_disk_that_is_full_for_a_while_harms_nothing(shimmed: Nursery, store: Path, part: int) -> None:
    assert full(failures(shimmed, store, part, "enospc", "W", lasts=True))
