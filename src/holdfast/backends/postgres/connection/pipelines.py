"""Pipelines and transactions on connections that may be lost.

psycopg writes a warning to its log if it can't end a pipeline or a transaction after an error in it. Here the error
that comes first is raised, and what follows from it is not logged: a lost connection is given up, and the store reports
it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import psycopg
from psycopg import AsyncConnection, Connection


@contextmanager
def pipeline(connection: Connection[Any]) -> Iterator[None]:
    first: BaseException | None = None
    try:
        with connection.pipeline():
            try:
                yield
            except BaseException as error:
                first = error  # the pipeline ends as if there were none, and may raise another
    except psycopg.Error:
        if first is None:
            raise
    if first is not None:
        raise first


@asynccontextmanager
async def loop_pipeline(connection: AsyncConnection[Any]) -> AsyncIterator[None]:
    """The same on an event loop."""
    first: BaseException | None = None
    try:
        async with connection.pipeline():
            try:
                yield
            except BaseException as error:
                first = error
    except psycopg.Error:
        if first is None:
            raise
    if first is not None:
        raise first


@contextmanager
def transaction(connection: Connection[Any]) -> Iterator[None]:
    """For a connection in autocommit mode."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK")
        raise
