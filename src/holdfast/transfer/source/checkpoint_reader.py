"""Reads the checkpoints of one namespace as records: values as changes to those of an earlier checkpoint."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from holdfast.backends.rows import CheckpointRow, checked
from holdfast.engine.checkpoints.row_builder import row_digest
from holdfast.engine.context import Engine
from holdfast.engine.threads import views
from holdfast.engine.threads.views import View
from holdfast.engine.values import loader, msgpack_parts
from holdfast.engine.values.digests import UNKNOWN, item_digests, value_digest
from holdfast.engine.values.manifest import Entry, Inline, Manifest, Ref
from holdfast.engine.values.msgpack_parts import LIST, Parts
from holdfast.engine.values.patch import append_change, change_parts
from holdfast.engine.values.value_log import Version
from holdfast.engine.writes import write_format
from holdfast.errors import Corrupt
from holdfast.transfer import outline, wire_records
from holdfast.transfer.outline import TaskWrites
from holdfast.transfer.wire_records import ContentRecord, Value

_BYTES_AT_ONCE: Final = 4 * 1024 * 1024  # of states whose values are read together
_RECENT_CHECKPOINTS: Final = 300

Versions = dict[Ref, Version]


@dataclass(eq=False)
class CheckpointReader:
    """Reads one namespace of a thread."""

    engine: Engine
    namespace: str
    view: View
    verifying: bool
    lowest: int
    """Values may be changes to those of checkpoints from this number on."""
    _recent: OrderedDict[int, tuple[CheckpointRow, Manifest]] = field(default_factory=OrderedDict)
    _settled: dict[int, dict[int, TaskWrites]] = field(default_factory=dict)
    """Writes that wait for the checkpoint that settled them: by its number, then by their own checkpoint's."""
    _changes: dict[tuple[int, int], bytes] = field(default_factory=dict)
    """Stored changes by log and position."""
    _last: int = 0

    async def content(self, after: int, annotated: Collection[int] | None) -> AsyncIterator[ContentRecord]:
        """Annotations of earlier checkpoints (all of them for None), then the checkpoints past `after`."""
        async for record in self._earlier(after, annotated):
            yield record
        async for rows in outline.pages(self.engine, self.view, after):
            writes = await outline.writes_of(self.engine, self.view, rows)
            for portion in _portions(rows):
                async for record in self._portion(portion, writes):
                    yield record
        # The checkpoints that settled these were removed.
        for by_seq in self._settled.values():
            for seq, left in by_seq.items():
                yield await self._writes(seq, left)

    async def _portion(self, rows: list[CheckpointRow], writes: dict[int, TaskWrites]) -> AsyncIterator[ContentRecord]:
        prepared = [await self._prepared(row) for row in rows]
        versions = await self._versions(prepared)
        for checkpoint in prepared:
            row = checkpoint.row
            yield self._checkpoint(checkpoint, versions)
            if self._has_overlay(row):
                yield self._overlay(row)
            for seq, settled in self._settled.pop(row.seq, {}).items():
                yield await self._writes(seq, settled, row.seq, checkpoint.manifest)
            unsettled = self._unsettled(row.seq, writes[row.seq])
            if unsettled:
                yield await self._writes(row.seq, unsettled)

    # ---------------------------------------------------------------- annotations

    async def _earlier(self, after: int, annotated: Collection[int] | None) -> AsyncIterator[ContentRecord]:
        """Annotations of checkpoints that the target has."""
        if annotated is not None and not annotated:
            return
        async for rows in outline.pages(self.engine, self.view):
            if rows[0].seq > after:
                break
            earlier = [row for row in rows if row.seq <= after]
            wanted = earlier if annotated is None else [row for row in earlier if row.seq in annotated]
            async for record in self._annotations(wanted, always=annotated is not None):
                yield record

    async def _annotations(self, rows: list[CheckpointRow], *, always: bool) -> AsyncIterator[ContentRecord]:
        writes = await outline.writes_of(self.engine, self.view, rows)
        for row in rows:
            if always or self._has_overlay(row):
                yield self._overlay(row)
            if writes[row.seq]:
                yield await self._writes(row.seq, writes[row.seq])

    def _has_overlay(self, row: CheckpointRow) -> bool:
        return (self.view.label(row), self.view.status(row)) != (row.label, row.status)

    def _overlay(self, row: CheckpointRow) -> wire_records.Overlay:
        return wire_records.Overlay(self.namespace, row.seq, self.view.label(row), self.view.status(row))

    # ---------------------------------------------------------------- checkpoints

    async def _prepared(self, row: CheckpointRow) -> PreparedCheckpoint:
        manifest = await loader.manifest_of(self.engine, row)
        parent_id, parent_seq, parent = await self._parent(row)
        parent_digest = row.parent_digest
        if parent_digest is None and parent is not None:
            parent_digest = parent.digest
        # The digest can't be checked if the parent was saved again under its number, or lost: its first digest is lost.
        verifiable = row_digest(self.namespace, row, manifest, parent_digest) == row.digest
        if not verifiable:
            parent_digest = UNKNOWN if _has_lost_parent(row, parent) else None
        # A checkpoint without a parent often resembles the one before it.
        base = parent_seq or self._last
        known = await self._known(base) if base >= self.lowest else None
        self._last = row.seq
        self._remember(row, manifest)
        return PreparedCheckpoint(
            row, manifest, parent_id, parent_seq, parent_digest, verifiable,
            0 if known is None else base, Manifest({}) if known is None else known[1],
        )  # fmt: skip

    async def _parent(self, row: CheckpointRow) -> tuple[str | None, int, CheckpointRow | None]:
        """The parent's id as callers see it, the number of the nearest ancestor that is seen, and the row that the
        digest was computed with."""
        if self.view.hides(row.parent_seq):
            return await self._hidden_parent(row)
        known = await self._known(row.parent_seq) if row.parent_seq else None
        if known is None:
            return row.parent_id, 0, None
        return row.parent_id, row.parent_seq, known[0]

    async def _hidden_parent(self, row: CheckpointRow) -> tuple[str | None, int, CheckpointRow | None]:
        parent_id, _ = await views.parent_of(self.engine, self.view, row)
        # The digest was computed with the removed parent, whose row may still be stored.
        chain = await views.chain(self.engine, self.view, row.parent_seq)
        if not chain:
            raise Corrupt(f"checkpoint {row.id!r} has lost its parent, number {row.parent_seq}")
        nearest = await views.scan_segments(self.engine, self.view, chain, row.parent_seq, 1)
        rows = await self.engine.backend.checkpoints(row.tree, chain[0].line, row.parent_seq, row.parent_seq, 1)
        return parent_id, nearest[0].seq if nearest else 0, checked(rows[0]) if rows else None

    async def _known(self, seq: int) -> tuple[CheckpointRow, Manifest] | None:
        if seq in self._recent:
            self._recent.move_to_end(seq)
            return self._recent[seq]
        row = await outline.row_at(self.engine, self.view, seq)
        return None if row is None else self._remember(row, await loader.manifest_of(self.engine, row))

    def _remember(self, row: CheckpointRow, manifest: Manifest) -> tuple[CheckpointRow, Manifest]:
        self._recent[row.seq] = row, manifest
        if len(self._recent) > _RECENT_CHECKPOINTS:
            self._recent.popitem(last=False)
        return row, manifest

    # ---------------------------------------------------------------- values

    async def _versions(self, prepared: list[PreparedCheckpoint]) -> Versions:
        wanted: list[Entry] = []
        for checkpoint in prepared:
            for name, entry in [*checkpoint.manifest.channels.items(), *checkpoint.extra]:
                before = checkpoint.before(name)
                if isinstance(entry, Ref) and not _is_same(entry, before):
                    wanted += [entry] if before is None else [entry, before]
        # With the versions the loader returns the stored changes between them, which need not be computed again.
        self._changes.clear()
        return await loader.versions(self.engine, self.view.line.tree, wanted, self._changes)

    def _checkpoint(self, checkpoint: PreparedCheckpoint, versions: Versions) -> wire_records.Checkpoint:
        row = checkpoint.row
        self._check_repeated(checkpoint, versions)
        channels = [
            (name, self._value(checkpoint, name, entry, versions))
            for name, entry in checkpoint.manifest.channels.items()
        ]
        extra: bool | Value = False
        for name, entry in checkpoint.extra:
            extra = self._value(checkpoint, name, entry, versions)
        return wire_records.Checkpoint(
            self.namespace, row.seq, row.id, checkpoint.parent_id, checkpoint.parent_seq, row.parent_thread,
            checkpoint.parent_digest, checkpoint.verifiable, row.step, row.source, row.node, row.next, row.run_id,
            row.status, row.label, row.metadata, row.created_at, row.journal_seq, row.size, row.origin, row.digest,
            checkpoint.base, channels, extra, [*checkpoint.manifest.open],
        )  # fmt: skip

    def _check_repeated(self, checkpoint: PreparedCheckpoint, versions: Versions) -> None:
        """As at a read: any number of channels may lead to the same large value."""
        channels = checkpoint.manifest.channels
        if len(channels) > len(versions):
            fresh = [entry for name, entry in channels.items() if not _is_same(entry, checkpoint.before(name))]
            loader.check_repeated(self.engine.codec, fresh, versions)

    def _value(self, checkpoint: PreparedCheckpoint, name: str | None, entry: Entry, versions: Versions) -> Value:
        before = checkpoint.before(name)
        if _is_same(entry, before):
            return None
        if isinstance(entry, Inline):
            return entry.enc
        new = loader.version_of(entry, versions)
        old = loader.version_of(before, versions) if isinstance(before, Ref) else None
        if self.verifying:
            _verify(new, old, checkpoint.row, name)
        if old is None or not isinstance(before, Ref):
            return new.parts.enc
        change = self._change(entry, before, new.parts, old.parts)
        return (change,) if change is not None and len(change) < new.parts.size else new.parts.enc

    def _change(self, entry: Ref, before: Ref, new: Parts, old: Parts) -> bytes | None:
        """The change from one version to another; None if the full value is to be sent."""
        if before[:2] == (entry.log, entry.pos - 1):
            # The store compared these two, and kept the full value if no change was smaller.
            return self._changes.get(entry[:2]) or _growth(old, new)
        return _growth(old, new) or change_parts(msgpack_parts.with_items(old), msgpack_parts.with_items(new))

    # ---------------------------------------------------------------- writes

    def _unsettled(self, seq: int, writes: TaskWrites) -> TaskWrites:
        """The writes to send with their checkpoint. Those that a later checkpoint settled come after that one, since
        their values may be parts of its state."""
        now: TaskWrites = {}
        for key, write in writes.items():
            if seq < write.settled_by <= self.view.line.seq:
                self._settled.setdefault(write.settled_by, {}).setdefault(seq, {})[key] = write
            else:
                now[key] = write
        return now

    async def _writes(
        self, seq: int, writes: TaskWrites, settled_by: int = 0, manifest: Manifest | None = None
    ) -> wire_records.Writes:
        records: list[wire_records.Write] = []
        for write, _ in writes.values():
            value = await self._written(write, manifest)
            records.append((write.task_id, write.task_path, write.idx, write.channel, value))
        return wire_records.Writes(self.namespace, seq, settled_by, records)

    async def _written(self, write: write_format.StoredWrite, manifest: Manifest | None) -> bytes | list[int]:
        """The encoded value, or its position in the same channel of the checkpoint that settled it."""
        if isinstance(write.value, bytes):
            return write.value
        if manifest is not None and _is_at(manifest.channels.get(write.channel), write.value):
            return write.value[2:]
        versions = await loader.versions(self.engine, self.view.line.tree, [write_format.version_in(write.value)])
        return write_format.part_of(write.value, versions)


