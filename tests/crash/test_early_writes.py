"""Writes that wait for their checkpoint, in processes that are killed: none is lost, and none is there twice."""

from __future__ import annotations

import itertools
import random
import time

from langgraph.checkpoint.base import empty_checkpoint

import holdfast
from holdfast._drive import run
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.backends.base import Batch, drop_of
from holdfast.backends.rows import EarlyWriteRow, with_checksum
from tests.crash import settings
from tests.crash.backends import Where
from tests.crash.early import THREADS, Book, perform
from tests.crash.nursery import Nursery
from tests.crash.processes import kill_at_random

TURNS = max(3, settings.ROUNDS // 10)
DAY = 24 * 3600 * 1_000_000


def test_a_write_waits_or_belongs_to_its_checkpoint_when_its_sender_is_killed(
    anywhere: Where, nursery: Nursery
) -> None:
    rng = random.Random(settings.SEED)
    book = Book()
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            child = nursery.start(
                "early:send", url=anywhere.url, seed=f"{settings.SEED}/{turn}", count=40, waiting=book.waiting
            )
            kill_at_random(child, rng, lines=60)
            book.hear(child.rest())
            book.check(anywhere)
    assert book.acknowledged > 0


def test_old_ones_are_dropped_together_and_new_ones_stay(anywhere: Where, nursery: Nursery) -> None:
    """What waits longer than a day is dropped by collect."""
    with HoldfastSaver.from_url(anywhere.url) as saver:
        for number, thread in itertools.product(range(20), THREADS):
            perform(
                saver,
                {
                    "do": "write",
                    "thread": thread,
                    "id": empty_checkpoint()["id"],
                    "task": "t",
                    "writes": [["c", number]],
                },
            )
    old = age(anywhere, thread=THREADS[0])
    before = {*anywhere.rows()[EarlyWriteRow]}
    assert (len(old), len(before)) == (20, 40)
    rng = random.Random(settings.SEED)
    for turn in range(max(2, TURNS // 8)):
        with settings.told(settings.SEED, turn):
            where = anywhere.copied()
            child = nursery.start("keepers:keep", what="collect", url=where.url)
            child.until("opened")
            time.sleep(rng.random() * 0.02)
            child.kill()
            left = {*where.rows()[EarlyWriteRow]}
            assert left in (before, before - old)
            assert left == before - old or {"done": "collect"} not in child.rest()
            nursery.start("keepers:keep", what="collect", url=where.url).ended_well()
            assert {*where.rows()[EarlyWriteRow]} == before - old


def age(where: Where, thread: str) -> set[EarlyWriteRow]:
    """Let the early writes of a thread be two days old."""
    with holdfast.open(where.url) as store:
        backend = store._calls.engine.backend
        rows = [row for row in run(backend.scan, EarlyWriteRow, None, (), -1) if row.thread == thread]
        aged = [with_checksum(row._replace(created_at=row.created_at - 2 * DAY)) for row in rows]
        assert run(backend.commit, Batch([], aged, [drop_of(row) for row in rows]))
    return {*aged}
