"""What has come of a thread that is on its way into a store, until it is committed: many checkpoints at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from holdfast.backends.base import (
    Batch,
    Drop,
    DropChunks,
    DropRow,
    Expect,
    GraveAt,
    LineAt,
    NamespaceFree,
    ThreadAbsent,
)
from holdfast.backends.rows import ChunkRow, Row, TagRow, ThreadRow, sealed
from holdfast.engine import leases, staging, tags, terms
from holdfast.engine.context import Engine, Handle
from holdfast.engine.values import Written
from holdfast.errors import Contended
from holdfast.ids import grave_hash
from holdfast.transfer import looking, records
from holdfast.transfer.queue import Queue
from holdfast.transfer.standing import Standing, TargetLine

_BATCH_BYTES: Final = 4 * 1024 * 1024
_BATCH_ROWS: Final = 2000


def at(line: TargetLine) -> Expect:
    """The line is as it was found, or as it was written last."""
    return LineAt(line.row.tree, line.row.line, line.stored)


@dataclass(eq=False)
class Landing:
    whole: Engine
    engine: Engine
    record: records.Thread
    id: str
    names: Mapping[str, str]
    standing: Standing
    queue: Queue
    _puts: list[Row] = field(default_factory=list)
    _chunks: dict[tuple[int, int], ChunkRow] = field(default_factory=dict)
    _drops: list[Drop] = field(default_factory=list)
    _weight: int = 0

    def named(self, thread_id: str | None) -> str | None:
        return None if thread_id is None else self.names.get(thread_id, thread_id)

    def put(self, row: Row, weight: int) -> None:
        self._puts.append(row)
        self._weight += weight + 50

    def store(self, written: Written) -> None:
        """A frame takes the place of changes that may be on their way in the same commit."""
        for drop in written.drops:
            if isinstance(drop, DropChunks):
                for lo in range(drop.lo, drop.hi + 1):
                    self._chunks.pop((drop.log, lo), None)
            self._drops.append(drop)
        for row in written.rows:
            if isinstance(row, ChunkRow):
                self._chunks[row.log, row.lo] = row
                self._weight += len(row.body)
            else:
                self.put(row, 0)

    async def flush(self) -> None:
        """Before something is read that may be on its way."""
        if self._puts or self._chunks:
            await self.commit()

    async def commit_if_large(self) -> None:
        if self._weight > _BATCH_BYTES or len(self._puts) > _BATCH_ROWS:
            await self.commit()

    async def commit(self, *, last: bool = False) -> None:
        """What has come so far, if everything is still as it was found."""
        standing = self.standing
        await self._admit(standing.root)
        fresh = standing.thread is None and not standing.root.stored
        if standing.thread is None:
            row = standing.root.row
            moment = await self.engine.backend.now()
            standing.root.change(staging.published(row) if last else staging.staged(row, moment))
        lines = list(standing.lines.values())
        changed = [line for line in lines if line.touched or (fresh and not line.stored)]
        if not (changed or self._puts or self._chunks or last):
            return
        expects, puts, drops = [*standing.expects], [*standing.puts], [*self._drops]
        for line in {id(one): one for one in (standing.root, *changed)}.values():
            expects.append(at(line))
            if not line.stored:
                expects.append(NamespaceFree(line.row.tree, line.row.thread, line.row.namespace))
        for line in changed:
            line.change(sealed(line.row._replace(version=line.stored + 1)))
            puts.append(line.row)
        if last:
            await self._publish(expects, puts, drops)
        puts += [*self._puts, *self._chunks.values()]
        if last and fresh and not standing.is_sharing:
            await self.queue.put(self.id, Batch(expects, puts, drops), self._weight)
        elif not await self.engine.backend.commit(Batch(expects, puts, drops)):
            raise Contended(f"thread {self.id!r} was changed in the target meanwhile; try again")
        for line in changed:
            line.stored, line.touched = line.row.version, False
            self.whole.cache.drop((self.id, line.row.namespace))
        standing.expects, standing.puts = [], []
        self._puts, self._chunks, self._drops, self._weight = [], {}, [], 0

    async def _admit(self, root: TargetLine) -> None:
        """A thread that somebody works on is left alone; a worker that died comes too late from here on."""
        if self.standing.thread is not None and root.row.worker:
            handle = Handle(self.id, "", self.engine.codec)
            root.change(await leases.admitted(self.engine, handle, root.row))

    async def _publish(self, expects: list[Expect], puts: list[Row], drops: list[Drop]) -> None:
        """The entry in the directory, and what threads are listed by."""
        said, root, old = self.record, self.standing.root, self.standing.thread
        codec = self.engine.codec
        row = ThreadRow(
            self.id, root.row.tree, root.row.line, self.standing.generation, said.created_at, said.metadata,
            self.named(said.from_thread), said.from_checkpoint,
        )  # fmt: skip
        if old is None:
            expects += [ThreadAbsent(self.id), GraveAt(grave_hash(self.id), 0)]
            puts.append(sealed(row))
        elif (known := terms.metadata_of(old)) != said.metadata:
            before = codec.decode(known) if known else {}
            drops += [DropRow(TagRow, tag[:3]) for tag in tags.of_metadata(self.id, before)]
            puts.append(terms.with_metadata(old, said.metadata))
        puts += tags.of_metadata(self.id, codec.decode(said.metadata) if said.metadata else {})
        await self._tag_status(root, puts, drops)

    async def _tag_status(self, root: TargetLine, puts: list[Row], drops: list[Drop]) -> None:
        head = root.recent.get(root.row.head_seq)
        if head is None and root.row.head_seq:
            head = await looking.row_at(self.engine, root.view, root.row.head_seq)
        if self.standing.was is not None:
            drops.append(DropRow(TagRow, tags.status(self.id, self.standing.was)[:3]))
        if head is not None:
            puts.append(tags.status(self.id, root.view.status(head)))
