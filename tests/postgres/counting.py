"""What a store sends to the server, counted and tampered with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from holdfast.backends.postgres import twins
from holdfast.backends.postgres.backend import PostgresBackend

Fetch = Callable[[Any, bytes, Any], Awaitable[list[Any]]]


def backend(store: Any) -> PostgresBackend:
    found = store._calls.engine.backend
    assert isinstance(found, PostgresBackend)
    return found


@contextmanager
def tampered(change: Callable[[Fetch], Fetch]) -> Iterator[None]:
    """Every statement of every store, sync and async, goes through what `change` makes of the way it goes."""
    before = {twin: twin.fetch for twin in (twins.SyncTwin, twins.LoopTwin)}
    for twin, fetch in before.items():
        twin.fetch = change(fetch)  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        for twin, fetch in before.items():
            twin.fetch = fetch  # type: ignore[method-assign]


@contextmanager
def counted() -> Iterator[list[str]]:
    """The statements that are sent inside, each one round trip."""
    sent: list[str] = []

    def change(fetch: Fetch) -> Fetch:
        async def counting(twin: Any, query: bytes, parameters: Any) -> list[Any]:
            sent.append(query.decode())
            return await fetch(twin, query, parameters)

        return counting

    with tampered(change):
        yield sent
