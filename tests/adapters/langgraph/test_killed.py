"""A process that is killed between the writes of a step and its checkpoint: what was done is not done again.

A real child process, stopped at the moment itself, and killed there with SIGKILL.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.langgraph.driver import Side, config, finishes
from tests.adapters.langgraph.worker import GIVEN, builder, called

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")


@contextmanager
def killed(url: str, folder: Path, moment: str, half: str) -> Iterator[None]:
    """The block runs after the process was killed at that moment."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.adapters.langgraph.worker", url, str(folder), moment, half],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONWARNINGS": "ignore"},
    )
    assert process.stdout is not None
    try:
        said = finishes(process.stdout.readline)
        reached = (folder / "marker").exists()
    finally:
        os.kill(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
    assert (said, reached, process.returncode) == ("halted\n", True, -signal.SIGKILL), errors
    yield


def texts(found: Any) -> list[Any]:
    return [value for _, channel, value in found.pending_writes if channel == "lines"]


@pytest.mark.parametrize("half", ["sync", "async"])
def test_after_all_writes_of_a_step(lasting: str, opened, tmp_path: Path, half: str) -> None:
    """The checkpoint was never put; its parent has the writes, and neither branch is called again."""
    with killed(lasting, tmp_path, "after all writes", half), Side(opened(), half) as side:
        found = side.calls.get_tuple(config())
        assert found.checkpoint["channel_values"]["lines"] == ["given", "start"]
        assert texts(found) == [["left"], ["right"]]
        graph = side.graph(builder(tmp_path))
        assert graph.get_state(config()).next == ()  # both are done, the step is just not settled
        result = graph.invoke(None, config())
    assert result["lines"] == ["given", "start", "left", "right", "end"]
    assert called(tmp_path) == {"start": 1, "left": 1, "right": 1, "end": 1}


def test_after_one_of_two_writes(lasting: str, opened, tmp_path: Path) -> None:
    """The branch whose writes are there is not called again; the other one is."""
    with killed(lasting, tmp_path, "after one write", "sync"), Side(opened(), "async") as side:
        found = side.calls.get_tuple(config())
        assert texts(found) == [["left"]]
        graph = side.graph(builder(tmp_path))
        assert graph.get_state(config()).next == ("right",)
        result = graph.invoke(None, config())
    assert result["lines"] == ["given", "start", "left", "right", "end"]
    assert called(tmp_path) == {"start": 1, "left": 1, "right": 2, "end": 1}


def test_before_the_first_checkpoint(lasting: str, opened, tmp_path: Path) -> None:
    """Nothing is there, and nothing is in the way of a start."""
    with killed(lasting, tmp_path, "before the first checkpoint", "sync"), Side(opened(), "sync") as side:
        assert (side.calls.get_tuple(config()), side.calls.list(None)) == (None, [])
        result = side.graph(builder(tmp_path)).invoke(GIVEN, config())
    assert result["lines"] == ["given", "start", "left", "right", "end"]
    assert called(tmp_path) == {"start": 1, "left": 1, "right": 1, "end": 1}
