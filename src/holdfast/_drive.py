"""Driving the engine's coroutines: to their end at once, on a worker thread, or on the caller's event loop.

The engine is written as ``async def`` without a single asyncio primitive. On a backend that blocks no coroutine of it
ever suspends, so the sync façade runs one with a single ``send(None)``, and the async façade does the same on a worker.
A backend that does not block has two ways to wait (see `backends.driving`): it blocks for the sync façade, and the
async one simply awaits.
"""

from __future__ import annotations

import contextvars
import os
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Protocol, TypeVar

from holdfast.backends.driving import begin_inline, end_inline

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

P = ParamSpec("P")
T = TypeVar("T")
_WORKERS: Final = 32  # as many saves as may share one commit


def run(call: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call and drive to the end."""
    coroutine = call(*args, **kwargs)
    before = begin_inline()
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        end_inline(before)
    coroutine.close()
    raise RuntimeError("a coroutine of the engine waited for something that only an event loop can give")


async def threaded(call: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call and drive on a worker thread, from whichever event loop this is."""
    import asyncio  # here, because a program that stays sync should not pay for loading it

    context = contextvars.copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_workers(), lambda: context.run(run, call, *args, **kwargs))


class Driven(Protocol):
    """What is driven says how."""

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
        """The same, to its end even if the waiting task is cancelled: for what must not be left half done."""
        import asyncio

        task = asyncio.ensure_future(self(call, *args, **kwargs))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise


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


os.register_at_fork(after_in_child=_after_fork)
