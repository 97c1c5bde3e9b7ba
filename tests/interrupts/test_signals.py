"""Signals at random moments: the store object works on, from several threads, and holds what was acknowledged."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

import holdfast
from tests.interrupts import test_cuts
from tests.interrupts.cuts import KINDS
from tests.interrupts.test_cuts import LIMIT, SEED, URLS, World, beside

pytestmark = test_cuts.pytestmark

# Calls that were interrupted.
ROUNDS: Final = int(os.environ.get("ROUNDS") or 15)


class Alarm:
    """Raises in the main thread, once, after a while."""

    def __init__(self) -> None:
        self.kind: type[BaseException] | None = None

    def handle(self, number: int, frame: FrameType | None) -> None:
        kind, self.kind = self.kind, None
        if kind is not None:
            raise kind

    def during(self, call: Callable[[], object], kind: type[BaseException], seconds: float) -> bool:
        """Whether the call returned."""
        try:
            self.kind = kind
            signal.setitimer(signal.ITIMER_REAL, seconds)
            call()
            self.kind = None
        except kind:
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return True


@pytest.fixture
def alarm() -> Iterator[Alarm]:
    alarm = Alarm()
    before = signal.signal(signal.SIGALRM, alarm.handle)
    yield alarm
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", list(URLS))
def test_a_store_holds_what_was_acknowledged(name: str, tmp_path: Path, alarm: Alarm) -> None:
    world = World(name, tmp_path)
    chance = random.Random(SEED)
    saved: list[int] = []
    noted: list[int] = []
    done: list[int] = []
    cut = 0

    def work(number: int) -> None:
        with world.store.thread("runs").run(input={"n": number}, ttl=3600, wait=LIMIT) as run:
            run.save({"n": run.step("same", lambda: number, idempotent=True)})

    calls: list[tuple[list[int], Callable[[int], Any]]] = [
        (saved, lambda n: world.thread.save({"n": n, "log": ["x"] * (n % 7)})),
        (saved, lambda n: world.thread.update({"n": n, "log": [n]}, reduce={"log": holdfast.extend})),
        (noted, lambda n: world.thread.journal.append("note", n)),
        (done, work),
        ([], lambda n: world.store.thread("main").latest()),
    ]
    for number in count(1):
        ledger, call = chance.choice(calls)
        if alarm.during(lambda call=call, n=number: call(n), chance.choice(KINDS), chance.uniform(0.00005, 0.003)):  # type: ignore[misc]
            ledger.append(number)
        else:
            cut += 1
        if cut == ROUNDS:
            break
        if number % 20 == 0:
            beside(lambda n=number: world.other.save({"n": n}))  # type: ignore[misc]
    check_ledgers(world, saved, noted)
    threads = [threading.Thread(target=lambda n=n: world.store.thread(f"after {n}").save({"n": n})) for n in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert {f"after {n}" for n in range(4)} <= {info.id for info in world.store.threads()}
    work(0)
    info = world.store.thread("runs").info()
    assert info is not None
    assert (info.lease, info.status) == (None, "completed")
    assert world.store.verify().ok
    world.close()


def check_ledgers(world: World, saved: list[int], noted: list[int]) -> None:
    """What was acknowledged is there, in order, and nothing is there twice."""
    states = [world.thread.load(info.id) for info in reversed(world.thread.history(limit=None))]
    found = [state.state["n"] for state in states if state is not None]
    assert len(found) == len(set(found))
    assert [n for n in found if n in set(saved)] == saved
    entries = [entry.data for entry in world.thread.journal.read(limit=None)]
    assert len(entries) == len(set(entries))
    assert [n for n in entries if n in set(noted)] == noted
