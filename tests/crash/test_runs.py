"""Workers are killed in the middle of their steps; others take over, and no recorded effect happens twice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import holdfast
from tests.crash import settings
from tests.crash.backends import Where
from tests.crash.checker import accepts_saves
from tests.crash.jobs import Record
from tests.crash.nursery import Nursery
from tests.crash.processes import kill_at_random

JOBS = 6
TURNS = 20
STORES = max(1, settings.ROUNDS // 6 // TURNS)


@pytest.mark.parametrize("number", range(STORES))
@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_effects_with_results_are_never_repeated_when_workers_are_killed(
    where: Where, tmp_path: Path, nursery: Nursery, durability: str, number: int
) -> None:
    seed = f"{settings.SEED}/{durability}/{number}"
    rng = random.Random(seed)
    jobs: list[Record] = []
    for turn in range(TURNS):
        with settings.told(seed, turn):
            while sum(not job.finished for job in jobs) < JOBS:
                jobs.append(Record(f"job-{len(jobs)}", tmp_path, durability))
            open_jobs = [job for job in jobs if not job.finished]
            names = [job.name for job in open_jobs]
            order = [names[: JOBS // 2], names[JOBS // 2 :]]
            children = [
                nursery.start("jobs:carry_all", url=where.url, folder=str(tmp_path), names=part, durability=durability)
                for part in order
            ]  # fmt: skip
            for child in children:
                kill_at_random(child, rng, lines=40)
            _check(where, open_jobs, [line for child in children for line in child.rest()])
    with settings.told(seed, TURNS):
        _finish(nursery, where, tmp_path, [job for job in jobs if not job.finished])


def _check(where: Where, jobs: list[Record], lines: list[dict[str, object]]) -> None:
    with holdfast.open(where.url) as store:
        for job in jobs:
            job.hear(lines)
            job.check(store)
        accepts_saves(store)
    where.check_all()


def _finish(nursery: Nursery, where: Where, folder: Path, jobs: list[Record]) -> None:
    """Whatever state the killed workers left: one that waits for their leases brings every job to its end."""
    child = nursery.start(
        "jobs:carry_all", url=where.url, folder=str(folder), names=[job.name for job in jobs],
        durability=jobs[0].durability, wait=10.0,
    )  # fmt: skip
    _check(where, jobs, child.ended_well())
    assert all(job.finished for job in jobs)
