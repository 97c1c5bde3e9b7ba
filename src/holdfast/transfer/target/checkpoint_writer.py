"""Writes incoming checkpoints as a save writes them. Each is rebuilt and checked against its digest before that."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.backends.rows import CheckpointRow, RunRow, with_checksum
from holdfast.engine.checkpoints.row_builder import row_digest
from holdfast.engine.threads import views
from holdfast.engine.values import manifest
from holdfast.engine.values.manifest import Manifest
from holdfast.engine.values.value_log import Written
from holdfast.errors import Corrupt
from holdfast.transfer import wire_records
from holdfast.transfer.target.incoming_thread import IncomingThread
from holdfast.transfer.target.target_thread import DeltaBaseMissing, TargetLine
from holdfast.transfer.target.thread_comparison import stored_row
from holdfast.transfer.target.value_writer import ValueWriter

_ROW_BYTES = 200  # about the size of a checkpoint's row without its manifest and metadata


@dataclass(eq=False)
class CheckpointWriter:
    """Writes the checkpoints of one incoming thread."""

    incoming: IncomingThread
    _runs: set[tuple[str, int]] = field(default_factory=set)
    """Runs and lines that have a row in the index of runs."""

    async def write(self, record: wire_records.Checkpoint, line: TargetLine) -> None:
        """Store a checkpoint, if it was asked for."""
        incoming = self.incoming
        if not incoming.is_new(record.namespace, record.seq):
            return
        if record.seq <= line.row.seq:
            raise incoming.corrupt(f"checkpoint {record.seq} comes twice, or too late")
        values = ValueWriter(incoming, record, line)
        stored = await values.manifest(await self._base(line, record))
        row = self._row(record, line, await self._parent(line, record), stored)
        self._check(record, row, stored)
        self._put(row, line, values.written)
        line.comparison.expected -= 1
        incoming.counts.checkpoints += 1
        incoming.counts.size += record.size

    def _put(self, row: CheckpointRow, line: TargetLine, written: list[Written]) -> None:
        buffer = self.incoming.buffer
        for value in written:
            buffer.put_value(value)
        if row.run_id is not None and (row.run_id, row.line) not in self._runs:
            self._runs.add((row.run_id, row.line))
            buffer.put(with_checksum(RunRow(row.run_id, row.tree, row.line)), 0)
        size = len(row.manifest) + len(row.metadata)
        buffer.put(row, size + _ROW_BYTES)
        line.change(line.row._replace(
            seq=row.seq, head_line=row.line, head_seq=row.seq, checkpoints=line.row.checkpoints + 1,
            size=line.row.size + size + sum(value.bytes for value in written),
            updated_at=max(row.created_at, line.row.updated_at),
        ))  # fmt: skip
        self.incoming.remember(line, row)

    def _row(
        self, record: wire_records.Checkpoint, line: TargetLine, parent: CheckpointRow | None, stored: Manifest
    ) -> CheckpointRow:
        row = CheckpointRow(
            tree=line.row.tree, line=line.row.line, seq=record.seq, id=record.id, parent_id=record.parent_id,
            parent_seq=0, parent_thread=self.incoming.buffer.target_id(record.parent_thread),
            parent_digest=record.parent_digest, chain_start=record.seq, depth=1,
            step=record.step, source=record.source, node=record.node, next=record.next, run_id=record.run_id,
            status=record.status, label=record.label, metadata=record.metadata, created_at=record.created_at,
            journal_seq=record.journal_seq, size=record.size, origin=record.origin, era=self.incoming.era,
            digest=record.digest, manifest=manifest.pack(stored),
        )  # fmt: skip
        if parent is not None:
            row = _with_parent(row, record, line, parent)
        elif record.parent_seq:
            row = row._replace(parent_id=None)  # the target has removed the parent and all its ancestors
        return with_checksum(row)

    def _check(self, record: wire_records.Checkpoint, row: CheckpointRow, stored: Manifest) -> None:
        if record.verifiable and row_digest(record.namespace, row, stored, record.parent_digest) != record.digest:
            raise Corrupt(
                f"checkpoint {record.id!r} of thread {self.incoming.record.id!r} does not match its digest: it was "
                "changed in transit, or in the store that it comes from"
            )

    # ---------------------------------------------------------------- ancestors

    async def _parent(self, line: TargetLine, record: wire_records.Checkpoint) -> CheckpointRow | None:
        """The parent, or its nearest ancestor if the target has removed it."""
        if not record.parent_seq:
            return None
        parent = await self.incoming.row_at(line, record.parent_seq)
        if parent is not None:
            return parent
        self._check_removed(record, record.parent_seq)
        engine = self.incoming.engine
        chain = await views.chain(engine, line.view, record.parent_seq)
        nearest = await views.scan_segments(engine, line.view, chain, record.parent_seq, 1)
        return nearest[0] if nearest else None

    async def _base(self, line: TargetLine, record: wire_records.Checkpoint) -> CheckpointRow | None:
        """The checkpoint that values are relative to, removed or not."""
        if not record.base:
            return None
        base = await self.incoming.row_at(line, record.base)
        if base is None:
            self._check_removed(record, record.base)
            base = await stored_row(self.incoming.engine, line, record.base)
        if base is None:
            raise DeltaBaseMissing
        return base

    def _check_removed(self, record: wire_records.Checkpoint, seq: int) -> None:
        """Only a checkpoint that the target had before may be missing."""
        if self.incoming.is_new(record.namespace, seq):
            raise Corrupt(
                f"checkpoint {record.id!r} of thread {self.incoming.record.id!r} follows checkpoint {seq}, "
                "which did not come"
            )


def _with_parent(
    row: CheckpointRow, record: wire_records.Checkpoint, line: TargetLine, parent: CheckpointRow
) -> CheckpointRow:
    """The row of a checkpoint that has a parent in the target, which need not be the one that it had in the source."""
    follows = (parent.line, parent.seq) == (line.row.line, line.row.seq)
    same_digest = record.parent_digest is None or parent.digest == record.parent_digest
    return row._replace(
        parent_id=row.parent_id if parent.seq == record.parent_seq else parent.id,
        parent_seq=parent.seq,
        parent_digest=None if same_digest else record.parent_digest,
        chain_start=parent.chain_start if follows else record.seq,
        depth=parent.depth + 1,
    )