@dataclass(slots=True)
class PreparedCheckpoint:
    """A checkpoint with its parent, and the checkpoint that its values are relative to."""

    row: CheckpointRow
    manifest: Manifest
    parent_id: str | None
    parent_seq: int
    parent_digest: bytes | None
    verifiable: bool
    base: int
    base_manifest: Manifest

    @property
    def extra(self) -> list[tuple[None, Entry]]:
        return [] if self.manifest.extra is None else [(None, self.manifest.extra)]

    def before(self, name: str | None) -> Entry | None:
        """The base's entry of a channel; of the extra for None."""
        return self.base_manifest.extra if name is None else self.base_manifest.channels.get(name)


def _has_lost_parent(row: CheckpointRow, parent: CheckpointRow | None) -> bool:
    """Whether the digest of the parent that the row was saved with is lost. If it is not, the row is damaged, and is
    found where it is copied to as well."""
    if row.parent_digest is None:
        return parent is not None and parent.created_at >= row.created_at
    return row.parent_digest == UNKNOWN


def _portions(rows: list[CheckpointRow]) -> Iterable[list[CheckpointRow]]:
    """Runs of checkpoints whose states together stay within bounds, each of at least one."""
    portion: list[CheckpointRow] = []
    size = 0
    for row in rows:
        if portion and size + row.size > _BYTES_AT_ONCE:
            yield portion
            portion, size = [], 0
        portion.append(row)
        size += row.size
    yield portion


