"""Two ways to wait for a server: with the calling thread, or on an event loop. Everything above is written once.

Connections are opened when they are needed, up to a limit, and kept for the next caller. Each statement is sent
together with its time limits, in one round trip. It leaves nothing behind in the session, so that a pooler may give the
session to another client.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final, ParamSpec, TypeVar

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.pq import TransactionStatus

from holdfast._drive import run
from holdfast._system.uninterrupted import uninterrupted
from holdfast.backends.postgres.connection.address import Address
from holdfast.backends.postgres.connection.array_dumpers import register
from holdfast.backends.postgres.connection.pipelines import loop_pipeline, pipeline
from holdfast.backends.postgres.errors import Silent
from holdfast.errors import Busy

P = ParamSpec("P")
T = TypeVar("T")
Row = tuple[Any, ...]
Parameters = Sequence[Any] | Mapping[str, Any]
_LIMITS: Final = "SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true)"
_UNUSED: Final = 240.0  # seconds after which an idle connection is closed: a firewall may have dropped it silently
_GRACE: Final = 5.0  # seconds that the client waits beyond the server's own time limit


def _limited(waits: Iterator[Any], seconds: float) -> Any:
    """psycopg's own generator, abandoned when the server has been silent for this long."""
    end = time.monotonic() + seconds
    try:
        wanted = next(waits)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() > end:
                raise Silent(f"no answer within {seconds:g} seconds")
            wanted = waits.send(ready)  # type: ignore[attr-defined]
    except StopIteration as done:
        return done.value


class SyncConnection(Connection[Row]):
    patience = 35.0

    def __del__(self, *_: Any) -> None:
        """No warning about a store that was never closed: libpq closes its part by itself."""

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        return super().wait(_limited(gen, self.patience), *args, **kwargs)


class LoopConnection(AsyncConnection[Row]):
    patience = 35.0

    def __del__(self, *_: Any) -> None:
        """No warning about a store that was never closed: libpq closes its part by itself."""

    async def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        return await super().wait(_limited(gen, self.patience), *args, **kwargs)


class Signal(ABC):
    """One thread or task waits, another wakes it."""

    @abstractmethod
    def set(self) -> None: ...
    @abstractmethod
    async def wait(self) -> None: ...


