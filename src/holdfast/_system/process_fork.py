"""What modules and objects do when the process forks, in one registry.

A child has one thread, and a copy of its parent's memory: locks that other threads of the parent held stay locked in
it, and its connections and worker threads are the parent's.

Callbacks run in the order of `os.register_at_fork`: before the fork the last to register comes first, and after it the
first. So a lock that is taken first is released last. Where a process can't fork, no callback ever runs.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from itertools import count
from types import MethodType
from typing import Any, NamedTuple
from weakref import ref

Call = Callable[[], None]


class _Calls(NamedTuple):
    before: Call | None
    after_in_parent: Call | None
    after_in_child: Call | None


class Registry:
    """Keeps functions; a method is removed with its object."""

    def __init__(self) -> None:
        self._registered: dict[int, tuple[Callable[[], Call | None], ...]] = {}
        self._numbers = count()
        self._forking = threading.RLock()  # two threads may fork at once
        self._ready: dict[int, _Calls] = {}  # those that were called before the fork, and their objects

    def register(
        self, *, before: Call | None = None, after_in_parent: Call | None = None, after_in_child: Call | None = None
    ) -> None:
        number = next(self._numbers)

        def forget(_: Any) -> None:
            self._registered.pop(number, None)

        def kept(call: Call | None) -> Callable[[], Call | None]:
            if not isinstance(call, MethodType):
                return lambda: call
            # Not WeakMethod: on Python 3.13 its own callback fails while the interpreter shuts down.
            owner, function = ref(call.__self__, forget), call.__func__
            return lambda: None if (living := owner()) is None else MethodType(function, living)

        self._registered[number] = kept(before), kept(after_in_parent), kept(after_in_child)

    def _alive(self) -> dict[int, _Calls]:
        registered = self._registered.copy()  # a copy: objects may be collected at any time
        return {number: _Calls(*(call() for call in calls)) for number, calls in registered.items()}

    def before(self) -> None:
        self._forking.acquire()
        self._ready = dict(reversed(self._alive().items()))
        _call_each(calls.before for calls in self._ready.values())

    def after_in_parent(self) -> None:
        ready, self._ready = self._ready, {}
        try:
            _call_each(calls.after_in_parent for calls in reversed(ready.values()))
        finally:
            self._forking.release()

    def after_in_child(self) -> None:
        ready, self._ready = self._ready, {}
        self._forking = threading.RLock()
        registered = [calls for number, calls in self._alive().items() if number not in ready]
        late = [calls for calls in registered if calls.before is None]
        _call_each(calls.after_in_child for calls in (*reversed(ready.values()), *late))


def _call_each(calls: Iterable[Call | None]) -> None:
    """Call all of them, even if one raises. Python prints the first error and continues the fork."""
    errors: list[BaseException] = []
    for call in calls:
        try:
            if call is not None:
                call()
        except BaseException as error:
            errors.append(error)
    if errors:
        raise errors[0]


_registry = Registry()
register = _registry.register

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_registry.before, after_in_parent=_registry.after_in_parent, after_in_child=_registry.after_in_child
    )
