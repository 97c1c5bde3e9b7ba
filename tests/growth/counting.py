"""How much an operation does, counted: calls of the backend, rows read, bytes written, and lines of Holdfast that run.

A line counts each time that it runs, also inside a comprehension, so a loop over n rows counts n. What runs in C is not
counted: a sort, or a search in a list.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import holdfast
from holdfast import Store
from holdfast.backends.base import Batch
from holdfast.backends.rows import weight

_ROOT = str(Path(holdfast.__file__).parent)
_LIMITS = {"close", "capabilities", "new_tree", "within"}


class Work(NamedTuple):
    calls: int = 0  # of the backend
    rows: int = 0  # that it answered with
    written: int = 0  # bytes of rows in batches
    lines: int = 0  # of Holdfast's code


class CountedBackend:
    """A backend that counts what it is asked and what it answers."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.calls = self.rows = self.written = 0

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._backend, name)
        if name in _LIMITS or not callable(asked):
            return asked

        async def counted(*args: Any, **named: Any) -> Any:
            self.calls += 1
            if name == "commit":
                self._write(args[0])
            answer = await asked(*args, **named)
            self.rows += _rows_in(answer)
            return answer

        return counted

    def _write(self, batch: Batch) -> None:
        self.written += sum(map(weight, (*batch.puts, *batch.puts_if_free)))


def _rows_in(answer: Any) -> int:
    if not isinstance(answer, list):
        return 1
    return sum(len(part) if type(part) is list else 1 for part in answer)


def work(store: Store, call: Callable[[], object]) -> Work:
    """What one call does."""
    lines = 0

    def traced() -> None:
        nonlocal lines
        lines = lines_run(call)

    return asked(store, traced)._replace(lines=lines)


def asked(store: Store, call: Callable[[], object]) -> Work:
    """The same without the lines, which take long to count."""
    engine = store._calls.engine
    plain = engine.backend
    engine.backend = counted = CountedBackend(plain)  # type: ignore[assignment]
    try:
        call()
    finally:
        engine.backend = plain
    return Work(counted.calls, counted.rows, counted.written)


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of Holdfast's source run in this thread, each counted as often as it runs."""
    count = 0

    def trace_line(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace_line

    def trace_call(frame: FrameType, _event: str, _argument: Any) -> Any:
        return trace_line if frame.f_code.co_filename.startswith(_ROOT) else None

    before = sys.gettrace()
    sys.settrace(trace_call)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def growth(least: Work, middle: Work, most: Work) -> dict[str, float]:
    """How much more the second doubling adds than the first, for each count: 2 if it grows as the data does, 4 if with
    the square. Counts that hardly grow are left out."""
    found = {}
    for name, few, some, many in zip(Work._fields, least, middle, most, strict=True):
        added = max(some - few, 1)
        if many - some > max(50, 0.1 * few):
            found[name] = (many - some) / added
    return found
