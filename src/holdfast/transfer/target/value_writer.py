"""Writes the values of an incoming checkpoint to this store's value logs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import msgspec
from msgspec import Raw

from holdfast.backends.rows import CheckpointRow
from holdfast.engine.values import loader, log_writer, manifest, manifest_log, msgpack_parts
from holdfast.engine.values.manifest import INLINE_UP_TO, Entry, Manifest, Ref
from holdfast.engine.values.msgpack_parts import LIST, join, parts_of
from holdfast.engine.values.patch import replay, whole_change
from holdfast.engine.values.value_log import Version, Written, log_settings
from holdfast.errors import Corrupt
from holdfast.transfer import wire_records
from holdfast.transfer.target.incoming_thread import IncomingThread
from holdfast.transfer.target.target_thread import TargetLine
from holdfast.transfer.wire_records import Value

_decode_append = msgspec.msgpack.Decoder(tuple[Literal[1], int, Literal[0], list[Raw]]).decode


@dataclass(eq=False)
class ValueWriter:
    """Writes the values of one checkpoint."""

    incoming: IncomingThread
    record: wire_records.Checkpoint
    line: TargetLine
    written: list[Written] = field(default_factory=list)
    """Rows to store with the checkpoint."""

    async def manifest(self, base: CheckpointRow | None) -> Manifest:
        """Where the values are in this store."""
        record = self.record
        base_manifest = Manifest({}) if base is None else await self.incoming.manifest_of(base)
        if base is not None and (base.line, base.seq) != (self.line.row.line, self.line.row.seq):
            # Only the last checkpoint of a line may append to its logs.
            base_manifest = manifest.frozen(base_manifest)
        channels = {name: await self._entry(value, base_manifest.channels.get(name)) for name, value in record.channels}
        extra = None if isinstance(record.extra, bool) else await self._entry(record.extra, base_manifest.extra)
        stored = Manifest(channels, extra, tuple(record.open))
        return await self._logged(base_manifest, stored) if stored.is_wide else stored

    async def _logged(self, base: Manifest, stored: Manifest) -> Manifest:
        """The manifest, written to a log of its own."""
        engine, tree = self.incoming.engine, self.line.row.tree
        if base.logged is not None:
            await self.incoming.flush_unless_cached(base.logged.ref)
        old = await loader.version_before(engine, tree, base)
        settings, most = manifest_log.settings(engine, tree), manifest_log.most_bytes(engine)
        stored, written = manifest_log.write(settings, most, base, old, stored)
        if written is not None:
            self._add(written)
            superseded = manifest_log.superseded_by(base, stored)
            if superseded is not None:
                engine.cache.drop(superseded[:2])
        return stored

    async def _entry(self, value: Value, base: Entry | None) -> Entry:
        if value is None:
            if base is None:
                raise self._corrupt("names a value that its base does not have")
            return base
        written = await self._write(value, base)
        self._add(written)
        return written.entry

    def _add(self, written: Written) -> None:
        if isinstance(written.entry, Ref) and written.version is not None:
            self.incoming.engine.cache.put(written.entry[:2], written.version, written.version.cost)
        self.written.append(written)

    async def _write(self, value: bytes | tuple[bytes], base: Entry | None) -> Written:
        old = await self._version(base) if isinstance(base, Ref) else None
        if isinstance(value, bytes):
            return self._write_full(value, base, old)
        if not isinstance(base, Ref) or old is None:
            raise self._corrupt("changes a value that its base does not have")
        return self._write_change(value[0], base, old)

    def _write_full(self, enc: bytes, base: Entry | None, old: Version | None) -> Written:
        """A full value is not compared with its base: the source did, and found nothing to reuse."""
        settings = log_settings(self.incoming.engine, self.line.row.tree)
        if not isinstance(base, Ref) or old is None or len(enc) <= INLINE_UP_TO:
            return log_writer.write(settings, enc, None, None)
        return log_writer.write_change(settings, parts_of(enc), whole_change(enc), base, old)

    def _write_change(self, change: bytes, base: Ref, old: Version) -> Written:
        appended = self._append(change, base, old)
        if appended is not None:
            return appended
        try:
            enc = replay(old.parts.enc, [change])
        except Exception as error:
            raise self._corrupt(f"has a change that does not fit its value: {error!r}") from error
        settings = log_settings(self.incoming.engine, self.line.row.tree)
        return log_writer.write_change(settings, parts_of(enc), change, base, old)

    def _append(self, change: bytes, base: Ref, old: Version) -> Written | None:
        """The change as items that are appended to a list, if that is all it does."""
        try:
            _, at, _, items = _decode_append(change)
        except msgspec.MsgspecError:
            return None
        parts = old.parts = msgpack_parts.with_items(old.parts)
        if at != len(parts.items):
            return None
        return log_writer.append(log_settings(self.incoming.engine, self.line.row.tree), join(LIST, items), base, old)

    async def _version(self, ref: Ref) -> Version:
        engine = self.incoming.engine
        cached: Version | None = engine.cache.get(ref[:2])
        if cached is not None:
            return cached
        await self.incoming.buffer.flush()
        return loader.version_of(ref, await loader.versions(engine, self.line.row.tree, [ref]))

    def _corrupt(self, message: str) -> Corrupt:
        return Corrupt(f"checkpoint {self.record.id!r} of thread {self.incoming.record.id!r} {message}")