def _is_same(entry: Entry, before: Entry | None) -> bool:
    if isinstance(entry, Ref):
        return isinstance(before, Ref) and (entry[:2] == before[:2] or entry.digest == before.digest)
    return entry == before


def _is_at(entry: Entry | None, position: list[int]) -> bool:
    return isinstance(entry, Ref) and [entry.log, entry.pos] == position[:2]


def _growth(old: Parts, new: Parts) -> bytes | None:
    """The change of a list that only grew at its end."""
    old, new = msgpack_parts.with_items(old), msgpack_parts.with_items(new)
    size = len(old.items)
    if old.kind == new.kind == LIST and size < len(new.items) and new.items[:size] == old.items:
        return append_change(size, new.items[size:])
    return None


def _verify(new: Version, old: Version | None, row: CheckpointRow, name: str | None) -> None:
    """Check the digest of a value. Digests of items that the version before has too are reused."""
    parts = msgpack_parts.with_items(new.parts)
    digests = item_digests(
        parts, None if old is None else msgpack_parts.with_items(old.parts), (old and old.known) or b""
    )
    if value_digest(parts, digests) != new.digest:
        what = "the extra" if name is None else f"the value of channel {name!r}"
        raise Corrupt(f"{what} of checkpoint {row.id!r} does not match its digest: the storage changed it")
    new.known = digests
