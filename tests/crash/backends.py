"""The backends that processes can share. A new one joins with a function, and is killed like the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.crash import checker, files_reader


@dataclass(frozen=True)
class Where:
    """One store: how to open it, and how to read its rows without the library."""

    url: str
    check_all: Callable[[], None]


def sqlite(folder: Path) -> Where:
    path = folder / "agents.db"
    return Where(str(path), lambda: checker.check_file(path))


def files(folder: Path) -> Where:
    path = folder / "agents"
    return Where(f"file:{path}", lambda: checker.check_all(checker.checked_rows(files_reader.read(path))))


BACKENDS: dict[str, Callable[[Path], Where]] = {"sqlite": sqlite, "files": files}
ON_DISK: dict[str, Callable[[Path], Where]] = {"sqlite": sqlite, "files": files}
"""Those whose process writes its own files, so that its disk can be made to fail."""
