"""From stored checkpoints to the tuples that LangGraph reads."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.base import CheckpointTuple

from holdfast.adapters.langgraph.metadata import unpacked
from holdfast.engine.port import CheckpointRow, Handle, StoredCheckpoints, as_datetime


def config_of(thread_id: Any, namespace: str, checkpoint_id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def tuple_of(stored: StoredCheckpoints, row: CheckpointRow, handle: Handle, thread_id: Any) -> CheckpointTuple:
    parent = stored.parents[row.seq]
    config = config_of(thread_id, handle.namespace, row.id)
    parent_config = None if parent is None else config_of(thread_id, handle.namespace, parent)
    return CheckpointTuple(
        config=config,  # type: ignore[arg-type]
        checkpoint=_checkpoint(row, stored.extra_of(row) or {}, stored.channels_of(row)),  # type: ignore[arg-type]
        metadata=unpacked(row, handle.codec),  # type: ignore[arg-type]
        parent_config=parent_config,  # type: ignore[arg-type]
        pending_writes=[(write.task_id, write.channel, write.value) for write in stored.pending_writes[row.seq]],
    )


def _checkpoint(row: CheckpointRow, record: dict[str, Any], channels: dict[str, Any]) -> dict[str, Any]:
    """As it was put. One that was saved natively has no record, and gets what LangGraph needs to read it."""
    if not record:
        moment = as_datetime(row.created_at).isoformat()
        record = {"v": 4, "ts": moment, "channel_versions": {}, "versions_seen": {}}
    return {**record, "id": row.id, "channel_values": channels}
