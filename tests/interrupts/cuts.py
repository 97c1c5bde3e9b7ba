"""Sends a signal at a chosen place of a call; its handler raises.

CPython runs the handlers of signals between instructions: at the start of a function, at the end of a loop's turn, and
after a call. `cut_at` counts the places of these kinds that a call passes, and sends the signal at one of them.
"""

from __future__ import annotations

import dis
import gc
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from types import CodeType, FrameType
from typing import Any, Final

LEFT_OUT: Final = ("/tests/", "<frozen importlib", "/_pytest/", "/pluggy/", "/weakref.py")
"""Parts of the file names of functions in which nothing is raised: those of the tests, and of imports."""


class Cut(BaseException):
    """What the handler of a signal raises, like KeyboardInterrupt and SystemExit."""


class SoftCut(Exception):
    """What the handler of a time limit raises. Code that catches `Exception` must not swallow it."""


class TimedOut(TimeoutError):
    """The same, from a handler that raises TimeoutError, which is an OSError."""


KINDS: Final = (Cut, SoftCut, TimedOut)


@cache
def places_of(code: CodeType) -> frozenset[int]:
    """The instructions before which Python may run a handler.

    The exception of a handler belongs to the call before it. Where the next instruction is not guarded by the same
    `with` or `try`, raising there shows something else, so such a place is left out.
    """
    entries = dis._parse_exception_table(code)  # type: ignore[attr-defined]

    def guard(offset: int) -> int | None:
        return next((entry.target for entry in entries if entry.start <= offset < entry.end), None)

    steps = list(dis.get_instructions(code))
    after_calls = {
        after.offset
        for before, after in pairwise(steps)
        if before.opname.startswith(("CALL", "RESUME")) and guard(before.offset) == guard(after.offset)
    }
    return frozenset(after_calls | {step.offset for step in steps if step.opname.startswith("JUMP_BACKWARD")})


class Outcome:
    """What became of a call that was to be cut."""

    def __init__(self) -> None:
        self.passed = 0  # places
        self.place = ""  # where it was cut; empty if it has fewer places
        self.raised: type[BaseException] | None = None  # what reached the caller


def cut_at(number: int, kind: type[BaseException], call: Callable[[], object]) -> Outcome:
    """Make the call, and raise at the place of this number on its way."""
    outcome = Outcome()

    def passed(code: CodeType, offset: int) -> None:
        if outcome.place or offset not in places_of(code):
            return
        outcome.passed += 1
        if outcome.passed > number:
            outcome.place = f"{code.co_filename} {code.co_qualname} +{offset}"
            signal.raise_signal(signal.SIGUSR1)

    def handler(number: int, frame: FrameType | None) -> None:
        raise kind

    handled = signal.signal(signal.SIGUSR1, handler)
    # An exception in the __del__ of an object that is collected now would be ignored by Python itself.
    gc.disable()
    try:
        with watched(passed):
            call()
    except BaseException as error:
        outcome.raised = type(error)  # not the error itself: its traceback would keep the objects of the call
    finally:
        signal.signal(signal.SIGUSR1, handled)
        gc.enable()
    return outcome


Passed = Callable[[CodeType, int], None]


@contextmanager
def watched(passed: Passed) -> Iterator[None]:
    """Say before each instruction of this thread where it is."""
    if sys.version_info >= (3, 12):
        # From there on `settrace` leaves out instructions of code that was not traced before.
        with _monitored(passed):
            yield
        return
    before = sys.gettrace()
    sys.settrace(partial(_trace, passed))
    try:
        yield
    finally:
        sys.settrace(before)


def _is_left_out(code: CodeType) -> bool:
    return any(part in code.co_filename for part in LEFT_OUT)


def _trace(passed: Passed, frame: FrameType, event: str, _: object) -> Any:
    if _is_left_out(frame.f_code):
        return None
    frame.f_trace_lines, frame.f_trace_opcodes = False, True
    if event == "opcode":
        passed(frame.f_code, frame.f_lasti)
    return partial(_trace, passed)


if sys.version_info >= (3, 12):

    @contextmanager
    def _monitored(passed: Passed) -> Iterator[None]:
        monitoring = sys.monitoring
        here = threading.get_ident()

        def instruction(code: CodeType, offset: int) -> Any:
            if _is_left_out(code):
                return monitoring.DISABLE
            if threading.get_ident() == here:
                passed(code, offset)
            return None

        tool = monitoring.OPTIMIZER_ID
        monitoring.use_tool_id(tool, "cuts")
        monitoring.register_callback(tool, monitoring.events.INSTRUCTION, instruction)
        monitoring.set_events(tool, monitoring.events.INSTRUCTION)
        try:
            yield
        finally:
            monitoring.set_events(tool, 0)
            monitoring.register_callback(tool, monitoring.events.INSTRUCTION, None)
            monitoring.free_tool_id(tool)
