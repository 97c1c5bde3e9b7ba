"""The SQL files of this folder: the statements for one schema, the functions and the migrations.

The names of the functions end in a version: `apply_1`. In the files the number is the letter N: `apply_N(…)`. Clients
of several releases use one schema at the same time, each with the functions of its own version. So a change to a
function that has been released takes the next number here, and leaves the installed functions as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from psycopg.sql import SQL, Composable, Identifier

from holdfast.backends.common import sql_scripts
from holdfast.backends.common.sql_scripts import Migration
from holdfast.backends.rows import (
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
)

_HERE: Final = "holdfast.backends.postgres"
_COLUMNS: Final[dict[str, Any]] = {
    "thread": ThreadRow, "line": LineRow, "root": LineRow, "own": LineRow, "checkpoint": CheckpointRow,
    "head": CheckpointRow, "overlay": OverlayRow, "chunk": ChunkRow, "found": ChunkRow, "pending": PendingRow,
    "early_write": EarlyWriteRow, "journal": JournalRow, "run": RunRow, "tombstone": TombstoneRow, "tag": TagRow,
    "log": LogRow, "settled": SettledRow, "quarantine": QuarantineRow,
}  # fmt: skip


VERSION: Final = 1  # of the functions


@dataclass(frozen=True, slots=True)
class Release:
    """What one release of Holdfast brings to a schema."""

    migrations: tuple[Migration, ...]
    version: int
    functions: str  # the source of all of them, with N for the version

    @property
    def format(self) -> int:
        """The newest format that it knows."""
        return self.migrations[-1].number

    @property
    def digest(self) -> str:
        return sha256(self.functions.encode()).hexdigest()

    @property
    def script(self) -> str:
        """Creates or replaces the functions, in the schema that is first in the search path."""
        return _numbered(self.functions, self.version)

    def statements(self, schema: str) -> dict[str, bytes]:
        return statements(schema, self.version)


@cache
def this_release() -> Release:
    return Release(tuple(sql_scripts.migrations(_HERE, "schema")), VERSION, _functions())


def _functions() -> str:
    found = sorted(files(_HERE).joinpath("functions").iterdir(), key=lambda file: file.name)
    return "\n".join(file.read_text("utf-8") for file in found)


def _numbered(text: str, version: int) -> str:
    return text.replace("_N(", f"_{version}(")


@cache
def statements(schema: str, version: int = VERSION) -> dict[str, bytes]:
    """By name. Always send them with parameters, even if empty: a percent sign in the schema's name is doubled."""
    names = {alias: _columns(alias, kind) for alias, kind in _COLUMNS.items()}
    names |= {f"found_{alias}": _fields("found", alias, kind) for alias, kind in _COLUMNS.items()}
    return {
        name: SQL(_numbered(text, version)).format(schema=Identifier(schema.replace("%", "%%")), **names).as_bytes()
        for name, text in sql_scripts.statements(_HERE).items()
    }


def _columns(alias: str, kind: Any) -> Composable:
    return SQL(", ").join(Identifier(alias, name) for name in kind._fields)


def _fields(table: str, column: str, kind: Any) -> Composable:
    """The columns of a row that is itself a column."""
    return SQL(", ").join(SQL("({}).{}").format(Identifier(table, column), Identifier(name)) for name in kind._fields)
