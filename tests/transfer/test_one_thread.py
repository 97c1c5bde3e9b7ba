"""One thread that can't be moved: it is named, and the others are moved all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from holdfast import Conflict, Corrupt, Store, ThreadBusy
from holdfast.backends.rows import CheckpointRow
from tests.lifecycle.damaged_store import all_rows, backend_of, replace


@pytest.fixture
def stores() -> tuple[Store, Store]:
    source, target = holdfast.open("memory:"), holdfast.open("memory:")
    for n in range(6):
        for i in range(3):
            source.thread(f"t{n}").save({"n": i}, id=f"c{n}{i}")
    return source, target


def damage(store: Store, *ids: str) -> None:
    rows = [row for row in all_rows(backend_of(store)) if isinstance(row, CheckpointRow) and row.id in ids]
    replace(backend_of(store), [*rows], [row._replace(node="damaged") for row in rows])


def moved(store: Store) -> list[str]:
    return [one.id for one in store.threads()]


def test_a_damaged_thread_does_not_stop_a_copy(stores: tuple[Store, Store]) -> None:
    source, target = stores
    damage(source, "c21")
    with pytest.raises(Corrupt, match="thread 't2'"):
        holdfast.copy(source, target)
    assert moved(target) == ["t0", "t1", "t3", "t4", "t5"]
    assert target.verify().faults == ()


def test_all_damaged_threads_are_named(stores: tuple[Store, Store]) -> None:
    source, target = stores
    damage(source, "c21", "c40")
    with pytest.raises(Corrupt, match=r"2 threads could not be moved(.|\n)*thread 't[24]'(.|\n)*thread 't[24]'"):
        holdfast.copy(source, target)
    assert moved(target) == ["t0", "t1", "t3", "t5"]


def test_threads_that_are_held_do_not_stop_a_copy(stores: tuple[Store, Store]) -> None:
    source, target = stores
    holdfast.copy(source, target)
    for n in range(6):
        source.thread(f"t{n}").save({"n": 9})
    with (
        target.thread("t1").run(worker="w"),
        target.thread("t3").run(worker="w"),
        pytest.raises(ThreadBusy, match=r"2 threads could not be moved(.|\n)*'t[13]'(.|\n)*'t[13]'"),
    ):
        holdfast.copy(source, target)
    followed = [name for name in moved(target) if target.thread(name).at(step=3) is not None]
    assert set(followed) >= {"t0", "t2", "t4", "t5"}


def test_damage_is_what_is_reported_of_several_reasons(stores: tuple[Store, Store]) -> None:
    source, target = stores
    target.thread("t1").save({"other": 1})
    damage(source, "c21")
    with pytest.raises(Corrupt, match="2 threads could not be moved") as caught:
        holdfast.copy(source, target)
    assert "'t1'" in str(caught.value)
    assert moved(target) == ["t0", "t1", "t3", "t4", "t5"]


def test_a_conflict_alone_is_still_one(stores: tuple[Store, Store]) -> None:
    source, target = stores
    for name in ("t1", "t2"):
        target.thread(name).save({"other": 1})
    with pytest.raises(Conflict, match="2 threads could not be moved"):
        holdfast.copy(source, target)


def test_a_fork_of_a_damaged_thread_is_moved_as_far_as_it_is_sound(stores: tuple[Store, Store]) -> None:
    source, target = stores
    source.thread("t2").fork(at="c20", to="f").save({"n": 5})
    damage(source, "c22")
    with pytest.raises(Corrupt, match="thread 't2'"):
        holdfast.copy(source, target)
    assert [one.step for one in target.thread("f").history()] == [1, 0]


@pytest.mark.parametrize("json", [False, True])
def test_an_export_names_the_damaged_thread(stores: tuple[Store, Store], tmp_path: Path, json: bool) -> None:
    source, _ = stores
    damage(source, "c21")
    with pytest.raises(Corrupt, match="thread 't2'"):
        source.export(None, tmp_path / "all", json=json)
    assert list(tmp_path.iterdir()) == []
