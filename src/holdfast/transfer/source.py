"""The store that threads come from: reads a thread as records.

A thread is read as it was when it was opened here: what is saved meanwhile has greater numbers, and comes next time.
Removed checkpoints are not read; those that follow them hang on the nearest ancestor that is left, and keep the digest
that they were made with.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from holdfast.backends.base import Listed
from holdfast.backends.rows import CheckpointRow, LineRow, ThreadRow, checked
from holdfast.engine import listing, load, places, removal, terms, values, views
from holdfast.engine.changes import append_change, change_parts
from holdfast.engine.context import Engine, Handle
from holdfast.engine.digests import item_digests, value_digest
from holdfast.engine.manifest import Entry, Inline, Manifest, Ref
from holdfast.engine.parts import LIST, Parts
from holdfast.engine.rows import row_digest
from holdfast.engine.values import Version
from holdfast.engine.views import View
from holdfast.errors import Corrupt, Deleted, NotFound
from holdfast.transfer import looking, records
from holdfast.transfer.looking import Tellings
from holdfast.transfer.records import Line, Said, Value

_BYTES_AT_ONCE: Final = 4 * 1024 * 1024  # of states whose values are read together
_CACHE: Final = 8 * 1024 * 1024
_RECENT: Final = 300
_THREADS: Final = 500


@dataclass(slots=True)
class Plan:
    """What a target wants of a thread's content. Without one, everything is wanted."""

    after: dict[str, int]  # by namespace: checkpoints past this number
    words: dict[str, set[int]]  # and what was said about these earlier ones
    journal: int  # and the journal past this number
    alone: bool = False  # not as changes to earlier ones


class Source:
    def __init__(self, engine: Engine, *, verifying: bool = False) -> None:
        self._whole = engine
        self._engine = looking.apart(engine, _CACHE)
        self._verifying = verifying  # values are checked here, since nobody else will before they are needed

    async def order(self, thread_ids: Iterable[str] | None) -> list[str]:
        """These threads, or all; what shares a tree together, and a fork after what it was forked from."""
        self._whole.check_open()
        found: list[tuple[int, int, str]] = []
        if thread_ids is None:
            await self._check_listed()
            found += [(one.thread.tree, await self._depth(one.root), one.thread.id) async for one in self._all()]
        else:
            for thread_id in dict.fromkeys(thread_ids):
                self._whole.flush(thread_id)
                place = await places.find(self._engine, Handle(thread_id, "", self._engine.codec))
                if place.thread is None:
                    raise NotFound(f"there is no thread {thread_id!r} in {self._engine.url!r}")
                found.append((place.thread.tree, await self._depth(place.root), thread_id))
        return [thread_id for _, _, thread_id in sorted(found)]

    async def _check_listed(self) -> None:
        """Nothing is left out without a word: of all threads, that they are all."""
        unlisted = await self._engine.backend.unlisted()
        if unlisted:
            raise Corrupt(
                f"{self._engine.url!r} may have threads that can't be listed, so that these would not be all: verify() "
                f"and repair() it first, or name the threads ({' '.join(unlisted)})"
            )

    async def _all(self) -> AsyncIterator[Listed]:
        after = ""
        while rows := await self._engine.backend.threads("", [], after, _THREADS):
            for row in rows:
                if not await listing.is_over(self._engine, row):
                    yield row
            after = rows[-1].thread.id

    async def _depth(self, root: LineRow | None) -> int:
        if root is None or root.base_line is None:
            return 0
        return len(await self._engine.backend.ancestry(root.tree, root.line))

    async def open(self, thread_id: str, earlier: Collection[str] = ()) -> Opened:
        """A thread as it is now; `earlier` are those that it may share with."""
        self._whole.flush(thread_id)
        opened = await self._snapshot(thread_id)
        root = opened.views[""].line
        if root.base_line is None:
            return opened
        for other in await self._related(root, earlier):
            if other != thread_id and await self._share(opened, other):
                break
        return opened

    async def moved_on(self, opened: Opened) -> bool:
        """Whether the thread was changed since it was opened: what was removed meanwhile may be gone."""
        try:
            now = await self._snapshot(opened.thread.id)
        except (NotFound, Deleted):
            return True
        before = {namespace: (view.line.line, view.line.version) for namespace, view in opened.views.items()}
        return any(before.get(name) != (view.line.line, view.line.version) for name, view in now.views.items())

    async def _snapshot(self, thread_id: str) -> Opened:
        """The root last: it then has all that inner namespaces refer to."""
        engine, handle = self._engine, Handle(thread_id, "", self._engine.codec)
        place = await places.find(engine, handle)
        if place.thread is None or place.root is None:
            raise NotFound(f"there is no thread {thread_id!r} in {engine.url!r}")
        found: dict[str, View] = {}
        hidden: dict[str, list[int]] = {}
        for namespace in reversed(await removal.namespaces(engine, place.root)):
            line = (await places.find(engine, handle.inner(namespace))).line
            if line is None and not namespace:
                raise Deleted(f"thread {thread_id!r} was deleted while it was read")
            if line is not None and (line.seq or not namespace):
                view = await views.open_view(engine, line)
                found[namespace], hidden[namespace] = await looking.with_needed(engine, view)
        if "" not in found or found[""].line.line != place.thread.line:
            raise Deleted(f"thread {thread_id!r} was deleted and started anew while it was read")
        return Opened(engine, place.thread, found, hidden, self._verifying)

    async def _related(self, root: LineRow, earlier: Collection[str]) -> list[str]:
        """Threads to share with: those that it was forked from, nearest first, and one that has the same past."""
        backend = self._engine.backend
        bases = [line.line for line in (await backend.ancestry(root.tree, root.line))[1:]]
        origins = [await backend.thread_of(root.tree, line) for line in bases]
        found = [one.id for one in origins if one is not None and one.id in earlier]
        for one in await backend.tree_threads(root.tree):
            if one.id in earlier and one.id not in found:
                lines = await backend.ancestry(root.tree, one.line)
                if any(line.line in bases for line in lines[1:]):
                    return [*found, one.id]
        return found

    async def _share(self, opened: Opened, other: str) -> bool:
        """Whether the other thread has all that this one has from its origin."""
        theirs = await self._snapshot(other)
        for namespace, view in opened.views.items():
            if view.line.base_line is None:
                continue
            base = theirs.views.get(namespace)
            if base is None or not await _covers(self._engine, base, view):
                return False
        forked = {namespace: view for namespace, view in opened.views.items() if view.line.base_line is not None}
        bases = {namespace: await _base(self._engine, view) for namespace, view in forked.items()}
        if not bases.get(""):  # all that it had from there was removed
            return False
        opened.shares, opened.bases = other, bases
        for namespace, view in forked.items():
            opened.differs[namespace] = await _differs(self._engine, theirs.views[namespace], view)
        if theirs.views[""].line.line == opened.views[""].line.base_line:
            opened.base_journal = opened.views[""].line.base_journal
        return True


