"""Writes what was added to checkpoints after they were saved: labels, statuses, removals and pending writes."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.backends.rows import CheckpointRow, OverlayRow, PendingRow, SettledRow, with_checksum
from holdfast.engine.threads import views
from holdfast.engine.values.manifest import Entry, Ref
from holdfast.engine.writes import write_format
from holdfast.transfer import outline, wire_records
from holdfast.transfer.target.incoming_thread import IncomingThread
from holdfast.transfer.target.target_thread import TargetLine


@dataclass(eq=False)
class AnnotationWriter:
    """Writes the annotations of one incoming thread."""

    incoming: IncomingThread

    # ---------------------------------------------------------------- overlays

    async def overlay(self, line: TargetLine, seq: int, label: str | None = None, status: str | None = None) -> None:
        """Set the label and status of a checkpoint; without them, those that it was saved with."""
        row = await self.incoming.row_at(line, seq)
        if row is None:
            raise self.incoming.corrupt(f"there is a label or status of checkpoint {seq}, which did not come")
        label = row.label if label is None else label
        status = row.status if status is None else status
        if (label, status) == (line.view.label(row), line.view.status(row)):
            return
        if line.stored and line.overlays is None:
            rows = await self.incoming.engine.backend.overlays(line.row.tree, [line.row.line])
            line.overlays = {(one.seq, one.era): one for one in rows}
        self._put_overlay(line, seq, label=label, status=status)

    def remove(self, line: TargetLine, seq: int) -> None:
        """Hide a checkpoint from readers of the line."""
        self._put_overlay(line, seq, hidden=views.REMOVED)

    def _put_overlay(
        self, line: TargetLine, seq: int, *, hidden: int = 0, label: str | None = None, status: str | None = None
    ) -> None:
        own, era = line.row, self.incoming.era
        line.overlays = line.overlays if line.overlays is not None else {}
        before = line.overlays.get((seq, era), OverlayRow(own.tree, own.line, seq, era, 0, None, None))
        row = with_checksum(before._replace(
            hidden=hidden or before.hidden, label=before.label if label is None else label,
            status=before.status if status is None else status,
        ))  # fmt: skip
        line.overlays[seq, era] = row
        self.incoming.buffer.put(row, 0)
        line.view.overlays = {**line.view.overlays, seq: views.Overlay(row.hidden, row.label, row.status)}
        line.change(line.row._replace(overlays=line.row.overlays + 1))

    # ---------------------------------------------------------------- pending writes

    async def writes(self, record: wire_records.Writes, line: TargetLine) -> None:
        """Store pending writes that the target lacks."""
        incoming = self.incoming
        row = await incoming.row_at(line, record.seq)
        settled_by = await incoming.row_at(line, record.settled_by) if record.settled_by else None
        if row is None or (settled_by is None and record.settled_by):
            raise incoming.corrupt(f"there are writes of checkpoint {record.seq}, which did not come")
        lacking = await self._lacking(record, line, row)
        if settled_by is None:
            self._put_pending(line, record.seq, lacking)
        elif lacking:
            await self._put_settled(line, record.seq, lacking, settled_by)
        incoming.counts.writes += len(lacking)

    async def _lacking(
        self, record: wire_records.Writes, line: TargetLine, row: CheckpointRow
    ) -> list[wire_records.Write]:
        """All writes of a new checkpoint. Of one that the target had, control writes, which replace earlier ones, and
        data writes under keys that it does not have."""
        if self.incoming.is_new(record.namespace, record.seq):
            return record.writes
        stored = (await outline.writes_of(self.incoming.engine, line.view, [row]))[row.seq]
        return [write for write in record.writes if write[2] < 0 or (write[0], write[2]) not in stored]

    def _put_pending(self, line: TargetLine, seq: int, writes: list[wire_records.Write]) -> None:
        own, era = line.row, self.incoming.era
        for task_id, path, index, channel, value in writes:
            if not isinstance(value, bytes):
                raise self.incoming.corrupt(f"a write of checkpoint {seq} has no value, and no checkpoint settled it")
            body = write_format.encode_write(channel, value)
            row = PendingRow(own.tree, own.line, seq, task_id, index, era, path, body)
            self.incoming.buffer.put(with_checksum(row), len(body))
        line.is_changed = True

    async def _put_settled(
        self, line: TargetLine, seq: int, writes: list[wire_records.Write], settled_by: CheckpointRow
    ) -> None:
        channels = (await self.incoming.manifest_of(settled_by)).channels
        tasks: dict[tuple[str, str], list[tuple[int, str, bytes | list[int]]]] = {}
        for task_id, path, index, channel, value in writes:
            stored = value if isinstance(value, bytes) else self._position(channels.get(channel), value, seq)
            tasks.setdefault((task_id, path), []).append((index, channel, stored))
        settled: write_format.SettledTasks = [
            (write_format.short_id(task), path, found) for (task, path), found in tasks.items()
        ]
        body = write_format.encode(settled)
        row = SettledRow(line.row.tree, line.row.line, seq, settled_by.seq, self.incoming.era, body)
        self.incoming.buffer.put(with_checksum(row), len(body))
        line.is_changed = True

    def _position(self, entry: Entry | None, position: list[int], seq: int) -> list[int]:
        """The position of a value in this store, from that in a channel of the checkpoint that settled it."""
        if not isinstance(entry, Ref):
            raise self.incoming.corrupt(f"a write of checkpoint {seq} names a value that did not come")
        return [entry.log, entry.pos, *position]
