"""Threads as lines of JSON, to be read by people and their tools; they can't be imported.

One object a line: a thread, a checkpoint, a pending write or a journal entry. A checkpoint has the channels that
changed since its parent, whole. What JSON has no word for becomes text or an object that says what it is:
docs/reference/bundle.md has the table.
"""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path, PurePath
from typing import Any, TextIO
from uuid import UUID

from holdfast.codec import Codec
from holdfast.engine import load, terms, views
from holdfast.engine.context import Handle, as_datetime
from holdfast.engine.manifest import Entry
from holdfast.engine.views import View
from holdfast.transfer import looking, places
from holdfast.transfer.bundle import told
from holdfast.transfer.reports import Counts
from holdfast.transfer.source import Opened

Object = dict[str, Any]


class Writer:
    """A file of lines, under its own name once it is complete. A context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made = path.with_name(f".{path.name}.{os.getpid()}.part")

    def __enter__(self) -> Writer:
        places.check(self._path)
        try:
            self._file: TextIO = self._made.open("w", encoding="utf-8")
        except OSError as error:
            raise told(self._made, error) from error
        return self

    def write(self, line: Object) -> None:
        try:
            self._file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
        except OSError as error:
            raise told(self._made, error) from error

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._file.close()
            with suppress(OSError):
                self._made.unlink()
            return
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            places.check(self._path)
            self._made.replace(self._path)
        except OSError as error:
            raise told(self._path, error) from error


async def thread(codec: Codec, opened: Opened, counts: Counts) -> AsyncIterator[Object]:
    row, root = opened.thread, opened.views[""].line
    known = terms.metadata_of(row)
    yield {
        "kind": "thread", "id": row.id, "metadata": plain(codec.decode(known) if known else {}),
        "created_at": _moment(row.created_at), "updated_at": _moment(root.updated_at),
        "forked_from": None if row.from_thread is None else [row.from_thread, row.from_checkpoint],
        "namespaces": sorted(opened.views),
    }  # fmt: skip
    async for entries in looking.entries(opened.engine, root):
        for entry in entries:
            counts.entries += 1
            yield {
                "kind": "journal", "thread": row.id, "seq": entry.seq, "event": entry.kind, "key": entry.key,
                "created_at": _moment(entry.created_at), "data": plain(codec.decode(entry.body)),
            }  # fmt: skip
    for namespace, view in sorted(opened.views.items()):
        async for line in _namespace(codec, opened, namespace, view, counts):
            yield line


async def _namespace(codec: Codec, opened: Opened, namespace: str, view: View, counts: Counts) -> AsyncIterator[Object]:
    engine = opened.engine
    place = {"thread": opened.thread.id, "namespace": namespace}
    handle = Handle(opened.thread.id, namespace, codec)
    removed = set(opened.hidden[namespace])
    async for rows in looking.pages(engine, view):
        for row in [row for row in rows if row.seq not in removed]:
            known = load.manifest_of(row)
            parent = await looking.row_at(engine, view, row.parent_seq) if row.parent_seq else None
            before = load.manifest_of(parent).channels if parent is not None else {}
            changed = [name for name, entry in known.channels.items() if _differs(entry, before.get(name))]
            state, extra = await load.channels(engine, codec, row, changed)
            parent_id, _ = await views.parent_of(engine, view, row)
            fields = load.fields(handle, row, view.label(row), view.status(row), parent_id)
            counts.checkpoints += 1
            counts.size += row.size
            yield {
                "kind": "checkpoint", **place,
                **{name: plain(value) for name, value in fields.items() if name not in ("thread_id", "namespace")},
                "state": {name: plain(value) for name, value in state.items()},
                "same": [name for name in known.channels if name not in changed],
                **({} if extra is None else {"extra": plain(extra)}),
            }  # fmt: skip
            for write in (await load.pending_writes(engine, codec, view, [row]))[row.seq]:
                counts.writes += 1
                yield {
                    "kind": "write", **place, "checkpoint": row.id, "task": write.task_id, "index": write.index,
                    "channel": write.channel, "value": plain(write.value), "path": write.task_path,
                }  # fmt: skip


def _differs(entry: Entry, before: Entry | None) -> bool:
    return before is None or before.digest != entry.digest


def _moment(microseconds: int) -> str:
    return as_datetime(microseconds).isoformat()


# ------------------------------------------------------------------------------------------------ stand-ins


def plain(value: Any) -> Any:
    """The nearest that JSON has."""
    if value is None or isinstance(value, bool) or type(value) is int:
        return value
    if isinstance(value, Enum):
        return {"$enum": f"{type(value).__module__}.{type(value).__qualname__}.{value.name}"}
    if isinstance(value, str):
        return str(value).encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, bytes | bytearray):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        return _mapping(value)
    if type(value) is list:
        return [plain(one) for one in value]
    if isinstance(value, tuple | set | frozenset | list):
        return {f"${type(value).__name__}": [plain(one) for one in value]}
    if isinstance(value, datetime | date | time):
        return {f"${type(value).__name__}": value.isoformat()}
    if isinstance(value, timedelta):
        return {"$timedelta": value.total_seconds()}
    if isinstance(value, int | Decimal | UUID | PurePath):
        return {f"${type(value).__name__}": str(value)}
    return {"$object": f"{type(value).__module__}.{type(value).__qualname__}", "text": repr(value)}


def _mapping(value: Mapping[Any, Any]) -> Any:
    if all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {plain(key): plain(one) for key, one in value.items()}
    return {"$map": [[plain(key), plain(one)] for key, one in value.items()]}
