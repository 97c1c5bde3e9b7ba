"""The record of a checkpoint: what it says besides its values, and what of that is new.

A record is some maps of versions, of which a step changes a few. The engine would find out which by comparing
encodings; but both records are at hand here, and looking at them takes a fifth of the time of a put's own work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Raw
from msgspec.msgpack import Encoder

from holdfast.codec import Codec

_KEYED: Final = 2  # the kind of a change: see holdfast/engine/values/patch.py
_SIMPLE: Final = frozenset({str, int, type(None)})  # of these, equal ones of one type have one encoding
_encode = Encoder().encode


def record_of(checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """Everything but the id and the values, copied: the caller's dicts are the caller's."""
    record = dict(checkpoint)
    record.pop("id", None)
    record.pop("channel_values", None)
    record["channel_versions"] = dict(checkpoint.get("channel_versions") or {})
    record["versions_seen"] = {node: dict(seen) for node, seen in (checkpoint.get("versions_seen") or {}).items()}
    return record


def record_change(old: Any, new: Any, codec: Codec) -> bytes | None:
    """The change from one record to the next, as a value log takes it; None if it has no short form."""
    try:
        return _encode(_change(old, new, codec))
    except (_Other, UnicodeEncodeError):
        return None


class _Other(Exception):
    """Keys in another order, or gone: the engine can express that."""


def _change(old: Any, new: Any, codec: Codec) -> list[Any]:
    """What is set is set whether it is new or not: only what is certainly the same is left out."""
    if not _is_continued(old, new):
        raise _Other
    sets: list[Any] = []
    inner: list[Any] = []
    for name, part in new.items():
        before = old.get(name, _Other)
        kind = type(part)
        if kind in _SIMPLE:
            if kind is not type(before) or part != before:
                sets += (name, part)
        elif type(before) is kind is dict and before:
            change = _change(before, part, codec)
            if change[2] or change[3]:
                inner += (name, change)
        else:
            sets += (name, Raw(codec.encode(part)))
    return [_KEYED, [], sets, inner]


def _is_continued(old: Any, new: Any) -> bool:
    """Whether both are maps of names, and the new one has those of the old one first, in their order."""
    if type(old) is not dict or type(new) is not dict or [*new][: len(old)] != [*old]:
        return False
    return {*map(type, new)} <= {str}
