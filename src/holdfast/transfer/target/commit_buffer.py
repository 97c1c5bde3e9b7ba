"""Collects the rows of an incoming thread and commits many checkpoints at once.

Rows of one commit belong to one tree. Small threads that are new to the store wait in a `NewThreadQueue`, and are
committed together, each in a batch of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from holdfast.backends.base import (
    Batch,
    Claim,
    Drop,
    DropChunks,
    Expect,
    LineAt,
    NamespaceFree,
    ThreadAbsent,
    TombstoneAt,
    drop_of,
)
from holdfast.backends.rows import ChunkRow, Row, ThreadRow, with_checksum
from holdfast.engine import policy
from holdfast.engine.context import Engine, Handle
from holdfast.engine.threads import leases, staged_thread, tags
from holdfast.engine.values.value_log import Written
from holdfast.errors import Contended
from holdfast.ids import tombstone_hash
from holdfast.transfer import outline, wire_records
from holdfast.transfer.target.target_thread import TargetLine, TargetThread

_BATCH_BYTES: Final = 4 * 1024 * 1024
_BATCH_ROWS: Final = 2000
_QUEUE_BYTES: Final = 4 * 1024 * 1024
_QUEUE_THREADS: Final = 200
_ROW_BYTES: Final = 50  # about the size of a row without its body


class NewThreadQueue:
    """Complete threads that are new to a store, and are committed together so that they share one wait for the disk."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._batches: dict[str, Batch] = {}
        self._bytes = 0
        self._conflicts: list[str] = []

    async def put(self, thread_id: str, batch: Batch, size: int) -> None:
        self._batches[thread_id] = batch
        self._bytes += size
        if self._bytes > _QUEUE_BYTES or len(self._batches) >= _QUEUE_THREADS:
            await self.flush()

    async def flush(self) -> None:
        batches, self._batches, self._bytes = self._batches, {}, 0
        if batches:
            applied = await self._engine.backend.commit_each(list(batches.values()))
            self._conflicts += [thread_id for thread_id, done in zip(batches, applied, strict=True) if not done]

    def take_conflicts(self) -> list[str]:
        """Ids of threads that another writer created first, since the last call. Nothing of them was written."""
        conflicts, self._conflicts = self._conflicts, []
        return conflicts


def is_unchanged(line: TargetLine) -> Expect:
    """The expectation that the stored line is as it was read, or as it was written last."""
    return LineAt(line.row.tree, line.row.line, line.stored)


@dataclass(eq=False)
class _Parts:
    """A batch under construction."""

    expects: list[Expect]
    puts: list[Row]
    drops: list[Drop]
    claims: list[Claim] = field(default_factory=list)