async def _covers(engine: Engine, base: View, view: View) -> bool:
    """Whether one view has every checkpoint that another inherits."""
    theirs = await looking.segments(engine, base)
    for segment in await views.inherited(engine, view):
        low = segment.lo
        for one in theirs:
            if one.line == segment.line and one.lo <= low <= one.hi:
                low = one.hi + 1
        if low <= segment.hi:
            return False
    # One that was saved again has another parent for those who see that than for those who do not.
    return all(
        view.was_replaced(seq) if base.was_replaced(seq) else view.hides(seq) or not base.hides(seq)
        for seq in base.marks
        if seq <= view.line.base_seq
    )


async def _base(engine: Engine, view: View) -> int:
    """The last checkpoint that a view has from its origin: the fork point, or what is left below it."""
    found = await views.scan_segments(engine, view, await views.inherited(engine, view), view.line.base_seq, 1)
    return found[0].seq if found else 0


async def _differs(engine: Engine, base: View, view: View) -> bool:
    """Whether two views say different things about the checkpoints that one inherits from the other."""
    async for rows in looking.pages(engine, view):
        shared = [row for row in rows if row.seq <= view.line.base_seq]
        upto = view.line.base_seq
        if await looking.words(engine, view, shared, upto) != await looking.words(engine, base, shared, upto):
            return True
        if len(shared) < len(rows):
            break
    return False


