"""A process that ends without leaving its run writes the saves that are under way in the background."""

from __future__ import annotations

import multiprocessing
import os
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


CHILD = """
import os, signal, sys, holdfast
store = holdfast.open(sys.argv[1])
run = store.thread("t").run(input={"n": 0}, durability="async")
run.__enter__()
run.save({"n": 1})
child = os.fork()
if child == 0:
    signal.alarm(30)
    sys.exit(5)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_ends_though_its_parent_saves_in_the_background(tmp_path: Path) -> None:
    program = [sys.executable, "-c", CHILD, str(tmp_path / "agents.db")]
    assert subprocess.run(program, capture_output=True, timeout=60, check=False).returncode == 5


WORKER = """
import multiprocessing, sys, holdfast

def work(url):
    global run
    run = holdfast.open(url).thread("t").run(input={"n": 0}, durability="async")
    run.__enter__()
    for n in range(1, 21):
        run.save({"n": n})

if __name__ == "__main__":
    process = multiprocessing.get_context(sys.argv[2]).Process(target=work, args=(sys.argv[1],))
    process.start()
    process.join()
    sys.exit(process.exitcode)
"""


def test_a_process_of_multiprocessing_writes_what_was_saved_in_the_background(tmp_path: Path) -> None:
    """Such a process, if forked, ends by `os._exit` and runs nothing of `atexit`."""
    method = multiprocessing.get_all_start_methods()[0]  # fork, where there is one
    program = tmp_path / "program.py"
    program.write_text(WORKER)
    url = f"file:{tmp_path / 'agents'}"
    done = subprocess.run([sys.executable, program, url, method], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    with holdfast.open(url) as store:
        assert len(store.thread("t").history(limit=None)) == 21
