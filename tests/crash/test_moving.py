"""Processes that move threads are killed at random moments: what shows is whole, and the next one resumes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import holdfast
from tests.crash import settings
from tests.crash.backends import Where
from tests.crash.nursery import Nursery
from tests.crash.processes import kill_at_random
from tests.transfer.showing import live, shown, thread_shown

TURNS = max(4, settings.ROUNDS // 60)
OWN = "a thread of the target's own"


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = str(tmp_path / "source.db")
    with holdfast.open(path) as store:
        for n in range(80):
            store.thread("long").update({"messages": [f"{n} " * 30]}, reduce={"messages": holdfast.extend})
        live(store, "source", 60)
        store.thread("long").fork(store.thread("long").history()[9].id, to="fork").save({"n": 1})
    return path


def check_whole(source: str, target: str) -> None:
    """A thread that is new in the target shows only when all of it is there."""
    with holdfast.open(source) as one, holdfast.open(target) as other:
        assert other.verify().faults == ()
        for info in other.threads(limit=None):
            assert info.id == OWN or thread_shown(other, info.id) == thread_shown(one, info.id)


@pytest.mark.parametrize("what", ["copy", "import"])
def test_what_a_killed_mover_left_is_whole_and_is_gone_on_with(
    where: Where, nursery: Nursery, source: str, tmp_path: Path, what: str
) -> None:
    path = tmp_path / "all.bundle"
    rng = random.Random(settings.SEED)
    with holdfast.open(source) as store:
        store.export(None, path)
    with holdfast.open(where.url) as store:
        own = store.thread(OWN).save({"n": 1})
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            child = nursery.start("movers:move", what=what, source=source, to=where.url, path=str(path))
            kill_at_random(child, rng)
            child.rest()
            check_whole(source, where.url)
            where.check_all()
    child = nursery.start("movers:move", what=what, source=source, to=where.url, path=str(path))
    assert child.ended_well()[-1] == {"done": what}
    with holdfast.open(source) as one, holdfast.open(where.url) as other:
        head = other.thread(OWN).latest()
        assert head is not None
        assert (head.id, head.state) == (own.id, {"n": 1})
        other.thread(OWN).delete()
        assert shown(other) == shown(one)
        moved = other.thread("long").save({"messages": ["and on"]})
        assert moved.seq == 81
    where.check_all()


def test_a_thread_that_is_followed_is_always_as_the_source_once_was(
    where: Where, nursery: Nursery, source: str, tmp_path: Path
) -> None:
    rng = random.Random(settings.SEED)
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            with holdfast.open(source) as one:
                for n in range(20):
                    one.thread("long").update({"messages": [f"{turn} {n}"]}, reduce={"messages": holdfast.extend})
            child = nursery.start("movers:move", what="copy", source=source, to=where.url, path="")
            kill_at_random(child, rng)
            child.rest()
            with holdfast.open(source) as one, holdfast.open(where.url) as other:
                there = thread_shown(other, "long")["lines"][""][0]
                assert there == thread_shown(one, "long")["lines"][""][0][-len(there) :] or not there
    with holdfast.open(source) as one, holdfast.open(where.url) as other:
        holdfast.copy(one, other)
        assert shown(other) == shown(one)


def test_an_export_is_there_when_it_is_complete(nursery: Nursery, source: str, tmp_path: Path) -> None:
    path = tmp_path / "all.bundle"
    rng = random.Random(settings.SEED)
    for turn in range(TURNS):
        with settings.told(settings.SEED, turn):
            child = nursery.start("movers:move", what="export", source=source, to="memory:", path=str(path))
            kill_at_random(child, rng)
            child.rest()
            if path.exists():
                with holdfast.open("memory:") as other, holdfast.open(source) as one:
                    other.import_(path)
                    assert shown(other) == shown(one)
                path.unlink()
