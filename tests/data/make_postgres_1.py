"""Makes `postgres-1.sql` and `postgres-1.json`: a dump of a schema of PostgreSQL's format 1, and what it holds.

PYTHONPATH=src:. python -m tests.data.make_postgres_1
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import holdfast
from tests.data.golden import contents, fill, graph_contents
from tests.servers.programs import postgres
from tests.support.postgres import database, with_option

FOLDER = Path(__file__).parent
SCHEMA = "golden"
_SESSION = re.compile(r"^(SET |SELECT pg_catalog\.set_config|\\|--)[^\n]*\n", re.MULTILINE)


def make() -> None:
    with database("holdfast_golden") as url:
        with holdfast.open(with_option(url, f"schema={SCHEMA}")) as store:
            fill(store)
            held = {"threads": contents(store), "graph": graph_contents(store)}
        (FOLDER / "postgres-1.sql").write_text(_dumped(url))
    (FOLDER / "postgres-1.json").write_text(json.dumps(held, indent=0) + "\n")


def _dumped(url: str) -> str:
    """Statements that any server takes: without the settings of the session and psql's own commands."""
    options = ["--schema", SCHEMA, "--no-owner", "--no-privileges", "--rows-per-insert=50"]
    done = subprocess.run([postgres("pg_dump"), *options, url], capture_output=True, text=True, check=True)
    return re.sub(r"\n{3,}", "\n\n", _SESSION.sub("", done.stdout)).lstrip()


if __name__ == "__main__":
    make()
