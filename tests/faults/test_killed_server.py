"""PostgreSQL is killed with -9 under load and started again: nothing that was acknowledged is lost or doubled."""

from __future__ import annotations

import random
import time
from functools import partial
from pathlib import Path

import pytest

import holdfast
from tests.crash import settings
from tests.crash.backends import database
from tests.crash.checker import check, check_all
from tests.crash.early import Book
from tests.crash.ledger import Ledger
from tests.crash.nursery import Nursery
from tests.crash.processes import length, wait_some
from tests.crash.scenes import SCENES
from tests.faults.record import Record
from tests.faults.rows import read_rows
from tests.servers.postgres import Server

KILLS = 3
TURNS = max(2, settings.ROUNDS // 60)
LANES = ("a/", "b/")


@pytest.mark.parametrize("facade", ["sync", "async"])
def test_writers_go_on_by_themselves_when_the_server_is_back(
    nursery: Nursery, doomed: Server, tmp_path: Path, facade: str
) -> None:
    record = Record()
    writers = [
        nursery.start("tests.faults.writers:write", url=doomed.url(), lane=lane, facade=facade, folder=str(tmp_path))
        for lane in LANES
    ]
    for _ in range(KILLS):
        record.hear_until(writers, more=30)
        doomed.kill()
        doomed.start()
    record.hear_until(writers, more=30)
    (tmp_path / "enough").touch()
    record.hear_the_rest(writers)
    assert record.count >= len(LANES) * 30 * (KILLS + 1)
    with holdfast.open(doomed.url()) as store:
        record.check(store)
    check_all(read_rows(doomed))


def test_every_operation_is_there_whole_or_not_at_all(nursery: Nursery, doomed: Server) -> None:
    """Two processes do everything that can be done to threads; the server is killed under them, again and again."""
    seed = f"{settings.SEED}/server"
    rng = random.Random(seed)
    ledgers = [Ledger(lane) for lane in LANES]
    impatient = doomed.url(options="?retry=0")
    for turn in range(KILLS):
        with settings.told(seed, turn):
            children = [
                nursery.start("tests.faults.writers:operate", url=impatient, lane=one.lane, seed=str(turn), count=99)
                for one in ledgers
            ]
            for child in children:
                wait_some(child, rng, lines=60)
            doomed.kill()
            for ledger, child in zip(ledgers, children, strict=True):
                ledger.hear(child.ended_well())
            doomed.start()
            check(doomed.url(), *ledgers)
            check_all(read_rows(doomed))
    assert all(ledger.acknowledged > 0 for ledger in ledgers)


@pytest.mark.parametrize("what", SCENES)
def test_a_long_operation_leaves_threads_whole_and_can_be_run_again(
    nursery: Nursery, doomed: Server, tmp_path: Path, what: str
) -> None:
    """Its client does not wait for the server to come back."""
    origin = database(doomed.url(), "origin", "template0")
    scene = SCENES[what]()
    scene.prepare(origin, tmp_path)
    work = partial(nursery.start, "keepers:keep", what=what, path=scene.path)
    seconds = length(work(url=origin.copied().url))
    rng = random.Random(f"{settings.SEED}/{what}")
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            where = origin.copied()
            child = work(url=f"{where.url}?retry=0")
            child.until("opened")
            time.sleep(rng.random() * seconds)
            doomed.kill()
            lines = child.rest()
            child.wait()
            doomed.start()
            scene.check(where, acknowledged={"done": what} in lines)
            assert work(url=where.url).ended_well()[-1] == {"done": what}
            scene.check(where, acknowledged=True)


def test_a_write_that_came_early_waits_or_belongs_to_its_checkpoint(nursery: Nursery, doomed: Server) -> None:
    where = database(doomed.url(), "early", "template0")
    holdfast.open(where.url).close()
    rng = random.Random(settings.SEED)
    book = Book()
    for turn in range(2 * TURNS):
        with settings.told(settings.SEED, turn):
            child = nursery.start(
                "early:send", url=f"{where.url}?retry=0", seed=f"{settings.SEED}/{turn}", count=99,
                waiting=book.waiting,
            )  # fmt: skip
            wait_some(child, rng, lines=60)
            doomed.kill()
            book.hear(child.rest())
            child.wait()
            doomed.start()
            book.check(where)
    assert book.acknowledged > 0
