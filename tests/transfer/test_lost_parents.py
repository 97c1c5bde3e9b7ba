"""Checkpoints whose parent was lost together with its digest: they move, and are as sound in the target."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import holdfast
from holdfast import Store
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.backends.rows import LineRow
from holdfast.testing.maintenance.verified_stores import rows_of, swap
from tests.adapters.langgraph.driver import checkpoint, config, new_id


def cut_off_its_origin(store: Store) -> None:
    """The origin's line is lost, and the fork keeps its own checkpoints."""
    thread = store.thread("t")
    thread.save({"n": 0})
    fork = thread.fork(to="fork")
    fork.save({"n": 1})
    fork.save({"n": 2})
    swap(store, [line for line in rows_of(store, LineRow) if line.base_line is None], [])
    store.repair(store.verify())


def saved_again_and_removed(store: Store) -> None:
    """LangGraph has saved the parent again in its place, and it was removed after that."""
    saver = HoldfastSaver(store)
    ids = [new_id() for _ in range(3)]
    for text, number in (("first", 0), ("second", 1), ("third", 2), ("second, changed", 1)):
        place = config("t", ids[number - 1] if number else None, "")
        made = checkpoint({"text": text * 20}, ids[number])
        saver.put(place, made, {"source": "loop", "step": number, "parents": {}}, made["channel_versions"])
    store.thread("t").delete_checkpoints([ids[1]])


@pytest.mark.parametrize("collected", [False, True], ids=["", "collected"])
@pytest.mark.parametrize("make", [cut_off_its_origin, saved_again_and_removed])
def test_what_has_lost_its_parent_is_sound_in_the_target(
    make: Callable[[Store], None], collected: bool, tmp_path: Path
) -> None:
    with holdfast.open("memory:") as store, holdfast.open("memory:") as copied, holdfast.open("memory:") as imported:
        make(store)
        if collected:
            store.collect()
        assert store.verify().faults == ()
        holdfast.copy(store, copied)
        copied.export(None, tmp_path / "all.bundle")
        imported.import_(tmp_path / "all.bundle")
        for target in (copied, imported):
            assert target.verify().faults == ()
            assert target.stats().checkpoints == len(
                [info for thread in store.threads() for info in store.thread(thread.id).history()]
            )
