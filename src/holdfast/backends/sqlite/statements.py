"""The statements of `statements.sql` and the migrations, by name."""

from __future__ import annotations

from functools import cache
from typing import Final

from holdfast.backends import scripts
from holdfast.backends.scripts import Migration

_HERE: Final = "holdfast.backends.sqlite"


@cache
def statements() -> dict[str, str]:
    return scripts.statements(_HERE)


@cache
def migrations() -> list[Migration]:
    return scripts.migrations(_HERE)
