"""The statements of `statements.sql`, for one schema."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from psycopg.sql import SQL, Composable, Identifier

from holdfast.backends import scripts
from holdfast.backends.rows import (
    CheckpointRow,
    ChunkRow,
    GraveRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    QuarantineRow,
    RunRow,
    SealedRow,
    TagRow,
    ThreadRow,
    WaitingRow,
)
from holdfast.backends.scripts import Migration

_HERE: Final = "holdfast.backends.postgres"
_COLUMNS: Final[dict[str, Any]] = {
    "thread": ThreadRow, "line": LineRow, "root": LineRow, "own": LineRow, "checkpoint": CheckpointRow,
    "head": CheckpointRow, "mark": MarkRow, "piece": ChunkRow, "pending": PendingRow, "waiting": WaitingRow,
    "journal": JournalRow, "run": RunRow, "grave": GraveRow, "tag": TagRow, "log": LogRow, "sealed": SealedRow,
    "quarantine": QuarantineRow,
}  # fmt: skip


@cache
def statements(schema: str) -> dict[str, bytes]:
    """By name. All are to be sent with parameters, be they none: a percent sign in the schema's name is doubled."""
    names = {alias: _columns(alias, kind) for alias, kind in _COLUMNS.items()}
    names |= {f"found_{alias}": _fields("found", alias, kind) for alias, kind in _COLUMNS.items()}
    return {
        name: SQL(text).format(schema=Identifier(schema.replace("%", "%%")), **names).as_bytes()
        for name, text in scripts.statements(_HERE).items()
    }


def _columns(alias: str, kind: Any) -> Composable:
    return SQL(", ").join(Identifier(alias, name) for name in kind._fields)


def _fields(table: str, column: str, kind: Any) -> Composable:
    """The columns of a row that is itself a column."""
    return SQL(", ").join(SQL("({}).{}").format(Identifier(table, column), Identifier(name)) for name in kind._fields)


@cache
def migrations() -> list[Migration]:
    return scripts.migrations(_HERE)
