"""Runs whose process dies, or whose disk fails, at any call: effects happen as the journal says, and no run is lost."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import holdfast
from tests.crash import settings, shim
from tests.crash.backends import ON_DISK, Where
from tests.crash.jobs import Record
from tests.crash.nursery import Child, Nursery

STRIDE = max(1, 7 * 240 // settings.ROUNDS)
TTL = 0.05
FIRST = {"sqlite": 130, "files": 14}  # the store itself is made before
LAST = {"sqlite": 400, "files": 40}  # a life has more calls than that


@pytest.fixture(params=ON_DISK)
def folder(request: pytest.FixtureRequest, quick: Path) -> Path:
    """Where a job and its store are; its name is that of the store's backend."""
    return quick / str(request.param)


def store_in(folder: Path) -> Where:
    return ON_DISK[folder.name](folder / "store")


def carried(shimmed: Nursery, folder: Path, durability: str, at: int = 0, mode: str = "", lasts: bool = False) -> Child:
    """A job in a new store, whose nth call to the disk goes wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "store").mkdir(parents=True)
    return go_on(shimmed, folder, durability, shim.trouble(folder / "store", at, mode, lasts))


def go_on(shimmed: Nursery, folder: Path, durability: str, trouble: dict[str, str]) -> Child:
    return shimmed.start(
        "jobs:carry_all", trouble, url=store_in(folder).url, folder=str(folder), names=["job"],
        durability=durability, ttl=TTL, wait=10.0,
    )  # fmt: skip


def check_job(folder: Path, job: Record, lines: list[dict[str, Any]]) -> None:
    where = store_in(folder)
    with holdfast.open(where.url) as store:
        job.hear(lines)
        job.check(store)
    where.check_all()


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_run_survives_death_at_any_call(shimmed: Nursery, folder: Path, durability: str) -> None:
    at = FIRST[folder.name]
    while True:
        child = carried(shimmed, folder, durability, at, "before")
        job = Record("job", folder, durability)
        with settings.noted(f"killed at call {at}"):
            check_job(folder, job, child.rest())
            if child.wait() == 0:
                break
            check_job(folder, job, go_on(shimmed, folder, durability, shim.trouble(folder)).ended_well())
        assert job.finished
        at += STRIDE
    assert at > LAST[folder.name]


@pytest.mark.parametrize("mode", ["eio", "enospc"])
@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_run_goes_on_after_a_failure_of_the_disk(shimmed: Nursery, folder: Path, durability: str, mode: str) -> None:
    at = FIRST[folder.name]
    while True:
        child = carried(shimmed, folder, durability, at, mode, lasts=mode == "enospc")
        job = Record("job", folder, durability)
        with settings.noted(f"call {at} failed"):
            lines = child.ended_well()
            check_job(folder, job, lines)
            unlisted = [line for line in lines if "unlisted" in line]
            assert not unlisted, "a run that may be resumed is not among the resumable ones"
        assert job.finished
        if lines[-1]["calls"] < at:
            break
        at += 2 * STRIDE
    assert at > LAST[folder.name]
