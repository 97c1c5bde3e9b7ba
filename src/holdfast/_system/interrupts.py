"""Exceptions of signal handlers: they belong to the caller, and no code of the library may handle them.

A handler may raise anything: KeyboardInterrupt and SystemExit, but also a subclass of Exception, as soft time limits
do, or TimeoutError, which is an OSError. It raises wherever the main thread is, so also inside a `try` of the library
that expects a failing disk or a damaged value. The frame of the handler in the traceback tells the two apart.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what `signal` wraps in Python code that is fifty times as slow
from collections.abc import Iterator
from signal import valid_signals
from types import CodeType, TracebackType
from typing import Any, Final


def is_interrupt(error: BaseException) -> bool:
    """Whether the handler of a signal raised this exception."""
    return not isinstance(error, Exception) or not _handlers().isdisjoint(_codes(error.__traceback__))


def _codes(traceback: TracebackType | None) -> Iterator[CodeType]:
    while traceback is not None:
        yield traceback.tb_frame.f_code
        traceback = traceback.tb_next


def installed_handlers() -> list[Any]:
    """What Python runs for signals now: functions of the program, and its own for Ctrl-C."""
    return [found for found in map(_signal.getsignal, _NUMBERS) if type(found) not in _OF_THE_SYSTEM]


_NUMBERS: Final = tuple(sorted(map(int, valid_signals())))
_OF_THE_SYSTEM: Final = frozenset({int, type(None)})  # what Python has in place of a handler that it does not run


def _handlers() -> set[CodeType]:
    """The code of the functions that handle signals now."""
    return {code for code in map(_code, installed_handlers()) if code is not None}


def _code(handler: Any) -> CodeType | None:
    """None for a handler that is not written in Python: those of the system, and the one that raises
    KeyboardInterrupt."""
    while hasattr(handler, "func"):  # functools.partial
        handler = handler.func
    if not hasattr(handler, "__code__"):
        handler = getattr(handler, "__func__", None) or vars(type(handler)).get("__call__")
    code = getattr(handler, "__code__", None)
    return code if isinstance(code, CodeType) else None


class ignoring:
    """Like `contextlib.suppress`, but an exception of a signal handler passes."""

    def __init__(self, *kinds: type[Exception]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        return isinstance(error, self._kinds) and not is_interrupt(error)
