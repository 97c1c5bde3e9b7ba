"""Erase, delete_run and repair are killed at any moment: what they leave is whole, and they can be run again."""

from __future__ import annotations

import random
import time

import pytest

from tests.crash import settings
from tests.crash.backends import Where
from tests.crash.nursery import Nursery
from tests.crash.scenes import SCENES

TURNS = max(2, settings.ROUNDS // 15)


@pytest.mark.parametrize("what", SCENES)
def test_a_killed_operation_leaves_threads_whole_and_can_be_done_again(
    anywhere: Where, nursery: Nursery, what: str
) -> None:
    scene = SCENES[what]()
    scene.prepare(anywhere)
    seconds = length(nursery, anywhere.copied(), what)
    rng = random.Random(f"{settings.SEED}/{what}")
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            where = anywhere.copied()
            child = nursery.start("keepers:keep", what=what, url=where.url)
            child.until("opened")
            time.sleep(rng.random() * seconds)
            child.kill()
            scene.check(where, acknowledged={"done": what} in child.rest())
            assert nursery.start("keepers:keep", what=what, url=where.url).ended_well()[-1] == {"done": what}
            scene.check(where, acknowledged=True)


def length(nursery: Nursery, where: Where, what: str) -> float:
    """How long the operation takes if it is let alone."""
    child = nursery.start("keepers:keep", what=what, url=where.url)
    child.until("opened")
    start = time.monotonic()
    child.until("done")
    seconds = time.monotonic() - start
    child.ended_well()
    return seconds
