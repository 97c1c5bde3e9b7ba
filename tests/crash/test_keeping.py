"""Processes that maintain a store are killed at random moments: what shows is whole, and the next one resumes."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Store
from holdfast.testing.maintenance.expired_threads import aged, stored
from tests.crash import settings
from tests.crash.backends import Where
from tests.crash.keepers import LEAN
from tests.crash.nursery import Nursery
from tests.crash.processes import kill_at_random

TURNS = max(4, settings.ROUNDS // 20)
THREADS = [f"t{number}" for number in range(6)]
OTHERS = [f"other{number}" for number in range(3)]


def fill(store: Store) -> None:
    for name in (*THREADS, *OTHERS):
        for n in range(12):
            text = f"some words {n} " * 20
            store.thread(name, ttl=3600 if name in THREADS else None).save({"n": n, "log": [text] * n})
            store.thread(name).journal.append("event", {"n": n, "text": text})
            store.thread(name, "inner").save({"n": n, "text": text})
        store.thread(name).fork(to=f"{name}/fork").save({"n": -1})


def showing(store: Store, name: str) -> dict[str, Any]:
    """What a thread shows, newest first."""
    lines = [store.thread(name, namespace) for namespace in ("", "inner")]
    found = [[line.load(info.id) for info in line.history(limit=None)] for line in lines]
    return {
        "ids": [[one.id for one in points if one is not None] for points in found],
        "states": [[one.state for one in points if one is not None] for points in found],
        "journal": [entry.seq for entry in store.thread(name).journal.read(limit=None)],
    }


def is_sound(where: Where) -> None:
    with holdfast.open(where.url) as store:
        assert store.verify().faults == ()
    where.check_all()


@pytest.fixture
def filled(where: Where) -> Where:
    with holdfast.open(where.url) as store:
        fill(store)
    return where


def killed_again_and_again(nursery: Nursery, where: Where, what: str, lines: int, path: str = "") -> None:
    """And then done."""
    rng = random.Random(settings.SEED)
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            child = nursery.start("keepers:keep", what=what, url=where.url, path=path)
            kill_at_random(child, rng, lines)
            child.rest()
            is_sound(where)
    child = nursery.start("keepers:keep", what=what, url=where.url, path=path)
    assert child.ended_well()[-1] == {"done": what}


def test_pruning(filled: Where, nursery: Nursery) -> None:
    with holdfast.open(filled.url) as store:
        forks = {name: showing(store, f"{name}/fork") for name in THREADS}
        expected = {name: showing(store, name) for name in THREADS}
    killed_again_and_again(nursery, filled, "prune", 20)
    with holdfast.open(filled.url) as store:
        for name in THREADS:
            found = showing(store, name)
            assert found["ids"] == [ids[:3] for ids in expected[name]["ids"]]
            assert found["states"] == [states[:3] for states in expected[name]["states"]]
            assert len(store.thread(f"{name}/fork").history(limit=None)) == 3
            assert showing(store, f"{name}/fork")["states"][0] == forks[name]["states"][0][:3]
        assert store.prune(LEAN).removed == ()


def test_expiring(filled: Where, nursery: Nursery) -> None:
    with holdfast.open(filled.url) as store:
        others = {name: showing(store, name) for name in OTHERS}
        for name in THREADS:
            aged(store, name, 7200)
    killed_again_and_again(nursery, filled, "expire", 12)
    with holdfast.open(filled.url) as store:
        assert not any(stored(store, name) for name in THREADS)
        assert {name: showing(store, name) for name in OTHERS} == others
        assert all(store.thread(f"{name}/fork").latest() is not None for name in THREADS)


def test_collecting(filled: Where, nursery: Nursery) -> None:
    with holdfast.open(filled.url) as store:
        store.prune(LEAN)
        before = {name: showing(store, name) for name in (*THREADS, *OTHERS)}
    killed_again_and_again(nursery, filled, "collect", 16)
    with holdfast.open(filled.url) as store:
        assert {name: showing(store, name) for name in (*THREADS, *OTHERS)} == before
        assert store.collect().rows == 0


def test_backing_up(filled: Where, nursery: Nursery, tmp_path: Path) -> None:
    path = tmp_path / "backup"
    rng = random.Random(settings.SEED)
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            child = nursery.start("keepers:keep", what="backup", url=filled.url, path=str(path))
            kill_at_random(child, rng, 10)
            child.rest()
            if path.exists():  # then it is whole
                url = f"file:{path}" if path.is_dir() else str(path)
                with holdfast.open(url) as copy, holdfast.open(filled.url) as store:
                    assert copy.verify().faults == ()
                    for name in THREADS:
                        assert showing(copy, name) == showing(store, name)
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def test_pruning_while_writing(where: Where, nursery: Nursery) -> None:
    rng = random.Random(settings.SEED)
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            child = nursery.start("keepers:tend", url=where.url, thread="t", state={"text": "word " * 100})
            kill_at_random(child, rng, 60)
            child.rest()
            saved = [line["saved"] for line in child.lines if "saved" in line]
            is_sound(where)
            with holdfast.open(where.url) as store:
                ids = [info.id for info in store.thread("t").history(limit=None)]
                assert saved[-1:] == [one for one in ids if one in saved[-1:]]
            with holdfast.open(where.url, retention=LEAN) as store:  # a look that was killed is made up for by the next
                for _ in range(8):
                    store.thread("t").save({"text": "at rest"})
                assert len(store.thread("t").history(limit=None)) <= 3 + 7
