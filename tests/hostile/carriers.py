"""Puts rows into a store as an attacker does: through sqlite3, the records of files, SQL or the tables in memory."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import msgpack
import psycopg
from psycopg import sql

import holdfast
from holdfast._drive import run as drive
from holdfast.backends.base import Batch
from holdfast.backends.files import folder_names
from holdfast.backends.files.logs import directory_log, record_format, row_encoding, tree_log
from holdfast.backends.memory import MemoryBackend
from holdfast.backends.registry import OPENERS
from holdfast.backends.rows import KEYS, OF_TREES, EarlyWriteRow, Row, ThreadRow, is_typed, key_of, table_name
from holdfast.backends.sqlite.database import lay_out
from holdfast.backends.sqlite.sql import migrations
from tests.hostile import hostile_values
from tests.support.postgres import schemas

_NOT_STORED: Final = (sqlite3.Error, UnicodeEncodeError, OverflowError)


# ------------------------------------------------------------------------------------------------ SQLite


def sqlite(folder: Path, rows: Sequence[Row], random: Random) -> str:
    """A database with these rows; half of them have columns without types, which take any value."""
    path = folder / "store.db"
    with sqlite3.connect(path, isolation_level=None) as connection:
        if random.random() < 0.8:
            lay_out(connection)
        loose = random.random() < 0.5
        for migration in migrations():
            connection.executescript(_loose(migration.sql) if loose else migration.sql)
        connection.execute("BEGIN")
        for row in rows:
            _insert(connection, row)
        connection.execute("COMMIT")
    connection.close()
    return str(path)


def _loose(script: str) -> str:
    return re.sub(r"\b(INTEGER|TEXT|BLOB)\b( NOT NULL)?", "", re.sub(r"--.*", "", script))


def _insert(connection: sqlite3.Connection, row: Row) -> None:
    """A column with a type may refuse a value, and then the row is not there."""
    marks = ", ".join("?" * len(row))
    with suppress(*_NOT_STORED):
        connection.execute(f"INSERT OR REPLACE INTO {table_name(type(row))} VALUES ({marks})", row)  # noqa: S608


# ------------------------------------------------------------------------------------------------ files


def files(folder: Path, rows: Sequence[Row], random: Random) -> str:
    """A folder whose records hold these rows. One record may have another structure, or be one of another tree."""
    root = folder / "store"
    holdfast.open(f"file:{root}").close()
    threads = [row for row in rows if isinstance(row, ThreadRow)]
    trees: dict[int, list[Row]] = {}
    own: list[Row] = []
    for row in rows:
        number = _tree_of(row, threads)
        (own if number is None else trees.setdefault(number, [])).append(row)
    names = {number: _folder_name(number, threads) for number in trees}
    waiting = random.choice([*trees, 0])
    parts = [[number, 1, _part(trees[number])] for number in trees if number == waiting]
    directory: Any = [1, [[[[number, names[number]] for number in trees], [], _part(own), parts]]]
    payloads = {number: [0, [[0, _part(trees[number])]]] for number in trees if number != waiting}
    odd = random.choice([None, None, None, 0, *trees]) if random.random() < 0.5 else None
    _write(root / directory_log.FILE, directory, directory_log.SALT, random if odd == 0 else None)
    for number, payload in payloads.items():
        place = root / "threads" / names[number]
        place.mkdir(parents=True)
        _write(place / tree_log.FILE, payload, tree_log.salt_of(number), random if odd == number else None)
    return f"file:{root}"


def _tree_of(row: Row, threads: Sequence[ThreadRow]) -> int | None:
    if isinstance(row, OF_TREES):
        return row[0] if type(row[0]) is int and 0 < row[0] < 1 << 63 else next(_numbers(threads), 1)
    if isinstance(row, EarlyWriteRow):
        return next(
            (one.tree for one in threads if one.id == row.thread and type(one.tree) is int and one.tree > 0), None
        )
    return None


def _numbers(threads: Sequence[ThreadRow]) -> Iterator[int]:
    return (one.tree for one in threads if type(one.tree) is int and 0 < one.tree < 1 << 63)


def _folder_name(number: int, threads: Sequence[ThreadRow]) -> str:
    return folder_names.folder_name(
        next((one.id for one in threads if one.tree == number and one.id == "chat"), "x"), number
    )


def _part(rows: Sequence[Row]) -> list[Any]:
    return [[], [_packable(row_encoding.packed(row)) for row in rows]]


def _packable(put: list[Any]) -> list[Any]:
    try:
        msgpack.packb(put)
    except (ValueError, OverflowError, TypeError):  # text that is not UTF-8
        return [value if not isinstance(value, str) else "" for value in put]
    return put


def _write(path: Path, payload: Any, salt: int, random: Random | None) -> None:
    data = msgpack.packb(payload)
    if random is not None:
        data = hostile_values.restructured(data, random)
    path.write_bytes(record_format.header() + b"".join(record_format.record(data, salt)))


# ------------------------------------------------------------------------------------------------ memory, PostgreSQL


class HeldBackend(MemoryBackend):
    """Memory that outlives the store that opens it."""

    async def close(self) -> None:
        pass


def memory(folder: Path, rows: Sequence[Row], random: Random) -> str:
    """Tables sort rows by their keys: only those of the right types are put."""
    backend = HeldBackend()
    by_key = {(type(row), *key_of(row)): row for row in rows if is_typed(row)}
    assert drive(backend.commit, Batch([], list(by_key.values())))
    OPENERS["held"] = lambda _: backend
    return "held:"


def postgres(folder: Path, rows: Sequence[Row], random: Random) -> str:
    """The server checks types: a row that it refuses is not there."""
    url = schemas.url(folder)
    schemas.release(folder)
    url = schemas.url(folder)
    holdfast.open(url).close()
    address, _, schema = url.partition("schema=")
    with psycopg.connect(address.rstrip("?&")) as connection:
        connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))
        for row in rows:
            _insert_in_postgres(connection, row)
    return url


def _insert_in_postgres(connection: psycopg.Connection, row: Row) -> None:
    names = [*type(row)._fields]
    values: list[Any] = [*row]
    if table_name(type(row)) == "line":
        names, values = [*names, "stamps"], [*values, []]
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table_name(type(row))),
        sql.SQL(", ").join(map(sql.Identifier, names)),
        sql.SQL(", ").join(sql.Placeholder() * len(values)),
    )
    with suppress(psycopg.Error, UnicodeEncodeError), connection.transaction():
        connection.execute(statement, values)


Carrier = Callable[[Path, Sequence[Row], Random], str]
CARRIERS: Final[dict[str, Carrier]] = {"sqlite": sqlite, "files": files, "memory": memory, "postgres": postgres}
LOOSE: Final = ("sqlite", "files")
"""Where a column may hold a value of any type."""


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


assert len(KEYS) == 14, "a new kind of row: does the good store have one?"
