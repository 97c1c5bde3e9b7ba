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
from typing import Any, Final, NamedTuple

LEFT_OUT: Final = ("/tests/", "<frozen importlib", "/_pytest/", "/pluggy/", "/weakref.py")
"""Parts of the file names of functions in which nothing is raised: those of the tests, and of imports."""


class Cut(BaseException):
    """What the handler of a signal raises, like KeyboardInterrupt and SystemExit."""


class SoftCut(Exception):
    """What the handler of a time limit raises. Code that catches `Exception` must not swallow it."""


class TimedOut(TimeoutError):
    """The same, from a handler that raises TimeoutError, which is an OSError."""


KINDS: Final = (Cut, SoftCut, TimedOut)


class Places(NamedTuple):
    """Where Python may run a handler, as offsets in the code of a function."""

    before: frozenset[int]  # before these instructions
    ends: frozenset[int]  # at the end of these calls: another `with` or `try` guards the next instruction


@cache
def places_of(code: CodeType) -> Places:
    """The places in one function.

    The exception of a handler belongs to the call before it. Where the same `with` or `try` guards the next
    instruction, raising there is the same. Elsewhere (`return call()` in a `try`) the call itself has to raise, after
    it has done its work. Only a call of a function in C ends with a place.
    """
    entries = dis._parse_exception_table(code)  # type: ignore[attr-defined]

    def guard(offset: int) -> int | None:
        return next((entry.target for entry in entries if entry.start <= offset < entry.end), None)

    before, ends = set(), set()
    for step, after in pairwise(dis.get_instructions(code)):
        if after.opname.startswith("JUMP_BACKWARD"):
            before.add(after.offset)
        if step.opname.startswith(("CALL", "RESUME")):
            if guard(step.offset) == guard(after.offset):
                before.add(after.offset)
            else:
                ends.add(step.offset)
    return Places(frozenset(before), frozenset(ends))


class Outcome:
    """What became of a call that was to be cut."""

    def __init__(self) -> None:
        self.passed = 0  # places
        self.place = ""  # where it was cut; empty if it has fewer places
        self.raised: type[BaseException] | None = None  # what reached the caller


def cut_at(number: int, kind: type[BaseException], call: Callable[[], object]) -> Outcome:
    """Make the call, and raise at the place of this number on its way."""
    outcome = Outcome()

    def passed(code: CodeType, offset: int, is_end: bool) -> None:
        known = places_of(code)
        if outcome.place or offset not in (known.ends if is_end else known.before):
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


Passed = Callable[[CodeType, int, bool], None]


@contextmanager
def watched(passed: Passed) -> Iterator[None]:
    """Call `passed` before each instruction of this thread, and at the end of each call of a function in C."""
    if sys.version_info >= (3, 12):
        # From there on `settrace` leaves out instructions of code that was not traced before.
        with _monitored(passed):
            yield
        return
    before, profile = sys.gettrace(), sys.getprofile()
    sys.settrace(partial(_trace, passed))
    sys.setprofile(partial(_profile, passed))
    try:
        yield
    finally:
        sys.settrace(before)
        sys.setprofile(profile)


def _is_left_out(code: CodeType) -> bool:
    return any(part in code.co_filename for part in LEFT_OUT)


def _trace(passed: Passed, frame: FrameType, event: str, _: object) -> Any:
    if _is_left_out(frame.f_code):
        return None
    frame.f_trace_lines, frame.f_trace_opcodes = False, True
    if event == "opcode":
        passed(frame.f_code, frame.f_lasti, False)
    return partial(_trace, passed)


def _profile(passed: Passed, frame: FrameType, event: str, _: object) -> None:
    if event == "c_return" and not _is_left_out(frame.f_code):
        passed(frame.f_code, frame.f_lasti, True)


if sys.version_info >= (3, 12):

    @contextmanager
    def _monitored(passed: Passed) -> Iterator[None]:
        monitoring = sys.monitoring
        events = monitoring.events
        here = threading.get_ident()

        def instruction(code: CodeType, offset: int) -> Any:
            if _is_left_out(code):
                return monitoring.DISABLE
            if threading.get_ident() == here:
                passed(code, offset, False)
            return None

        def returned(code: CodeType, offset: int, *_: object) -> None:
            if not _is_left_out(code) and threading.get_ident() == here:
                passed(code, offset, True)

        tool = monitoring.OPTIMIZER_ID
        monitoring.use_tool_id(tool, "cuts")
        monitoring.register_callback(tool, events.INSTRUCTION, instruction)
        monitoring.register_callback(tool, events.C_RETURN, returned)
        # The event of a return is one of the events of calls.
        monitoring.set_events(tool, events.INSTRUCTION | events.CALL)
        try:
            yield
        finally:
            monitoring.set_events(tool, 0)
            monitoring.register_callback(tool, events.INSTRUCTION, None)
            monitoring.register_callback(tool, events.C_RETURN, None)
            monitoring.free_tool_id(tool)
