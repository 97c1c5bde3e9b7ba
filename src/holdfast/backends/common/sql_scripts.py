"""SQL files of a backend: named statements in one file, migrations in numbered ones."""

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


def migrations(package: str, folder: str = "migrations") -> list[Migration]:
    """The migrations of a package in the order of their numbers, with which the file names start."""
    scripts = []
    for file in files(package).joinpath(folder).iterdir():
        number, _, name = file.name.removesuffix(".sql").partition("_")
        scripts.append(Migration(int(number), name, file.read_text("utf-8")))
    return sorted(scripts)