class Connector(ABC):
    """What the verbs need from either way of waiting."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._idle: list[tuple[float, Any]] = []
        self._closed = False
        self._patience = address.timeout + _GRACE
        self._limits = (f"{int(address.timeout * 1000)}ms", f"{int(address.lock_timeout * 1000)}ms")
        self._options: dict[str, Any] = {
            "autocommit": True,
            "prepare_threshold": address.prepare,
            "client_encoding": "UTF8",
        }
        if "application_name" not in address.conninfo:
            self._options["application_name"] = "holdfast"
        if "connect_timeout" not in address.conninfo:
            self._options["connect_timeout"] = 10

    async def call(self, verb: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a verb of the backend, with everything that it does to connections."""
        return await verb(*args, **kwargs)

    @abstractmethod
    async def fetch(self, query: bytes, parameters: Parameters) -> list[Row]:
        """One statement, in a transaction of its own."""

    @abstractmethod
    def signal(self) -> Signal: ...
    @abstractmethod
    async def sleep(self, seconds: float) -> None: ...
    @abstractmethod
    async def finish(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work to its end, even if the caller is cancelled."""

    @abstractmethod
    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        """Start the work in the background; False if there is no way to."""

    def _take_idle(self) -> Any:
        while self._idle:
            since, connection = self._idle.pop()
            if not connection.closed and time.monotonic() - since < _UNUSED:
                return connection
            connection.pgconn.finish()
        return None

    def _give_back(self, connection: Any) -> None:
        ready = not connection.closed and connection.info.transaction_status == TransactionStatus.IDLE
        if ready and not self._closed:
            self._idle.append((time.monotonic(), connection))
        else:
            connection.pgconn.finish()

    def _crowded(self) -> Busy:
        return Busy(
            f"{self.address.shown}: all {self.address.pool} connections were in use for {self.address.timeout:g} "
            "seconds; try again, or use a larger pool="
        )

    def rest(self) -> None:
        """Close the connections that are not in use."""
        while self._idle:
            self._idle.pop()[1].pgconn.finish()

    def close(self) -> None:
        self._closed = True
        self.rest()

    def abandon(self) -> None:
        """After a fork the connections belong to the parent: detach from their sockets without a word to the server."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for _, connection in self._idle:
            # Closing the socket through libpq would send a goodbye that ends the parent's session.
            with suppress(psycopg.Error, OSError):
                os.dup2(nothing, connection.pgconn.socket)
            _inherited.append(connection)
        os.close(nothing)
        self._idle = []


# Kept for good: to free one would end the parent's session.
_inherited: list[Any] = []


# ------------------------------------------------------------------------------------------------ threads


class _ThreadSignal(Signal):
    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    async def wait(self) -> None:
        self._event.wait()


class ThreadConnector(Connector):
    """For the threads of the process."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._room = threading.Semaphore(address.pool)

    async def call(self, verb: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return uninterrupted(run, verb, *args, **kwargs)

    async def fetch(self, query: bytes, parameters: Parameters) -> list[Row]:
        with self.connection() as connection:
            with pipeline(connection):
                connection.execute(_LIMITS, self._limits)
                cursor = connection.execute(query, parameters, binary=True)
            return cursor.fetchall()

    @contextmanager
    def connection(self) -> Iterator[SyncConnection]:
        if not self._room.acquire(timeout=self.address.timeout):
            raise self._crowded()
        try:
            connection = self._take_idle() or self.connect()
            try:
                yield connection
            except BaseException as error:
                # An interrupt may have left a statement half sent: only after the driver's own errors is it usable.
                if not isinstance(error, psycopg.Error):
                    connection.pgconn.finish()
                raise
            finally:
                self._give_back(connection)
        finally:
            self._room.release()

    def connect(self) -> SyncConnection:
        connection = SyncConnection.connect(self.address.conninfo, **self._options)
        connection.patience = self._patience
        register(connection)
        return connection

    def signal(self) -> Signal:
        return _ThreadSignal()

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def finish(self, work: Coroutine[Any, Any, None]) -> None:
        await work

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        return False


# ------------------------------------------------------------------------------------------------ event loops


class _LoopSignal(Signal):
    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()


class LoopConnector(Connector):
    """For the tasks of one event loop."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._room = asyncio.Semaphore(address.pool)
        self._tasks: set[asyncio.Task[None]] = set()

    async def fetch(self, query: bytes, parameters: Parameters) -> list[Row]:
        async with self._connection() as connection:
            async with loop_pipeline(connection):
                await connection.execute(_LIMITS, self._limits)
                cursor = await connection.execute(query, parameters, binary=True)
            return await cursor.fetchall()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[LoopConnection]:
        await self._enter()
        try:
            connection = self._take_idle() or await self.connect()
            try:
                yield connection
            except BaseException as error:
                # A cancelled task may have left a statement half sent.
                if not isinstance(error, psycopg.Error):
                    connection.pgconn.finish()
                raise
            finally:
                self._give_back(connection)
        finally:
            self._room.release()

    async def _enter(self) -> None:
        # Usually there is room, and a time limit costs more than all the rest.
        if not self._room.locked():
            await self._room.acquire()
            return
        try:
            await asyncio.wait_for(self._room.acquire(), self.address.timeout)
        except TimeoutError:
            raise self._crowded() from None

    async def connect(self) -> LoopConnection:
        connection = await LoopConnection.connect(self.address.conninfo, **self._options)
        connection.patience = self._patience
        register(connection)
        return connection

    def signal(self) -> Signal:
        return _LoopSignal()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def finish(self, work: Coroutine[Any, Any, None]) -> None:
        await asyncio.shield(self._begin(work))

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        self._begin(work())
        return True

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
