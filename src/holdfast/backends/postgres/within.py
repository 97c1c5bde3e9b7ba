"""The same rows through a caller's connection: part of the caller's transaction, never committed, never retried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection, Connection
from psycopg.pq import TransactionStatus

from holdfast._drive import running_loop, waiting_loop
from holdfast.backends.base import Backend, Batch, Progress
from holdfast.backends.postgres.commit.batch_program import program_of
from holdfast.backends.postgres.commit.group_commit import GroupCommit
from holdfast.backends.postgres.connection.address import Address
from holdfast.backends.postgres.connection.borrowed import BorrowedConnector, BorrowedLoopConnector, DistantConnector
from holdfast.backends.postgres.connection.connector import Connector
from holdfast.backends.postgres.row_queries import RowQueries
from holdfast.backends.postgres.sql import Release
from holdfast.errors import InvalidArgument


class WithinBackend(RowQueries):
    def __init__(self, address: Address, release: Release, connection: Connection[Any] | AsyncConnection[Any]) -> None:
        super().__init__(replace(address, retry=0.0), release)
        self._connection = connection
        self._own = GroupCommit(self._borrowed(connection), self._sql)
        self._connection_loop = running_loop() if isinstance(connection, AsyncConnection) else None

    @classmethod
    def of(cls, address: Address, release: Release, connection: object) -> WithinBackend:
        if not isinstance(connection, Connection | AsyncConnection):
            raise InvalidArgument(f"within() takes an open psycopg connection, not a {type(connection).__name__}")
        return cls(address, release, connection)

    def _borrowed(self, connection: Connection[Any] | AsyncConnection[Any]) -> Connector:
        if isinstance(connection, Connection):
            return BorrowedConnector(self.address, connection)
        return BorrowedLoopConnector(self.address, connection)

    def _group(self) -> GroupCommit:
        group = self._reached()
        self._check_transaction()
        self._check_encoding()
        return group

    def _reached(self) -> GroupCommit:
        """An async connection is used from its own loop, or from a worker thread of that loop."""
        loop = waiting_loop()
        is_async = isinstance(self._connection, AsyncConnection)
        if is_async == (loop is not None):
            self._connection_loop = loop
            return self._own
        connection_loop = self._connection_loop
        if (
            isinstance(self._connection, AsyncConnection)
            and running_loop() is None
            and connection_loop
            and connection_loop.is_running()
        ):
            return GroupCommit(DistantConnector(self.address, self._connection, connection_loop), self._sql)
        raise InvalidArgument(
            "within() was given a connection of the other kind: a Store takes psycopg.Connection, "
            "an AsyncStore psycopg.AsyncConnection"
        )

    def _check_transaction(self) -> None:
        status = self._connection.info.transaction_status
        if self._connection.autocommit and status == TransactionStatus.IDLE:
            raise InvalidArgument(
                "the connection given to within() has no transaction open; begin one: with connection.transaction(): …"
            )

    def _check_encoding(self) -> None:
        """Texts are sent as UTF-8. The server would read them in the connection's encoding, and store them garbled."""
        if self._connection.closed:
            return  # the statement's own error is clearer
        encoding = self._connection.info.parameter_status("client_encoding") or "UTF8"
        if encoding != "UTF8":
            raise InvalidArgument(
                f"the connection given to within() has the client encoding {encoding}, and Holdfast needs UTF8; "
                "connect with client_encoding='UTF8', or run SET client_encoding TO 'UTF8' before"
            )

    async def commit(self, batch: Batch) -> bool:
        return await self._group().commit_once(program_of(batch))

    async def backup(self, path: Path, progress: Progress | None) -> str:
        raise InvalidArgument("a backup can't be made inside your transaction; call backup() on the store itself")

    def within(self, connection: object) -> Backend:
        return self.of(self.address, self.release, connection)

    async def close(self) -> None:
        """The connection is the caller's."""
