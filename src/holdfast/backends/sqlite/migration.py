"""Migrations of the file: which format it has, and how it is brought to the present one.

The header's `user_version` holds two numbers: the last migration that was applied, and the lowest format that a program
must know to use the file. A migration that only adds tables leaves the second number as it is, so that older programs
keep working. Code that knows less than is needed refuses the file.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from zlib import crc32

from msgspec.msgpack import Encoder

from holdfast.backends.sqlite.sql import migrations
from holdfast.errors import NewerFormat


def newest() -> int:
    """The number of the last migration that this version of Holdfast has."""
    return migrations()[-1].number


def current(connection: sqlite3.Connection, path: Path) -> int:
    """The number of the last migration that was applied to the file; NewerFormat if this code can't use it."""
    (packed,) = connection.execute("PRAGMA user_version").fetchone()
    number, needed = packed & 0xFFFF, packed >> 16
    if needed > newest():
        raise NewerFormat(
            f"{path}: this file needs format {needed}; this version of Holdfast reads formats up to {newest()}. "
            "Upgrade Holdfast to open it."
        )
    return int(number)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Apply the migrations that the file lacks, each in one transaction with its number.

    Several processes may open the file at once. The number is read under the write lock, so each migration runs once.
    """
    for migration in migrations():
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.create_function("checksum", -1, _checksum, deterministic=True)
            if current(connection, path) < migration.number:
                for statement in _statements(migration.sql):
                    connection.execute(statement)
            connection.execute("COMMIT")
        except BaseException:
            # SQLite has already rolled back if the disk is full.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _checksum(*columns: object) -> int:
    """The SQL function `checksum`: a migration that changes the columns of a row computes its new `sum` with it."""
    return crc32(Encoder().encode(columns))


def _statements(script: str) -> list[str]:
    """The statements of a migration. `executescript` can't be used: it would commit the transaction around them."""
    found, unfinished = [], ""
    for line in script.splitlines():
        unfinished += line + "\n"
        if sqlite3.complete_statement(unfinished):
            found.append(unfinished)
            unfinished = ""
    return found
