"""Going on with a file whose pages are damaged: what can be read of it is copied to a new file, which takes its place.

The damaged file is kept beside it as ``NAME.damaged-1`` (or the next number that is free), with all its bytes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from holdfast.backends.rows import KEYS, is_sound, table_name
from holdfast.backends.sqlite import files, pages
from holdfast.backends.sqlite.statements import statements

_SQL: Final = statements()


def check(connection: sqlite3.Connection, table: str) -> list[str]:
    """What SQLite says about the pages of a table and its indexes."""
    try:
        rows = connection.execute(_SQL["check"], (table,)).fetchall()
    except sqlite3.Error as error:
        return [str(error)]
    return [told for (told,) in rows if told != "ok"]


def check_schema(connection: sqlite3.Connection) -> list[str]:
    """Whether the file still says of its tables what the migrations made of them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        files.migrate(fresh, Path(":memory:"))
        wanted = fresh.execute(_SQL["schema"]).fetchall()
    try:
        found = connection.execute(_SQL["schema"]).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [str(error)]
    return [] if found == wanted else ["what it says of its tables is not what was written"]


def replace(path: Path) -> str:
    """Put a sound copy in the place of the file; says where the damaged one is. Nobody else may have it open."""
    fresh, aside = path.with_name(path.name + ".mended"), _free_name(path)
    fresh.unlink(missing_ok=True)
    with closing(files.connect(path)) as old:
        old.execute("PRAGMA journal_mode = DELETE").fetchall()  # refused while anybody else has the file open
        with closing(files.prepare(fresh)) as new:
            counts = [_copy(old, new, path, kind) for kind in KEYS]
            new.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    os.link(path, aside)
    os.replace(fresh, path)
    for left in ("-wal", "-shm"):
        path.with_name(fresh.name + left).unlink(missing_ok=True)
    _sync(path.parent)
    return f"{path}: {sum(counts)} rows could be read and are in a new file; the damaged one is kept as {aside}"


def _free_name(path: Path) -> Path:
    number = 1
    while (found := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return found


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, path: Path, kind: Any) -> int:
    """Every row that can be read: the table's own, in its own order, whatever its indexes say; and if SQLite can't come
    to the end of that, those of each page by itself. What matches its checksum goes first: a damaged row with the same
    key is not in its way."""
    known: set[tuple[Any, ...]] = set()
    doubtful: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    done = 0
    new.execute("BEGIN IMMEDIATE")
    for row in _rows(old, path, kind):
        key = row[: KEYS[kind]]
        if not is_sound(row):
            doubtful.setdefault(key, row)
        elif key not in known:
            known.add(key)
            done += _put(new, table_name(kind), row)
    done += sum(_put(new, table_name(kind), row) for key, row in doubtful.items() if key not in known)
    new.execute("COMMIT")
    return done


def _rows(old: sqlite3.Connection, path: Path, kind: Any) -> Iterator[Any]:
    name = table_name(kind)
    old.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        for row in old.execute(_SQL["all_" + name]):
            yield kind._make(row)
    except (sqlite3.Error, UnicodeDecodeError, TypeError):
        yield from pages.rows_of(path, kind, _root_page(old, name))


def _root_page(old: sqlite3.Connection, name: str) -> int:
    with suppress(sqlite3.Error):
        for (root,) in old.execute(_SQL["root_page"], (name,)):
            return root if isinstance(root, int) else 0
    return 0


def _put(new: sqlite3.Connection, name: str, row: tuple[Any, ...]) -> bool:
    """A damaged row may have lost what it must have, or hold half a character: it stays in the old file."""
    try:
        new.execute(_SQL["put_" + name], row)
    except (sqlite3.Error, UnicodeEncodeError):
        return False
    return True


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
