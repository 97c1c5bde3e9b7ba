"""How a state changes: from the manifest that a save starts from to the next one, with the rows that have to be put."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from holdfast.backends.base import Drop
from holdfast.backends.rows import Row
from holdfast.codec import Codec
from holdfast.engine.context import Engine, Handle
from holdfast.engine.values import loader, log_writer, manifest_log
from holdfast.engine.values.manifest import Entry, Inline, Manifest, Ref
from holdfast.engine.values.msgpack_parts import parts_of
from holdfast.engine.values.value_log import LogSettings, Version, Written
from holdfast.errors import EncodeError

Change = Callable[[Engine, Handle, "Base"], Awaitable["Changed"]]
"""From the state that a save starts from to the new one, with the rows that have to be put."""


class Base(NamedTuple):
    """The state that a save starts from."""

    tree: int
    manifest: Manifest
    size: int = 0


@dataclass(slots=True)
class Changed:
    """The new manifest, and what has to be written for it."""

    manifest: Manifest
    size: int = 0
    rows: list[Row] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    versions: list[tuple[Ref, Version]] = field(default_factory=list)
    stored: int = 0
    superseded: Ref | None = None  # the list of channels before it, which later saves do not start from

    def add(self, written: Written, kept: Any = None) -> Entry:
        """Add a version, and what an adapter remembers about it while it is cached."""
        self.rows += written.rows
        self.drops += written.drops
        self.stored += written.bytes
        if written.version is not None and isinstance(written.entry, Ref):
            written.version.kept = kept
            self.versions.append((written.entry, written.version))
        return written.entry


@dataclass(slots=True)
class StateWriter:
    """Stores the channels of one save, each as a new version of the log that the save starts from.

    `changed` collects what has to be put. `changed.manifest` is the base's until the caller sets the new one. What is
    `kept` beside a value is in the cache once the save is committed.
    """

    base: Base
    changed: Changed
    _codec: Codec
    _settings: LogSettings
    _loaded: dict[Ref, Version]

    @classmethod
    async def open(cls, engine: Engine, base: Base, entries: Iterable[Entry]) -> StateWriter:
        """A writer that may build on these entries of the base."""
        loaded = await loader.versions(engine, base.tree, entries)
        settings = LogSettings(base.tree, engine.backend.capabilities.frames)
        return cls(base, Changed(base.manifest, base.size), engine.codec, settings, loaded)

    def version(self, entry: Ref) -> Version:
        return self._loaded[entry._replace(frozen=False)]

    def value(self, codec: Codec, entry: Entry) -> Any:
        return loader.value(codec, entry, self._loaded)

    def size(self, entry: Entry) -> int:
        """How long the encoding of a value is, stored before or by this save."""
        if isinstance(entry, Inline):
            return len(entry.enc)
        for ref, version in self.changed.versions:
            if ref == entry:
                return version.parts.size
        unchanged = self._loaded.get(entry._replace(frozen=False))
        return 0 if unchanged is None else unchanged.parts.size

    def store(self, enc: bytes, before: Entry | None, name: str = "", kept: Any = None) -> Entry:
        """Store a value, as a change of the one before it; that one's entry, if nothing changed."""
        base, old = None, None
        if isinstance(before, Ref):
            base, old = before, self._loaded[before._replace(frozen=False)]
            if old.parts.size == len(enc) and old.parts.enc == enc:
                return before
        elif before is not None and before.enc == enc:
            return before
        try:
            return self.changed.add(log_writer.write(self._settings, enc, base, old), kept)
        except RecursionError as error:
            raise EncodeError("nests too deeply to be taken apart again", path=f"state[{name!r}]") from error

    def append(self, items_enc: bytes, before: Ref, kept: Any = None) -> Entry | None:
        """Store a list that has these items more than before; None if that was not a list of plain items."""
        old = self._loaded[before._replace(frozen=False)]
        written = log_writer.append(self._settings, items_enc, before, old)
        return None if written is None else self.changed.add(self._checked(written), kept)

    def patch(self, enc: bytes, change: bytes, before: Ref, kept: Any = None) -> Entry:
        """Store a value whose change from the one before it is known."""
        old = self._loaded[before._replace(frozen=False)]
        written = log_writer.write_change(self._settings, parts_of(enc), change, before, old)
        return self.changed.add(self._checked(written), kept)

    def _checked(self, written: Written) -> Written:
        """A value that grew by what was checked may be too large as a whole."""
        if written.version is not None and written.version.parts.size > self._codec.max_value:
            raise self._codec.too_large(written.version.parts.size, "the new value of a channel")
        return written


async def log_manifest(engine: Engine, base: Base, changed: Changed) -> None:
    """Store the new manifest, which is wide, in a log. The row of the checkpoint then refers to it."""
    settings, most = manifest_log.settings(engine, base.tree), manifest_log.most_bytes(engine)
    old = await loader.version_before(engine, base.tree, base.manifest)
    changed.manifest, written = manifest_log.write(settings, most, base.manifest, old, changed.manifest)
    if written is not None:
        changed.add(written)
        changed.superseded = manifest_log.superseded_by(base.manifest, changed.manifest)


def replacing(channels: Mapping[str, bytes], extra: bytes | None) -> Change:
    """The whole state becomes these encoded channels."""

    async def change(engine: Engine, handle: Handle, base: Base) -> Changed:
        before = base.manifest.channels
        touched = [before[name] for name in channels if name in before]
        if extra is not None and base.manifest.extra is not None:
            touched.append(base.manifest.extra)
        writer = await StateWriter.open(engine, base, touched)
        entries: dict[str, Entry] = {}
        for name, enc in channels.items():
            entries[name] = writer.store(enc, before.get(name), name)
        packed = None if extra is None else writer.store(extra, base.manifest.extra)
        changed = writer.changed
        changed.manifest = Manifest(entries, packed)
        changed.size = sum(map(len, channels.values())) + len(extra or b"")
        return changed

    return change
