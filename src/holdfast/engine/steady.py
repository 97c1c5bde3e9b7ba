"""Reading what others may remove meanwhile.

A read asks more than once: where the thread stands, then for its values. A thread that is deleted, started anew, or
pruned and collected in between looks as if rows were missing. What is really missing is missing the second time too.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from holdfast.engine import places
from holdfast.engine.context import Engine, Handle
from holdfast.errors import Corrupt

P = ParamSpec("P")
T = TypeVar("T")
Read = Callable[Concatenate[Engine, Handle, P], Coroutine[Any, Any, T]]
_ATTEMPTS: Final = 20


class Again:
    """Tells damage from a moment in between."""

    def __init__(self) -> None:
        self._told: list[str] = []

    def check(self, error: Corrupt) -> None:
        """Raise it if it was the same the last time."""
        if self._told[-1:] == [str(error)] or len(self._told) >= _ATTEMPTS:
            raise error
        self._told.append(str(error))


def steady(read: Read[P, T]) -> Read[P, T]:
    """Read again if something was not there."""

    @wraps(read)
    async def reading(engine: Engine, handle: Handle, /, *args: P.args, **kwargs: P.kwargs) -> T:
        again = Again()
        while True:
            try:
                return await read(engine, handle, *args, **kwargs)
            except Corrupt as error:
                again.check(error)
                places.forget(engine, handle)

    return reading
