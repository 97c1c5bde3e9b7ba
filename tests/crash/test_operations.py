"""Processes that save, fork and delete are killed at random points; nothing that they were told is lost."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tests.crash import settings
from tests.crash.checker import check
from tests.crash.ledger import Ledger
from tests.crash.nursery import Child, Nursery
from tests.crash.processes import kill_at_random

STORES = 4
LANES = ("a/", "b/")


@pytest.mark.parametrize("number", range(STORES))
def test_a_store_holds_what_was_acknowledged_when_its_writers_are_killed(
    tmp_path: Path, nursery: Nursery, number: int
) -> None:
    """Two processes write to one store, each to threads of its own, and are both killed; again and again."""
    path = tmp_path / "agents.db"
    seed = f"{settings.SEED}/{number}"
    rng = random.Random(seed)
    ledgers = [Ledger(lane) for lane in LANES]
    for turn in range(settings.ROUNDS // STORES):
        with settings.told(seed, turn):
            children = [
                nursery.start("worker:operate", url=str(path), lane=one.lane, seed=f"{number}.{turn}", count=60)
                for one in ledgers
            ]
            for child in children:
                kill_at_random(child, rng)
            for ledger, child in zip(ledgers, children, strict=True):
                ledger.hear(child.rest())
            check(path, *ledgers)
    assert all(ledger.acknowledged > 0 for ledger in ledgers)
