"""A transfer needs as much memory for a large store as for a small one."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast

MOVER = """
import json, sys, tracemalloc
import holdfast
what, source, target, path = sys.argv[1:]
with holdfast.open(source) as one, holdfast.open(target) as other:
    tracemalloc.start()
    if what == "copy":
        holdfast.copy(one, other)
    elif what == "export":
        one.export(None, path)
    else:
        other.import_(path)
    print(json.dumps(tracemalloc.get_traced_memory()[1]))
"""
MOST = 40_000_000


@pytest.mark.parametrize("what", ["copy", "export", "import"])
def test_memory_is_bounded(tmp_path: Path, what: str) -> None:
    """A hundred documents of a megabyte in one thread, and a conversation whose states are 200 MB."""
    rng = random.Random(1)
    source, path = tmp_path / "source.db", tmp_path / "x.bundle"
    with holdfast.open(source) as store:
        for n in range(100):
            store.thread("documents").save({"n": n, "document": rng.randbytes(1_000_000)})
        for _ in range(450):
            store.thread("chat").update({"lines": ["x" * 2000]}, reduce={"lines": holdfast.extend})
        if what == "import":
            store.export(None, path)
    done = subprocess.run(
        [sys.executable, "-c", MOVER, what, str(source), str(tmp_path / "target.db"), str(path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) < MOST
