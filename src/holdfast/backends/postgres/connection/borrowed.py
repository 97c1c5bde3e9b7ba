"""A caller's own connection, in the transaction that the caller has open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from psycopg import AsyncConnection, AsyncCursor, Connection, Cursor
from psycopg.rows import tuple_row

from holdfast.backends.postgres.connection.address import Address
from holdfast.backends.postgres.connection.array_dumpers import register
from holdfast.backends.postgres.connection.connector import LoopConnector, P, Parameters, Row, T, ThreadConnector
from holdfast.backends.postgres.errors import Silent


class BorrowedConnector(ThreadConnector):
    """For the thread that calls."""

    def __init__(self, address: Address, connection: Connection[Any]) -> None:
        super().__init__(address)
        self._borrowed = connection

    async def call(self, verb: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """On the caller's thread: after an interrupt the caller ends the transaction."""
        return await verb(*args, **kwargs)

    async def fetch(self, query: bytes, parameters: Parameters) -> list[Row]:
        with Cursor(self._borrowed, row_factory=tuple_row) as cursor:
            register(cursor)
            return cursor.execute(query, parameters, binary=True).fetchall()


class BorrowedLoopConnector(LoopConnector):
    """For the loop of an async connection."""

    def __init__(self, address: Address, connection: AsyncConnection[Any]) -> None:
        super().__init__(address)
        self._borrowed = connection

    async def fetch(self, query: bytes, parameters: Parameters) -> list[Row]:
        async with AsyncCursor(self._borrowed, row_factory=tuple_row) as cursor:
            register(cursor)
            await cursor.execute(query, parameters, binary=True)
            return await cursor.fetchall()


class DistantConnector(BorrowedLoopConnector):
    """For a worker thread of that loop: the loop sends the statement while the worker waits. Work that would block the
    loop, such as a user's reducer, is done by workers."""

    def __init__(self, address: Address, connection: AsyncConnection[Any], loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(address, connection)
        self._loop = loop

    async def fetch(self, query: bytes, parameters: Parameters) -> list[Row]:
        future = asyncio.run_coroutine_threadsafe(super().fetch(query, parameters), self._loop)
        try:
            return future.result(self._patience)
        except TimeoutError:
            future.cancel()
            raise Silent(f"the connection's event loop did not send it within {self._patience:g} seconds") from None
