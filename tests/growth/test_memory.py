"""A large value takes a bounded multiple of its size in memory, on every backend. `MEGABYTES=100` tries larger ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.growth import peak
from tests.support.postgres import schemas

MEGABYTES = os.environ.get("MEGABYTES", "16")
MOST = {"save": 3.0, "change": 3.0, "read": 4.0, "cold read": 4.0}
BACKENDS = ("memory", "sqlite", "files", "postgres")


def _url(backend: str, folder: Path) -> str:
    if backend == "postgres":
        return schemas.url(folder)
    return {"memory": "memory:", "sqlite": f"sqlite:{folder / 'store.db'}", "files": f"file:{folder / 'store'}"}[
        backend
    ]


@pytest.mark.skipif(not peak.is_measurable(), reason="needs /proc/self/clear_refs, which only Linux has")
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_large_value_is_saved_changed_and_read_within_a_multiple_of_its_size(backend: str, tmp_path: Path) -> None:
    program = [sys.executable, peak.__file__, _url(backend, tmp_path), MEGABYTES]
    settings = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "1000000"}
    done = subprocess.run(program, capture_output=True, text=True, env=settings)
    assert done.returncode == 0, done.stderr
    risen = json.loads(done.stdout)
    assert risen.keys() == {"bytes", "text", "list"}
    too_much = [(kind, name, risen[kind][name]) for kind in risen for name in MOST if risen[kind][name] > MOST[name]]
    assert too_much == []
