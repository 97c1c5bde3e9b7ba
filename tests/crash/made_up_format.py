"""A format that never was: stores without the column `generation` in `thread`, and the migration that adds it.

Its first migration is the real one without that column. Its second makes the tables of today, so that the library can
use the store afterwards: this is how a real second format will come.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from holdfast.backends.common.sql_scripts import Migration
from holdfast.backends.sqlite import migration
from holdfast.backends.sqlite.sql import migrations
from tests.crash import worker

GOLDEN = Path(__file__).parents[1] / "data" / "sqlite-1.db"
_COLUMN = "    generation INTEGER NOT NULL,\n"
(_REAL,) = migrations()
FIRST = _REAL._replace(sql=_REAL.sql.replace(_COLUMN, "", 1))
SECOND = Migration(
    2,
    "generation",
    """
CREATE TABLE thread_2 (
    id TEXT NOT NULL PRIMARY KEY,
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    metadata BLOB NOT NULL,
    from_thread TEXT,
    from_checkpoint TEXT,
    sum INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO thread_2
SELECT
    id, tree, line, 1, created_at, metadata, from_thread, from_checkpoint,
    checksum(id, tree, line, 1, created_at, metadata, from_thread, from_checkpoint)
FROM thread;
DROP TABLE thread;
ALTER TABLE thread_2 RENAME TO thread;
CREATE INDEX thread_by_tree ON thread (tree, line);

PRAGMA user_version = 131074;
""",
)
ADDED_TABLE = Migration(2, "more", "CREATE TABLE more (number INTEGER NOT NULL);\nPRAGMA user_version = 65538;\n")


def older_store(folder: Path) -> Path:
    """The golden store in the first of the two formats, alone in this folder."""
    folder.mkdir(exist_ok=True)
    for left in folder.iterdir():
        left.unlink()
    path = Path(shutil.copy(GOLDEN, folder / "agents.db"))
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("checksum", -1, migration._checksum, deterministic=True)
        threads = connection.execute(
            """
            SELECT id, tree, line, created_at, metadata, from_thread, from_checkpoint,
                checksum(id, tree, line, created_at, metadata, from_thread, from_checkpoint)
            FROM thread
            """
        ).fetchall()
        connection.execute("DROP TABLE thread")
        connection.execute(_statement("CREATE TABLE thread"))
        connection.execute(_statement("CREATE INDEX thread_by_tree"))
        connection.executemany("INSERT INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?)", threads)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return path


def _statement(start: str) -> str:
    (found,) = (one for one in migration._statements(FIRST.sql) if start in one)
    return found


def both() -> list[Migration]:
    return [FIRST, SECOND]


def open_and_save(url: str, thread: str, at: float = 0.0) -> None:
    """What the killed processes do: open the older store, which brings it to the second format, and save to it."""
    vars(migration)["migrations"] = both
    worker.open_and_save(url, thread, at)
