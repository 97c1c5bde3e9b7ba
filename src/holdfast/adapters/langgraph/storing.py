"""From a LangGraph checkpoint to what is stored: its channels, and the record of everything else it says.

A channel is unchanged if its version is the one that the stored checkpoint has; its value then is that one's, whatever
the parent is called. Only new versions are encoded, and that before anything else happens: LangGraph hands out values
that the next step goes on to change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from holdfast.adapters.langgraph.kept import Kept, keep
from holdfast.adapters.langgraph.known import storable
from holdfast.adapters.langgraph.records import record_change, record_of
from holdfast.engine import load, places, values, views
from holdfast.engine.context import Engine, Handle
from holdfast.engine.manifest import Entry, Inline, Manifest, Ref, frozen
from holdfast.engine.parts import LIST, join, split_items
from holdfast.engine.states import Base, Changed, store_value
from holdfast.engine.values import Version

_MISSING = object()


class Whole(NamedTuple):
    """A value, encoded."""

    enc: bytes
    kept: Kept | None


class Longer(NamedTuple):
    """A list that was saved before, with more at its end."""

    ref: Ref
    old: Version
    enc: bytes  # of what is new, as a list
    kept: Kept | None

    def whole(self) -> bytes:
        return join(LIST, [*split_items(self.old.parts.enc), *split_items(self.enc)])


class Same(NamedTuple):
    """A list that was saved before."""

    ref: Ref
    old: Version


Prepared = Whole | Longer | Same


class Storing:
    """One put. What it stores is fixed when it is made; the engine then asks for it, from the manifest it starts at."""

    def __init__(
        self, engine: Engine, handle: Handle, checkpoint: Mapping[str, Any], new_versions: Mapping[str, Any]
    ) -> None:
        self.handle = handle
        self.record = record_of(checkpoint)
        self.growing: Collection[str] = ()  # channels whose values are made of what was written
        self.new_versions = new_versions
        self._record_enc = handle.codec.encode(self.record, "checkpoint")
        self._values: Mapping[str, Any] = checkpoint.get("channel_values") or {}
        self._prepared: dict[str, Prepared] = {}
        here = places.remembered(engine, handle)
        head = here.head if here is not None else None
        likely = load.manifest_of(head) if head is not None else Manifest({})
        self._likely = likely.channels
        versions = _versions_kept(engine, likely.extra)
        for name in self._values:
            is_same = name in versions and versions[name] == self.record["channel_versions"].get(name, _MISSING)
            if name in new_versions or name not in self._likely or not is_same:
                self._prepare(engine, name)

    def also(self, name: str, value: Any, version: Any) -> None:
        """One more channel."""
        self.record["channel_versions"][name] = version
        self.new_versions = {**self.new_versions, name: version}
        self._record_enc = self.handle.codec.encode(self.record, "checkpoint")
        self._prepared[name] = Whole(self.handle.codec.encode(value, f"channel_values[{name!r}]"), None)

    def _prepare(self, engine: Engine, name: str) -> Prepared:
        value = self._values[name]
        found = self._prepared[name] = self._continued(engine, name, value) or self._whole(name, value)
        return found

    def _whole(self, name: str, value: Any) -> Whole:
        codec = self.handle.codec
        kept = keep(value, codec)  # first: what changes meanwhile then shows the next time
        return Whole(codec.encode(storable(value), f"channel_values[{name!r}]"), kept)

    def _continued(self, engine: Engine, name: str, value: Any) -> Prepared | None:
        """If the last checkpoint's list is how this one starts, only what follows is encoded."""
        ref = self._likely.get(name)
        if type(value) is not list or not isinstance(ref, Ref):
            return None
        ref = ref._replace(frozen=False)
        old: Version | None = engine.cache.get((ref.log, ref.pos))
        if old is None or not isinstance(old.kept, Kept) or not old.kept.starts(value):
            return None
        fresh = value[len(old.kept.messages) :]
        if not fresh:
            return Same(ref, old)
        codec = self.handle.codec
        kept = old.kept.and_then(fresh, codec)
        return Longer(ref, old, codec.encode(fresh, f"channel_values[{name!r}]"), kept)

    # ---------------------------------------------------------------- as the engine asks for it

    async def __call__(self, engine: Engine, handle: Handle, base: Base) -> Changed:
        before = base.manifest
        olds = [before.channels[name] for name in self._values if name in before.channels]
        known = await load.versions(engine, base.tree, olds + ([before.extra] if before.extra is not None else []))
        one = _One(engine, handle, base, known)
        versions = one.record_before.get("channel_versions") or {}
        entries: dict[str, Entry] = {}
        for name in dict.fromkeys([*self.record["channel_versions"], *self._values]):
            entry = await self._entry(one, name, versions)
            if entry is not None:
                entries[name] = entry
        rest = one.recorded(self.record, self._record_enc)
        one.changed.manifest = Manifest(entries, rest, tuple(sorted(set(self.growing) - entries.keys())))
        one.changed.size = sum(_size(entry, known, one.changed) for entry in (*entries.values(), rest))
        return one.changed

    async def _entry(self, one: _One, name: str, versions: Mapping[str, Any]) -> Entry | None:
        before = one.base.manifest.channels.get(name)
        version = self.record["channel_versions"].get(name, _MISSING)
        is_given = name in self._values or name in self._prepared
        if name not in self.new_versions and version is not _MISSING:
            if version == versions.get(name, _MISSING):
                return before
            if not is_given:
                return await _found(one.engine, one.handle, name, version)
        if not is_given:
            return None
        return one.stored(name, self._prepared.get(name) or self._prepare(one.engine, name), before)


