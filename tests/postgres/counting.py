"""What a store sends to the server, counted and tampered with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from holdfast.backends.postgres.backend import PostgresBackend
from holdfast.backends.postgres.connection import connector

Fetch = Callable[[Any, bytes, Any], Awaitable[list[Any]]]


def backend(store: Any) -> PostgresBackend:
    found = store._calls.engine.backend
    assert isinstance(found, PostgresBackend)
    return found


@contextmanager
def tampered(change: Callable[[Fetch], Fetch]) -> Iterator[None]:
    """Every statement of every store, sync and async, goes through the function that `change` returns."""
    before = {used: used.fetch for used in (connector.ThreadConnector, connector.LoopConnector)}
    for used, fetch in before.items():
        used.fetch = change(fetch)  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        for used, fetch in before.items():
            used.fetch = fetch  # type: ignore[method-assign]


@contextmanager
def counted() -> Iterator[list[str]]:
    """The statements that are sent inside, each one round trip."""
    sent: list[str] = []

    def change(fetch: Fetch) -> Fetch:
        async def counting(used: Any, query: bytes, parameters: Any) -> list[Any]:
            sent.append(query.decode())
            return await fetch(used, query, parameters)

        return counting

    with tampered(change):
        yield sent
