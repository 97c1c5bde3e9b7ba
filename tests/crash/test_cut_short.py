"""Erase, delete_run, repair and import are killed at any moment: what is left is whole, and they can be run again."""

from __future__ import annotations

import random
import time
from functools import partial
from pathlib import Path

import pytest

from tests.crash import settings
from tests.crash.backends import Where
from tests.crash.nursery import Nursery
from tests.crash.processes import length
from tests.crash.scenes import SCENES

TURNS = max(1, settings.ROUNDS // 20)


@pytest.mark.parametrize("what", SCENES)
def test_a_killed_operation_leaves_threads_whole_and_can_be_done_again(
    anywhere: Where, nursery: Nursery, tmp_path: Path, what: str
) -> None:
    scene = SCENES[what]()
    scene.prepare(anywhere, tmp_path)
    work = partial(nursery.start, "keepers:keep", what=what, path=scene.path)
    seconds = length(work(url=anywhere.copied().url))
    rng = random.Random(f"{settings.SEED}/{what}")
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            where = anywhere.copied()
            child = work(url=where.url)
            child.until("opened")
            time.sleep(rng.random() * seconds)
            child.kill()
            scene.check(where, acknowledged={"done": what} in child.rest())
            assert work(url=where.url).ended_well()[-1] == {"done": what}
            scene.check(where, acknowledged=True)
