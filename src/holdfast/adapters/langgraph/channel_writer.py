"""From a LangGraph checkpoint to what is stored: its channels, and the record of everything else it says.

A channel is unchanged if its version is the one that the stored checkpoint has; its value then is that one's, whatever
the parent is called. Only new versions are encoded, before anything else happens: LangGraph hands out values that the
next step changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from holdfast.adapters.langgraph.checkpoint_record import record_change, record_of
from holdfast.adapters.langgraph.message_memo import Kept, keep
from holdfast.adapters.langgraph.storable_types import storable
from holdfast.codec.wire import MARK
from holdfast.engine import port
from holdfast.engine.port import (
    LIST,
    Base,
    Changed,
    Entry,
    Handle,
    Manifest,
    Port,
    Ref,
    StateWriter,
    Version,
    frozen,
    join,
    split_items,
)  # fmt: skip
from holdfast.errors import Corrupt

_MISSING = object()
_SNAPSHOT: Final = b"langgraph.checkpoint.serde.types._DeltaSnapshot"
_INTERNAL: Final = ("__", "branch:to:", "join:")  # LangGraph's own channels, which are emptied by design
_HEAD: Final = 80  # bytes of an encoding that name its class


class Whole(NamedTuple):
    """A value, encoded."""

    enc: bytes
    kept: Kept | None

    def whole(self) -> bytes:
        return self.enc


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

    @property
    def kept(self) -> Any:
        return self.old.kept

    def whole(self) -> bytes:
        return self.old.parts.enc


Prepared = Whole | Longer | Same


class ChannelWriter:
    """One put. What it stores is fixed when it is made; the engine then calls it with the manifest that the save starts
    from."""

    def __init__(
        self, port: Port, handle: Handle, checkpoint: Mapping[str, Any], new_versions: Mapping[str, Any]
    ) -> None:
        self.handle = handle
        self.record = record_of(checkpoint)
        self.growing: Collection[str] = ()  # channels whose values are made of what was written to them
        self.parent: str | None = None  # without one, a channel has no ancestors that its value could be made of
        self.new_versions = new_versions
        self.port = port
        self.record_enc = handle.codec.encode(self.record, "checkpoint")
        self._values: Mapping[str, Any] = checkpoint.get("channel_values") or {}
        self._prepared: dict[str, Prepared] = {}
        # The head that this process saved last is very likely what the save starts from. It is not certain: `_Put`
        # compares again with what the engine really starts from.
        likely = port.remembered(handle)
        self._likely = likely.channels if likely is not None else {}
        known = _channel_versions(port.cached(likely.extra)) if likely is not None else {}
        for name in self._values:
            # A channel whose version is the remembered one need not be encoded.
            is_same = name in known and known[name] == self.record["channel_versions"].get(name, _MISSING)
            if name in new_versions or name not in self._likely or not is_same:
                self._prepare(name)

    def also(self, name: str, value: Any, version: Any) -> None:
        """Store one more channel."""
        self.record["channel_versions"][name] = version
        self.new_versions = {**self.new_versions, name: version}
        self.record_enc = self.handle.codec.encode(self.record, "checkpoint")
        self._prepared[name] = Whole(self.handle.codec.encode(value, f"channel_values[{name!r}]"), None)

    def _prepare(self, name: str) -> Prepared:
        value = self._values[name]
        prepared = self._continued(name, value) or self._whole(name, value)
        self._prepared[name] = prepared
        return prepared

    def _whole(self, name: str, value: Any) -> Whole:
        codec = self.handle.codec
        kept = keep(value, codec)  # first: what the graph changes during the encoding shows the next time
        return Whole(codec.encode(storable(value), f"channel_values[{name!r}]"), kept)

    def _continued(self, name: str, value: Any) -> Prepared | None:
        """If this list starts as the last checkpoint's, only what follows is encoded."""
        ref = self._likely.get(name)
        if type(value) is not list or not isinstance(ref, Ref):
            return None
        old = self.port.cached(ref)
        if old is None or not isinstance(old.kept, Kept) or not old.kept.starts(value):
            return None
        fresh = value[len(old.kept.messages) :]
        if not fresh:
            return Same(ref, old)
        codec = self.handle.codec
        kept = old.kept.and_then(fresh, codec)
        return Longer(ref, old, codec.encode(fresh, f"channel_values[{name!r}]"), kept)

    # ---------------------------------------------------------------- called by the engine

    async def __call__(self, engine: Any, handle: Handle, base: Base) -> Changed:
        before = base.manifest
        entries = [before.channels[name] for name in self._values if name in before.channels]
        if before.extra is not None:
            entries.append(before.extra)
        writer = await StateWriter.open(engine, base, entries)
        kept = writer.version(before.extra).kept if isinstance(before.extra, Ref) else None
        return await _Put(self, writer, kept).changed()

    def prepared(self, name: str) -> Prepared | None:
        """The value of a channel, encoded; None if the checkpoint gives none."""
        if name in self._prepared:
            return self._prepared[name]
        return self._prepare(name) if name in self._values else None

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.record["channel_versions"], *self._values]))


