"""The statements of `statements.sql` and the migrations, by name."""

from __future__ import annotations

from functools import cache
from typing import Final

from holdfast.backends.common import sql_scripts
from holdfast.backends.common.sql_scripts import Migration

_HERE: Final = "holdfast.backends.sqlite"


@cache
def statements() -> dict[str, str]:
    return sql_scripts.statements(_HERE)


@cache
def migrations() -> list[Migration]:
    return sql_scripts.migrations(_HERE)
