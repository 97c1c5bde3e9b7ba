"""Reducers: how `update` combines what a channel holds with what is new.

`extend`, `merge` and `replace` are known by name to the engine; `extend` then costs what is new, however long the list
is. Any other function of (old, new) works as well, and is called again if the head moves in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.engine import load, values
from holdfast.engine.context import Engine, Handle
from holdfast.engine.manifest import Entry, Manifest, Ref
from holdfast.engine.states import Base, Change, Changed, store_value
from holdfast.engine.values import Home, Version

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
    """Whether there is a user's function among them, which may take its time."""
    return isinstance(reducers, Mapping) and any(one not in (replace, extend, merge) for one in reducers.values())


def reducing(updates: Mapping[str, Any], reducers: Mapping[str, Reducer]) -> Change:
    """Only these channels change, each by its reducer."""

    async def change(engine: Engine, handle: Handle, base: Base) -> Changed:
        before = base.manifest.channels
        known = await load.versions(engine, base.tree, [before[name] for name in updates if name in before])
        changed = Changed(base.manifest, base.size)
        entries = dict(before)
        for name, new in updates.items():
            one = _One(handle, engine.home(base.tree), name, before.get(name), known, changed)
            entries[name] = one.reduced(new, reducers.get(name, replace))
        changed.manifest = Manifest(entries, base.manifest.extra)
        return changed

    return change


class _One:
    """One channel on its way through its reducer."""

    def __init__(
        self, handle: Handle, home: Home, name: str, base: Entry | None, known: dict[Ref, Version], changed: Changed
    ) -> None:
        self.codec = handle.codec
        self.home = home
        self.path = f"state[{name!r}]"
        self.base = base
        self.known = known
        self.changed = changed

    def reduced(self, new: Any, reducer: Reducer) -> Entry:
        if self.base is None or reducer is replace:
            return self._stored(self.codec.encode(new, self.path))
        if reducer is extend and type(new) is list:
            appended = self._appended(new)
            if appended is not None:
                return appended
        old = load.value(self.codec, self.base, self.known)
        return self._stored(self.codec.encode(reducer(old, new), self.path))

    def _appended(self, new: list[Any]) -> Entry | None:
        if not isinstance(self.base, Ref):
            return None
        enc = self.codec.encode(new, self.path)
        old = load.version_of(self.base, self.known)
        written = values.append(self.home, enc, self.base, old)
        if written is None or written.version is None:
            return None
        self.changed.size += written.version.parts.size - old.parts.size
        return self.changed.add(written)

    def _stored(self, enc: bytes) -> Entry:
        before = len(load.encoding(self.base, self.known)) if self.base is not None else 0
        self.changed.size += len(enc) - before
        return store_value(self.home, enc, self.base, self.known, self.changed)
