"""Driving the engine's coroutines: to their end at once, on a worker thread, or on the caller's event loop.

The engine is written as ``async def`` without a single asyncio primitive. On a backend that blocks no coroutine of it
ever suspends, so the sync façade runs one with a single ``send(None)``, and the async façade does the same on a worker.
A backend that does not block has two ways to wait (see `waiting_loop`): it blocks for the sync façade, and the async
one awaits it.
"""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Protocol, TypeVar

from holdfast._system import process_fork

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from concurrent.futures import ThreadPoolExecutor

P = ParamSpec("P")
T = TypeVar("T")
_WORKERS: Final = 32  # as many saves as may share one commit

# ------------------------------------------------------------------------------------------------ how a caller waits

_NONE: Final = object()
_thread = threading.local()


def running_loop() -> AbstractEventLoop | None:
    """The loop that runs in this thread. A program that never imported asyncio, which is slow to load, has none."""
    events = sys.modules.get("asyncio.events")
    return None if events is None else events._get_running_loop()


def waiting_loop() -> AbstractEventLoop | None:
    """The loop to wait on; None where the thread itself has to wait, because `run` drives the caller."""
    running = running_loop()
    return None if running is None or getattr(_thread, "blocked", _NONE) is running else running


# ------------------------------------------------------------------------------------------------ driving a coroutine


def run(call: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call and drive to the end."""
    coroutine = call(*args, **kwargs)
    # Until this returns, the loop that runs in this thread can't be waited on. One that a user's function starts inside
    # can.
    before = getattr(_thread, "blocked", _NONE)
    _thread.blocked = running_loop()
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        _thread.blocked = before
    coroutine.close()
    raise RuntimeError("a coroutine of the engine waited for an event loop, and none drives it")


async def threaded(call: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call and drive on a worker thread, from whichever event loop this is."""
    import asyncio  # here, because a program that stays sync should not pay for loading it

    context = contextvars.copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_workers(), lambda: context.run(run, call, *args, **kwargs))


class Driven(Protocol):
    """What a `Driver` drives."""

    @property
    def awaitable(self) -> bool:
        """Whether its coroutines may be awaited on an event loop: nothing in them blocks."""


class Driver:
    """How an async façade drives the calls of one store."""

    def __init__(self, calls: Driven) -> None:
        self._calls = calls

    async def __call__(self, call: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        if self._calls.awaitable:
            return await call(*args, **kwargs)
        return await threaded(call, *args, **kwargs)

    async def shielded(self, call: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The same, completed even if the waiting task is cancelled: for calls that must not be left half done.

        A task may be cancelled many times: a cancel scope of anyio does it until the task has ended.
        """
        import asyncio

        task = asyncio.ensure_future(self(call, *args, **kwargs))
        cancelled: asyncio.CancelledError | None = None
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:
                cancelled = cancelled or error
        if cancelled is None:
            return task.result()
        if not task.cancelled():
            task.exception()  # asked for, so that the loop does not report it
        raise cancelled


async def called(fn: Callable[..., Any], *args: Any) -> Any:
    """The result of a coroutine function, or of a plain one on a thread of its own."""
    import asyncio
    import inspect

    if inspect.iscoroutinefunction(fn):
        return await fn(*args)
    result = await asyncio.to_thread(fn, *args)
    return await result if inspect.isawaitable(result) else result


async def sleep(seconds: float) -> None:
    import asyncio

    await asyncio.sleep(seconds)


_pool: ThreadPoolExecutor | None = None


def _workers() -> ThreadPoolExecutor:
    """One pool for the process: it belongs to no loop and to no store."""
    global _pool
    if _pool is None:
        from concurrent.futures import ThreadPoolExecutor

        _pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="holdfast")
    return _pool


def _after_fork() -> None:
    global _pool
    _pool = None  # its threads stayed in the parent


process_fork.register(after_in_child=_after_fork)
