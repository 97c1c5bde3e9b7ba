"""What a target has of an incoming thread: nothing yet, an unfinished import, or the thread itself.

A thread that is new to a store is staged: it is written under numbers that follow from its id, without an entry in the
directory, so that readers do not see it until it is complete. A transfer that was interrupted finds it by the same
numbers, and resumes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from hashlib import blake2b

from msgspec.msgpack import Encoder

from holdfast.backends.base import Expect, LineAt
from holdfast.backends.rows import CheckpointRow, LineRow, OverlayRow, Row, ThreadRow, checked, with_checksum
from holdfast.engine.context import Engine, Handle
from holdfast.engine.threads import location, staged_thread, views
from holdfast.engine.threads.location import Lookup
from holdfast.engine.threads.views import View
from holdfast.errors import Deleted
from holdfast.ids import new_number, tombstone_hash
from holdfast.transfer import outline, wire_records
from holdfast.transfer.target.sequence_comparison import Item, SequenceComparison, empty_comparison

_encode = Encoder().encode


class SharedHistoryMissing(Exception):
    """The target lacks checkpoints that the thread would share; resend the thread with all its checkpoints."""


class DeltaBaseMissing(Exception):
    """The base of a delta no longer exists in the target; resend the full values."""


@dataclass(eq=False)
class TargetLine:
    """One namespace of a thread in the target."""

    row: LineRow
    """The line as it will be after the next commit."""
    stored: int
    """The version of the line that is stored; 0 if there is none."""
    view: View
    """What readers of the line see."""
    comparison: SequenceComparison
    with_base_overlays: View | None = None
    """Of a line that shares: the view if it also sees the overlays of its base."""
    recent: OrderedDict[int, CheckpointRow] = field(default_factory=OrderedDict)
    overlays: dict[tuple[int, int], OverlayRow] | None = None
    """The stored overlays by checkpoint and era, once they were read."""
    is_changed: bool = False
    hidden: frozenset[int] = frozenset()
    """Checkpoints that are removed here and in `view` nevertheless, see `outline.with_needed`."""

    def change(self, row: LineRow) -> None:
        self.row = self.view.line = row
        self.is_changed = True


@dataclass(eq=False)
class TargetThread:
    """A thread in the target, before and while it is written."""

    thread: ThreadRow | None
    """None if the thread is new to the target."""
    lines: dict[str, TargetLine]
    journal: SequenceComparison
    generation: int = 1
    listed_status: str | None = None
    """The status that the index of threads has for it."""
    is_staged: bool = False
    is_sharing: bool = False
    has_more_namespaces: bool = False
    """Whether it has checkpoints in a namespace that the source does not have."""
    expects: list[Expect] = field(default_factory=list)
    """Further expectations of the first commit."""
    puts: list[Row] = field(default_factory=list)
    """Further rows of the first commit."""

    @property
    def root(self) -> TargetLine:
        return self.lines[""]

    @property
    def is_new(self) -> bool:
        """Whether nothing of it is stored yet."""
        return self.thread is None and not self.root.stored


@dataclass(frozen=True)
class _Numbers:
    """The numbers that a new thread gets: hashes of its id, so that an interrupted transfer finds them again.

    `salt` counts the earlier attempts that were abandoned."""

    thread_id: str
    record: wire_records.Thread
    tree: int
    salt: int

    def line(self, namespace: str) -> int:
        return _number(self.tree, self.thread_id, self.record.created_at, namespace, self.salt)

    def row(self, namespace: str) -> LineRow:
        return LineRow(self.tree, self.line(namespace), self.line(""), namespace)


def _number(*parts: object) -> int:
    return int.from_bytes(blake2b(_encode(parts), digest_size=6, person=b"transfer").digest(), "big") >> 1 or 1


async def find_target(engine: Engine, record: wire_records.Thread, thread_id: str, shares: str | None) -> TargetThread:
    """What the target has of a thread. If it is new, it becomes a fork of the thread `shares`."""
    found = await engine.backend.find(thread_id, "", tombstone_hash(thread_id))
    if found.thread is not None:
        return await _existing(engine, record, Handle(thread_id, "", engine.codec))
    if found.generation:
        raise Deleted(f"thread {thread_id!r} was deleted in {engine.url!r} and can't be restored; give it another id")
    origin = None if shares is None else Handle(shares, "", engine.codec)
    base = None if origin is None else await _shared_base(engine, origin)
    numbers, staged = await _staged_lines(engine, record, thread_id, base)
    if staged:
        return await _staged(engine, record, staged, base is not None)
    if origin is not None and base is not None:
        return await _sharing(engine, numbers, origin, base)
    lines = {line.namespace: _new_line(numbers.row(line.namespace)) for line in record.lines}
    return TargetThread(None, lines, empty_comparison())


async def _shared_base(engine: Engine, origin: Handle) -> LineRow:
    """The root line of the thread to share with."""
    base = await location.find(engine, origin)
    if base.thread is None or base.root is None:
        raise SharedHistoryMissing
    return base.root


async def _staged_lines(
    engine: Engine, record: wire_records.Thread, thread_id: str, base: LineRow | None
) -> tuple[_Numbers, list[LineRow]]:
    """The lines of an unfinished transfer, or the numbers of a new one and no lines."""
    salt = 0
    while True:
        tree = _number("tree", thread_id, record.created_at, salt) if base is None else base.tree
        numbers = _Numbers(thread_id, record, tree, salt)
        lines = [checked(line) for line in await engine.backend.namespaces(tree, numbers.line(""))]
        # Numbers of an abandoned attempt may still have rows, so the next attempt gets others.
        if not lines or not staged_thread.is_abandoned(lines[0]):
            return numbers, lines
        salt += 1


def _new_line(row: LineRow) -> TargetLine:
    return TargetLine(row, 0, View(row), empty_comparison())


def abandoned(root: LineRow) -> LineRow:
    """The root line of a staged thread that is given up: its numbers are not used again, and `collect` frees it."""
    return with_checksum(staged_thread.abandoned(root._replace(version=root.version + 1)))


# ------------------------------------------------------------------------------------------------ existing or staged


async def _existing(engine: Engine, record: wire_records.Thread, handle: Handle) -> TargetThread:
    lookup: Lookup = await location.find(engine, handle)
    if lookup.thread is None or lookup.root is None:
        raise Deleted(f"{handle.name} was deleted in {engine.url!r} just now")
    root = lookup.root
    lines: dict[str, TargetLine] = {}
    for line in record.lines:
        row = root if not line.namespace else (await location.find(engine, handle.inner(line.namespace))).line
        lines[line.namespace] = await _stored_line(engine, row or _fresh_row(root, line), line)
    stored = await engine.backend.namespaces(root.tree, root.line)
    # Then the target is ahead of the source, whatever the other namespaces say.
    more = any(line.checkpoints for line in stored if line.namespace not in lines)
    status = lookup.head.status if lookup.head is not None else None
    return TargetThread(
        lookup.thread, lines, _journal(engine, root), lookup.thread.generation, status, has_more_namespaces=more
    )


async def _staged(engine: Engine, record: wire_records.Thread, rows: list[LineRow], is_sharing: bool) -> TargetThread:
    stored = {row.namespace: row for row in rows}
    root = stored[""]
    lines: dict[str, TargetLine] = {}
    for line in record.lines:
        row = stored.get(line.namespace) or _fresh_row(root, line)
        lines[line.namespace] = await _stored_line(engine, row, line)
    return TargetThread(None, lines, _journal(engine, root), is_staged=True, is_sharing=is_sharing)


def _fresh_row(root: LineRow, line: wire_records.Line) -> LineRow:
    return LineRow(root.tree, new_number(), root.line, line.namespace)


async def _stored_line(engine: Engine, row: LineRow, line: wire_records.Line) -> TargetLine:
    view, hidden = await outline.with_needed(engine, await views.open_view(engine, row))
    comparison = SequenceComparison(_items(engine, view, view, line.base), row.seq)
    return TargetLine(row, row.version, view, comparison, hidden=frozenset(hidden))


def _journal(engine: Engine, root: LineRow) -> SequenceComparison:
    return SequenceComparison(_entries(engine, root), root.journal) if root.journal else empty_comparison()


async def _items(engine: Engine, view: View, annotated_by: View, shared: int) -> AsyncIterator[list[Item]]:
    """The checkpoints of a view with the annotations that another view has. One that the other hides gets a hash that
    equals no other."""
    async for rows in outline.pages(engine, view):
        hashes = await outline.annotation_hashes(engine, annotated_by, rows, shared)
        yield [Item(row.seq, row.digest, b"?" if annotated_by.hides(row.seq) else hashes[row.seq]) for row in rows]


async def _entries(engine: Engine, root: LineRow) -> AsyncIterator[list[Item]]:
    async for rows in outline.entries(engine, root):
        yield [Item(row.seq, outline.entry_hash(row)) for row in rows]


# ------------------------------------------------------------------------------------------------ sharing


async def _sharing(engine: Engine, numbers: _Numbers, origin: Handle, base: LineRow) -> TargetThread:
    """A new fork of a thread that the target has, as that thread is now."""
    record = numbers.record
    lines: dict[str, TargetLine] = {}
    for line in record.lines:
        row = numbers.row(line.namespace)
        if line.base:
            lines[line.namespace] = await _forked(engine, row, line, record.base_journal, origin, base)
        else:
            lines[line.namespace] = _new_line(row)
    # As in `checkpoints/fork.py`: the base's era grows with the fork.
    expects: list[Expect] = [LineAt(base.tree, base.line, base.version)]
    puts: list[Row] = [with_checksum(base._replace(version=base.version + 1, forks=base.forks + 1))]
    # An empty line hides a namespace that the origin has and the fork does not see.
    unseen = (await _namespaces(engine, base)).difference(lines)
    puts += [with_checksum(numbers.row(namespace)._replace(version=1)) for namespace in unseen]
    journal = _journal(engine, lines[""].row)
    return TargetThread(None, lines, journal, is_sharing=True, expects=expects, puts=puts)


async def _namespaces(engine: Engine, root: LineRow) -> set[str]:
    lines = await engine.backend.ancestry(root.tree, root.line)
    return {row.namespace for line in lines for row in await engine.backend.namespaces(line.tree, line.line)}


async def _forked(
    engine: Engine, row: LineRow, line: wire_records.Line, journal: int, origin: Handle, base_root: LineRow
) -> TargetLine:
    base = (await location.find(engine, origin.inner(line.namespace))).line
    if base is None:
        raise SharedHistoryMissing
    row = row._replace(
        seq=line.base, base_seq=line.base, overlays=base.overlays, is_copy=int(line.is_copy), base_line=base.line,
        base_era=base_root.forks + 1,
    )  # fmt: skip
    if not base.version:
        # The origin has no line of its own in this namespace yet, and sees that of its own origin.
        row = row._replace(base_line=base.base_line, base_era=base.base_era, is_copy=0)
    if not line.namespace:
        row = row._replace(journal=journal, base_journal=journal)
    with_base_overlays, hidden = await outline.with_needed(engine, await views.open_view(engine, row))
    # Era 0 sees no overlay of the base: the fork gets overlays of its own unless both sides turn out to be the same.
    without_overlays = row._replace(base_era=0)
    view = await views.open_view(engine, without_overlays)
    comparison = SequenceComparison(_items(engine, view, with_base_overlays, line.base), line.base)
    return TargetLine(without_overlays, 0, view, comparison, with_base_overlays, hidden=frozenset(hidden))
