"""Forks that are moved together share in the target what they share in the source."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import holdfast
from holdfast import Retention, Store
from tests.transfer.showing import shown

FORKS = 12


def grow(store: Store, thread_id: str, steps: int, seed: int) -> None:
    rng = random.Random(seed)
    thread = store.thread(thread_id)
    for _ in range(steps):
        thread.update({"messages": [rng.randbytes(1000)]}, reduce={"messages": holdfast.extend})


def filled(store: Store) -> None:
    """A thread of 100 KB, forks of it, and forks of those."""
    grow(store, "t", 100, 1)
    for n in range(FORKS):
        origin = store.thread("t" if n < 6 else f"f{n - 6}")
        origin.fork(origin.history()[3 * n % 7].id, to=f"f{n}")
        grow(store, f"f{n}", 2, n)


def test_forks_of_forks_share_in_the_target(tmp_path: Path) -> None:
    with holdfast.open("memory:") as source, holdfast.open("memory:") as copied, holdfast.open("memory:") as imported:
        filled(source)
        holdfast.copy(source, copied)
        source.export(None, tmp_path / "x.bundle")
        imported.import_(tmp_path / "x.bundle")
        for target in (copied, imported):
            assert target.bytes_stored() < 1.1 * source.bytes_stored()
            assert shown(target, ("",)) == shown(source, ("",))
        assert (tmp_path / "x.bundle").stat().st_size < 1.2 * source.bytes_stored()


def test_forks_that_come_one_after_the_other_share_if_their_origin_is_named(tmp_path: Path) -> None:
    with holdfast.open("memory:") as source, holdfast.open("memory:") as target:
        filled(source)
        holdfast.copy(source, target, ["t"])
        before = target.bytes_stored()
        for n in range(6):
            holdfast.copy(source, target, ["t", f"f{n}"])
        assert target.bytes_stored() < before * 1.5


def test_forks_of_a_deleted_thread_share_among_themselves() -> None:
    with holdfast.open("memory:") as source, holdfast.open("memory:") as target:
        filled(source)
        source.thread("t").delete()
        holdfast.copy(source, target)
        assert target.bytes_stored() < 2.5 * source.bytes_stored()
        assert shown(target, ("",)) == shown(source, ("",))


def test_pruned_threads_come_with_what_is_left() -> None:
    with holdfast.open("memory:") as source, holdfast.open("memory:") as target:
        filled(source)
        for info in source.threads(limit=None):
            source.thread(info.id).prune(Retention(keep_last=3))
        before = [one.digest for one in source.thread("t").history()]
        report = holdfast.copy(source, target)
        assert report.checkpoints <= 3 * (FORKS + 1)
        assert [one.digest for one in target.thread("t").history()] == before
        assert shown(target, ("",)) == shown(source, ("",))


def test_what_a_fork_wrote_on_a_checkpoint_that_it_shares_is_its_own(tmp_path: Path) -> None:
    def written(store: Store) -> dict[str, Any]:
        found = {name: store.thread(name).load("c0") for name in ("t", "f")}
        return {name: one.pending_writes[0].value for name, one in found.items() if one is not None}

    with holdfast.open("memory:") as store, holdfast.open("memory:") as copied, holdfast.open("memory:") as imported:
        thread = store.thread("t")
        thread.save({"n": 0}, id="c0")
        fork = thread.fork("c0", to="f")
        thread.put_writes("c0", [("answer", "of the origin")], task_id="task")
        fork.put_writes("c0", [("answer", "of the fork")], task_id="task")
        for _ in range(2):
            holdfast.copy(store, copied)
        assert holdfast.copy(store, copied).unchanged == 2
        store.export(None, tmp_path / "x.bundle")
        imported.import_(tmp_path / "x.bundle")
        assert written(copied) == written(imported) == written(store) == {"t": "of the origin", "f": "of the fork"}
