"""The backends that processes can share. A new one joins with a function, and is killed like the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.crash import checker


@dataclass(frozen=True)
class Where:
    """One store: how to open it, and how to look at its rows beside the library."""

    url: str
    check_rows: Callable[[], None]


def sqlite(folder: Path) -> Where:
    path = folder / "agents.db"
    return Where(str(path), lambda: checker.check_file(path))


BACKENDS: dict[str, Callable[[Path], Where]] = {"sqlite": sqlite}