@dataclass(eq=False)
class Opened:
    """One thread, as it was when it was opened."""

    engine: Engine
    thread: ThreadRow
    views: dict[str, View]  # the root last
    hidden: dict[str, list[int]]  # removed, and there all the same: see `looking.with_needed`
    verifying: bool
    shares: str | None = None
    base_journal: int = 0
    bases: dict[str, int] = field(default_factory=dict)  # how far the other has the checkpoints
    differs: dict[str, bool] = field(default_factory=dict)  # whether more is said about what is shared

    @property
    def record(self) -> records.Thread:
        row, root = self.thread, self.views[""].line
        lines = [self._line(namespace, view.line) for namespace, view in self.views.items()]
        return records.Thread(
            row.id, terms.metadata_of(row), row.created_at, row.from_thread, row.from_checkpoint, self.shares,
            root.journal, self.base_journal, lines,
        )  # fmt: skip

    def _line(self, namespace: str, row: LineRow) -> Line:
        base = self.bases.get(namespace, 0)
        told = self.differs.get(namespace, False)
        hidden = self.hidden.get(namespace, [])
        return Line(namespace, row.seq, row.head_seq, row.updated_at, base, bool(row.whole and base), told, hidden)

    async def outline(self) -> AsyncIterator[records.Outline | records.Entries]:
        for namespace, view in self.views.items():
            async for rows in looking.pages(self.engine, view):
                words = await looking.words(self.engine, view, rows, self.bases.get(namespace, 0))
                told = [(row.seq, row.digest, words[row.seq]) for row in rows]
                yield records.Outline(namespace, told)
        async for entries in looking.entries(self.engine, self.views[""].line):
            yield records.Entries([(row.seq, looking.entry_hash(row)) for row in entries])

    def starts(self, page: records.Outline | records.Entries) -> int:
        """Past which number the content has what a page tells of, if it has all that is not shared."""
        return self.base_journal if isinstance(page, records.Entries) else self.bases.get(page.namespace, 0)

    async def content(self, plan: Plan | None = None) -> AsyncIterator[Said]:
        """The journal first and the root namespace last: what is there always has what it refers to."""
        lines = {line.namespace: line for line in self.record.lines}
        journal = self.base_journal if plan is None else plan.journal
        async for entries in looking.entries(self.engine, self.views[""].line, journal):
            for row in entries:
                yield records.Entry(row.seq, row.kind, row.key, row.created_at, row.body)
        for namespace, view in self.views.items():
            after = lines[namespace].base if plan is None else plan.after.get(namespace, 0)
            lowest = after + 1 if plan is not None and plan.alone else 1
            reading = _Namespace(self.engine, namespace, view, self.verifying, lowest)
            words: set[int] | None = set() if plan is None else plan.words.get(namespace, set())
            if plan is None and self.differs.get(namespace):
                words = None
            async for one in reading.content(after, words):
                yield one


