"""The interface for adapters: all that the code for a framework may use of the engine.

An adapter makes a `Port` from an open store, with a codec that knows the framework's classes and the rules for its ids.
It then saves checkpoints (`save`, with a `Change` that stores the channels through a `StateWriter`), puts the writes of
tasks, and reads: `find` and `scan` give rows, `read` gives what is stored about them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from holdfast.backends.rows import NO_LIMIT, CheckpointRow
from holdfast.codec import Codec
from holdfast.engine.checkpoints import deletion, fork, hydrate, overlays, pending_writes, save
from holdfast.engine.checkpoints.id_rules import FRAMEWORK, IdRules
from holdfast.engine.checkpoints.pending_writes import TaskWrites, Write
from holdfast.engine.checkpoints.save_fields import SaveFields
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.engine.retry import reread
from holdfast.engine.threads import location, namespaces, views
from holdfast.engine.threads.location import enclosing
from holdfast.engine.threads.views import View
from holdfast.engine.values import loader
from holdfast.engine.values.manifest import Entry, Inline, Manifest, Ref, frozen
from holdfast.engine.values.msgpack_parts import LIST, join, split_items
from holdfast.engine.values.state_change import Base, Change, Changed, StateWriter
from holdfast.engine.values.value_log import Version
from holdfast.engine.writes import settlement
from holdfast.model import PendingWrite

__all__ = [
    "LIST", "NO_LIMIT", "Base", "Change", "Changed", "CheckpointRow", "Entry", "Found", "Handle", "Inline", "Manifest",
    "Port", "Ref", "SaveFields", "StateWriter", "StoredCheckpoints", "TaskWrites", "Version", "View", "Write",
    "as_datetime", "enclosing", "encoding_of", "frozen", "join", "split_items", "value_of",
]  # fmt: skip

T = TypeVar("T")


class Found(NamedTuple):
    """A checkpoint, and the view that shows it."""

    view: View
    row: CheckpointRow


class StoredCheckpoints(NamedTuple):
    """All that is stored about some checkpoints of one namespace, by their numbers."""

    codec: Codec
    manifests: dict[int, Manifest]
    versions: dict[Ref, Version]
    pending_writes: dict[int, tuple[PendingWrite, ...]]
    parents: dict[int, str | None]

    def channels_of(self, row: CheckpointRow) -> dict[str, Any]:
        entries = self.manifests[row.seq].channels
        loader.check_repeated(self.codec, entries.values(), self.versions)
        return {name: loader.value(self.codec, entry, self.versions) for name, entry in entries.items()}

    def extra_of(self, row: CheckpointRow) -> Any:
        entry = self.manifests[row.seq].extra
        return None if entry is None else loader.value(self.codec, entry, self.versions)


class Port:
    """An engine, a codec and the rules for ids, as one adapter uses them."""

    def __init__(self, engine: Engine, codec: Codec, rules: IdRules = FRAMEWORK) -> None:
        self.engine = engine
        self.codec = codec
        self.rules = rules

    def with_codec(self, codec: Codec) -> Port:
        return Port(self.engine, codec, self.rules)

    def handle(self, thread_id: str, namespace: str = "") -> Handle:
        """A thread of the framework. A deleted one may be started again: the rules recognise late writes by their
        ids."""
        return Handle(thread_id, namespace, self.codec, reuse=True)

    def check_open(self) -> None:
        self.engine.check_open()

    # ---------------------------------------------------------------- writing

    async def save(self, handle: Handle, fields: SaveFields, change: Change) -> bool:
        """Save a checkpoint. True if control writes had come before it: it has them now."""
        saved = await save.store(self.engine, handle, fields, change, self.rules)
        unsettled = self.engine.unsettled.get(saved.row.line)
        return bool(unsettled) and saved.after.head is saved.row and settlement.has_controls(self.engine, saved.row)

    async def put_writes(self, handle: Handle, task: TaskWrites) -> None:
        await pending_writes.put_writes(self.engine, handle, task, self.rules)

    async def set_status(self, handle: Handle, checkpoint_id: str, status: str) -> None:
        await overlays.set_status(self.engine, handle, checkpoint_id, status)

    async def copy(self, source: Handle, target: Handle) -> None:
        await fork.copy(self.engine, source, target)

    async def delete(self, handle: Handle) -> None:
        await deletion.delete(self.engine, handle)

    async def delete_run(self, run_id: str) -> None:
        """In every thread that shows a checkpoint of the run."""
        await deletion.delete_run_everywhere(self.engine, run_id, self.rules)

    async def keep_heads(self, handle: Handle) -> None:
        """Remove everything but the latest checkpoint of each namespace, and finished calls with the checkpoint that
        they started from."""
        await deletion.keep_heads(self.engine, handle)

    # ---------------------------------------------------------------- reading

    async def reread(self, handle: Handle, read: Callable[[], Awaitable[T]]) -> T:
        """Read, and read again if a concurrent delete or prune removes rows in between."""
        return await reread(self.engine, handle, read)

    async def find(self, handle: Handle, checkpoint_id: str | None = None) -> Found | None:
        """The checkpoint of this id, or the head."""
        here = await location.used(self.engine, handle)
        if here is None:
            return None
        view = await views.open_view(self.engine, here.line)
        row = await views.find(self.engine, view, checkpoint_id) if checkpoint_id else here.head
        return None if row is None else Found(view, row)

    async def view(self, handle: Handle) -> View | None:
        here = await location.used(self.engine, handle)
        return None if here is None else await views.open_view(self.engine, here.line)

    async def by_id(self, view: View, checkpoint_id: str) -> CheckpointRow | None:
        return await views.find(self.engine, view, checkpoint_id)

    async def scan(
        self, view: View, before: str | None, limit: int, keep: Callable[[CheckpointRow], bool] | None = None
    ) -> list[CheckpointRow]:
        """In the order of their ids, highest first; those below `before`, if given."""
        return await views.scan_by_id(self.engine, view, before, limit, keep)

    async def newest(self, handle: Handle) -> AsyncIterator[tuple[int, list[CheckpointRow]]]:
        """All checkpoints of a namespace, newest first, in pages, each with its tree."""
        here = await location.read(self.engine, handle)
        if here is None:
            return
        view = await views.open_view(self.engine, here.line)
        before = here.line.seq
        while rows := await views.scan(self.engine, view, before, 64):
            yield here.line.tree, rows
            before = rows[-1].seq - 1

    async def ancestors(self, found: Found) -> AsyncIterator[tuple[CheckpointRow, Manifest, tuple[PendingWrite, ...]]]:
        """The ancestors of a checkpoint, nearest first, with their pending writes; removed ones are included."""
        view = found.view.with_removed()
        for segment in await views.chain(self.engine, view, found.row.parent_seq) if found.row.parent_seq else []:
            before = segment.hi
            while rows := await views.scan_segments(self.engine, view, [segment], before, 64):
                writes = await hydrate.pending_writes(self.engine, self.codec, view, rows)
                logged: dict[int, Manifest] = {}
                for row in rows:
                    known = loader.unpacked(row)
                    if not isinstance(known, Manifest):
                        logged = logged or await self._manifests(rows)
                        known = logged[row.seq]
                    yield row, known, writes[row.seq]
                before = rows[-1].seq - 1

    async def _manifests(self, rows: Sequence[CheckpointRow]) -> dict[int, Manifest]:
        """All manifests of a page, by number, which takes one question."""
        return dict(zip([row.seq for row in rows], await loader.manifests_of(self.engine, rows), strict=True))

    async def read(self, view: View, rows: Sequence[CheckpointRow]) -> StoredCheckpoints:
        """All that is stored about some checkpoints of one namespace, in a few queries."""
        manifests = await self._manifests(rows)
        entries = [entry for manifest in manifests.values() for entry in manifest.channels.values()]
        entries += [manifest.extra for manifest in manifests.values() if manifest.extra is not None]
        versions = await loader.versions(self.engine, view.line.tree, entries)
        pending = await hydrate.pending_writes(self.engine, self.codec, view, rows, versions)
        parents = {row.seq: (await views.parent_of(self.engine, view, row))[0] for row in rows}
        return StoredCheckpoints(self.codec, manifests, versions, pending, parents)

    async def pending_writes(self, found: Found) -> tuple[PendingWrite, ...]:
        return (await hydrate.pending_writes(self.engine, self.codec, found.view, [found.row]))[found.row.seq]

    async def channels(self, row: CheckpointRow, names: Sequence[str]) -> dict[str, Any]:
        return (await hydrate.channels(self.engine, self.codec, row, names))[0]

    async def manifests(self, rows: Sequence[CheckpointRow]) -> list[Manifest]:
        return await loader.manifests_of(self.engine, rows)

    async def versions(self, tree: int, entries: Sequence[Entry]) -> dict[Ref, Version]:
        return await loader.versions(self.engine, tree, entries)

    async def thread_ids(self) -> list[str]:
        return [listed.thread.id for listed in await self.engine.backend.threads("", [], "", -1)]

    async def namespaces(self, handle: Handle) -> list[str]:
        """Those that the thread has written to, and those that it sees through its origin."""
        here = await location.read(self.engine, handle.inner(""))
        return [] if here is None else await namespaces.names_of(self.engine, here.root)

    # ---------------------------------------------------------------- from memory

    def remembered(self, handle: Handle) -> Manifest | None:
        """The manifest of the head that this process saved last."""
        here = location.remembered(self.engine, handle)
        if here is None or here.head is None:
            return None
        if here.manifest is not None:
            return here.manifest
        known = loader.unpacked(here.head)
        return known if isinstance(known, Manifest) else None

    def cached(self, entry: Entry | None) -> Version | None:
        """A version, if the cache has it."""
        if not isinstance(entry, Ref):
            return None
        version: Version | None = self.engine.cache.get((entry.log, entry.pos))
        return version


def value_of(codec: Codec, entry: Entry, versions: dict[Ref, Version]) -> Any:
    return loader.value(codec, entry, versions)


def encoding_of(entry: Entry, versions: dict[Ref, Version]) -> bytes:
    return loader.encoding(entry, versions)
