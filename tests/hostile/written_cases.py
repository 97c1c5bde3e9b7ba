"""Hostile stores that were thought of, each a function from good rows to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from holdfast.backends.rows import Row

CASES: Final[dict[str, Callable[[list[Row]], list[Row]]]] = {}
