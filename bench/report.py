"""One row a measurement: what, how much, and what it may be at most."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    what: str
    value: float
    unit: str
    most: float | None = None
    note: str = ""

    @property
    def missed(self) -> bool:
        return self.most is not None and self.value > self.most


def show(title: str, rows: Iterable[Row]) -> int:
    """Print the rows as they come; how many missed their budget."""
    print(f"\n{title}")
    missed = 0
    for row in rows:
        budget = "" if row.most is None else f"<= {row.most:g}  {'MISSED' if row.missed else 'ok'}"
        print(f"  {row.what:<58} {row.value:>10.3f} {row.unit:<10} {budget:<16} {row.note}", flush=True)
        missed += row.missed
    return missed
