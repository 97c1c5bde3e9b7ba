"""Reducers: how `update` combines what a channel holds with what is new.

`extend`, `merge` and `replace` are known by name to the engine; `extend` then costs what is new, however long the list
is. Any other function of (old, new) works as well, and is called again if the head moves in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.codec import Codec
from holdfast.engine.context import Engine, Handle
from holdfast.engine.values.manifest import Entry, Manifest, Ref
from holdfast.engine.values.state_change import Base, Change, Changed, StateWriter

Reducer = Callable[[Any, Any], Any]


def replace(old: Any, new: Any) -> Any:
    """The new value; what `update` does to a channel without a reducer."""
    return new


def extend(old: Any, new: Any) -> Any:
    """The old list (or tuple, or set) with the new items after it."""
    if isinstance(old, list):
        return [*old, *new]
    if type(old) in (tuple, set, frozenset):
        return type(old)([*old, *new])
    raise TypeError(f"extend adds to a list, tuple or set, and the channel holds a {type(old).__name__}")


def merge(old: Any, new: Any) -> Any:
    """The old mapping with the new keys set in it."""
    return {**old, **new}


def may_block(reducers: Mapping[str, Reducer] | None) -> bool:
    """Whether one of them is a user's function, which may block."""
    return isinstance(reducers, Mapping) and any(
        reducer not in (replace, extend, merge) for reducer in reducers.values()
    )


def reducing(updates: Mapping[str, Any], reducers: Mapping[str, Reducer]) -> Change:
    """Only these channels change, each by its reducer."""

    async def change(engine: Engine, handle: Handle, base: Base) -> Changed:
        before = base.manifest.channels
        writer = await StateWriter.open(engine, base, [before[name] for name in updates if name in before])
        entries = dict(before)
        for name, new in updates.items():
            entries[name] = _reduced(writer, handle.codec, name, new, reducers.get(name, replace))
        still_open = tuple(name for name in base.manifest.open if name not in entries)
        writer.changed.manifest = Manifest(entries, base.manifest.extra, still_open)
        return writer.changed

    return change


def _reduced(writer: StateWriter, codec: Codec, name: str, new: Any, reducer: Reducer) -> Entry:
    path = f"state[{name!r}]"
    before = writer.base.manifest.channels.get(name)
    size = 0 if before is None else writer.size(before)
    entry = None
    if reducer is extend and type(new) is list and isinstance(before, Ref):
        entry = writer.append(codec.encode(new, path), before)
    if entry is None:
        if before is not None and reducer is not replace:
            new = reducer(writer.value(codec, before), new)
        entry = writer.store(codec.encode(new, path), before, name)
    writer.changed.size += writer.size(entry) - size
    return entry
