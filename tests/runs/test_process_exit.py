"""A process that ends without leaving its run writes the saves that are under way in the background."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import holdfast

PROGRAM = """
import sys, holdfast
store = holdfast.open(sys.argv[1])
run = store.thread("t").run(input={"n": 0}, durability="async")
run.__enter__()
for n in range(1, 21):
    run.save({"n": n})
if sys.argv[2] == "error":
    raise ValueError("the program ends")
if sys.argv[2] == "exit":
    sys.exit(3)
"""


@pytest.mark.parametrize("how", ["return", "exit", "error"])
@pytest.mark.parametrize("url", ["sqlite:{}/agents.db", "file:{}/agents"])
def test_an_orderly_exit_writes_what_was_saved_in_the_background(tmp_path: Path, url: str, how: str) -> None:
    url = url.format(tmp_path)
    done = subprocess.run([sys.executable, "-c", PROGRAM, url, how], capture_output=True, timeout=60, check=False)
    assert done.returncode == {"return": 0, "exit": 3, "error": 1}[how]
    with holdfast.open(url) as store:
        states = [found.state["n"] for info in store.thread("t").history(limit=None)
                  if (found := store.thread("t").load(info.id)) is not None]  # fmt: skip
    assert states == list(range(20, -1, -1))
