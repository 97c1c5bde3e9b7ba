"""A store on each backend, for the tests that run on all of them. A new backend joins them with one line here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.support.postgres import schemas

URLS: Final[dict[str, Callable[[Path], str]]] = {
    "memory": lambda folder: "memory:",
    "sqlite": lambda folder: str(folder / "agents.db"),
    "files": lambda folder: f"file:{folder / 'agents'}",
    "postgresql": schemas.url,
}
"""By the backend's name: the URL of a store in an empty folder."""

LASTING: Final = [name for name in URLS if name != "memory"]
"""The backends whose stores outlive their handle, and can be opened twice."""
