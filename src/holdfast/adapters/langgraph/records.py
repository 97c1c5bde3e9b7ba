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

_APART: Final = frozenset({"id", "channel_values"})
_KEYED: Final = 2  # the kind of a change: see holdfast/engine/changes.py
_SIMPLE: Final = frozenset({str, int, type(None)})  # of these, equal ones of one type have one encoding
_encode = Encoder().encode


def record_of(checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """Everything but the id and the values, copied: the caller's dicts are the caller's."""
    record = {name: part for name, part in checkpoint.items() if name not in _APART}
    record["channel_versions"] = dict(checkpoint.get("channel_versions") or {})
    record["versions_seen"] = {node: dict(seen) for node, seen in (checkpoint.get("versions_seen") or {}).items()}
    return record


def record_change(old: Any, new: Any, codec: Codec) -> bytes | None:
    """The change from one record to the next, as a value log takes it; None if there is no short way to say it."""
    try:
        return _encode(_change(old, new, codec))
    except (_Other, UnicodeEncodeError):
        return None


class _Other(Exception):
    """Keys in another order, or gone: the engine knows how to say that."""


def _change(old: Any, new: Any, codec: Codec) -> list[Any]:
    """What is set is set whether it is new or not: only what is certainly the same is left out."""
    if type(old) is not dict or type(new) is not dict or [*new][: len(old)] != [*old]:
        raise _Other
    sets: list[Any] = []
    inner: list[Any] = []
    for name, part in new.items():
        if type(name) is not str:
            raise _Other
        before = old.get(name, _Other)
        kind = type(part)
        if kind is type(before) and kind in _SIMPLE and part == before:
            continue
        if kind is dict and type(before) is dict and before:
            change = _change(before, part, codec)
            if change[2] or change[3]:
                inner += (name, change)
        else:
            sets += (name, part if kind in _SIMPLE else Raw(codec.encode(part)))
    return [_KEYED, [], sets, inner]
