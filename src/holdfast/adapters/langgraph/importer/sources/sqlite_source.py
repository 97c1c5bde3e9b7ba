"""Files of SqliteSaver and AsyncSqliteSaver: two tables, and the whole state in every checkpoint."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from langgraph.checkpoint.serde.types import TASKS

from holdfast.adapters.langgraph.importer.sources.source import Key, Row, Source, StoredWrite, Totals, Typed
from holdfast.adapters.langgraph.importer.sources.source_sql import statements
from holdfast.adapters.langgraph.importer.sources.traceless_sqlite import ReadOnlyFile
from holdfast.errors import NotAStore, NotFound

_SQL: Final = statements("sqlite.sql")
_COLUMNS: Final = {
    "checkpoints": {
        "thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "type", "checkpoint", "metadata",
    },
    "writes": {"thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "type", "value"},
}  # fmt: skip


class SqliteSource(Source):
    """One file. `setup()` of the official saver is never called, since it alters tables."""

    sends_in_parent = False

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise NotFound(f"{path}: there is no such file")
        if path.is_dir():
            raise NotAStore(f"{path}: this is a folder; give the path of the database file")
        self._file = ReadOnlyFile(path)
        try:
            self._file.ask(self._check_tables)
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        return str(self._file.path)

    def _check_tables(self, connection: sqlite3.Connection) -> None:
        for table, needed in _COLUMNS.items():
            columns = {name for (name,) in connection.execute(_SQL["columns"], (table,))}
            if missing := needed - columns:
                raise NotAStore(f"{self.name}: not a LangGraph database: {_lack(table, columns, missing)}")
        self._writes = _SQL["writes" if "task_path" in columns else "writes_without_path"]  # not in files before 2025

    def totals(self, threads: Collection[str] | None = None) -> Totals:
        if threads is None:
            return self._count("totals")
        counts = [self._count("totals_of_thread", thread) for thread in threads]
        return Totals(sum(count.threads for count in counts), sum(count.checkpoints for count in counts))

    def _count(self, statement: str, *values: str) -> Totals:
        return Totals(*self._file.ask(partial(_one, statement, values)))

    def threads(self) -> Iterator[str]:
        (thread,) = self._file.ask(partial(_one, "first_thread", ()))
        while thread is not None:
            yield thread
            (thread,) = self._file.ask(partial(_one, "next_thread", (thread,)))

    def keys(self, thread: str, after: Key | None, limit: int) -> list[Key]:
        values = (thread, *(after or ("", "")), limit)
        return self._file.ask(lambda connection: [Key(*row) for row in connection.execute(_SQL["keys"], values)])

    def rows(self, thread: str, keys: Sequence[Key]) -> Iterator[Row]:
        for key in keys:  # one at a time: each has the whole state
            row = self._file.ask(partial(self._row, thread, key))
            if row is not None:
                yield row

    def _row(self, thread: str, key: Key, connection: sqlite3.Connection) -> Row | None:
        found = _one("checkpoint", (thread, *key), connection)
        if found is None:
            return None
        parent, type_, checkpoint, metadata = found
        writes = self._writes_to(thread, key, connection)
        return Row(thread, key, parent or None, Typed(type_, checkpoint), metadata, writes)

    def _writes_to(self, thread: str, key: Key, connection: sqlite3.Connection) -> list[StoredWrite]:
        return [StoredWrite.of(columns) for columns in connection.execute(self._writes, (thread, *key))]

    def sends(self, thread: str, key: Key) -> list[StoredWrite]:
        writes = self._file.ask(partial(self._writes_to, thread, key))
        return [write for write in writes if write.channel == TASKS]

    def close(self) -> None:
        self._file.close()


def _one(statement: str, values: tuple[str, ...], connection: sqlite3.Connection) -> Any:
    return connection.execute(_SQL[statement], values).fetchone()


def _lack(table: str, columns: set[str], missing: set[str]) -> str:
    if not columns:
        return f"it has no table {table!r}"
    return f"its table {table!r} has no column {', '.join(sorted(missing))}; it was made by LangGraph before 0.2"
