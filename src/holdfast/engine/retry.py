"""Retries after a concurrent change: writes whose batch was refused, and reads of rows that were removed in between."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from holdfast.engine.context import Engine, Handle
from holdfast.errors import Contended, Corrupt

P = ParamSpec("P")
T = TypeVar("T")
Read = Callable[Concatenate[Engine, Handle, P], Coroutine[Any, Any, T]]
ATTEMPTS: Final = 100
_READS: Final = 20


async def until_applied(name: str, attempt: Callable[[], Awaitable[T | None]], *, attempts: int = ATTEMPTS) -> T:
    """The compare-and-swap loop of every write: call `attempt` until it returns something.

    An attempt reads, plans a batch and commits it. None means that the batch was not applied, because another writer
    was faster; then nothing was written, and the next attempt plans from what is stored now.
    """
    for _ in range(attempts):
        done = await attempt()
        if done is not None:
            return done
    raise Contended(f"{name}: other writers were faster {attempts} times; try again, or use fewer writers")


class Again:
    """Distinguishes damage from a concurrent change: what is really missing is missing the second time too."""

    def __init__(self) -> None:
        self._seen: list[str] = []

    def check(self, error: Corrupt) -> None:
        """Raise the error if the previous attempt ended in the same one."""
        if self._seen[-1:] == [str(error)] or len(self._seen) >= _READS:
            raise error
        self._seen.append(str(error))


async def reread(engine: Engine, handle: Handle, read: Callable[[], Awaitable[T]]) -> T:
    """Read again if a row is missing.

    A read asks the backend more than once: where the thread is, then for its values. A thread that is deleted, started
    again, or pruned and collected in between looks as if rows were missing.
    """
    again = None
    while True:
        try:
            return await read()
        except Corrupt as error:
            again = again or Again()
            again.check(error)
            engine.cache.drop((handle.thread_id, handle.namespace))


def reread_on_corrupt(read: Read[P, T]) -> Read[P, T]:
    """A decorator for functions of the engine that read: each call is made by `reread`."""

    @wraps(read)
    async def reading(engine: Engine, handle: Handle, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await read(engine, handle, *args, **kwargs)
        except Corrupt:
            return await reread(engine, handle, lambda: read(engine, handle, *args, **kwargs))

    return reading
