"""Processes that save, fork and delete are killed at random points; nothing that was acknowledged to them is lost."""

from __future__ import annotations

import random

import pytest

from tests.crash import settings
from tests.crash.backends import Where
from tests.crash.checker import check
from tests.crash.ledger import Ledger
from tests.crash.nursery import Nursery
from tests.crash.processes import kill_at_random

TURNS = 15
STORES = max(1, settings.ROUNDS // 2 // TURNS)
LANES = ("a/", "b/")


@pytest.mark.parametrize("number", range(STORES))
def test_a_store_holds_what_was_acknowledged_when_its_writers_are_killed(
    where: Where, nursery: Nursery, number: int
) -> None:
    """Two processes write to one store, each to threads of its own, and are both killed; again and again."""
    seed = f"{settings.SEED}/{number}"
    rng = random.Random(seed)
    ledgers = [Ledger(lane) for lane in LANES]
    before = nursery.start("worker:grow", url=where.url, thread=LANES[0] + "0", count=60)
    ledgers[0].hear(before.ended_well())  # so that frames and new keys come soon
    for turn in range(TURNS):
        with settings.told(seed, turn):
            children = [
                nursery.start("worker:operate", url=where.url, lane=one.lane, seed=f"{number}.{turn}", count=60)
                for one in ledgers
            ]
            for child in children:
                kill_at_random(child, rng)
            for ledger, child in zip(ledgers, children, strict=True):
                ledger.hear(child.rest())
            check(where.url, *ledgers)
            where.check_all()
    assert all(ledger.acknowledged > 0 for ledger in ledgers)
