"""The differences between a checkpoint in the source and the same one read back from the target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from holdfast.adapters.langgraph.importer.sources.checkpoint_parts import SourceCheckpoint

_SERIALIZER: Final = JsonPlusSerializer()
_SHOWN: Final = 60


def head_difference(original: SourceCheckpoint, stored: CheckpointTuple) -> str | None:
    """The first difference in anything but the writes."""
    parent = stored.parent_config["configurable"].get("checkpoint_id") if stored.parent_config else None
    sides = [
        ("parent", original.parent, parent or None),
        ("checkpoint", dict(original.checkpoint), _without_repeated_snapshots(original, stored)),
        ("metadata", dict(original.metadata), dict(stored.metadata)),
    ]
    return next((text for path, ours, theirs in sides for text in differences(ours, theirs, path)), None)


def writes_difference(original: SourceCheckpoint, stored: CheckpointTuple) -> str | None:
    ours, theirs = original.pending_writes, [tuple(write) for write in stored.pending_writes or ()]
    return next(differences(ours, theirs, "pending_writes"), None)


def _without_repeated_snapshots(original: SourceCheckpoint, stored: CheckpointTuple) -> dict[str, Any]:
    """The target's checkpoint, without snapshots that are there only because of how the target stores them.

    The snapshot of a delta channel is stored once and holds until the channel's version changes. Savers that store
    values by version return it with every checkpoint of that version; savers of whole states only with the first.
    """
    ours = original.checkpoint["channel_values"]
    values = dict(stored.checkpoint["channel_values"])
    for channel, value in stored.checkpoint["channel_values"].items():
        if channel not in ours and isinstance(value, _DeltaSnapshot):
            del values[channel]
    return {**stored.checkpoint, "channel_values": values}


def differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """Where two values differ. Equality is not enough: 1, 1.0 and True are equal, but are three values."""
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
    for index, (our, their) in enumerate(zip(ours, theirs, strict=False)):
        yield from differences(our, their, f"{path}[{index}]")
    if len(ours) != len(theirs):
        yield f"{path}: {len(ours)} items are {len(theirs)} in the target"


def _is_same(ours: Any, theirs: Any) -> bool:
    """Compared by serialized form, since arrays have no single == and NaN is not equal to itself; and by ==, since the
    order within a set may differ."""
    try:
        return _SERIALIZER.dumps_typed(ours) == _SERIALIZER.dumps_typed(theirs) or bool(ours == theirs)
    except Exception:  # __eq__ of an application's class may raise anything
        return False


def _short(value: Any) -> str:
    text = f"{type(value).__name__} {value!r}"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
