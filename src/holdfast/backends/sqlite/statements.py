"""The statements of `statements.sql` and the migrations, by name."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

_NAME: Final = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_HERE: Final = files("holdfast.backends.sqlite")


class Migration(NamedTuple):
    number: int
    name: str
    sql: str


@cache
def statements() -> dict[str, str]:
    parts = _NAME.split(_HERE.joinpath("statements.sql").read_text("utf-8"))
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


@cache
def migrations() -> list[Migration]:
    """In the order of their numbers, which the file names start with."""
    found = []
    for file in _HERE.joinpath("migrations").iterdir():
        number, _, name = file.name.removesuffix(".sql").partition("_")
        found.append(Migration(int(number), name, file.read_text("utf-8")))
    return sorted(found)
