"""What differs between a checkpoint as the source has it and as the target gives it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from holdfast.adapters.langgraph.sources.assembling import Found

_SERIALIZER: Final = JsonPlusSerializer()
_SHOWN: Final = 60


def head_difference(found: Found, there: CheckpointTuple) -> str | None:
    """The first difference in all but the writes."""
    parent = there.parent_config["configurable"].get("checkpoint_id") if there.parent_config else None
    sides = [
        ("parent", found.parent, parent or None),
        ("checkpoint", dict(found.checkpoint), _without_repeated_snapshots(found, there)),
        ("metadata", dict(found.metadata), dict(there.metadata)),
    ]
    return next((text for path, ours, theirs in sides for text in differences(ours, theirs, path)), None)


def writes_difference(found: Found, there: CheckpointTuple) -> str | None:
    ours, theirs = found.pending_writes, [tuple(write) for write in there.pending_writes or ()]
    return next(differences(ours, theirs, "pending_writes"), None)


def _without_repeated_snapshots(found: Found, there: CheckpointTuple) -> dict[str, Any]:
    """The target's checkpoint, without what only the way of storing adds to it.

    The snapshot of a delta channel is stored once and holds until the channel's version changes. Savers that keep
    values by version find it for every checkpoint of that version; savers of whole states only for the first.
    """
    ours = found.checkpoint["channel_values"]
    values = {
        channel: value
        for channel, value in there.checkpoint["channel_values"].items()
        if channel in ours or not isinstance(value, _DeltaSnapshot)
    }
    return {**there.checkpoint, "channel_values": values}


def differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """Where two values differ. Equal is not enough: 1, 1.0 and True are three values."""
    if type(ours) is not type(theirs):
        yield f"{path}: {_short(ours)} is {_short(theirs)} in the target"
    elif isinstance(ours, dict):
        yield from _in_dicts(ours, theirs, path)
    elif isinstance(ours, list) or type(ours) is tuple:
        yield from _in_lists(ours, theirs, path)
    elif not _is_same(ours, theirs):
        yield f"{path}: {_short(ours)} is {_short(theirs)} in the target"


def _in_dicts(ours: dict[Any, Any], theirs: dict[Any, Any], path: str) -> Iterator[str]:
    for key in ours:
        if key in theirs:
            yield from differences(ours[key], theirs[key], f"{path}[{key!r}]")
        else:
            yield f"{path}[{key!r}]: missing in the target"
    for key in theirs:
        if key not in ours:
            yield f"{path}[{key!r}]: only in the target"


def _in_lists(ours: Any, theirs: Any, path: str) -> Iterator[str]:
    for index, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        yield from differences(one, other, f"{path}[{index}]")
    if len(ours) != len(theirs):
        yield f"{path}: {len(ours)} items are {len(theirs)} in the target"


def _is_same(ours: Any, theirs: Any) -> bool:
    """Arrays have no single answer to ==, not-a-number is not itself, and the order within a set may differ."""
    try:
        return _SERIALIZER.dumps_typed(ours) == _SERIALIZER.dumps_typed(theirs) or bool(ours == theirs)
    except Exception:  # a value of the application may raise anything
        return False


def _short(value: Any) -> str:
    text = f"{type(value).__name__} {value!r}"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
