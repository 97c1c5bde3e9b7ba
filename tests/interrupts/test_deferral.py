"""Ctrl-C at any place of a commit of files, in a program that has no signal handlers of its own."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType

import pytest

import holdfast
from holdfast import Store, Thread
from holdfast._system import deferral
from holdfast.backends.files import lock
from tests.interrupts.cuts import places_of, watched

# An interrupt between the making of a coroutine and its start leaves it unused.
pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
STEP = 1 if os.environ.get("PLACES") == "all" else 83
CALLS: dict[str, Callable[[Thread], object]] = {
    "save": lambda thread: thread.save({"n": 2}),
    "append": lambda thread: thread.journal.append("event", {"n": 1}),
    "a new thread": lambda thread: thread.fork(to="fork"),
}


@pytest.fixture(autouse=True)
def only_ctrl_c() -> Iterator[None]:
    """As a program starts: KeyboardInterrupt on SIGINT, and nothing else."""
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    for number, handler in before.items():
        if callable(handler) and not isinstance(handler, signal.Handlers):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    assert deferral.is_possible()
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    for number, handler in before.items():
        if callable(handler) and not isinstance(handler, signal.Handlers):
            signal.signal(number, handler)


def interrupted_at(number: int, call: Callable[[], object]) -> tuple[int, bool]:
    """How many places the call passed, and whether KeyboardInterrupt reached its caller."""
    passed = 0

    def place(code: CodeType, offset: int) -> None:
        nonlocal passed
        if offset in places_of(code):
            passed += 1
            if passed == number + 1:
                signal.raise_signal(signal.SIGINT)

    # An exception in the __del__ of an object that is collected now would be ignored by Python itself.
    gc.disable()
    try:
        with watched(place):
            call()
    except KeyboardInterrupt:
        return passed, True
    finally:
        gc.enable()
    return passed, False


def use(store: Store, folder: Path) -> tuple[int, int, int]:
    """From another thread, and from another store: both work at once, and agree on what there is."""
    found: list[tuple[int, int, int]] = []

    def look() -> None:
        for one in (store, other):
            one.thread("after").save({"n": len(found)})
            thread = one.thread("t")
            found.append((len(thread.history(limit=100)), len(thread.journal.read()), len(one.threads())))

    with holdfast.open(f"file:{folder}") as other:
        worker = threading.Thread(target=look)
        worker.start()
        worker.join(60)
        assert not worker.is_alive()
        assert not other.verify().faults
    first, second = found
    assert first == second
    return first


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_reaches_the_caller_and_leaves_the_call_whole_or_absent(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "BUSY_SECONDS", 5.0)
    number = seen = 0
    while True:
        folder = tmp_path / str(number)
        with holdfast.open(f"file:{folder}") as store:
            thread = store.thread("t")
            thread.save({"n": 1})
            whole = {"save": (2, 0, 2), "append": (1, 1, 2), "a new thread": (1, 0, 3)}[name]
            passed, raised = interrupted_at(number, lambda thread=thread: CALLS[name](thread))  # type: ignore[misc]
            if passed <= number:
                break
            seen += 1
            assert raised
            assert use(store, folder) in ((1, 0, 2), whole), f"place {number}"
        number += STEP
    assert seen > 5


def test_a_commit_that_waits_for_another_process_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with holdfast.open(f"file:{tmp_path}/s") as store, holdfast.open(f"file:{tmp_path}/s") as other:
        store.thread("t").save({"n": 1})
        held = other._calls.engine.backend._lock  # type: ignore[attr-defined]
        held.acquire()
        monkeypatch.setattr(time, "sleep", lambda seconds: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            store.thread("t").save({"n": 2})
        monkeypatch.undo()
        held.release()
        store.thread("t").save({"n": 3})
        assert [info.step for info in store.thread("t").history()] == [1, 0]


def test_a_program_with_handlers_of_its_own_keeps_them() -> None:
    signal.signal(signal.SIGUSR1, lambda number, frame: None)
    try:
        assert not deferral.is_possible()
    finally:
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
