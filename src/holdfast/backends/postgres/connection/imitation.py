"""Servers that speak PostgreSQL's protocol and are not PostgreSQL.

Holdfast relies on advisory locks, and on what a transaction sees after it has waited for one. Some of these servers
have the functions and ignore them: two writers would then change one thread at the same time, and no error would say
so. They are recognised by their version when a schema is opened, and by a lock that they do not keep when one is
created.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Final

import psycopg
from psycopg import Connection

from holdfast.errors import NotAStore

_NAMES: Final = {
    "CockroachDB": r"Cockroach", "YugabyteDB": r"-YB-|Yugabyte", "Amazon Redshift": r"Redshift",
    "Materialize": r"Materialize", "RisingWave": r"RisingWave", "CrateDB": r"CrateDB", "QuestDB": r"QuestDB",
    "Cloud Spanner": r"Spanner", "Doltgres": r"Dolt", "openGauss": r"openGauss|GaussDB",
}  # fmt: skip
# PostgreSQL also says what it was compiled with. Amazon Aurora DSQL and Spanner's PGAdapter give nothing but a number.
_NUMBER_ONLY: Final = re.compile(r"PostgreSQL [0-9.]+")
_KEEPS_LOCKS: Final = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())"


def check_version(version: str, shown: str) -> None:
    """Refuse a server by what its `version()` says."""
    for name, pattern in _NAMES.items():
        if re.search(pattern, version, re.IGNORECASE):
            raise _refused(name, shown)
    if _NUMBER_ONLY.fullmatch(version.strip()):
        raise _refused("an imitation of PostgreSQL, such as Amazon Aurora DSQL", shown)


def check_server(connection: Connection[Any], shown: str) -> None:
    """The same after a statement has failed. A server that does not answer is not refused here."""
    with suppress(psycopg.Error):
        for (version,) in connection.execute("SELECT version()").fetchall():
            check_version(str(version), shown)


def check_lock(connection: Connection[Any], shown: str) -> None:
    """Refuse a server that has no trace of the advisory lock that this transaction has just taken."""
    if connection.execute(_KEEPS_LOCKS).fetchone() != (True,):
        raise _refused("an imitation of PostgreSQL that ignores advisory locks", shown)


def _refused(name: str, shown: str) -> NotAStore:
    return NotAStore(
        f"{shown}: this server is {name}, and Holdfast needs the advisory locks of PostgreSQL itself: without them two "
        "workers could write to one thread at the same time, and no error would say so; nothing was written. Use "
        "PostgreSQL 13 or newer (Aurora PostgreSQL, Cloud SQL, AlloyDB and Neon are), or a SQLite file"
    )
