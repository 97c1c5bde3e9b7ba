"""Ten thousand threads that a process has all written to lately."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MB = 1024 * 1024

_LIVE = """
import sys, holdfast
from concurrent.futures import ThreadPoolExecutor
def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
store = holdfast.open(sys.argv[1])
threads = [store.thread("warm")]
threads[0].save({"messages": ["x"]})
before = rss()
threads = [store.thread(f"thread-{number}") for number in range(10_000)]

def work(number):
    threads[number].save({"messages": [f"{number} " + "word " * 800], "n": number})
    threads[number].update({"messages": ["more " * 100]}, reduce={"messages": holdfast.extend})

with ThreadPoolExecutor(16) as pool:
    list(pool.map(work, range(10_000)))
print(rss() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to measure memory")
def test_ten_thousand_live_threads_stay_within_two_hundred_megabytes(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", _LIVE, str(tmp_path / "live.db")],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert int(answer.stdout) < 200 * MB, f"{int(answer.stdout) / MB:.0f} MB"
