"""What the writers of one incoming thread share: where it goes, what was asked for, and the rows written so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from holdfast.backends.rows import CheckpointRow
from holdfast.engine.context import Engine
from holdfast.engine.values import loader
from holdfast.engine.values.manifest import Header, Manifest, Ref
from holdfast.errors import Corrupt
from holdfast.transfer import outline, wire_records
from holdfast.transfer.report import Counts
from holdfast.transfer.target.commit_buffer import CommitBuffer
from holdfast.transfer.target.target_thread import TargetLine, TargetThread
from holdfast.transfer.wire_records import ContentRequest

_RECENT_CHECKPOINTS: Final = 300


@dataclass(eq=False)
class IncomingThread:
    """One thread that is written to a store."""

    engine: Engine
    record: wire_records.Thread
    target: TargetThread
    buffer: CommitBuffer
    counts: Counts
    request: ContentRequest

    @property
    def era(self) -> int:
        """The fork count of the thread in the target, which new rows carry."""
        return self.target.root.row.forks

    def is_new(self, namespace: str, seq: int) -> bool:
        """Whether a checkpoint was asked for; the target has the others."""
        return seq > self.request.after[namespace]

    def is_wanted(self, namespace: str, seq: int) -> bool:
        """Whether the annotations of a checkpoint were asked for."""
        return self.is_new(namespace, seq) or seq in self.request.annotations[namespace]

    def corrupt(self, message: str) -> Corrupt:
        return Corrupt(f"thread {self.record.id!r}: {message}")

    async def row_at(self, line: TargetLine, seq: int) -> CheckpointRow | None:
        """The checkpoint with this number, stored or still in the buffer, if readers of the line see it."""
        row = line.recent.get(seq)
        if row is None:
            await self.buffer.flush()
            row = await outline.row_at(self.engine, line.view, seq)
            if row is not None:
                self.remember(line, row)
        return row

    async def manifest_of(self, row: CheckpointRow) -> Manifest:
        """The manifest of a checkpoint that is stored, or still in the buffer."""
        known = loader.unpacked(row)
        if isinstance(known, Header):
            await self.flush_unless_cached(known.ref)
        return await loader.manifest_of(self.engine, row)

    async def flush_unless_cached(self, ref: Ref) -> None:
        """Make sure that a version can be read."""
        if self.engine.cache.get(ref[:2]) is None:
            await self.buffer.flush()

    def remember(self, line: TargetLine, row: CheckpointRow) -> None:
        line.recent[row.seq] = row
        line.recent.move_to_end(row.seq)
        if len(line.recent) > _RECENT_CHECKPOINTS:
            line.recent.popitem(last=False)
