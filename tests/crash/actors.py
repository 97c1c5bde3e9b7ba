"""Single processes for single scenes: each reports how far it is, and the test decides what happens to it."""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import holdfast
from holdfast import HoldfastError, Run, Store
from holdfast.backends.files import lock
from holdfast.backends.sqlite import database
from tests.crash import shim
from tests.crash.nursery import tell

THREAD = "t"


def effect(folder: str, name: str) -> str:
    """A side effect that can be counted."""
    with (Path(folder) / "effects").open("a") as file:
        file.write(name + "\n")
    return f"did {name}"


def wait_for(folder: str, name: str, seconds: float = 20.0) -> None:
    """Wait until the test has created this file."""
    end = time.monotonic() + seconds
    while not (Path(folder) / name).exists():
        assert time.monotonic() < end, f"no process made {name}"
        time.sleep(0.005)


# ------------------------------------------------------------------------------------------------ leases


def pause_between_steps(url: str, folder: str, ttl: float, then: str) -> None:
    """One step, then a pause in which the test stops this process, then one more write."""
    with holdfast.open(url) as store:
        try:
            with store.thread(THREAD).run(input={"n": 0}, ttl=ttl) as run:
                run.step("first", effect, folder, "first")
                tell(ready=True)
                wait_for(folder, "go")
                _next_write(run, folder, then)
        except HoldfastError as error:
            tell(raised=type(error).__name__)


def _next_write(run: Run[Any], folder: str, then: str) -> None:
    if then == "step":
        run.step("late", effect, folder, "late")
    elif then == "save":
        run.save({"n": "late"})
    elif then == "interrupt":
        run.interrupt("late")
    elif then == "finish":
        run.finish({"n": "late"})


def pause_in_a_step(url: str, folder: str, ttl: float) -> None:
    """Stopped by the test while the step's function runs: it happened, and nothing has recorded it yet."""

    def slow() -> str:
        effect(folder, "second")
        tell(ready=True)
        wait_for(folder, "go")
        return "late"

    with holdfast.open(url) as store:
        try:
            with store.thread(THREAD).run(input={"n": 0}, ttl=ttl) as run:
                run.step("first", effect, folder, "first")
                run.step("second", slow, key="second")
        except HoldfastError as error:
            tell(raised=type(error).__name__)


def take_over(url: str, folder: str, ttl: float, wait: float) -> None:
    """Resume the run, and finish it."""
    with holdfast.open(url) as store, store.thread(THREAD).run(input={"n": 0}, ttl=ttl, wait=wait) as run:
        tell(taken=True, resumed=run.resumed)
        first = run.step("first", effect, folder, "first")
        second = run.step("second", effect, folder, "second", key="second")
        run.finish({"n": 1, "results": [first, second]})
    tell(finished=True)


def long_step(url: str, folder: str, ttl: float, seconds: float, trouble: bool = False) -> None:
    """A step that takes longer than the lease lasts; with trouble, the disk fails once during it."""

    def slow() -> str:
        if trouble:
            os.environ.update(SHIM_AT=str(shim.calls_so_far() + 1), SHIM_MODE="eio")
        tell(ready=True)
        time.sleep(seconds)
        return "done"

    with holdfast.open(url) as store, store.thread(THREAD).run(input={"n": 0}, ttl=ttl) as run:
        run.step("slow", slow)
        tell(stepped=True)
        run.finish({"n": 1})
    tell(finished=True)


# ------------------------------------------------------------------------------------------------ forking


def fork_while_saving(url: str, children: int, saves: int) -> None:
    """Threads save all the time while the process forks, and each child saves too."""
    # A lock that is not released shows before the test ends.
    database.BUSY_SECONDS = lock.BUSY_SECONDS = 5.0  # type: ignore[misc]
    store = holdfast.open(url)
    stop = threading.Event()
    savers = [threading.Thread(target=_save_until, args=(store, f"parent-{n}", stop)) for n in range(3)]
    for saver in savers:
        saver.start()
    pids = []
    for number in range(children):
        time.sleep(0.02)
        pid = os.fork()
        if pid == 0:
            _as_child(lambda number=number: _save_some(store, f"child-{number}", saves))
        pids.append(pid)
    for pid in pids:
        assert os.waitpid(pid, 0)[1] == 0
    stop.set()
    for saver in savers:
        saver.join()
    store.close()
    tell(closed=True)


def _save_until(store: Store, thread: str, stop: threading.Event) -> None:
    while not stop.is_set():
        _save_some(store, thread, 1)


def _save_some(store: Store, thread: str, count: int) -> None:
    for _ in range(count):
        head = store.thread(thread).latest()
        number = head.state["n"] + 1 if head else 1
        store.thread(thread).save({"n": number, "text": "x" * 200})
        tell(saved=thread, n=number)


def _as_child(work: Any) -> None:
    """What a forked child does; it never returns into the code of its parent."""
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def outlive_the_parent(url: str, folder: str) -> None:
    """The parent closes the store while its child continues to use it."""
    store = holdfast.open(url)
    _save_some(store, "parent", 1)
    pid = os.fork()
    if pid == 0:
        _save_some(store, "child", 1)
        (Path(folder) / "child-saved").touch()
        wait_for(folder, "parent-closed")
        _as_child(lambda: _save_some(store, "child", 3))
    wait_for(folder, "child-saved")
    store.close()
    (Path(folder) / "parent-closed").touch()
    assert os.waitpid(pid, 0)[1] == 0
    tell(ended=True)


def fork_inside_a_run(url: str, folder: str, ttl: float, durability: Any) -> None:
    """The child leaves by sys.exit, through the run's block; the parent continues the run."""
    with holdfast.open(url) as store:
        pid = 1
        try:
            with store.thread(THREAD).run(input={"n": 0}, ttl=ttl, durability=durability) as run:
                for n in range(5):
                    run.save({"n": n})
                pid = os.fork()
                if pid == 0:
                    _save_some(store, "child", 2)
                    sys.exit(0)
                status = os.waitpid(pid, 0)[1]
                tell(child=status)
                run.step("after", effect, folder, "after")
                run.finish({"n": "done"})
            tell(finished=True)
        except HoldfastError as error:
            tell(raised=type(error).__name__, text=str(error))


def leave_a_child_behind(url: str, ttl: float, seconds: float) -> None:
    """The child survives when the parent is killed."""
    store = holdfast.open(url)
    with store.thread(THREAD).run(input={"n": 0}, ttl=ttl):
        if os.fork() == 0:
            tell(child=os.getpid())
            time.sleep(seconds)
            os._exit(0)
        tell(parent=os.getpid())
        time.sleep(seconds)
