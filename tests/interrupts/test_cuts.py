"""A call that is interrupted anywhere raises the interrupt, leaves its effect whole or absent, and stops no other call.

A sample of places; ``PLACES=all`` takes every one, with the kinds of exceptions in turn (`make test-interrupts`).
``SEED=2`` and ``SEED=3`` take the other kinds at each.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import holdfast
from holdfast import Store, Thread
from tests.interrupts.cuts import KINDS, cut_at
from tests.support.postgres import schemas

pytestmark = [
    # An interrupt may come between the making of an object and the first name for it.
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning"),
]

PLACES: Final = os.environ.get("PLACES") or "6"
SEED: Final = int(os.environ.get("SEED") or 1)
LIMIT: Final = 30  # seconds until a thread that hangs is a failure
MANY: Final = 1 << 40
STORE: Final = 40  # cuts until the store is replaced

URLS: Final[dict[str, Callable[[Path], str]]] = {
    "memory": lambda folder: "memory:",
    "sqlite": lambda folder: f"sqlite:{folder / 'agents.db'}",
    "files": lambda folder: f"file:{folder / 'agents'}",
    "postgresql": schemas.url,
}


class World:
    """An open store with a few threads, and a number that grows with each call."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.root = folder
        self.number = 0
        self._start()

    def _start(self) -> None:
        self.folder = self.root / str(self.number)
        self.folder.mkdir()
        self.store: Store = holdfast.open(URLS[self.name](self.folder))
        self.thread: Thread[Any] = self.store.thread("main")
        self.other: Thread[Any] = self.store.thread("other")
        self.saved = self.thread.save({"n": 0, "log": ["start"]})
        self.other.save({"n": 0})

    def replace(self) -> None:
        """Begin with a new store: what a cut is compared with is all that the store has, which grows with each cut."""
        assert self.store.verify().ok
        self.store.close()
        schemas.release(self.root)
        self._start()

    def again(self) -> Store:
        """Another store on the same data, as another process has it."""
        return self.store if self.name == "memory" else holdfast.open(URLS[self.name](self.folder))

    def close(self) -> None:
        if self.name != "memory":
            self.store.close()


# ------------------------------------------------------------------------------------------------ the calls


def save(world: World) -> None:
    world.thread.save({"n": world.number, "log": ["start"] * (world.number % 5)}, node="step")


def update(world: World) -> None:
    world.thread.update({"log": [world.number]}, reduce={"log": holdfast.extend})


def fork(world: World) -> None:
    world.thread.fork(to=f"fork {world.number}").save({"n": world.number})


def put_writes(world: World) -> None:
    world.thread.put_writes(world.saved.id, [("n", world.number), ("log", "x")], task_id=f"task {world.number}")


def latest(world: World) -> None:
    world.store.thread("main").latest()


def append(world: World) -> None:
    world.thread.journal.append("note", {"n": world.number})


CALLS: Final = [save, update, fork, put_writes, latest, append]


# ------------------------------------------------------------------------------------------------ what must hold


def facts(store: Store) -> dict[str, Any]:
    """Everything that the calls change."""
    thread = store.thread("main")
    head = thread.latest()
    assert head is not None
    return {
        "head": (head.state, head.seq),
        "count": len(thread.history(limit=10_000)),
        "journal": [entry.data for entry in thread.journal.read(limit=10_000)],
        "threads": [(info.id, info.head) for info in store.threads(limit=10_000)],
        "writes": sorted((one.task_id, one.channel, one.index) for point in thread.history(limit=10_000)
                         for one in _writes(thread, point.id)),
    }  # fmt: skip


def _writes(thread: Thread[Any], checkpoint_id: str) -> Any:
    found = thread.load(checkpoint_id, channels=())
    assert found is not None
    return found.pending_writes


def beside(call: Callable[[], object]) -> None:
    """Make the call in another thread, and fail if it hangs."""
    failed: list[BaseException] = []

    def work() -> None:
        try:
            call()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(LIMIT)
    assert not thread.is_alive(), f"still not done after {LIMIT} s: it waits for a lock that no thread uses"
    assert not failed, failed


def check_usable(world: World) -> None:
    """Other threads and other processes write and read at once."""
    beside(lambda: world.other.save({"n": world.number}))
    beside(lambda: world.store.thread("other").latest())
    if world.name == "sqlite":
        check_writable(world.folder / "agents.db")
    if hasattr(os, "fork") and world.number % 10 == 0:
        beside(fork_and_wait)


def check_writable(path: Path) -> None:
    """Another connection may write to the file at once."""
    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("ROLLBACK")
    other.close()


