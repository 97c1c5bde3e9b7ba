"""Commands run in this process, on a store that a test has filled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

import holdfast
from holdfast.backends.memory import MemoryBackend
from holdfast.backends.registry import OPENERS
from holdfast.cli.app import build


class Shown(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def json(self) -> list[Any]:
        return [json.loads(line) for line in self.lines]


class KeptBackend(MemoryBackend):
    """Memory that outlives the store that a command opens, and counts what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.seconds_ahead = 0

    def __getattribute__(self, name: str) -> Any:
        if name in ("find", "checkpoints", "by_id", "checkpoints_by_id", "overlays", "chunks", "threads"):
            self.asked.append(name)
        return super().__getattribute__(name)

    async def now(self) -> int:
        return await super().now() + self.seconds_ahead * 1_000_000

    async def close(self) -> None:
        pass


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> KeptBackend:
    """What `kept:` opens."""
    backend = KeptBackend()
    monkeypatch.setitem(OPENERS, "kept", lambda _: backend)
    return backend


@pytest.fixture(params=["sqlite", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path, memory: KeptBackend) -> str:
    return "kept:" if request.param == "memory" else str(tmp_path / "agents.db")


@pytest.fixture
def store(url: str) -> Iterator[holdfast.Store]:
    with holdfast.open(url) as opened:
        yield opened


@pytest.fixture
def holdfast_command(url: str) -> Callable[..., Shown]:
    """A command on the store: `holdfast_command("log", "essay")` is `holdfast log STORE essay`."""

    def run(command: str, *arguments: str) -> Shown:
        return invoke(command, url, *arguments)

    return run


def invoke(*arguments: str) -> Shown:
    result = CliRunner().invoke(build(), list(arguments), catch_exceptions=False)
    return Shown(result.exit_code, result.stdout, result.stderr)
