"""A repair reports what it could not save, and its dry run reports the same."""

from __future__ import annotations

from typing import Any

import pytest

import holdfast
from holdfast import Store
from holdfast.backends.rows import (
    CheckpointRow,
    ChunkRow,
    JournalRow,
    LineRow,
    OverlayRow,
    PendingRow,
    SettledRow,
    ThreadRow,
    table_name,
)
from tests.lifecycle.damaged_store import all_rows, backend_of, fill, replace


@pytest.fixture
def store() -> Any:
    with holdfast.open("memory:") as opened:
        for n in range(6):
            opened.thread("t").save({"n": n}, id=f"c{n}")
        yield opened


def lose(store: Store, *ids: str) -> None:
    """Their rows are not there any more."""
    replace(backend_of(store), [row for row in all_rows(backend_of(store)) if getattr(row, "id", "") in ids], [])


def lost(store: Store) -> list[tuple[str | None, str, str | None]]:
    plan = store.verify()
    said, report = store.repair(plan, dry_run=True), store.repair(plan)
    assert said.lost == report.lost
    assert report.unrepaired == store.verify().faults == ()
    return [(one.thread_id, one.what, one.checkpoint_id) for one in report.lost]


def test_a_missing_head(store: Store) -> None:
    lose(store, "c5")
    assert lost(store) == [("t", "checkpoint number 6", None)]
    assert store.thread("t").history()[0].id == "c4"


def test_a_missing_parent_is_named_by_its_child(store: Store) -> None:
    lose(store, "c2")
    assert lost(store) == [("t", "the checkpoint", "c2")]


def test_several_that_are_missing(store: Store) -> None:
    lose(store, "c1", "c2", "c5")
    assert sorted(lost(store), key=repr) == [
        ("t", "checkpoint number 2", None), ("t", "checkpoint number 6", None), ("t", "the checkpoint", "c2")
    ]  # fmt: skip


def test_a_loss_that_a_fork_sees_too_is_reported_once(store: Store) -> None:
    store.thread("t").fork(to="f").save({"n": 9})
    lose(store, "c3")
    assert lost(store) == [("t", "the checkpoint", "c3")]


def test_what_only_a_fork_sees_any_more(store: Store) -> None:
    store.thread("t").fork(to="f").save({"n": 9})
    store.thread("t").delete()
    lose(store, "c3")
    assert [thread for thread, _, _ in lost(store)] == ["f"]


def test_a_damaged_checkpoint_is_reported_once(store: Store) -> None:
    rows = [row for row in all_rows(backend_of(store)) if isinstance(row, CheckpointRow) and row.id == "c3"]
    replace(backend_of(store), [*rows], [row._replace(node="damaged") for row in rows])
    assert lost(store) == [("t", "the checkpoint", "c3")]


def test_a_count_that_is_damaged_itself_makes_no_losses(store: Store) -> None:
    rows = [row for row in all_rows(backend_of(store)) if isinstance(row, LineRow)]
    replace(backend_of(store), [*rows], [row._replace(checkpoints=4102) for row in rows])
    assert lost(store) == []
    assert [one.checkpoints for one in store.threads()] == [6]


@pytest.mark.parametrize("where", ["t", "f"])
def test_a_line_that_is_wrong_about_where_its_journal_begins(store: Store, where: str) -> None:
    """The numbers up to there are not gone through one by one."""
    store.thread("t").journal.append("k", 1)
    store.thread("t").save({"n": 7})
    fork = store.thread("t").fork(to="f")
    fork.journal.append("k", 2)
    lines = {row.id: row.line for row in all_rows(backend_of(store)) if isinstance(row, ThreadRow)}
    rows = [row for row in all_rows(backend_of(store)) if isinstance(row, LineRow) and row.line == lines[where]]
    replace(backend_of(store), [*rows], [row._replace(base_journal=1 << 40) for row in rows])
    assert lost(store) == []
    assert [entry.data for entry in fork.journal.read()] == [1, 2]


@pytest.mark.parametrize("kind", [OverlayRow, PendingRow, SettledRow, JournalRow, ChunkRow, CheckpointRow])
def test_a_row_that_is_in_no_tree_any_more(store: Store, kind: Any) -> None:
    fill(store)
    store.thread("t").put_writes("c5", [("a", 1)], task_id="task")
    row = next(row for row in all_rows(backend_of(store)) if isinstance(row, kind))
    replace(backend_of(store), [row], [row._replace(tree=row.tree ^ 1)])
    faults = [fault for fault in store.verify().faults if fault.tree == row.tree ^ 1]
    assert [(fault.kind, fault.table) for fault in faults] == [("checksum", table_name(kind))]
    assert lost(store)
    assert [one.columns[0] for one in store.quarantined() if one.table == table_name(kind)] == [row.tree ^ 1]
    assert store.collect().skipped == ()


def test_what_was_removed_on_purpose_is_not_a_loss(store: Store) -> None:
    store.thread("t").delete_checkpoints(["c1", "c2"])
    store.collect()
    lose(store, "c5")
    assert [thread for thread, _, _ in lost(store)] == ["t"]
