"""Decodes a stored row to a checkpoint, as the official saver of that database does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, PendingWrite
from langgraph.checkpoint.serde.types import TASKS

from holdfast.adapters.langgraph.importer.sources.serde_decoder import Decoder, Undecodable
from holdfast.adapters.langgraph.importer.sources.source import Key, Row, Source, StoredWrite, Typed

_SENDS_ARE_A_CHANNEL: Final = 4  # from this format of checkpoints on
_FIRST_VERSION: Final = f"{1:032}.{0:016}"  # version 1 as the official savers write it
_EMPTY: Final = "empty"  # the type of a blob whose channel has no value


@dataclass(frozen=True, slots=True)
class Write:
    task_path: str
    task_id: str
    idx: int
    channel: str
    value: Any


@dataclass(frozen=True, slots=True)
class SourceCheckpoint:
    """A checkpoint of the source with its metadata and writes, decoded."""

    thread: str
    key: Key
    parent: str | None
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    writes: Sequence[Write]

    @property
    def pending_writes(self) -> list[PendingWrite]:
        return [(write.task_id, write.channel, write.value) for write in self.writes]

    def config(self, id: str | None) -> RunnableConfig:
        """The config of the checkpoint with this id in the same namespace; without an id, of the namespace."""
        namespace = {"thread_id": self.thread, "checkpoint_ns": self.key.namespace}
        return {"configurable": namespace if id is None else {**namespace, "checkpoint_id": id}}


def assemble(source: Source, row: Row, decoder: Decoder) -> SourceCheckpoint:
    """Decode a row. Raises `Undecodable` with a message that names the part."""
    checkpoint = _checkpoint(row, decoder)
    if row.parent and _lacks_sends(source, checkpoint):
        _add_sends(source.sends(row.thread, Key(row.parent, row.key.namespace)), checkpoint, decoder)
    writes = [_write(stored, decoder) for stored in row.writes]
    return SourceCheckpoint(row.thread, row.key, row.parent, cast(Checkpoint, checkpoint), _metadata(row), writes)


def _checkpoint(row: Row, decoder: Decoder) -> dict[str, Any]:
    checkpoint = _decoded("the checkpoint", row.checkpoint, decoder)
    if not isinstance(checkpoint, dict) or not isinstance(checkpoint.get("channel_versions"), dict):
        raise Undecodable("the checkpoint is damaged: it has no channel_versions")
    if checkpoint.get("id") != row.key.id:
        raise Undecodable(f"the checkpoint is damaged: it contains the id {checkpoint.get('id')!r}")
    if not isinstance(checkpoint.get("v", 1), int):
        raise Undecodable(f"the checkpoint is damaged: its format is {checkpoint['v']!r}")
    blobs = {
        channel: _decoded(f"the channel {channel!r}", blob, decoder)
        for channel, blob in row.blobs.items()
        if blob.type != _EMPTY
    }
    return {**checkpoint, "channel_values": {**(checkpoint.get("channel_values") or {}), **blobs}}


def _lacks_sends(source: Source, checkpoint: dict[str, Any]) -> bool:
    """Whether the sends have to be taken from the parent's writes. Old checkpoints in SQLite have them in a list of
    their own, which a graph turns into the channel when it loads them."""
    if checkpoint.get("v", 1) >= _SENDS_ARE_A_CHANNEL:
        return False
    return source.sends_in_parent or "pending_sends" not in checkpoint


def _add_sends(sends: Sequence[StoredWrite], checkpoint: dict[str, Any], decoder: Decoder) -> None:
    """Set the channel of the sends. Before format 4 they were stored only among the parent's writes."""
    if not sends:
        return
    versions = checkpoint["channel_versions"]
    try:
        latest = max(versions.values(), default=_FIRST_VERSION)
    except TypeError as error:
        raise Undecodable(f"the versions of its channels can't be compared ({error})") from error
    checkpoint["channel_values"][TASKS] = [_write(send, decoder).value for send in sends]
    checkpoint["channel_versions"] = {**versions, TASKS: latest}


def _metadata(row: Row) -> CheckpointMetadata:
    """Plain JSON; a dict that looks like a serialized object is not revived."""
    try:
        metadata = json.loads(row.metadata) if row.metadata is not None else {}
    except ValueError as error:
        raise Undecodable(f"the metadata is damaged ({error})") from error
    if not isinstance(metadata, dict):
        raise Undecodable("the metadata is damaged: it is not a JSON object")
    return cast(CheckpointMetadata, metadata)


def _write(stored: StoredWrite, decoder: Decoder) -> Write:
    where = f"the write of task {stored.task_id} to the channel {stored.channel!r}"
    value = _decoded(where, stored.value, decoder)
    return Write(stored.task_path, stored.task_id, stored.idx, stored.channel, value)


def _decoded(where: str, stored: Typed, decoder: Decoder) -> Any:
    try:
        return decoder.decode(stored)
    except Undecodable as error:
        path = error.path
        if path[:1] == ("channel_values",) and len(path) > 1:
            where, path = f"the channel {path[1]!r}", path[2:]
        inside = "".join(f"[{step!r}]" for step in path)
        raise Undecodable(f"{where}{', at ' + inside if inside else ''}: {error.why}") from error
