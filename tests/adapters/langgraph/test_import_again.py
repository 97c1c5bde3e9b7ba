"""An import can be stopped at any moment and run again, and what the target has is never overwritten."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from holdfast.adapters.langgraph.importer import import_threads
from holdfast.errors import Busy, Conflict, EncodeError
from tests.adapters.langgraph.test_import_samples import (
    LASTING,
    TARGETS,
    Saver,
    assert_same,
    at,
    chat,
    everything,
    fill,
    place,
)

MOVES = """
import sys
from pathlib import Path
from holdfast.adapters.langgraph.importer import import_threads
from tests.adapters.langgraph.test_import_samples import LASTING
source, kind, folder = sys.argv[1:]
with LASTING[kind](Path(folder)) as target:
    report = import_threads(source, target, progress=lambda now: print(now.done, flush=True))
print(report)
"""

# Every call of the target is in turn the one at which the process is killed, before it or after it.
DIES = """
import os, shutil, sys
from pathlib import Path
from langgraph.checkpoint.sqlite import SqliteSaver
from holdfast.adapters.langgraph.importer import import_threads
from tests.adapters.langgraph.test_import_samples import LASTING, assert_same
source, kind, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])

class Deadly:
    def __init__(self, target, left):
        self.target, self.left = target, left
    def __getattr__(self, name):
        method = getattr(self.target, name)
        def call(*args):
            self.step(); done = method(*args); self.step()
            return self if name == "with_allowlist" else done
        return call
    def step(self):
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), 9)

def in_child(work):
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:
            import traceback; traceback.print_exc(); os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def imported(folder, left=0):
    with LASTING[kind](folder) as target:
        report = import_threads(source, Deadly(target, left))
        assert report.problems == (), report
        with SqliteSaver.from_conn_string(str(source)) as wanted:
            assert_same(target, wanted)

for left in range(1, 10_000, 4):  # and what happens between two calls is the crash tests' to show
    fresh = folder / str(left)
    fresh.mkdir()
    died = in_child(lambda: imported(fresh, left))
    if died == 0:
        break
    assert died == -9, died
    assert in_child(lambda: imported(fresh)) == 0, left
    shutil.rmtree(fresh)
print(left)
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "checkpoints.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        fill(saver)
    return path


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("short") / "checkpoints.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        chat(saver).invoke({"messages": ["hello"]}, at("t"))
        chat(saver).invoke({"messages": ["again"]}, at("t"))
    return path


@pytest.fixture(params=list(TARGETS))
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Saver]:
    with TARGETS[request.param](tmp_path) as saver:
        yield saver


def read(source: Path, target: Saver) -> None:
    with SqliteSaver.from_conn_string(str(source)) as wanted:
        assert_same(target, wanted)


# ---------------------------------------------------------------- stopped


def test_what_is_there_and_equal_is_skipped(source, target):
    first = import_threads(source, target)
    again = import_threads(source, target)
    assert (again.checkpoints, again.writes, again.skipped) == (0, 0, first.checkpoints)
    assert again.problems == ()


def test_after_an_exception_an_import_can_be_run_again(source, target):
    def stop(now: Any) -> None:
        if now.done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_threads(source, target, progress=stop)
    report = import_threads(source, target)
    assert (report.skipped, report.problems) == (20, ())
    read(source, target)


@pytest.mark.parametrize("kind", list(LASTING))
def test_a_process_that_is_killed_leaves_nothing_half_done(source, tmp_path, kind):
    random.seed(kind)
    done = 0
    command = [sys.executable, "-c", MOVES, str(source), kind, str(tmp_path)]
    for _ in range(3):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if int(line) >= done + 5 + random.randrange(5):
                    os.kill(process.pid, signal.SIGKILL)
                    break
        assert process.returncode == -signal.SIGKILL
        with LASTING[kind](tmp_path) as target:
            assert len(everything(target)) > done
            done = len(everything(target))
    with LASTING[kind](tmp_path) as target:
        report = import_threads(source, target)
        assert report.problems == ()
        assert report.skipped >= done - 1  # the last one may lack its writes
        read(source, target)