class _One:
    """What one put needs to know while it goes through the channels."""

    def __init__(self, engine: Engine, handle: Handle, base: Base, known: dict[Ref, Version]) -> None:
        self.engine = engine
        self.handle = handle
        self.base = base
        self.home = engine.home(base.tree)
        self.known = known
        self.changed = Changed(base.manifest)
        self.record_before: Mapping[str, Any] = self._record(base.manifest.extra)

    def _record(self, extra: Entry | None) -> Mapping[str, Any]:
        if extra is None:
            return {}
        version = load.version_of(extra, self.known) if isinstance(extra, Ref) else None
        if version is not None and version.kept is not None:
            kept: Mapping[str, Any] = version.kept
            return kept
        return _as_record(load.value(self.handle.codec, extra, self.known))

    def recorded(self, record: Mapping[str, Any], enc: bytes) -> Entry:
        before = self.base.manifest.extra
        entry = self._changed_record(record, enc, before) if isinstance(before, Ref) else None
        if entry is None:
            entry = store_value(self.home, enc, before, self.known, self.changed)
        self._keep(entry, record)
        return entry

    def _changed_record(self, record: Mapping[str, Any], enc: bytes, before: Ref) -> Entry | None:
        old = load.version_of(before, self.known)
        change = record_change(old.kept, record, self.handle.codec) if old.kept is not None else None
        return None if change is None else self.changed.add(values.write_change(self.home, enc, change, before, old))

    def stored(self, name: str, value: Prepared, before: Entry | None) -> Entry:
        if not isinstance(value, Whole) and isinstance(before, Ref) and before[:2] == value.ref[:2]:
            if isinstance(value, Same):
                return before
            written = values.append(self.home, value.enc, before, load.version_of(before, self.known))
            if written is not None:
                entry = self.changed.add(written)
                self._keep(entry, value.kept)
                return entry
        enc = value.old.parts.enc if isinstance(value, Same) else value.enc
        enc = value.whole() if isinstance(value, Longer) else enc
        entry = store_value(self.home, enc, before, self.known, self.changed, name)
        self._keep(entry, value.old.kept if isinstance(value, Same) else value.kept)
        return entry

    def _keep(self, entry: Entry, what: Any) -> None:
        """Beside the version that was just made: it is remembered once the save is committed, and not before."""
        if self.changed.versions and self.changed.versions[-1][0] == entry:
            self.changed.versions[-1][1].kept = what


def _versions_kept(engine: Engine, extra: Entry | None) -> Mapping[str, Any]:
    """The channels' versions in the last checkpoint, if they are remembered."""
    version = engine.cache.get((extra.log, extra.pos)) if isinstance(extra, Ref) else None
    record = version.kept if version is not None and version.kept is not None else {}
    found: Mapping[str, Any] = record.get("channel_versions") or {}
    return found


def _as_record(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _size(entry: Entry, known: dict[Ref, Version], changed: Changed) -> int:
    if isinstance(entry, Inline):
        return len(entry.enc)
    for ref, version in changed.versions:
        if ref == entry:
            return version.parts.size
    unchanged = known.get(entry._replace(frozen=False))
    return 0 if unchanged is None else unchanged.parts.size


async def _found(engine: Engine, handle: Handle, name: str, version: Any) -> Entry | None:
    """A value by its channel and version, in whichever checkpoint of the namespace it was put."""
    here = await places.read(engine, handle)
    if here is None:
        return None
    view = await views.open_view(engine, here.line)
    before = here.line.seq
    while rows := await views.scan(engine, view, before, 64):
        manifests = [load.manifest_of(row) for row in rows]
        extras = [one.extra for one in manifests if one.extra is not None]
        known = await load.versions(engine, here.line.tree, extras)
        for one in manifests:
            record = _as_record(load.value(handle.codec, one.extra, known)) if one.extra is not None else {}
            if (record.get("channel_versions") or {}).get(name, _MISSING) == version:
                return frozen(one).channels.get(name)
        before = rows[-1].seq - 1
    return None
