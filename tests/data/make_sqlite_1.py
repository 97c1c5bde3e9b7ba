"""Makes `sqlite-1.db` and `sqlite-1.json`: a store of SQLite's format 1, and what it holds.

PYTHONPATH=src:. python -m tests.data.make_sqlite_1
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import holdfast
from tests.data.golden import contents, fill, graph_contents

FOLDER = Path(__file__).parent


def make() -> None:
    path = FOLDER / "sqlite-1.db"
    path.unlink(missing_ok=True)
    with holdfast.open(path) as store:
        fill(store)
        held = {"threads": contents(store), "graph": graph_contents(store)}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == ((1 << 16) | 1,)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    path.with_suffix(".json").write_text(json.dumps(held) + "\n")


if __name__ == "__main__":
    make()
