"""Threads as lines of JSON, to be read by people and their tools; they can't be imported.

Each line is one object: a thread, a checkpoint, a pending write or a journal entry. A checkpoint has the full values of
the channels that changed since its parent. `holdfast._json` says how values are written.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast._json import channels_to_json, fields_to_json, to_json
from holdfast._system import atomic_files
from holdfast.backends.rows import CheckpointRow
from holdfast.codec import Codec
from holdfast.engine import policy
from holdfast.engine.checkpoints import hydrate
from holdfast.engine.context import Handle, as_datetime
from holdfast.engine.threads import views
from holdfast.engine.threads.views import View
from holdfast.engine.values import loader
from holdfast.engine.values.manifest import Entry
from holdfast.transfer import outline, paths
from holdfast.transfer.report import Counts
from holdfast.transfer.source.thread_reader import OpenedThread

Object = dict[str, Any]


class Writer:
    """A file of lines, under its own name once it is complete and on disk. A context manager."""

    def __init__(self, path: Path, rights: int = atomic_files.PRIVATE) -> None:
        self._path = path
        self._rights = rights

    def __enter__(self) -> Writer:
        paths.check(self._path)
        with atomic_files.translated(self._path):
            self._file = atomic_files.NewFile(self._path, rights=self._rights)
        return self

    def write(self, line: Object) -> None:
        data = json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        with atomic_files.translated(self._path):
            self._file.write(data)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._file:
            if kind is None:
                paths.check(self._path)
                with atomic_files.translated(self._path):
                    self._file.publish()


async def thread_lines(codec: Codec, opened: OpenedThread, counts: Counts) -> AsyncIterator[Object]:
    """The lines of one thread: the thread itself, its journal, then its checkpoints by namespace."""
    row, root = opened.thread, opened.views[""].line
    yield {
        "kind": "thread", "id": row.id, "metadata": to_json(_decoded(codec, policy.metadata_of(row))),
        "created_at": _iso(row.created_at), "updated_at": _iso(root.updated_at),
        "forked_from": None if row.from_thread is None else [row.from_thread, row.from_checkpoint],
        "namespaces": sorted(opened.views),
    }  # fmt: skip
    async for entries in outline.entries(opened.engine, root):
        for entry in entries:
            counts.entries += 1
            yield {
                "kind": "journal", "thread": row.id, "seq": entry.seq, "event": entry.kind, "key": entry.key,
                "created_at": _iso(entry.created_at), "data": to_json(codec.decode(entry.body)),
            }  # fmt: skip
    for namespace, view in sorted(opened.views.items()):
        lines = _NamespaceLines(codec, opened, namespace, view, counts)
        async for line in lines.checkpoints():
            yield line


@dataclass(eq=False)
class _NamespaceLines:
    """The lines of one namespace: each checkpoint, followed by its pending writes."""

    codec: Codec
    opened: OpenedThread
    namespace: str
    view: View
    counts: Counts

    async def checkpoints(self) -> AsyncIterator[Object]:
        removed = set(self.opened.hidden[self.namespace])
        async for rows in outline.pages(self.opened.engine, self.view):
            for row in rows:
                if row.seq not in removed:
                    yield await self._checkpoint(row)
                    for write in await self._pending_writes(row):
                        yield write

    async def _checkpoint(self, row: CheckpointRow) -> Object:
        engine, view = self.opened.engine, self.view
        channels = (await loader.manifest_of(engine, row)).channels
        before = await self._parent_channels(row)
        changed = [name for name, entry in channels.items() if _differs(entry, before.get(name))]
        state, extra = await hydrate.channels(engine, self.codec, row, changed)
        parent_id, _ = await views.parent_of(engine, view, row)
        handle = Handle(self.opened.thread.id, self.namespace, self.codec)
        fields = hydrate.fields(handle, row, view.label(row), view.status(row), parent_id)
        del fields["thread_id"], fields["namespace"]
        self.counts.checkpoints += 1
        self.counts.size += row.size
        return {
            "kind": "checkpoint", **self._owner, **fields_to_json(fields), "state": channels_to_json(state),
            "same": [name for name in channels if name not in changed],
            **({} if extra is None else {"extra": to_json(extra)}),
        }  # fmt: skip

    async def _parent_channels(self, row: CheckpointRow) -> Mapping[str, Entry]:
        if not row.parent_seq:
            return {}
        parent = await outline.row_at(self.opened.engine, self.view, row.parent_seq)
        return {} if parent is None else (await loader.manifest_of(self.opened.engine, parent)).channels

    async def _pending_writes(self, row: CheckpointRow) -> list[Object]:
        writes = await hydrate.pending_writes(self.opened.engine, self.codec, self.view, [row])
        self.counts.writes += len(writes[row.seq])
        return [
            {
                "kind": "write", **self._owner, "checkpoint": row.id, "task": write.task_id, "index": write.index,
                "channel": write.channel, "value": to_json(write.value), "path": write.task_path,
            }
            for write in writes[row.seq]
        ]  # fmt: skip

    @property
    def _owner(self) -> Object:
        return {"thread": self.opened.thread.id, "namespace": self.namespace}


def _decoded(codec: Codec, metadata: bytes) -> Any:
    return codec.decode_dict(metadata)


def _differs(entry: Entry, before: Entry | None) -> bool:
    return before is None or before.digest != entry.digest


def _iso(microseconds: int) -> str:
    return as_datetime(microseconds).isoformat()
