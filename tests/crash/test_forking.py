"""A process with an open store forks: both continue, and neither harms the other."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

import holdfast
from tests.crash.actors import THREAD
from tests.crash.backends import Where
from tests.crash.nursery import Nursery

TTL = 0.5


def check_saved(where: Where, lines: list[dict[str, object]]) -> None:
    """Every acknowledged save is there, in order."""
    saved = Counter(str(line["saved"]) for line in lines if "saved" in line)
    with holdfast.open(where.url) as store:
        for thread, count in saved.items():
            found = store.thread(thread).history(limit=None)
            numbers = [store.thread(thread).load(info.id).state["n"] for info in found]  # type: ignore[union-attr]
            assert numbers == list(range(count, 0, -1)), f"{thread}: {count} saves were acknowledged"
    where.check_all()


def test_parent_and_children_save_while_the_process_forks(nursery: Nursery, where: Where) -> None:
    child = nursery.start("actors:fork_while_saving", url=where.url, children=8, saves=20)
    lines = child.ended_well()
    saved = {str(line["saved"]) for line in lines if "saved" in line}
    assert saved == {f"parent-{n}" for n in range(3)} | {f"child-{n}" for n in range(8)}
    check_saved(where, lines)


def test_a_child_keeps_its_saves_when_the_parent_closes_the_store(
    nursery: Nursery, tmp_path: Path, where: Where
) -> None:
    lines = nursery.start("actors:outlive_the_parent", url=where.url, folder=str(tmp_path)).ended_well()
    check_saved(where, lines)


@pytest.mark.parametrize("durability", ["sync", "async"])
def test_a_child_that_exits_inside_a_run_leaves_the_run_to_its_parent(
    nursery: Nursery, tmp_path: Path, where: Where, durability: str
) -> None:
    child = nursery.start(
        "actors:fork_inside_a_run", url=where.url, folder=str(tmp_path), ttl=TTL, durability=durability
    )
    assert child.until("child", seconds=10.0) == {"child": 0}
    assert child.line() == {"finished": True}
    check_saved(where, child.ended_well())
    with holdfast.open(where.url) as store:
        head = store.thread(THREAD).latest()
    assert head is not None
    assert (head.status, head.state) == ("completed", {"n": "done"})


def test_a_child_does_not_keep_the_lease_of_its_dead_parent(nursery: Nursery, where: Where) -> None:
    child = nursery.start("actors:leave_a_child_behind", url=where.url, ttl=TTL, seconds=20.0)
    said = {**(child.line() or {}), **(child.line() or {})}
    left = said["child"]
    try:
        os.kill(said["parent"], signal.SIGKILL)
        killed = time.monotonic()
        with holdfast.open(where.url) as store, store.thread(THREAD).run(ttl=TTL, wait=10.0) as run:
            assert run.resumed
        assert time.monotonic() - killed < 2 * TTL + 1
    finally:
        os.kill(left, signal.SIGKILL)