class _Put:
    """One attempt to store a put: from the manifest that the save starts from to the next one."""

    def __init__(self, given: ChannelWriter, writer: StateWriter, kept_record: dict[str, Any] | None) -> None:
        self._given = given
        self._writer = writer
        self._kept_record = kept_record  # of the checkpoint before, if the cache has it
        self._codec = given.handle.codec
        self._before = writer.base.manifest
        self._open: set[str] = set()  # channels that are open in the checkpoint that their version comes from

    async def changed(self) -> Changed:
        before = self._record_before() if self._kept_record is None else self._kept_record
        versions = before.get("channel_versions") or {}
        entries: dict[str, Entry] = {}
        for name in self._given.names:
            entry = await self._entry(name, versions)
            if entry is not None:
                entries[name] = entry
        still_open = await self._open_channels(entries, versions)
        record = self._stored_record()
        writer = self._writer
        writer.changed.size = sum(map(writer.size, (*entries.values(), record)))
        writer.changed.manifest = Manifest(entries, record, still_open)
        return writer.changed

    async def _entry(self, name: str, versions: Mapping[str, Any]) -> Entry | None:
        given, before = self._given, self._before.channels.get(name)
        version = given.record["channel_versions"].get(name, _MISSING)
        is_known = name not in given.new_versions and version is not _MISSING
        # The usual case first: LangGraph says that nothing changed, and the parent has this version.
        if is_known and version == versions.get(name, _MISSING):
            return before
        prepared = given.prepared(name)
        if prepared is not None:
            return self._stored(name, prepared, before)
        return await self._by_version(name, version) if is_known else None

    def _stored(self, name: str, value: Prepared, before: Entry | None) -> Entry:
        writer = self._writer
        # What was prepared as "the last list and more" holds only if the save starts from that list.
        if not isinstance(value, Whole) and isinstance(before, Ref) and before[:2] == value.ref[:2]:
            if isinstance(value, Same):
                return before
            entry = writer.append(value.enc, before, value.kept)
            if entry is not None:
                return entry
        return writer.store(value.whole(), before, name, value.kept)

    async def _by_version(self, name: str, version: Any) -> Entry | None:
        """A value by its channel and version, from whichever checkpoint of the namespace it was put with."""
        given = self._given
        async for tree, rows in given.port.newest(given.handle):
            manifests = await given.port.manifests(rows)
            extras = [manifest.extra for manifest in manifests if manifest.extra is not None]
            loaded = await given.port.versions(tree, extras)
            for manifest in manifests:
                if manifest.extra is None:
                    continue
                record = _as_record(port.value_of(self._codec, manifest.extra, loaded))
                if (record.get("channel_versions") or {}).get(name, _MISSING) == version:
                    if name in manifest.open:
                        self._open.add(name)
                    return frozen(manifest).channels.get(name)
        return None

    # ---------------------------------------------------------------- the record

    def _record_before(self) -> Mapping[str, Any]:
        extra = self._before.extra
        return {} if extra is None else _as_record(self._writer.value(self._codec, extra))

    def _stored_record(self) -> Entry:
        given, writer, before, kept = self._given, self._writer, self._before.extra, self._kept_record
        change = None if kept is None else record_change(kept, given.record, self._codec)
        if isinstance(before, Ref) and change is not None:
            return writer.patch(given.record_enc, change, before, given.record)
        return writer.store(given.record_enc, before, kept=given.record)

    # ---------------------------------------------------------------- open channels

    async def _open_channels(self, entries: Mapping[str, Entry], versions: Mapping[str, Any]) -> tuple[str, ...]:
        """The channels without a value here that are made of what was written to them.

        The metadata names those that the graph knows. The put of another graph, a copy or another implementation need
        not name them, so what is stored decides: such a channel is also open if it is open in the parent, if the parent
        stores a snapshot of it, or if its new version comes from a write of the parent's tasks.
        """
        given, before = self._given, self._before
        # From the cheapest source to the dearest: metadata, manifests, values, and the writes of the parent.
        found = set(given.growing) - entries.keys()
        if given.parent is not None:
            current = given.record["channel_versions"]
            empty = current.keys() - entries.keys()
            found |= empty & self._open.union(before.open)
            emptied = (empty - found) & before.channels.keys()
            if emptied:
                found |= await self._snapshots({name: before.channels[name] for name in emptied})
            unclear = {name for name in empty - found if current[name] != versions.get(name, _MISSING)}
            unclear = {name for name in unclear if not name.startswith(_INTERNAL)}
            if unclear:
                found |= unclear & await self._written(given.parent)
        return tuple(sorted(found))

    async def _written(self, parent: str) -> set[str]:
        """The channels that the parent's tasks wrote to."""
        row = await self._given.port.find(self._given.handle, parent)
        writes = () if row is None else await self._given.port.pending_writes(row)
        return {write.channel for write in writes}

    async def _snapshots(self, entries: Mapping[str, Entry]) -> set[str]:
        """Which of these values are snapshots of delta channels. A value that can't be read counts as one: then nothing
        is removed that the channel may be made of."""
        try:
            loaded = await self._given.port.versions(self._writer.base.tree, list(entries.values()))
        except Corrupt:
            return {*entries}
        return {name for name, entry in entries.items() if _is_snapshot(port.encoding_of(entry, loaded))}


def _channel_versions(version: Version | None) -> Mapping[str, Any]:
    """The channels' versions in the last checkpoint, if they are remembered."""
    record = version.kept if version is not None and version.kept is not None else {}
    versions: Mapping[str, Any] = record.get("channel_versions") or {}
    return versions


def _as_record(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_snapshot(enc: bytes) -> bool:
    """By its first bytes: a snapshot may be large."""
    return enc.startswith(MARK, 1) and _SNAPSHOT in enc[:_HEAD]