@dataclass(eq=False)
class _Namespace:
    """One namespace of a thread, on its way."""

    engine: Engine
    namespace: str
    view: View
    verifying: bool
    lowest: int  # values are relative to checkpoints from this number on
    recent: OrderedDict[int, tuple[CheckpointRow, Manifest]] = field(default_factory=OrderedDict)
    sealed: dict[int, dict[int, Tellings]] = field(default_factory=dict)  # by the number that sealed them, and by seq
    changes: dict[tuple[int, int], bytes] = field(default_factory=dict)  # by log and position
    last: int = 0

    async def content(self, after: int, words: set[int] | None) -> AsyncIterator[Said]:
        if words is None or words:
            async for rows in looking.pages(self.engine, self.view):
                earlier = [row for row in rows if row.seq <= after and (words is None or row.seq in words)]
                if not earlier and rows[0].seq > after:
                    break
                async for one in self._words(earlier, always=words is not None):
                    yield one
        async for rows in looking.pages(self.engine, self.view, after):
            writes = await looking.writes_of(self.engine, self.view, rows)
            for some in _portions(rows):
                async for one in self._portion(some, writes):
                    yield one
        for seq, told in [one for found in self.sealed.values() for one in found.items()]:
            yield await self._writes(seq, told)  # what sealed them is gone

    async def _words(self, rows: list[CheckpointRow], *, always: bool) -> AsyncIterator[Said]:
        """What is said about checkpoints that the target has."""
        writes = await looking.writes_of(self.engine, self.view, rows)
        for row in rows:
            label, status = self.view.label(row), self.view.status(row)
            if always or (label, status) != (row.label, row.status):
                yield records.Words(self.namespace, row.seq, label, status)
            if writes[row.seq]:
                yield await self._writes(row.seq, writes[row.seq])

    async def _portion(self, rows: list[CheckpointRow], writes: dict[int, Tellings]) -> AsyncIterator[Said]:
        prepared = [await self._prepared(row) for row in rows]
        known = await self._versions(prepared)
        for one in prepared:
            row = one.row
            yield self._point(one, known)
            label, status = self.view.label(row), self.view.status(row)
            if (label, status) != (row.label, row.status):
                yield records.Words(self.namespace, row.seq, label, status)
            for seq, told in self.sealed.pop(row.seq, {}).items():
                yield await self._writes(seq, told, row.seq, one.manifest)
            now = self._postponed(row.seq, writes[row.seq])
            if now:
                yield await self._writes(row.seq, now)

    # ---------------------------------------------------------------- checkpoints

    async def _prepared(self, row: CheckpointRow) -> _Prepared:
        manifest = load.manifest_of(row)
        parent_id, parent_seq, above = await self._parent(row)
        proof = row.parent_digest if row.parent_digest is not None else (above.digest if above is not None else None)
        proven = self._proves(row, manifest, proof)
        base = parent_seq or self.last
        before = await self._known(base) if base >= self.lowest else None
        self.last = row.seq
        self._remember(row, manifest)
        if before is None:
            return _Prepared(row, manifest, parent_id, parent_seq, proof if proven else None, proven, 0, Manifest({}))
        return _Prepared(row, manifest, parent_id, parent_seq, proof if proven else None, proven, base, before[1])

    async def _parent(self, row: CheckpointRow) -> tuple[str | None, int, CheckpointRow | None]:
        """The parent's id as it is shown, the number of the nearest ancestor that is seen, and the row that the digest
        was made with."""
        if not self.view.hides(row.parent_seq):
            found = await self._known(row.parent_seq) if row.parent_seq else None
            return row.parent_id, row.parent_seq if found else 0, found[0] if found else None
        parent_id, _ = await views.parent_of(self.engine, self.view, row)
        chain = await views.chain(self.engine, self.view, row.parent_seq)
        if not chain:
            raise Corrupt(f"checkpoint {row.id!r} has lost its parent, number {row.parent_seq}")
        nearest = await views.scan_segments(self.engine, self.view, chain, row.parent_seq, 1)
        above = await self.engine.backend.checkpoints(row.tree, chain[0].line, row.parent_seq, row.parent_seq, 1)
        return parent_id, nearest[0].seq if nearest else 0, checked(above[0]) if above else None

    def _proves(self, row: CheckpointRow, manifest: Manifest, proof: bytes | None) -> bool:
        """Not if the parent was saved again under its old number since: its first digest is no longer known."""
        return row_digest(self.namespace, row, manifest, proof) == row.digest

    async def _known(self, seq: int) -> tuple[CheckpointRow, Manifest] | None:
        if seq in self.recent:
            self.recent.move_to_end(seq)
            return self.recent[seq]
        row = await looking.row_at(self.engine, self.view, seq)
        return None if row is None else self._remember(row, load.manifest_of(row))

    def _remember(self, row: CheckpointRow, manifest: Manifest) -> tuple[CheckpointRow, Manifest]:
        self.recent[row.seq] = row, manifest
        if len(self.recent) > _RECENT:
            self.recent.popitem(last=False)
        return row, manifest

    # ---------------------------------------------------------------- values

    async def _versions(self, prepared: list[_Prepared]) -> dict[Ref, Version]:
        wanted: list[Entry] = []
        for one in prepared:
            for name, entry in [*one.manifest.channels.items(), *one.extra]:
                before = one.before(name)
                if isinstance(entry, Ref) and not _same(entry, before):
                    wanted += [entry] if before is None else [entry, before]
        self.changes.clear()
        return await load.versions(self.engine, self.view.line.tree, wanted, self.changes)

    def _point(self, one: _Prepared, known: dict[Ref, Version]) -> records.Point:
        row = one.row
        channels = [(name, self._value(one, name, entry, known)) for name, entry in one.manifest.channels.items()]
        extra: bool | Value = False
        for name, entry in one.extra:
            extra = self._value(one, name, entry, known)
        return records.Point(
            self.namespace, row.seq, row.id, one.parent_id, one.parent_seq, row.parent_thread, one.proof, one.proven,
            row.step, row.source, row.node, row.next, row.run_id, row.status, row.label, row.metadata, row.created_at,
            row.journal_seq, row.size, row.origin, row.digest, one.base, channels, extra, [*one.manifest.open],
        )  # fmt: skip

    def _value(self, one: _Prepared, name: str | None, entry: Entry, known: dict[Ref, Version]) -> Value:
        before = one.before(name)
        if _same(entry, before):
            return None
        if isinstance(entry, Inline):
            return entry.enc
        new = load.version_of(entry, known)
        old = load.version_of(before, known) if isinstance(before, Ref) else None
        if self.verifying:
            _verify(new, old, one.row, name)
        if old is None or not isinstance(before, Ref):
            return new.parts.enc
        if before[:2] == (entry.log, entry.pos - 1):  # the store has compared them; it kept the whole if that was best
            change = self.changes.get(entry[:2]) or _growth(old.parts, new.parts)
        else:
            change = _growth(old.parts, new.parts) or change_parts(values.split(old.parts), values.split(new.parts))
        return (change,) if change is not None and len(change) < new.parts.size else new.parts.enc

    # ---------------------------------------------------------------- writes

    def _postponed(self, seq: int, told: Tellings) -> Tellings:
        """Writes that a later checkpoint sealed, and may hold parts of, come after that one."""
        now: Tellings = {}
        for key, one in told.items():
            if seq < one.number <= self.view.line.seq:
                self.sealed.setdefault(one.number, {}).setdefault(seq, {})[key] = one
            else:
                now[key] = one
        return now

    async def _writes(
        self, seq: int, told: Tellings, number: int = 0, manifest: Manifest | None = None
    ) -> records.Writes:
        found: list[records.Write] = []
        for write, _ in told.values():
            value: bytes | list[int]
            if isinstance(write.value, bytes):
                value = write.value
            elif manifest is not None and _is_at(manifest.channels.get(write.channel), write.value):
                value = write.value[2:]
            else:
                known = await load.versions(self.engine, self.view.line.tree, [load.version_in(write.value)])
                value = load.part_of(write.value, known)
            found.append((write.task_id, write.task_path, write.idx, write.channel, value))
        return records.Writes(self.namespace, seq, number, found)