def fork_and_wait() -> None:
    """Before a fork the store waits for every call that uses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that there are other threads
        child = os.fork()
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def check_effect(world: World, call: Callable[[World], None], before: dict[str, Any]) -> None:
    """Absent: all is as before. Whole: all is as it would be had the call not been interrupted."""
    seen = facts(world.store)
    if world.name != "memory":
        with world.again() as again:
            assert facts(again) == seen, "what this store shows is not what is stored"
    if seen == before:
        return
    assert _changed(seen, before) == EFFECTS[call.__name__], "the effect is not whole"


def _changed(seen: dict[str, Any], before: dict[str, Any]) -> dict[str, int]:
    """How much each of the facts has grown."""
    sizes = {name: (_size(seen[name]) - _size(before[name])) for name in seen}
    return {name: size for name, size in sizes.items() if size}


def _size(fact: Any) -> int:
    return fact if isinstance(fact, int) else fact[1] if isinstance(fact, tuple) else len(fact)


EFFECTS: Final = {
    "save": {"head": 1, "count": 1},
    "update": {"head": 1, "count": 1},
    "fork": {"threads": 1},
    "put_writes": {"writes": 2},
    "latest": {},
    "append": {"journal": 1},
}


# ------------------------------------------------------------------------------------------------ the tests


@pytest.fixture(params=list(URLS))
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    world = World(request.param, tmp_path)
    yield world
    world.close()


def places(total: int, seed: str) -> Iterator[tuple[int, type[BaseException]]]:
    if PLACES == "all":
        yield from ((number, KINDS[(number + SEED) % len(KINDS)]) for number in range(total))
        return
    chance = random.Random(seed)
    for index in range(int(PLACES)):
        yield chance.randrange(total), KINDS[index % len(KINDS)]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_an_interrupt_at_any_place(world: World, call: Callable[[World], None]) -> None:
    world.number += 1
    total = cut_at(MANY, KINDS[0], lambda: call(world)).passed
    assert total > 100
    for index, (number, kind) in enumerate(places(total, f"{world.name} {call.__name__}"), 1):
        world.number += 1
        if index % STORE == 0:
            world.replace()
            call(world)
            world.number += 1
        before = facts(world.store)
        outcome = cut_at(number, kind, lambda: call(world))
        if not outcome.place:
            continue
        where = f"{kind.__name__} at place {number}: {outcome.place}"
        assert outcome.raised is kind, f"{where}: the caller got {outcome.raised}"
        try:
            check_effect(world, call, before)
            check_usable(world)
        except BaseException as error:
            error.add_note(where)
            raise
    world.number += 1
    call(world)
    assert world.store.verify().ok


# ------------------------------------------------------------------------------------------------ runs


def work(world: World, durability: Any) -> None:
    with world.thread.run(input={"n": world.number}, ttl=3600, durability=durability) as run:
        found = run.step("double", lambda n: 2 * n, world.number, idempotent=True)
        run.save({"n": found})


def check_released(world: World) -> None:
    """The lease is given back long before it would run out."""
    end = time.monotonic() + LIMIT
    while (info := world.thread.info()) is not None and info.lease is not None:
        assert time.monotonic() < end, "the lease was not released"
        time.sleep(0.001)


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_an_interrupt_at_any_place_of_a_run(world: World, durability: str) -> None:
    world.number += 1
    world.thread.save({"n": 0}, status="completed")
    total = cut_at(MANY, KINDS[0], lambda: work(world, durability)).passed
    assert total > 300
    for index, (number, kind) in enumerate(places(total, f"{world.name} {durability}"), 1):
        world.number += 1
        if index % STORE == 0:
            world.replace()
            world.thread.save({"n": 0}, status="completed")
        outcome = cut_at(number, kind, lambda: work(world, durability))
        if not outcome.place:
            continue
        where = f"{kind.__name__} at place {number}: {outcome.place}"
        assert outcome.raised is kind, f"{where}: the caller got {outcome.raised}"
        try:
            check_released(world)
            check_usable(world)
            world.number += 1
            beside(lambda: work(world, durability))
            head = world.store.thread("main").latest()
            assert head is not None
            assert head.status == "completed"
        except BaseException as error:
            error.add_note(where)
            raise
    assert world.store.verify().ok


# ------------------------------------------------------------------------------------------------ closing


def test_an_interrupt_at_any_place_of_close(world: World) -> None:
    if world.name == "memory":
        world.store.close()  # its data goes with it, so there is nothing to come back to
        return

    def used() -> Store:
        world.number += 1
        store = holdfast.open(URLS[world.name](world.folder))
        store.thread("main").save({"n": world.number})
        return store

    total = cut_at(MANY, KINDS[0], used().close).passed
    for index, (number, kind) in enumerate(places(total, f"close {world.name}"), 1):
        if index % STORE == 0:
            world.replace()
        store = used()
        outcome = cut_at(number, kind, store.close)
        if not outcome.place:
            continue
        where = f"{kind.__name__} at place {number}: {outcome.place}"
        assert outcome.raised is kind, f"{where}: the caller got {outcome.raised}"
        try:
            beside(store.close)
            check_usable(world)
            head = world.store.thread("main").latest()
            assert head is not None
            assert head.state == {"n": world.number}
        except BaseException as error:
            error.add_note(where)
            raise
