"""Databases that PostgresSaver or AsyncPostgresSaver made: checkpoints as JSON, larger values in a table of their own.

Every transaction is begun as READ ONLY. The session itself is left as it is: behind a pooler it is not ours alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from langgraph.checkpoint.serde.types import TASKS

from holdfast.adapters.langgraph.sources.base import PLAIN_JSON, Key, Row, Source, StoredWrite, Totals, Typed
from holdfast.adapters.langgraph.sources.statements import statements
from holdfast.backends import urls
from holdfast.errors import HoldfastError, InvalidArgument, NotAStore, StorageFailed

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_SQL: Final = statements("postgres.sql")
_BATCH: Final = 16  # checkpoints per question: fewer round trips, and not too many states at once
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
    """One database, and in it the tables that the search path of the URL leads to."""

    sends_in_parent = True

    def __init__(self, url: str) -> None:
        self._connection = _connect(url)
        self._blobs: dict[BlobKey, Typed] = {}
        try:
            with self._moment():
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
                raise NotAStore(f"{self.name}: this is no LangGraph database: {_lack(table, columns, missing)}")
        self._writes = "writes" if "task_path" in columns else "writes_without_path"  # not in databases before 2025

    def totals(self, threads: Collection[str] | None = None) -> Totals:
        with self._moment():
            if threads is None:
                return Totals(*self._ask("totals")[0])
            return Totals(*self._ask("totals_of_threads", threads=list(threads))[0])

    def threads(self) -> Iterator[str]:
        thread = self._thread("first_thread")
        while thread is not None:
            yield thread
            thread = self._thread("next_thread", thread=thread)

    def _thread(self, statement: str, **values: str) -> str | None:
        with self._moment():
            ((thread,),) = self._ask(statement, **values)
        return cast("str | None", thread)

    def keys(self, thread: str, after: Key | None, limit: int) -> list[Key]:
        id, namespace = after or ("", "")
        with self._moment():
            return [Key(*row) for row in self._ask("keys", thread=thread, id=id, namespace=namespace, limit=limit)]

    def rows(self, thread: str, keys: Sequence[Key]) -> Iterator[Row]:
        self._blobs.clear()
        for start in range(0, len(keys), _BATCH):
            yield from self._batch(thread, keys[start : start + _BATCH])

    def _batch(self, thread: str, keys: Sequence[Key]) -> list[Row]:
        asked = {"ids": [key.id for key in keys], "namespaces": [key.namespace for key in keys]}
        with self._moment():
            found = self._ask("checkpoints", thread=thread, **asked)
            versions = {Key(*row[:2]): _versions(row) for row in found}
            self._fetch(thread, {key for keys in versions.values() for key in keys})
            writes = self._writes_to(thread, asked)
        return [
            Row(
                thread, key := Key(*row[:2]), row[2] or None, Typed(PLAIN_JSON, row[3]), row[4], writes.get(key, ()),
                {key.channel: self._blobs[key] for key in versions[key] if key in self._blobs},
            )
            for row in found
        ]  # fmt: skip

    def _fetch(self, thread: str, needed: set[BlobKey]) -> None:
        """Have the blobs at hand that these checkpoints need. Most of them, the checkpoints before needed too."""
        self._blobs = {key: blob for key, blob in self._blobs.items() if key in needed}
        missing = [key for key in needed if key not in self._blobs]
        columns = dict(zip(("namespaces", "channels", "versions"), map(list, zip(*missing, strict=True)), strict=False))
        if columns:
            for *key, type_, blob in self._ask("blobs", thread=thread, **columns):
                self._blobs[BlobKey(*key)] = Typed(type_, blob)

    def _writes_to(self, thread: str, asked: Mapping[str, list[str]]) -> dict[Key, list[StoredWrite]]:
        found: dict[Key, list[StoredWrite]] = {}
        for id, namespace, *columns in self._ask(self._writes, thread=thread, **asked):
            found.setdefault(Key(id, namespace), []).append(StoredWrite.of(columns))
        for writes in found.values():
            writes.sort(key=lambda write: write.order)
        return found

    def sends(self, thread: str, key: Key) -> list[StoredWrite]:
        with self._moment():
            writes = self._writes_to(thread, {"ids": [key.id], "namespaces": [key.namespace]})
        return [write for write in writes.get(key, ()) if write.channel == TASKS]

    @contextmanager
    def _moment(self) -> Iterator[None]:
        """A transaction: all that is asked in it is answered from one moment of the database."""
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
        connection = psycopg.connect(url, autocommit=True, prepare_threshold=None)  # poolers know no prepared ones
    except psycopg.Error as error:
        raise StorageFailed(f"PostgreSQL can't be reached: {_first_line(error)}") from error
    connection.read_only = True
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    return connection


def _check_url(url: str) -> None:
    """Neither the URL nor libpq's words about it are shown: they may have a part of a password in them."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    is_understood = not urls.has_strays(urls.split(url))
    try:
        conninfo_to_dict(url)
    except (ProgrammingError, UnicodeError):
        is_understood = False
    if not is_understood:
        raise InvalidArgument(f"the PostgreSQL URL can't be understood; {urls.ENCODING_HINT}")


def _versions(row: tuple[Any, ...]) -> list[BlobKey]:
    """Where the values of a checkpoint's channels are, if they are not in the checkpoint itself."""
    return [BlobKey(row[1], channel, version) for channel, version in json.loads(row[5] or "{}").items()]


def _translate(error: psycopg.Error, name: str) -> HoldfastError:
    return StorageFailed(f"{name}: PostgreSQL refused: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _lack(table: str, columns: set[str], missing: set[str]) -> str:
    if not columns:
        return f"it has no table {table!r} on its search path"
    return f"its table {table!r} has no column {', '.join(sorted(missing))}; another saver made it"
