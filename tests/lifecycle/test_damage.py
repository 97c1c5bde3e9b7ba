"""Damage at random places: whatever changes what a read returns is found, and repair goes on with what is sound.

``DAMAGES=960 pytest tests/lifecycle/test_damage.py`` does as much of it in all; a hundred by default.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

import holdfast
from holdfast import LookAtTheStorage, Store
from holdfast.backends.rows import LineRow
from tests.lifecycle.broken import all_rows, backend_of, break_bytes, damaged, everything, fill, replace
from tests.support.postgres import schemas

EACH = 20  # of seeds in one test
SOME = max(int(os.environ.get("DAMAGES") or 100) // 3 // EACH, 1) * EACH  # of each kind
BROKEN = ("Corrupt", "StorageFailed")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[Any, Any]]]:
    """A store of each kind that is kept in files, and what it shows."""
    found = {}
    for kind in ("sqlite", "files"):
        path = tmp_path_factory.mktemp(kind) / "agents"
        with holdfast.open(url(kind, path)) as store:
            fill(store)
        with holdfast.open(url(kind, path)) as store:
            assert store.verify().faults == ()
            found[kind] = (path, everything(store))
    return found


def url(kind: str, path: Path) -> str:
    return f"file:{path}" if kind == "files" else f"sqlite:{path}"


def check(store: Store, before: dict[Any, Any], seed: int) -> bool:
    """Whether the damage shows; if so it must be found, and be mended."""
    found, plan = everything(store), store.verify()
    if found == before:
        return False
    assert plan.faults, f"seed {seed}: what is read has changed, and verify() says nothing"
    assert all(fault.message for fault in plan.faults)
    report = store.repair(plan)
    after = store.verify()
    assert after.faults == report.unrepaired == (), f"seed {seed}"
    assert [key for key, value in everything(store).items() if value in BROKEN] == [], f"seed {seed}"
    return True


@pytest.mark.parametrize("start", range(0, SOME, EACH))
def test_rows_that_were_changed_or_lost(start: int) -> None:
    shown = 0
    for seed in range(start, start + EACH):
        with holdfast.open("memory:") as store:
            fill(store)
            before = everything(store)
            spoil(store, seed)
            shown += check(store, before, seed)
    assert shown > EACH // 4


def spoil(store: Store, seed: int) -> None:
    backend = backend_of(store)
    replace(backend, *damaged(all_rows(backend), Random(seed)))
    store._calls.engine.cache.clear()
    store._calls.engine.noted.clear()


def test_a_line_that_seems_to_be_a_root_gets_a_name() -> None:
    with holdfast.open("memory:") as store:
        store.thread("main").save({"n": 1})
        store.thread("main", "inner").save({"n": 2}, id="kept")
        (row,) = [one for one in all_rows(backend_of(store)) if isinstance(one, LineRow) and one.namespace]
        replace(backend_of(store), [row], [row._replace(namespace="")])
        store._calls.engine.cache.clear()
        assert store.repair(store.verify()).unrepaired == ()
        assert [one.id for one in store.thread("main", f"recovered/{row.line:x}").history()] == ["kept"]
        assert [one.state for one in [store.thread("main").latest()] if one] == [{"n": 1}]


def test_rows_on_a_server(tmp_path: Path) -> None:
    for seed in range(1000, 1000 + EACH):
        folder = tmp_path / str(seed)
        folder.mkdir()
        with holdfast.open(schemas.url(folder)) as store:
            fill(store)
            before = everything(store)
            spoil(store, seed)
            check(store, before, seed)


@pytest.mark.parametrize("start", range(0, SOME, EACH))
def test_bytes_of_files(sound: dict[str, Any], tmp_path: Path, start: int) -> None:
    path, before = sound["files"]
    shown = 0
    for seed in range(start, start + EACH):
        copy = tmp_path / str(seed)
        shutil.copytree(path, copy)
        random = Random(seed)
        break_bytes(random.choice(sorted(copy.rglob("*.hfs"))), random)
        with holdfast.open(url("files", copy)) as store:
            shown += check(store, before, seed)
    assert shown > EACH // 2  # some of it meets what was replaced since


@pytest.mark.parametrize("start", range(0, SOME, EACH))
def test_bytes_of_a_database(sound: dict[str, Any], tmp_path: Path, start: int) -> None:
    """A file that is not even opened is refused with the reason."""
    path, before = sound["sqlite"]
    for seed in range(start, start + EACH):
        copy = tmp_path / str(seed)
        shutil.copy(path, copy)
        break_bytes(copy, Random(seed))
        try:
            store = holdfast.open(url("sqlite", copy))
        except LookAtTheStorage:
            continue
        with store:
            check(store, before, seed)