@dataclass(slots=True)
class _Prepared:
    """A checkpoint with what it hangs on."""

    row: CheckpointRow
    manifest: Manifest
    parent_id: str | None
    parent_seq: int
    proof: bytes | None
    proven: bool
    base: int
    base_manifest: Manifest

    @property
    def extra(self) -> list[tuple[None, Entry]]:
        return [] if self.manifest.extra is None else [(None, self.manifest.extra)]

    def before(self, name: str | None) -> Entry | None:
        return self.base_manifest.extra if name is None else self.base_manifest.channels.get(name)


def _portions(rows: list[CheckpointRow]) -> Iterable[list[CheckpointRow]]:
    """So many that their states together stay within bounds."""
    found: list[CheckpointRow] = []
    size = 0
    for row in rows:
        if found and size + row.size > _BYTES_AT_ONCE:
            yield found
            found, size = [], 0
        found.append(row)
        size += row.size
    yield found


def _same(entry: Entry, before: Entry | None) -> bool:
    if isinstance(entry, Ref):
        return isinstance(before, Ref) and (entry[:2] == before[:2] or entry.digest == before.digest)
    return entry == before


def _is_at(entry: Entry | None, place: list[int]) -> bool:
    return isinstance(entry, Ref) and [entry.log, entry.pos] == place[:2]


def _growth(old: Parts, new: Parts) -> bytes | None:
    """The change of a list that only grew at its end."""
    old, new = values.split(old), values.split(new)
    size = len(old.items)
    if old.kind == new.kind == LIST and size < len(new.items) and new.items[:size] == old.items:
        return append_change(size, new.items[size:])
    return None


def _verify(new: Version, old: Version | None, row: CheckpointRow, name: str | None) -> None:
    """The digest over the items; those of the version before serve again."""
    parts = values.split(new.parts)
    digests = item_digests(parts, None if old is None else values.split(old.parts), (old and old.known) or b"")
    if value_digest(parts, digests) != new.digest:
        what = "the extra" if name is None else f"the value of channel {name!r}"
        raise Corrupt(f"{what} of checkpoint {row.id!r} does not match its digest: the storage changed it")
    new.known = digests
