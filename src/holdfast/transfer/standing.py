"""Where a thread that comes stands in the target: not there yet, begun, or there; and with whom it shares.

A thread that is new to a store is written under numbers that follow from its id, without an entry in the directory:
nobody sees it until it is whole. Whoever is stopped half way finds it by the same numbers, and goes on.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from hashlib import blake2b

from msgspec.msgpack import Encoder

from holdfast.backends.base import Expect, LineAt
from holdfast.backends.rows import CheckpointRow, LineRow, MarkRow, Row, ThreadRow, checked, sealed
from holdfast.engine import places, staging, views
from holdfast.engine.context import Engine, Handle
from holdfast.engine.places import Place
from holdfast.engine.views import View
from holdfast.errors import Deleted
from holdfast.ids import grave_hash, new_number
from holdfast.transfer import looking, records
from holdfast.transfer.joining import Item, Join, nothing

_encode = Encoder().encode


class Unshared(Exception):
    """The target does not have what the thread would share: it has to come with all its checkpoints."""


class Unbased(Exception):
    """The target has removed, and freed, what comes is a change of: it has to come whole."""


@dataclass(eq=False)
class TargetLine:
    """One namespace of a thread in the target."""

    row: LineRow  # as it will be
    stored: int  # the version that is there; 0 if there is none
    view: View  # what the line shows
    join: Join
    later: View | None = None  # of a line that shares: what it shows if it sees what its base says
    recent: OrderedDict[int, CheckpointRow] = field(default_factory=OrderedDict)
    marks: dict[tuple[int, int], MarkRow] | None = None  # once somebody asked
    touched: bool = False
    hidden: frozenset[int] = frozenset()  # removed here, and in `view` all the same: see `looking.with_needed`

    def change(self, row: LineRow) -> None:
        self.row = self.view.line = row
        self.touched = True


@dataclass(eq=False)
class Standing:
    thread: ThreadRow | None  # None if it is new here
    lines: dict[str, TargetLine]
    journal: Join
    generation: int = 1
    was: str | None = None  # the status that it is listed under
    is_staged: bool = False
    is_sharing: bool = False
    others_went_on: bool = False  # in a namespace that the source does not have
    expects: list[Expect] = field(default_factory=list)  # of the first commit
    puts: list[Row] = field(default_factory=list)

    @property
    def root(self) -> TargetLine:
        return self.lines[""]


def number(*parts: object) -> int:
    """A number of a tree or line that follows from these."""
    return int.from_bytes(blake2b(_encode(parts), digest_size=6, person=b"transfer").digest(), "big") >> 1 or 1


async def stand(engine: Engine, record: records.Thread, thread_id: str, shares: str | None) -> Standing:
    handle = Handle(thread_id, "", engine.codec)
    found = await engine.backend.find(thread_id, "", grave_hash(thread_id))
    if found.thread is not None:
        return await _existing(engine, record, await places.find(engine, handle), handle)
    if found.generation:
        raise Deleted(f"thread {thread_id!r} was deleted in {engine.url!r}: it does not come back; give it another id")
    base = None if shares is None else await places.find(engine, Handle(shares, "", engine.codec))
    if shares is not None and (base is None or base.thread is None):
        raise Unshared
    salt = 0
    while True:
        tree = (
            number("tree", thread_id, record.created_at, salt) if base is None or base.root is None else base.root.tree
        )
        root = number(tree, thread_id, record.created_at, "", salt)
        lines = [checked(line) for line in await engine.backend.namespaces(tree, root)]
        if not lines:
            break
        if not staging.is_abandoned(lines[0]):
            return await _staged(engine, record, lines, salt, base is not None)
        salt += 1
    if base is not None and shares is not None:
        return await _sharing(engine, record, thread_id, tree, salt, Handle(shares, "", engine.codec), base)
    fresh = {line.namespace: _line_number(tree, thread_id, record, line.namespace, salt) for line in record.lines}
    rows = [LineRow(tree, fresh[line.namespace], root, line.namespace) for line in record.lines]
    return Standing(None, {row.namespace: TargetLine(row, 0, View(row), Join(nothing(), 0)) for row in rows},
                    Join(nothing(), 0))  # fmt: skip


def _line_number(tree: int, thread_id: str, record: records.Thread, namespace: str, salt: int) -> int:
    return number(tree, thread_id, record.created_at, namespace, salt)


def abandoned(root: LineRow) -> LineRow:
    """A begun thread that is not what comes now: its numbers are not used again, and collecting frees it."""
    return sealed(staging.abandoned(root._replace(version=root.version + 1)))


# ------------------------------------------------------------------------------------------------ there, or begun


async def _existing(engine: Engine, record: records.Thread, place: Place, handle: Handle) -> Standing:
    if place.thread is None or place.root is None:
        raise Deleted(f"{handle.name} was deleted in {engine.url!r} just now")
    lines = {}
    for line in record.lines:
        row = place.root if not line.namespace else (await places.find(engine, handle.inner(line.namespace))).line
        fresh = LineRow(place.root.tree, new_number(), place.root.line, line.namespace)
        lines[line.namespace] = await _stored(engine, row or fresh, line)
    others = await engine.backend.namespaces(place.root.tree, place.root.line)
    went_on = any(line.checkpoints for line in others if line.namespace not in lines)
    journal = Join(_entries(engine, place.root), place.root.journal)
    was = place.head.status if place.head is not None else None
    return Standing(place.thread, lines, journal, place.thread.generation, was, others_went_on=went_on)


async def _staged(engine: Engine, record: records.Thread, rows: list[LineRow], salt: int, sharing: bool) -> Standing:
    known = {row.namespace: row for row in rows}
    root = known[""]
    lines = {}
    for line in record.lines:
        fresh = LineRow(root.tree, new_number(), root.line, line.namespace)
        lines[line.namespace] = await _stored(engine, known.get(line.namespace, fresh), line)
    journal = Join(_entries(engine, root), root.journal)
    return Standing(None, lines, journal, is_staged=True, is_sharing=sharing)


async def _stored(engine: Engine, row: LineRow, line: records.Line) -> TargetLine:
    view, hidden = await looking.with_needed(engine, await views.open_view(engine, row))
    return TargetLine(
        row, row.version, view, Join(_items(engine, view, view, line.base), row.seq), hidden=frozenset(hidden)
    )


async def _items(engine: Engine, view: View, by: View, shared: int) -> AsyncIterator[list[Item]]:
    """What a view has. With the words of another view; a checkpoint that is hidden there has words like no other."""
    async for rows in looking.pages(engine, view):
        words = await looking.words(engine, by, rows, shared)
        yield [Item(row.seq, row.digest, b"?" if by.hides(row.seq) else words[row.seq]) for row in rows]


async def _entries(engine: Engine, root: LineRow) -> AsyncIterator[list[Item]]:
    async for rows in looking.entries(engine, root):
        yield [Item(row.seq, looking.entry_hash(row)) for row in rows]


# ------------------------------------------------------------------------------------------------ sharing


async def _sharing(
    engine: Engine, record: records.Thread, thread_id: str, tree: int, salt: int, other: Handle, base: Place
) -> Standing:
    """A fork of a thread that the target has. It is forked off there as it stands now."""
    if base.root is None:
        raise Unshared
    root_number = _line_number(tree, thread_id, record, "", salt)
    lines = {}
    for line in record.lines:
        row = LineRow(tree, _line_number(tree, thread_id, record, line.namespace, salt), root_number, line.namespace)
        if line.base:
            lines[line.namespace] = await _forked(engine, row, line, record.base_journal, other, base.root)
        else:
            lines[line.namespace] = TargetLine(row, 0, View(row), Join(nothing(), 0))
    root = lines[""].row
    journal = Join(_entries(engine, root) if root.journal else nothing(), root.journal)
    expects: list[Expect] = [LineAt(base.root.tree, base.root.line, base.root.version)]
    puts: list[Row] = [sealed(base.root._replace(version=base.root.version + 1, forks=base.root.forks + 1))]
    for namespace in await _namespaces(engine, base.root):
        if namespace not in lines:  # the other has it, and this one does not see it: an empty line says so
            own = _line_number(tree, thread_id, record, namespace, salt)
            puts.append(sealed(LineRow(tree, own, root_number, namespace, version=1)))
    return Standing(None, lines, journal, is_sharing=True, expects=expects, puts=puts)


async def _namespaces(engine: Engine, root: LineRow) -> set[str]:
    lines = await engine.backend.ancestry(root.tree, root.line)
    return {one.namespace for line in lines for one in await engine.backend.namespaces(line.tree, line.line)}


async def _forked(
    engine: Engine, row: LineRow, line: records.Line, journal: int, other: Handle, base_root: LineRow
) -> TargetLine:
    base = (await places.find(engine, other.inner(line.namespace))).line
    if base is None:
        raise Unshared
    row = row._replace(
        seq=line.base, base_seq=line.base, marks=base.marks, whole=int(line.whole), base_line=base.line,
        base_era=base_root.forks + 1,
    )  # fmt: skip
    if not base.version:  # the other has no line of its own there yet, and sees that of its own origin
        row = row._replace(base_line=base.base_line, base_era=base.base_era, whole=0)
    if not line.namespace:
        row = row._replace(journal=journal, base_journal=journal)
    later, hidden = await looking.with_needed(engine, await views.open_view(engine, row))
    apart = row._replace(base_era=0)
    view = await views.open_view(engine, apart)
    join = Join(_items(engine, view, later, line.base), line.base)
    return TargetLine(apart, 0, view, join, later, hidden=frozenset(hidden))
