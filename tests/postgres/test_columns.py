"""A row's columns cross the wire by position. The library writes them, the function `apply` reads them: both agree."""

from __future__ import annotations

from typing import Any, TypeVar, get_args, get_type_hints

import psycopg
import pytest
from psycopg.rows import dict_row

from holdfast._drive import run
from holdfast.backends.base import Batch
from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    LogRow,
    OverlayRow,
    PendingRow,
    QuarantineRow,
    RunRow,
    SettledRow,
    TagRow,
    ThreadRow,
    TombstoneRow,
    table_name,
)
from tests.postgres.counting import backend

VIEWS: dict[Any, str] = {ChunkRow: "all_chunks", PendingRow: "all_pending", SettledRow: "all_settled"}
R = TypeVar(
    "R", ThreadRow, TombstoneRow, TagRow, LineRow, CheckpointRow, OverlayRow, LogRow, ChunkRow, PendingRow, SettledRow,
    EarlyWriteRow, JournalRow, RunRow, QuarantineRow,
)  # fmt: skip


def sample(kind: type[R], start: int = 100, /, **given: Any) -> R:
    """A row with another value in every column."""
    values = [_value(name, hint, start + n) for n, (name, hint) in enumerate(get_type_hints(kind).items())]
    return kind._make(values)._replace(**given)


def _value(name: str, hint: Any, number: int) -> Any:
    wanted = next(part for part in (get_args(hint) or (hint,)) if part is not type(None))
    return {int: number, str: f"{name} {number}", bytes: f"{name} {number}".encode()}[wanted]


def stored(beside: psycopg.Connection[Any], kind: type[R]) -> list[dict[str, Any]]:
    table = VIEWS.get(kind, table_name(kind))
    with beside.cursor(row_factory=dict_row) as cursor:
        columns = ", ".join(kind._fields)
        found = cursor.execute(f"SELECT {columns} FROM {table}".encode()).fetchall()  # noqa: S608  # the names are constants
    beside.rollback()
    return found


def put(store: Any, *rows: Any) -> None:
    assert run(backend(store).commit, Batch([], rows))


@pytest.mark.parametrize("kind", KEYS, ids=table_name)
def test_every_column_is_stored_under_its_own_name(store, beside, kind):
    row = sample(kind)
    assert len(set(row)) == len(row)
    put(store, row)
    assert stored(beside, kind) == [row._asdict()]


@pytest.mark.parametrize("kind", [kind for kind in KEYS if kind is not ChunkRow], ids=table_name)
def test_every_column_is_replaced_under_its_own_name(store, beside, kind):
    first = sample(kind)
    key = dict(zip(kind._fields[: KEYS[kind]], first, strict=False))
    second = sample(kind, 500)._replace(**key)
    put(store, first)
    put(store, second)
    assert stored(beside, kind) == [second._asdict()]


@pytest.mark.parametrize(
    "row",
    [
        sample(ChunkRow, lo=31, hi=31, kind=1),
        sample(PendingRow, idx=0),
        sample(PendingRow, idx=1),
    ],
    ids=["chunk_slot", "pending_slot 0", "pending_slot 1"],
)
def test_every_column_of_a_row_in_a_slot_is_stored_under_its_own_name(store, beside, row):
    put(store, row)
    assert stored(beside, type(row)) == [row._asdict()]
    slots = "chunk_slot" if isinstance(row, ChunkRow) else "pending_slot"
    assert beside.execute(f"SELECT count(*) FROM {slots}".encode()).fetchone() == (1,)  # noqa: S608


def test_every_column_of_writes_that_a_checkpoint_settles_is_stored_under_its_own_name(store, beside):
    checkpoint = sample(CheckpointRow)
    settled = sample(SettledRow, 700, tree=checkpoint.tree, line=checkpoint.line, seq=101, number=102)
    put(store, checkpoint, settled)
    assert stored(beside, CheckpointRow) == [checkpoint._asdict()]
    assert stored(beside, SettledRow) == [settled._asdict()]
    assert beside.execute("SELECT count(*) FROM settled").fetchone() == (0,)


@pytest.mark.parametrize("kind", [PendingRow, EarlyWriteRow], ids=table_name)
@pytest.mark.parametrize("idx", [0, 7])
def test_every_column_of_a_row_that_is_put_if_free_is_stored_under_its_own_name(store, beside, kind, idx):
    row = sample(kind, idx=idx)
    assert run(backend(store).commit, Batch([], [], puts_if_free=[row]))
    assert stored(beside, kind) == [row._asdict()]