@dataclass(eq=False)
class CommitBuffer:
    """Rows of one incoming thread that are not committed yet."""

    store_engine: Engine
    """The engine that other callers of the store use: its cache must not keep lines that change here."""
    engine: Engine
    record: wire_records.Thread
    id: str
    renamed: Mapping[str, str]
    target: TargetThread
    queue: NewThreadQueue
    _puts: list[Row] = field(default_factory=list)
    _chunks: dict[tuple[int, int], ChunkRow] = field(default_factory=dict)
    _drops: list[Drop] = field(default_factory=list)
    _bytes: int = 0

    def target_id(self, thread_id: str | None) -> str | None:
        """The id that a thread of the source has in the target."""
        return None if thread_id is None else self.renamed.get(thread_id, thread_id)

    # ---------------------------------------------------------------- collecting

    def put(self, row: Row, size: int) -> None:
        self._puts.append(row)
        self._bytes += size + _ROW_BYTES

    def put_value(self, written: Written) -> None:
        """The rows of a value. A frame replaces changes, which may still be in this buffer."""
        for drop in written.drops:
            self._drop(drop)
        for row in written.rows:
            if isinstance(row, ChunkRow):
                self._chunks[row.log, row.lo] = row
                self._bytes += len(row.body)
            else:
                self.put(row, 0)

    def _drop(self, drop: Drop) -> None:
        if isinstance(drop, DropChunks):
            for lo in range(drop.lo, drop.hi + 1):
                self._chunks.pop((drop.log, lo), None)
        self._drops.append(drop)

    # ---------------------------------------------------------------- committing

    async def flush(self) -> None:
        """Commit, so that rows of this buffer can be read."""
        if self._puts or self._chunks:
            await self.commit()

    async def commit_if_large(self) -> None:
        if self._bytes > _BATCH_BYTES or len(self._puts) > _BATCH_ROWS:
            await self.commit()

    async def commit(self, *, last: bool = False) -> None:
        """Commit what was collected. The last commit makes a new thread visible."""
        target = self.target
        await self._claim_lease()
        is_new = target.is_new
        if target.thread is None:
            await self._stage(last=last)
        changed = [line for line in target.lines.values() if line.is_changed or (is_new and not line.stored)]
        if not (changed or self._puts or self._chunks or last):
            return
        batch = await self._batch(changed, last=last)
        # A small thread that is new as a whole can wait for others. Any other batch must be stored before the next one.
        if last and is_new and not target.is_sharing:
            await self.queue.put(self.id, batch, self._bytes)
        elif not await self.engine.backend.commit(batch):
            raise Contended(f"thread {self.id!r} was changed in the target during the transfer; try again")
        self._committed(changed)

    async def _batch(self, changed: list[TargetLine], *, last: bool) -> Batch:
        parts = self._parts(changed)
        if last:
            await self._publish(parts)
        parts.puts += [*self._puts, *self._chunks.values()]
        return Batch(parts.expects, parts.puts, parts.drops, claims=parts.claims)

    async def _claim_lease(self) -> None:
        """A thread that a live worker holds is refused. A worker whose lease has expired can't write from here on."""
        root = self.target.root
        if self.target.thread is not None and root.row.worker:
            handle = Handle(self.id, "", self.engine.codec)
            root.change(await leases.admitted(self.engine, handle, root.row))

    async def _stage(self, *, last: bool) -> None:
        root = self.target.root
        moment = await self.engine.backend.now()
        root.change(staged_thread.published(root.row) if last else staged_thread.staged(root.row, moment))

    def _parts(self, changed: list[TargetLine]) -> _Parts:
        """The changed lines, if they and the root are as they were read. Writes their next versions."""
        parts = _Parts([*self.target.expects], [*self.target.puts], [*self._drops])
        root = self.target.root
        # The root is always expected: a writer that takes the lease or forks the thread changes it.
        for line in [root, *(line for line in changed if line is not root)]:
            parts.expects.append(is_unchanged(line))
            if not line.stored:
                parts.expects.append(NamespaceFree(line.row.tree, line.row.thread, line.row.namespace))
        for line in changed:
            line.change(with_checksum(line.row._replace(version=line.stored + 1)))
            parts.puts.append(line.row)
        return parts

    def _committed(self, changed: list[TargetLine]) -> None:
        for line in changed:
            line.stored, line.is_changed = line.row.version, False
            self.store_engine.cache.drop((self.id, line.row.namespace))
        self.target.expects, self.target.puts = [], []
        self._puts, self._chunks, self._drops, self._bytes = [], {}, [], 0

    # ---------------------------------------------------------------- the directory

    async def _publish(self, parts: _Parts) -> None:
        """The directory entry of the thread, and the rows of the index that threads are listed by."""
        if self.target.thread is None:
            self._create(parts)
        else:
            self._update_metadata(parts, self.target.thread)
        parts.puts += tags.of_metadata(self.id, self._decoded(self.record.metadata))
        await self._index_status(parts)

    def _create(self, parts: _Parts) -> None:
        record, root = self.record, self.target.root.row
        # A thread that was deleted in the target since does not come back.
        parts.expects += [ThreadAbsent(self.id), TombstoneAt(tombstone_hash(self.id), 0)]
        parts.claims.append(Claim(self.id))
        parts.puts.append(with_checksum(ThreadRow(
            self.id, root.tree, root.line, self.target.generation, record.created_at, record.metadata,
            self.target_id(record.from_thread), record.from_checkpoint,
        )))  # fmt: skip

    def _update_metadata(self, parts: _Parts, thread: ThreadRow) -> None:
        before = policy.metadata_of(thread)
        if before != self.record.metadata:
            old = tags.of_metadata(self.id, self._decoded(before))
            parts.drops += [drop_of(tag) for tag in old]
            parts.puts.append(policy.with_metadata(thread, self.record.metadata))

    def _decoded(self, metadata: bytes) -> dict[str, object]:
        decoded = self.engine.codec.decode_dict(metadata)
        return decoded

    async def _index_status(self, parts: _Parts) -> None:
        root = self.target.root
        head = root.recent.get(root.row.head_seq)
        if head is None and root.row.head_seq:
            head = await outline.row_at(self.engine, root.view, root.row.head_seq)
        if self.target.listed_status is not None:
            parts.drops.append(drop_of(tags.status(self.id, self.target.listed_status)))
        if head is not None:
            parts.puts.append(tags.status(self.id, root.view.status(head)))
