"""SQL that lies beside a backend's code: named statements in one file, migrations in numbered ones."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final, NamedTuple

_NAME: Final = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


class Migration(NamedTuple):
    number: int
    name: str
    sql: str


def statements(package: str) -> dict[str, str]:
    """The statements of a package's `statements.sql`."""
    parts = _NAME.split(files(package).joinpath("statements.sql").read_text("utf-8"))
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def migrations(package: str) -> list[Migration]:
    """In the order of their numbers, which the file names start with."""
    found = []
    for file in files(package).joinpath("migrations").iterdir():
        number, _, name = file.name.removesuffix(".sql").partition("_")
        found.append(Migration(int(number), name, file.read_text("utf-8")))
    return sorted(found)
