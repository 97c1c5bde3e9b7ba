"""The store that threads go to: compares what it has with the outline of what comes, and writes what it lacks.

Checkpoints are written as saves write them, in this store's own logs and frames, many in one commit. Every value and
every checkpoint is put together and hashed before it is stored: one that does not match its digest is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

import msgspec
from msgspec import Raw

from holdfast.backends.base import (
    Batch,
)
from holdfast.backends.rows import (
    CheckpointRow,
    JournalRow,
    MarkRow,
    PendingRow,
    RunRow,
    SealedRow,
    sealed,
)
from holdfast.engine import load, manifest, trimming, values, views
from holdfast.engine.changes import replay, whole_change
from holdfast.engine.context import Engine
from holdfast.engine.manifest import INLINE_UP_TO, Entry, Inline, Manifest, Ref
from holdfast.engine.parts import LIST, join
from holdfast.engine.rows import row_digest
from holdfast.engine.values import Home, Version, Written
from holdfast.errors import Conflict, Contended, Corrupt
from holdfast.transfer import looking, records
from holdfast.transfer.comparing import Comparison, raw_row
from holdfast.transfer.landing import Landing, at
from holdfast.transfer.queue import Queue
from holdfast.transfer.records import Said, Value
from holdfast.transfer.reports import Counts
from holdfast.transfer.source import Plan
from holdfast.transfer.standing import Standing, TargetLine, Unbased, Unshared, abandoned, stand

_CACHE: Final = 16 * 1024 * 1024
_RECENT: Final = 300
_append = msgspec.msgpack.Decoder(tuple[Literal[1], int, Literal[0], list[Raw]]).decode


class Target:
    def __init__(self, engine: Engine, names: Mapping[str, str]) -> None:
        self._whole = engine
        self._names = names
        self._taken: dict[str, str] = {}
        self.counts = Counts()
        self.queue = Queue(engine)

    async def begin(self, record: records.Thread, *, sharing: bool = True) -> Incoming:
        self._whole.check_open()
        thread_id = self._named(record.id) or record.id
        other = self._taken.setdefault(thread_id, record.id)
        if other != record.id:
            raise Conflict(f"thread {record.id!r} would be {thread_id!r} here, as {other!r} is; give it another id")
        self._whole.flush(thread_id)
        if record.shares is not None:  # it may be on its way
            await self.queue.flush()
        engine = looking.apart(self._whole, _CACHE)
        standing = await stand(engine, record, thread_id, self._named(record.shares) if sharing else None)
        landing = Landing(self._whole, engine, record, thread_id, self._names, standing, self.queue)
        return Incoming(engine, record, thread_id, standing, self.counts, landing)

    def _named(self, thread_id: str | None) -> str | None:
        return None if thread_id is None else self._names.get(thread_id, thread_id)


@dataclass(eq=False)
class Incoming:
    """One thread on its way into a store."""

    engine: Engine
    record: records.Thread
    id: str
    standing: Standing
    counts: Counts
    landing: Landing
    plan: Plan | None = None  # None once nothing is to be done
    _runs: set[tuple[str, int]] = field(default_factory=set)
    _untold: dict[str, set[int]] = field(default_factory=dict)

    # ---------------------------------------------------------------- comparing

    @cached_property
    def comparison(self) -> Comparison:
        return Comparison(self.engine, self.record, self.id, self.standing)

    async def compare(self, page: records.Outline | records.Entries) -> None:
        await self.comparison.feed(page)

    async def decide(self) -> Plan | None:
        """What is wanted; None if nothing is. Two sides that both went on are a conflict, and nothing is written."""
        standing = self.standing
        await self.comparison.finish()
        if standing.thread is None and standing.is_sharing and not standing.is_staged:
            self._share()
        elif standing.thread is not None:
            if not await self.comparison.goes_on():
                return None
        elif standing.is_staged and self.comparison.is_something_else():
            root = standing.root
            await self.engine.backend.commit(Batch([at(root)], [abandoned(root.row)]))
            raise Contended(f"thread {self.id!r} was begun as something else before; try again")
        self.plan = Plan(
            {name: line.row.seq for name, line in standing.lines.items()},
            {name: set(self._wanted(line)) for name, line in standing.lines.items()},
            standing.root.row.journal,
        )
        self._untold = {name: set(seqs) for name, seqs in self.plan.words.items()}
        return self.plan

    def _wanted(self, line: TargetLine) -> set[int]:
        """The checkpoints about which the source says something else. A fork that does not see what its base says
        needs all that is said."""
        sees_words = line.later is None or line.view is line.later
        return line.join.differing if sees_words else line.join.spoken

    def _share(self) -> None:
        """Fork off what is shared, and hide what the other thread shows and this one does not."""
        if self.standing.journal.missing:
            raise Unshared
        for line in self.standing.lines.values():
            if line.later is None:
                continue
            if line.join.missing:
                raise Unshared
            shown = line.join.theirs_only
            if not line.join.differing:
                line.view = line.later
                shown = [seq for seq in shown if not line.later.hides(seq)]
            else:
                line.hidden = frozenset()
            removed = len(line.hidden.difference(line.join.theirs_only))
            line.change(line.view.line._replace(checkpoints=line.join.matched - removed))
            for seq in shown:
                self._mark(line, seq, hidden=views.REMOVED)

    # ---------------------------------------------------------------- writing

    async def take(self, said: Said) -> None:
        """Store it, if it is wanted."""
        if self.plan is None:
            return
        if isinstance(said, records.Point):
            await self._point(said, self._line(said.namespace))
        elif isinstance(said, records.Entry):
            self._entry(said, self.standing.root)
        elif isinstance(said, records.Words):
            await self._words(said, self._line(said.namespace))
        else:
            await self._writes(said, self._line(said.namespace))
        await self.landing.commit_if_large()

    async def finish(self) -> None:
        self.counts.threads += 1
        if self.plan is None:
            self.counts.unchanged += 1
            return
        self._check_complete()
        for namespace, left in self._untold.items():
            for seq in left:  # the source says no more than what it was saved with
                await self._word(self._line(namespace), seq, None, None)
        for line in self.record.lines:
            self._hide(line, self._line(line.namespace))
            await self._close(line, self._line(line.namespace))
        await self.landing.commit(last=True)

    def _hide(self, said: records.Line, line: TargetLine) -> None:
        """What was removed in the source, and came only because others are made of it."""
        after = self.plan.after[said.namespace] if self.plan is not None and self.standing.thread is not None else 0
        for seq in said.hidden:
            if seq > after and seq not in line.hidden:
                self._mark(line, seq, hidden=views.REMOVED)
                line.change(line.row._replace(checkpoints=line.row.checkpoints - 1))

    def _check_complete(self) -> None:
        """All that the outline told has come."""
        lines = self.standing.lines.values()
        if any(line.join.coming for line in lines) or self.standing.journal.coming:
            raise Corrupt(f"thread {self.record.id!r} came without all that its outline told of")

    def _line(self, namespace: str) -> TargetLine:
        return self.comparison.line(namespace)

    def _entry(self, said: records.Entry, root: TargetLine) -> None:
        if self.plan is None or said.seq <= self.plan.journal:
            return
        if said.seq <= root.row.journal:
            raise Corrupt(f"thread {self.record.id!r}: the journal entry {said.seq} comes twice")
        if said.seq > root.row.journal + 1:  # the source was trimmed
            self.landing.put(trimming.telling(root.row, (root.row.journal + 1, said.seq - 1)), 100)
        row = JournalRow(root.row.tree, root.row.line, said.seq, said.kind, said.key, said.created_at, said.body)
        self.landing.put(sealed(row), len(said.body))
        self.standing.journal.coming -= 1
        root.change(root.row._replace(journal=said.seq))
        self.counts.entries += 1

    async def _close(self, said: records.Line, line: TargetLine) -> None:
        """The line as the source has it. The head need not be the last that came."""
        row = line.row
        head = await self._row(line, said.head) if said.head else None
        if said.seq > row.seq or (head is not None and (head.line, head.seq) != (row.head_line, row.head_seq)):
            line.change(row._replace(
                seq=max(said.seq, row.seq), head_line=head.line if head is not None else row.head_line,
                head_seq=head.seq if head is not None else row.head_seq,
            ))  # fmt: skip
        if line.touched:
            line.change(line.row._replace(updated_at=max(said.updated_at, line.row.updated_at)))

    # ---------------------------------------------------------------- checkpoints

    async def _point(self, said: records.Point, line: TargetLine) -> None:
        if self.plan is None or said.seq <= self.plan.after[said.namespace]:
            return
        if said.seq <= line.row.seq:
            raise Corrupt(f"thread {self.record.id!r}: checkpoint {said.seq} comes twice, or too late")
        known, written = await self._manifest(said, line, await self._base(line, said))
        row = self._checkpoint(said, line, await self._parent(line, said), known)
        self._check(said, row, known)
        for one in written:
            self.landing.store(one)
        if said.run_id is not None and (said.run_id, row.line) not in self._runs:
            self._runs.add((said.run_id, row.line))
            self.landing.put(sealed(RunRow(said.run_id, row.tree, row.line)), 0)
        self.landing.put(row, len(row.manifest) + len(row.metadata) + 200)
        stored = sum(one.bytes for one in written) + len(row.manifest) + len(row.metadata)
        line.change(line.row._replace(
            seq=row.seq, head_line=row.line, head_seq=row.seq, checkpoints=line.row.checkpoints + 1,
            size=line.row.size + stored, updated_at=max(row.created_at, line.row.updated_at),
        ))  # fmt: skip
        self._remember(line, row)
        line.join.coming -= 1
        self.counts.checkpoints += 1
        self.counts.size += said.size

    def _checkpoint(
        self, said: records.Point, line: TargetLine, parent: CheckpointRow | None, known: Manifest
    ) -> CheckpointRow:
        own = line.row
        parent_id = said.parent_id
        if said.parent_seq and (parent is None or parent.seq != said.parent_seq):  # the target has removed it
            parent_id = parent.id if parent is not None else None
        follows = parent is not None and parent.line == own.line and parent.seq == own.seq
        same = said.proof is None or (parent is not None and parent.digest == said.proof)
        return sealed(CheckpointRow(
            tree=own.tree, line=own.line, seq=said.seq, id=said.id, parent_id=parent_id,
            parent_seq=parent.seq if parent is not None else 0,
            parent_thread=self.landing.named(said.parent_thread),
            parent_digest=None if same else said.proof,
            stretch=parent.stretch if parent is not None and follows else said.seq,
            depth=parent.depth + 1 if parent is not None else 1,
            step=said.step, source=said.source, node=said.node, next=said.next, run_id=said.run_id,
            status=said.status, label=said.label, metadata=said.metadata, created_at=said.created_at,
            journal_seq=said.journal_seq, size=said.size, origin=said.origin, era=self.standing.root.row.forks,
            digest=said.digest, manifest=manifest.pack(known),
        ))  # fmt: skip

    async def _parent(self, line: TargetLine, said: records.Point) -> CheckpointRow | None:
        """The parent; if the target has removed it, its nearest ancestor there."""
        found = await self._row(line, said.parent_seq) if said.parent_seq else None
        if found is None and said.parent_seq:
            self._check_removed(said, said.parent_seq)
            chain = await views.chain(self.engine, line.view, said.parent_seq)
            nearest = await views.scan_segments(self.engine, line.view, chain, said.parent_seq, 1)
            return nearest[0] if nearest else None
        return found

    async def _base(self, line: TargetLine, said: records.Point) -> CheckpointRow | None:
        """The checkpoint that values are relative to, removed or not."""
        found = await self._row(line, said.base) if said.base else None
        if found is None and said.base:
            self._check_removed(said, said.base)
            found = await raw_row(self.engine, line, said.base)
            if found is None:
                raise Unbased
        return found

    def _check_removed(self, said: records.Point, seq: int) -> None:
        if self.plan is None or seq > self.plan.after[said.namespace]:
            raise Corrupt(f"checkpoint {said.id!r} of thread {self.record.id!r} follows one that is not there")

    def _check(self, said: records.Point, row: CheckpointRow, known: Manifest) -> None:
        if said.proven and row_digest(said.namespace, row, known, said.proof) != said.digest:
            raise Corrupt(
                f"checkpoint {said.id!r} of thread {self.record.id!r} does not match its digest: it was changed on "
                "its way, or where it came from"
            )

    async def _row(self, line: TargetLine, seq: int) -> CheckpointRow | None:
        row = line.recent.get(seq)
        if row is None:
            await self.landing.flush()
            row = await looking.row_at(self.engine, line.view, seq)
            if row is not None:
                self._remember(line, row)
        return row

    def _remember(self, line: TargetLine, row: CheckpointRow) -> None:
        line.recent[row.seq] = row
        line.recent.move_to_end(row.seq)
        if len(line.recent) > _RECENT:
            line.recent.popitem(last=False)

    # ---------------------------------------------------------------- values

    async def _manifest(
        self, said: records.Point, line: TargetLine, base: CheckpointRow | None
    ) -> tuple[Manifest, list[Written]]:
        """Where the values of a checkpoint are in this store. Only the last one of the line goes on in its logs."""
        known = Manifest({}) if base is None else load.manifest_of(base)
        if base is not None and (base.line, base.seq) != (line.row.line, line.row.seq):
            known = manifest.frozen(known)
        written: list[Written] = []
        channels = {
            name: await self._value(said, line, value, known.channels.get(name), written)
            for name, value in said.channels
        }
        extra = None
        if not isinstance(said.extra, bool):
            extra = await self._value(said, line, said.extra, known.extra, written)
        return Manifest(channels, extra, tuple(said.open)), written

    async def _value(
        self, said: records.Point, line: TargetLine, value: Value, base: Entry | None, written: list[Written]
    ) -> Entry:
        if value is None:
            if base is None:
                raise Corrupt(f"checkpoint {said.id!r} of thread {self.record.id!r} names a value that is not there")
            return base
        old = await self._version(line.row.tree, base) if isinstance(base, Ref) else None
        if isinstance(value, bytes):
            one = _whole(self.engine.home(line.row.tree), value, base, old)
        elif isinstance(base, Inline) or base is None or old is None:
            raise Corrupt(f"checkpoint {said.id!r} of thread {self.record.id!r} changes a value that is not there")
        else:
            one = self._changed(said, self.engine.home(line.row.tree), value[0], base, old)
        if isinstance(one.entry, Ref) and one.version is not None:
            self.engine.cache.put(one.entry[:2], one.version, one.version.cost)
        written.append(one)
        return one.entry

    def _changed(self, said: records.Point, home: Home, change: bytes, base: Ref, old: Version) -> Written:
        try:
            _, at, _, items = _append(change)
        except msgspec.MsgspecError:
            pass
        else:
            known = old.parts = values.split(old.parts)
            grown = values.append(home, join(LIST, items), base, old) if at == len(known.items) else None
            if grown is not None:
                return grown
        try:
            enc = replay(old.parts.enc, [change])
        except Exception as error:
            raise Corrupt(
                f"checkpoint {said.id!r} of thread {self.record.id!r}: a change does not fit its value: {error!r}"
            ) from error
        return values.write_change(home, enc, change, base, old)

    async def _version(self, tree: int, ref: Ref) -> Version:
        known: Version | None = self.engine.cache.get(ref[:2])
        if known is not None:
            return known
        await self.landing.flush()
        return load.version_of(ref, await load.versions(self.engine, tree, [ref]))

    # ---------------------------------------------------------------- words

    async def _words(self, said: records.Words, line: TargetLine) -> None:
        if self._is_wanted(said.namespace, said.seq):
            self._untold.get(said.namespace, set()).discard(said.seq)
            await self._word(line, said.seq, said.label, said.status)

    def _is_wanted(self, namespace: str, seq: int) -> bool:
        return self.plan is not None and (seq > self.plan.after[namespace] or seq in self.plan.words[namespace])

    async def _word(self, line: TargetLine, seq: int, label: str | None, status: str | None) -> None:
        row = await self._row(line, seq)
        if row is None:
            raise Corrupt(f"thread {self.record.id!r}: something is said about checkpoint {seq}, which is not there")
        wanted = (row.label if label is None else label, row.status if status is None else status)
        if wanted != (line.view.label(row), line.view.status(row)):
            if line.stored and line.marks is None:
                found = await self.engine.backend.marks(line.row.tree, [line.row.line])
                line.marks = {(one.seq, one.era): one for one in found}
            self._mark(line, seq, label=wanted[0], status=wanted[1])

    def _mark(
        self, line: TargetLine, seq: int, hidden: int = 0, label: str | None = None, status: str | None = None
    ) -> None:
        own, era = line.row, self.standing.root.row.forks
        line.marks = line.marks if line.marks is not None else {}
        known = line.marks.get((seq, era), MarkRow(own.tree, own.line, seq, era, 0, None, None))
        mark = sealed(known._replace(
            hidden=hidden or known.hidden, label=known.label if label is None else label,
            status=known.status if status is None else status,
        ))  # fmt: skip
        line.marks[seq, era] = mark
        self.landing.put(mark, 0)
        line.view.marks = {**line.view.marks, seq: views.Mark(mark.hidden, mark.label, mark.status)}
        line.change(line.row._replace(marks=line.row.marks + 1))

    async def _writes(self, said: records.Writes, line: TargetLine) -> None:
        if self.plan is None or not self._is_wanted(said.namespace, said.seq):
            return
        row = await self._row(line, said.seq)
        by = await self._row(line, said.number) if said.number else None
        if row is None or (by is None and said.number):
            raise Corrupt(f"thread {self.record.id!r}: there are writes of checkpoint {said.seq}, which is not there")
        wanted = said.writes
        if said.seq <= self.plan.after[said.namespace]:
            known = (await looking.writes_of(self.engine, line.view, [row]))[row.seq]
            wanted = [one for one in wanted if one[2] < 0 or (one[0], one[2]) not in known]
        if by is None:
            self._pending(line, said.seq, wanted)
        elif wanted:
            self._sealed(line, said.seq, wanted, by)
        self.counts.writes += len(wanted)

    def _pending(self, line: TargetLine, seq: int, writes: list[records.Write]) -> None:
        own, era = line.row, self.standing.root.row.forks
        for task_id, path, index, channel, value in writes:
            if not isinstance(value, bytes):
                raise Corrupt(f"thread {self.record.id!r}: a write of checkpoint {seq} names a place in nothing")
            body = load.encode_write(channel, value)
            self.landing.put(sealed(PendingRow(own.tree, own.line, seq, task_id, index, era, path, body)), len(body))
        line.touched = True

    def _sealed(self, line: TargetLine, seq: int, writes: list[records.Write], by: CheckpointRow) -> None:
        own, era = line.row, self.standing.root.row.forks
        known = load.manifest_of(by).channels
        tasks: dict[tuple[str, str], list[tuple[int, str, bytes | list[int]]]] = {}
        for task_id, path, index, channel, value in writes:
            place = value if isinstance(value, bytes) else _placed(known.get(channel), value, self.record.id, seq)
            tasks.setdefault((task_id, path), []).append((index, channel, place))
        whole: load.Sealed = [(load.short(task), path, found) for (task, path), found in tasks.items()]
        body = load.encode(whole)
        self.landing.put(sealed(SealedRow(own.tree, own.line, seq, by.seq, era, body)), len(body))
        line.touched = True


def _whole(home: Home, enc: bytes, base: Entry | None, old: Version | None) -> Written:
    """A value that has nothing worth keeping of the one before it: whoever sent it has compared them."""
    if not isinstance(base, Ref) or old is None or len(enc) <= INLINE_UP_TO:
        return values.write(home, enc, None, None)
    return values.write_change(home, enc, whole_change(enc), base, old)


def _placed(entry: Entry | None, place: list[int], thread_id: str, seq: int) -> list[int]:
    if not isinstance(entry, Ref):
        raise Corrupt(f"thread {thread_id!r}: a write of checkpoint {seq} names a value that is not there")
    return [entry.log, entry.pos, *place]
