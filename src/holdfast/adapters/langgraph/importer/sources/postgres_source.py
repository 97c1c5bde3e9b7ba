"""Databases of PostgresSaver and AsyncPostgresSaver: checkpoints as JSON, larger values in a table of their own.

Every transaction is READ ONLY. The settings of the session are not changed: behind a pooler, others share it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from langgraph.checkpoint.serde.types import TASKS

from holdfast.adapters.langgraph.importer.sources.source import PLAIN_JSON, Key, Row, Source, StoredWrite, Totals, Typed
from holdfast.adapters.langgraph.importer.sources.source_sql import statements
from holdfast.backends import server_url
from holdfast.errors import HoldfastError, InvalidArgument, NotAStore, StorageFailed

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_SQL: Final = statements("postgres.sql")
_BATCH: Final = 16  # checkpoints per query: fewer round trips, and not too many states in memory
_COLUMNS: Final = {
    "checkpoints": {
        "thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "checkpoint", "metadata",
    },
    "checkpoint_blobs": {"thread_id", "checkpoint_ns", "channel", "version", "type", "blob"},
    "checkpoint_writes": {"thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "type", "blob"},
}  # fmt: skip


class BlobKey(NamedTuple):
    namespace: str
    channel: str
    version: str


class PostgresSource(Source):
    """One database; its tables are found through the search path of the URL."""

    sends_in_parent = True

    def __init__(self, url: str) -> None:
        self._connection = _connect(url)
        self._blobs: dict[BlobKey, Typed] = {}
        try:
            with self._transaction():
                self._check_tables()
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        info = self._connection.info
        return f"postgresql://{info.host}/{info.dbname}"

    def _check_tables(self) -> None:
        for table, needed in _COLUMNS.items():
            columns = {name for (name,) in self._ask("columns", table=table)}
            if missing := needed - columns:
                raise NotAStore(f"{self.name}: not a LangGraph database: {_lack(table, columns, missing)}")
        self._writes = "writes" if "task_path" in columns else "writes_without_path"  # not in databases before 2025

    def totals(self, threads: Collection[str] | None = None) -> Totals:
        with self._transaction():
            if threads is None:
                return Totals(*self._ask("totals")[0])
            return Totals(*self._ask("totals_of_threads", threads=list(threads))[0])

    def threads(self) -> Iterator[str]:
        thread = self._thread("first_thread")
        while thread is not None:
            yield thread
            thread = self._thread("next_thread", thread=thread)

    def _thread(self, statement: str, **values: str) -> str | None:
        with self._transaction():
            ((thread,),) = self._ask(statement, **values)
        return cast("str | None", thread)

    def keys(self, thread: str, after: Key | None, limit: int) -> list[Key]:
        id, namespace = after or ("", "")
        with self._transaction():
            return [Key(*row) for row in self._ask("keys", thread=thread, id=id, namespace=namespace, limit=limit)]

    def rows(self, thread: str, keys: Sequence[Key]) -> Iterator[Row]:
        self._blobs.clear()
        for start in range(0, len(keys), _BATCH):
            yield from self._batch(thread, keys[start : start + _BATCH])

    def _batch(self, thread: str, keys: Sequence[Key]) -> list[Row]:
        wanted = {"ids": [key.id for key in keys], "namespaces": [key.namespace for key in keys]}
        with self._transaction():
            found = self._ask("checkpoints", thread=thread, **wanted)
            versions = {Key(*row[:2]): _versions(row) for row in found}
            self._fetch(thread, {key for keys in versions.values() for key in keys})
            writes = self._writes_to(thread, wanted)
        return [
            Row(
                thread, key := Key(*row[:2]), row[2] or None, Typed(PLAIN_JSON, row[3]), row[4], writes.get(key, ()),
                {key.channel: self._blobs[key] for key in versions[key] if key in self._blobs},
            )
            for row in found
        ]  # fmt: skip

    def _fetch(self, thread: str, needed: set[BlobKey]) -> None:
        """Read the blobs that these checkpoints need. Most were needed by the checkpoints before, and are kept."""
        self._blobs = {key: blob for key, blob in self._blobs.items() if key in needed}
        missing = [key for key in needed if key not in self._blobs]
        columns = dict(zip(("namespaces", "channels", "versions"), map(list, zip(*missing, strict=True)), strict=False))
        if columns:
            for *key, type_, blob in self._ask("blobs", thread=thread, **columns):
                self._blobs[BlobKey(*key)] = Typed(type_, blob)

    def _writes_to(self, thread: str, wanted: Mapping[str, list[str]]) -> dict[Key, list[StoredWrite]]:
        found: dict[Key, list[StoredWrite]] = {}
        for id, namespace, *columns in self._ask(self._writes, thread=thread, **wanted):
            found.setdefault(Key(id, namespace), []).append(StoredWrite.of(columns))
        for writes in found.values():
            writes.sort(key=lambda write: write.order)
        return found

    def sends(self, thread: str, key: Key) -> list[StoredWrite]:
        with self._transaction():
            writes = self._writes_to(thread, {"ids": [key.id], "namespaces": [key.namespace]})
        return [write for write in writes.get(key, ()) if write.channel == TASKS]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction with one snapshot of the database for all its queries."""
        import psycopg

        try:
            with self._connection.transaction():
                yield
        except psycopg.Error as error:
            raise _translate(error, self.name) from error

    def _ask(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(_SQL[statement].encode(), values, binary=True).fetchall()

    def close(self) -> None:
        self._connection.close()


def _connect(url: str) -> Connection:
    try:
        import psycopg
    except ImportError as missing:
        raise InvalidArgument("reading from PostgreSQL needs psycopg: pip install 'psycopg[binary]'") from missing
    _check_url(url)
    try:
        connection = psycopg.connect(url, autocommit=True, prepare_threshold=None)  # poolers do not support it
    except psycopg.Error as error:
        raise StorageFailed(f"PostgreSQL can't be reached: {_first_line(error)}") from error
    connection.read_only = True
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    return connection


def _check_url(url: str) -> None:
    """Neither the URL nor libpq's message about it is shown: they may contain part of a password."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    is_understood = not server_url.has_strays(server_url.split(url))
    try:
        conninfo_to_dict(url)
    except (ProgrammingError, UnicodeError):
        is_understood = False
    if not is_understood:
        raise InvalidArgument(f"the PostgreSQL URL can't be parsed; {server_url.ENCODING_HINT}")


def _versions(row: tuple[Any, ...]) -> list[BlobKey]:
    """The keys of the channels whose values are stored apart from the checkpoint."""
    return [BlobKey(row[1], channel, version) for channel, version in json.loads(row[5] or "{}").items()]


def _translate(error: psycopg.Error, name: str) -> HoldfastError:
    return StorageFailed(f"{name}: PostgreSQL refused: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _lack(table: str, columns: set[str], missing: set[str]) -> str:
    if not columns:
        return f"it has no table {table!r} on its search path"
    return f"its table {table!r} has no column {', '.join(sorted(missing))}; it was made by another saver"
