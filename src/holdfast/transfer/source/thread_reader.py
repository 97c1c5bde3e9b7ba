"""Reads threads of a store as records.

A thread is read as of the moment it was opened. Checkpoints that are saved later have greater numbers and are left for
the next transfer. Removed checkpoints are not read. Their children are re-parented to the nearest ancestor that is
left, and keep the digest that they were saved with.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from holdfast.backends.base import Listed
from holdfast.backends.rows import LineRow, ThreadRow, checked, is_typed
from holdfast.engine import policy
from holdfast.engine.context import Engine, Handle
from holdfast.engine.threads import location, namespaces, thread_list, views
from holdfast.engine.threads.views import View
from holdfast.errors import Corrupt, Deleted, NotFound
from holdfast.transfer import outline, wire_records
from holdfast.transfer.source import shared_history
from holdfast.transfer.source.checkpoint_reader import CheckpointReader
from holdfast.transfer.wire_records import ContentRecord, ContentRequest, JournalOutline, Line, Outline, OutlineRecord

_CACHE_BYTES: Final = 8 * 1024 * 1024
_THREADS_PER_PAGE: Final = 500


class Source:
    """A store that threads are read from. With `verifying` each value is checked against its digest: a bundle may be
    imported long after the store is gone."""

    def __init__(self, engine: Engine, *, verifying: bool = False) -> None:
        self._store_engine = engine
        self._engine = outline.with_own_cache(engine, _CACHE_BYTES)
        self._verifying = verifying

    # ---------------------------------------------------------------- which threads

    async def order(self, thread_ids: Iterable[str] | None) -> list[str]:
        """These threads, or all: threads of one tree together, and each fork after its origin."""
        self._store_engine.check_open()
        if thread_ids is None:
            found = await self._all()
        else:
            found = [await self._position(thread_id) for thread_id in dict.fromkeys(thread_ids)]
        return [thread_id for _, _, thread_id in sorted(found)]

    async def _all(self) -> list[tuple[int, int, str]]:
        await self._check_listed()
        return [(row.thread.tree, await self._depth(row.root), row.thread.id) async for row in self._listed()]

    async def _position(self, thread_id: str) -> tuple[int, int, str]:
        self._store_engine.flush(thread_id)
        lookup = await location.find(self._engine, Handle(thread_id, "", self._engine.codec))
        if lookup.thread is None:
            raise NotFound(f"there is no thread {thread_id!r} in {self._engine.url!r}")
        return lookup.thread.tree, await self._depth(lookup.root), thread_id

    async def _check_listed(self) -> None:
        """A transfer of all threads must not silently leave some out."""
        unlisted = await self._engine.backend.unlisted()
        if unlisted:
            raise Corrupt(
                f"{self._engine.url!r} may have threads that can't be listed, so that these would not be all: verify() "
                f"and repair() it first, or name the threads ({' '.join(unlisted)})"
            )

    async def _listed(self) -> AsyncIterator[Listed]:
        after = ""
        while rows := await self._engine.backend.threads("", [], after, _THREADS_PER_PAGE):
            for row in rows:
                if not is_typed(row.thread):
                    checked(row.thread)  # raises: a thread without an id can't be named in the report either
                if not await thread_list.is_over(self._engine, row):
                    yield row
            after = rows[-1].thread.id

    async def _depth(self, root: LineRow | None) -> int:
        if root is None or root.base_line is None:
            return 0
        return len(await self._engine.backend.ancestry(root.tree, root.line))

    # ---------------------------------------------------------------- one thread

    async def open(self, thread_id: str, earlier: Collection[str] = ()) -> OpenedThread:
        """A thread as it is now. It may share checkpoints with a thread of `earlier`."""
        self._store_engine.flush(thread_id)
        opened = await self._snapshot(thread_id)
        root = opened.views[""].line
        if root.base_line is None:
            return opened
        for other in await shared_history.candidates(self._engine, root, earlier):
            if other != thread_id and await self._share(opened, other):
                break
        return opened

    async def has_changed(self, opened: OpenedThread) -> bool:
        """Whether the thread was written since it was opened: rows that it had then may be removed."""
        try:
            now = await self._snapshot(opened.thread.id)
        except (NotFound, Deleted):
            return True
        before = {namespace: (view.line.line, view.line.version) for namespace, view in opened.views.items()}
        return any(before.get(name) != (view.line.line, view.line.version) for name, view in now.views.items())

    async def _snapshot(self, thread_id: str) -> OpenedThread:
        engine, handle = self._engine, Handle(thread_id, "", self._engine.codec)
        lookup = await location.find(engine, handle)
        if lookup.thread is None or lookup.root is None:
            raise NotFound(f"there is no thread {thread_id!r} in {engine.url!r}")
        opened = OpenedThread(engine, lookup.thread, self._verifying)
        # The root comes last: by then it has everything that inner namespaces refer to.
        for namespace in reversed(await namespaces.names_of(engine, lookup.root)):
            line = (await location.find(engine, handle.inner(namespace))).line
            if line is not None and (line.seq or not namespace):
                view = await views.open_view(engine, line)
                opened.views[namespace], opened.hidden[namespace] = await outline.with_needed(engine, view)
        if "" not in opened.views or opened.views[""].line.line != lookup.thread.line:
            raise Deleted(f"thread {thread_id!r} was deleted while it was read")
        return opened

    async def _share(self, opened: OpenedThread, other: str) -> bool:
        """Share with the other thread, if it has every checkpoint that this one inherits."""
        theirs = (await self._snapshot(other)).views
        forked = {namespace: view for namespace, view in opened.views.items() if view.line.base_line is not None}
        for namespace, view in forked.items():
            base = theirs.get(namespace)
            if base is None or not await shared_history.covers(self._engine, base, view):
                return False
        bases = {namespace: await shared_history.last_shared(self._engine, view) for namespace, view in forked.items()}
        if not bases.get(""):
            return False  # everything that it inherits was removed
        opened.shares, opened.bases = other, bases
        for namespace, view in forked.items():
            differs = await shared_history.annotations_differ(self._engine, theirs[namespace], view)
            opened.annotations_differ[namespace] = differs
        if theirs[""].line.line == opened.views[""].line.base_line:
            opened.base_journal = opened.views[""].line.base_journal
        return True


@dataclass(eq=False)
class OpenedThread:
    """One thread as of the moment it was opened."""

    engine: Engine
    thread: ThreadRow
    verifying: bool
    views: dict[str, View] = field(default_factory=dict)
    """By namespace, the root last."""
    hidden: dict[str, list[int]] = field(default_factory=dict)
    """By namespace: removed checkpoints that others depend on, see `outline.with_needed`."""
    shares: str | None = None
    """The thread that it shares checkpoints with."""
    base_journal: int = 0
    bases: dict[str, int] = field(default_factory=dict)
    """By namespace: the last checkpoint that is shared."""
    annotations_differ: dict[str, bool] = field(default_factory=dict)
    """By namespace: whether annotations of shared checkpoints are not those of the other thread."""

    @property
    def record(self) -> wire_records.Thread:
        row, root = self.thread, self.views[""].line
        lines = [self._line(namespace, view.line) for namespace, view in self.views.items()]
        return wire_records.Thread(
            row.id, policy.metadata_of(row), row.created_at, row.from_thread, row.from_checkpoint, self.shares,
            root.journal, self.base_journal, lines,
        )  # fmt: skip

    def _line(self, namespace: str, row: LineRow) -> Line:
        base = self.bases.get(namespace, 0)
        annotated = self.annotations_differ.get(namespace, False)
        hidden = self.hidden.get(namespace, [])
        is_copy = bool(row.is_copy and base)
        return Line(namespace, row.seq, row.head_seq, row.updated_at, base, is_copy, annotated, hidden)

    # ---------------------------------------------------------------- outline

    async def outline(self) -> AsyncIterator[OutlineRecord]:
        for namespace, view in self.views.items():
            async for rows in outline.pages(self.engine, view):
                hashes = await outline.annotation_hashes(self.engine, view, rows, self.bases.get(namespace, 0))
                yield Outline(namespace, [(row.seq, row.digest, hashes[row.seq]) for row in rows])
        async for entries in outline.entries(self.engine, self.views[""].line):
            yield JournalOutline([(row.seq, outline.entry_hash(row)) for row in entries])

    def shared_up_to(self, page: OutlineRecord) -> int:
        """The number up to which the items of a page are shared, and not part of the full content."""
        return self.base_journal if isinstance(page, JournalOutline) else self.bases.get(page.namespace, 0)

    # ---------------------------------------------------------------- content

    async def content(self, request: ContentRequest | None = None) -> AsyncIterator[ContentRecord]:
        """What was asked for, or everything that is not shared. The journal comes first and the root namespace last, so
        that a target always has what a record refers to."""
        async for entry in self._journal(self.base_journal if request is None else request.journal):
            yield entry
        for namespace, view in self.views.items():
            after, annotated = self._wanted(namespace, request)
            lowest = after + 1 if request is not None and request.self_contained else 1
            reader = CheckpointReader(self.engine, namespace, view, self.verifying, lowest)
            async for record in reader.content(after, annotated):
                yield record

    def _wanted(self, namespace: str, request: ContentRequest | None) -> tuple[int, Collection[int] | None]:
        """The number past which checkpoints are wanted, and the earlier ones whose annotations are; None for all."""
        if request is not None:
            return request.after.get(namespace, 0), request.annotations.get(namespace, set())
        return self.bases.get(namespace, 0), None if self.annotations_differ.get(namespace) else ()

    async def _journal(self, after: int) -> AsyncIterator[ContentRecord]:
        async for entries in outline.entries(self.engine, self.views[""].line, after):
            for row in entries:
                yield wire_records.JournalEntry(row.seq, row.kind, row.key, row.created_at, row.body)