@pytest.mark.parametrize("kind", list(LASTING))
def test_a_process_may_die_at_every_single_call(short, tmp_path, kind):
    command = [sys.executable, "-W", "ignore", "-c", DIES, str(short), kind, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50


def test_writes_that_are_missing_are_added(source, target):
    class Forgetful(InMemorySaver):
        def put_writes(self, config, writes, task_id, task_path=""):
            if random.random() < 0.5:
                target.put_writes(config, writes, task_id, task_path)

        put = target.put
        get_tuple = target.get_tuple

    random.seed(1)
    first = import_threads(source, Forgetful())
    assert first.problems
    again = import_threads(source, target)
    assert again.problems == ()
    assert again.checkpoints == len(first.problems)
    assert again.writes > 0
    read(source, target)


def test_what_came_to_the_source_since_is_added(source, target, tmp_path):
    path = Path(shutil.copy(source, tmp_path / "grown.sqlite"))
    before = import_threads(path, target)
    with SqliteSaver.from_conn_string(str(path)) as saver:
        chat(saver).invoke({"messages": ["more"]}, at("chat/ä b"))
    report = import_threads(path, target)
    assert (report.checkpoints, report.skipped, report.problems) == (4, before.checkpoints, ())
    read(path, target)


# ---------------------------------------------------------------- differences


def test_another_checkpoint_of_the_same_id_is_a_problem_and_stays(short, target):
    with SqliteSaver.from_conn_string(str(short)) as saver:
        one = everything(saver)[0]
    changed: Any = {**one.metadata, "step": 99}
    target.put(at("t", checkpoint_ns=""), one.checkpoint, changed, one.checkpoint["channel_versions"])
    (problem,) = import_threads(short, target).problems
    assert problem.checkpoint == one.checkpoint["id"]
    assert "the target has another checkpoint with this id: metadata['step']: int -1 is int 99" in problem.what
    assert everything(target)[0].metadata["step"] == 99


def test_a_thread_that_went_on_in_the_target_is_a_problem(short, target):
    import_threads(short, target)
    last = everything(target)[-1]
    target.put_writes(last.config, [("messages", "new")], "task")
    (problem,) = import_threads(short, target).problems
    assert problem.checkpoint == last.checkpoint["id"]
    assert "pending_writes" in problem.what


def test_checkpoints_that_only_the_target_has_are_left_alone(short, target):
    import_threads(short, target)
    chat(target).invoke({"messages": ["more"]}, at("elsewhere"))
    before = everything(target)
    assert import_threads(short, target).problems == ()
    assert list(map(place, everything(target))) == list(map(place, before))


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (lambda one: one._replace(parent_config=None), "parent: str"),
        (lambda one: one._replace(pending_writes=[]), "pending_writes: "),
        (lambda one: one._replace(pending_writes=one.pending_writes[::-1]), "pending_writes[0]"),
        (lambda one: one._replace(metadata={**one.metadata, "x": 1}), "metadata['x']: only in the target"),
        (lambda one: one._replace(metadata={**one.metadata, "step": 0.0}), "metadata['step']: int 0 is float 0.0"),
        (lambda one: one._replace(checkpoint={**one.checkpoint, "ts": ""}), "checkpoint['ts']"),
        (lambda one: one._replace(checkpoint={k: v for k, v in one.checkpoint.items() if k != "v"}), "['v']: missing"),
        (lambda one: None, "nothing"),
    ],
)
def test_a_target_that_returns_something_else_is_a_problem(short, change, reported):
    class Lossy(InMemorySaver):
        def get_tuple(self, config):
            one = super().get_tuple(config)
            return one if one is None or one.metadata["step"] != 0 else change(one)

    (problem,) = import_threads(short, Lossy()).problems
    assert "the target returns something else: " in problem.what
    assert reported in problem.what


@pytest.mark.parametrize(
    "error", [EncodeError("not this", path="x"), Conflict("no"), TypeError("no"), ValueError("no")]
)
def test_a_checkpoint_that_the_target_refuses_is_a_problem_of_that_one(short, error):
    class Choosy(InMemorySaver):
        def put(self, config, checkpoint, metadata, new_versions):
            if metadata["step"] == 1:
                raise error
            return super().put(config, checkpoint, metadata, new_versions)

    report = import_threads(short, Choosy())
    assert [one.what for one in report.problems] == [f"the target refused it: {error}"]
    assert report.checkpoints == 7


@pytest.mark.parametrize("error", [Busy("later"), OSError("disk")])
def test_a_target_that_fails_stops_the_import(short, error):
    class Failing(InMemorySaver):
        def put(self, config, checkpoint, metadata, new_versions):
            raise error

    with pytest.raises(type(error)):
        import_threads(short, Failing())
