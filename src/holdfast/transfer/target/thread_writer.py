"""Writes incoming threads to a store: compares what it has with the outline, asks for what it lacks, and stores that.

Checkpoints are written as saves write them, in this store's own logs and frames, many in one commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from holdfast.backends.base import Batch
from holdfast.backends.rows import JournalRow, with_checksum
from holdfast.engine.context import Engine
from holdfast.engine.journal.trimmed import trimmed_row
from holdfast.errors import Conflict, Contended, Corrupt
from holdfast.transfer import outline, wire_records
from holdfast.transfer.report import Counts
from holdfast.transfer.target.annotation_writer import AnnotationWriter
from holdfast.transfer.target.checkpoint_writer import CheckpointWriter
from holdfast.transfer.target.commit_buffer import CommitBuffer, NewThreadQueue, is_unchanged
from holdfast.transfer.target.incoming_thread import IncomingThread
from holdfast.transfer.target.target_thread import (
    SharedHistoryMissing,
    TargetLine,
    TargetThread,
    abandoned,
    find_target,
)
from holdfast.transfer.target.thread_comparison import ThreadComparison
from holdfast.transfer.wire_records import ContentRecord, ContentRequest

_CACHE_BYTES: Final = 16 * 1024 * 1024
_TRIMMED_BYTES: Final = 100  # about the size of a row that records trimmed journal entries


class Target:
    """A store that threads are written to. `renamed` gives threads of the source another id."""

    def __init__(self, engine: Engine, renamed: Mapping[str, str]) -> None:
        self._store_engine = engine
        self._renamed = renamed
        self._taken: dict[str, str] = {}
        self.counts = Counts()
        self.queue = NewThreadQueue(engine)

    async def open(self, record: wire_records.Thread) -> ThreadWriter:
        self._store_engine.check_open()
        thread_id = self._renamed.get(record.id, record.id)
        other = self._taken.setdefault(thread_id, record.id)
        if other != record.id:
            raise Conflict(f"thread {record.id!r} would be {thread_id!r} here, as {other!r} is; give it another id")
        self._store_engine.flush(thread_id)
        shares = record.shares
        if shares is not None:
            await self.queue.flush()  # the thread to share with may be in the queue
            shares = self._renamed.get(shares, shares)
        engine = outline.with_own_cache(self._store_engine, _CACHE_BYTES)
        target = await find_target(engine, record, thread_id, shares)
        buffer = CommitBuffer(self._store_engine, engine, record, thread_id, self._renamed, target, self.queue)
        return ThreadWriter(engine, record, target, self.counts, buffer)


class ThreadWriter:
    """One thread that is written to a store. Calls come in this order: `compare` for each page of the outline,
    `request`, `write` for each record of the content, `finish`."""

    def __init__(
        self, engine: Engine, record: wire_records.Thread, target: TargetThread, counts: Counts, buffer: CommitBuffer
    ) -> None:
        self._engine = engine
        self._record = record
        self._target = target
        self._counts = counts
        self._buffer = buffer
        self._comparison = ThreadComparison(engine, record, buffer.id, target)
        self._content: _ContentWriter | None = None

    async def compare(self, page: wire_records.OutlineRecord) -> None:
        await self._comparison.feed(page)

    async def request(self) -> ContentRequest | None:
        """What the target lacks; None if it lacks nothing. If both sides have something that the other lacks, it is a
        `Conflict`, and nothing is written."""
        target = self._target
        await self._comparison.finish()
        if target.thread is not None and not await self._comparison.has_news():
            return None
        # A transfer that was interrupted left the beginning of other content under these numbers.
        if target.is_staged and self._comparison.is_different():
            await self._abandon()
        self._content = _ContentWriter.create(self._engine, self._record, target, self._buffer, self._counts)
        return self._content.incoming.request

    async def _abandon(self) -> None:
        root = self._target.root
        await self._engine.backend.commit(Batch([is_unchanged(root)], [abandoned(root.row)]))
        raise Contended(f"an earlier transfer of thread {self._buffer.id!r} brought other content; try again")

    async def write(self, record: ContentRecord) -> None:
        """Store a record, if it was asked for."""
        if self._content is not None:
            await self._content.write(record, self._comparison)
            await self._buffer.commit_if_large()

    async def finish(self) -> None:
        """Complete the thread. One that is new becomes visible, now or when the queue is flushed."""
        self._counts.threads += 1
        if self._content is None:
            self._counts.unchanged += 1
            return
        await self._content.finish()
        await self._buffer.commit(last=True)


@dataclass(eq=False)
class _ContentWriter:
    """Stores the content that was asked for."""

    incoming: IncomingThread
    checkpoints: CheckpointWriter
    annotations: AnnotationWriter
    unannotated: dict[str, set[int]] = field(default_factory=dict)
    """Checkpoints whose annotations differ and have not come: in the source they have none."""

    @classmethod
    def create(
        cls, engine: Engine, record: wire_records.Thread, target: TargetThread, buffer: CommitBuffer, counts: Counts
    ) -> _ContentWriter:
        request = ContentRequest({}, {}, 0)
        incoming = IncomingThread(engine, record, target, buffer, counts, request)
        content = cls(incoming, CheckpointWriter(incoming), AnnotationWriter(incoming))
        # Only a thread that is new as a whole is forked here: a staged one was forked when its transfer began.
        if target.is_sharing and not target.is_staged and target.thread is None:
            content.fork_shared()
        # Past the last number of each line everything is new; of what both have, only differing annotations are sent.
        for namespace, line in target.lines.items():
            request.after[namespace] = line.row.seq
            request.annotations[namespace] = set(_differing(line))
            content.unannotated[namespace] = set(request.annotations[namespace])
        request.journal = target.root.row.journal
        return content

    def fork_shared(self) -> None:
        """Fork what is shared, and hide the checkpoints that the origin shows and this thread does not."""
        target = self.incoming.target
        if target.journal.missing:
            raise SharedHistoryMissing
        for line in target.lines.values():
            if line.with_base_overlays is not None:
                self._fork_line(line)

    def _fork_line(self, line: TargetLine) -> None:
        comparison, overlaid = line.comparison, line.with_base_overlays
        if comparison.missing:
            raise SharedHistoryMissing
        shown = comparison.target_only
        # If labels and writes of the shared checkpoints are the same on both sides, the fork reads those of its base.
        # Else it gets all of them as its own.
        if overlaid is not None and not comparison.differing:
            line.view = overlaid
            shown = [seq for seq in shown if not overlaid.hides(seq)]
        else:
            line.hidden = frozenset()
        removed = len(line.hidden.difference(comparison.target_only))
        line.change(line.view.line._replace(checkpoints=comparison.matched - removed))
        for seq in shown:
            self.annotations.remove(line, seq)

    # ---------------------------------------------------------------- records

    async def write(self, record: ContentRecord, comparison: ThreadComparison) -> None:
        if isinstance(record, wire_records.JournalEntry):
            self._journal_entry(record)
            return
        line = comparison.line(record.namespace)
        if isinstance(record, wire_records.Checkpoint):
            await self.checkpoints.write(record, line)
        elif self.incoming.is_wanted(record.namespace, record.seq):
            await self._annotation(record, line)

    async def _annotation(self, record: wire_records.Overlay | wire_records.Writes, line: TargetLine) -> None:
        if isinstance(record, wire_records.Writes):
            await self.annotations.writes(record, line)
        else:
            self.unannotated[record.namespace].discard(record.seq)
            await self.annotations.overlay(line, record.seq, record.label, record.status)

    def _journal_entry(self, record: wire_records.JournalEntry) -> None:
        incoming, root = self.incoming, self.incoming.target.root
        if record.seq <= incoming.request.journal:
            return
        if record.seq <= root.row.journal:
            raise incoming.corrupt(f"the journal entry {record.seq} comes twice")
        if record.seq > root.row.journal + 1:
            # The source has trimmed the entries in between.
            incoming.buffer.put(trimmed_row(root.row, (root.row.journal + 1, record.seq - 1)), _TRIMMED_BYTES)
        row = JournalRow(
            root.row.tree, root.row.line, record.seq, record.kind, record.key, record.created_at, record.body
        )
        incoming.buffer.put(with_checksum(row), len(record.body))
        incoming.target.journal.expected -= 1
        root.change(root.row._replace(journal=record.seq))
        incoming.counts.entries += 1

    # ---------------------------------------------------------------- the end

    async def finish(self) -> None:
        """Bring the lines to the state that they have in the source."""
        target = self.incoming.target
        self._check_complete()
        # The target has annotations where the source has none: they are taken back.
        for namespace, left in self.unannotated.items():
            for seq in left:
                await self.annotations.overlay(target.lines[namespace], seq)
        for record in self.incoming.record.lines:
            line = target.lines[record.namespace]
            self._remove_hidden(record, line)
            await self._close(record, line)

    def _check_complete(self) -> None:
        target = self.incoming.target
        if target.journal.expected or any(line.comparison.expected for line in target.lines.values()):
            raise Corrupt(f"thread {self.incoming.record.id!r} came without all that its outline lists")

    def _remove_hidden(self, record: wire_records.Line, line: TargetLine) -> None:
        """Remove the checkpoints that the source has removed, and that came because others depend on them."""
        after = 0 if self.incoming.target.thread is None else self.incoming.request.after[record.namespace]
        for seq in record.hidden:
            if seq > after and seq not in line.hidden:
                self.annotations.remove(line, seq)
                line.change(line.row._replace(checkpoints=line.row.checkpoints - 1))

    async def _close(self, record: wire_records.Line, line: TargetLine) -> None:
        """Set the last number and the head, which need not be the checkpoint that came last."""
        row = line.row._replace(seq=max(record.seq, line.row.seq))
        head = await self.incoming.row_at(line, record.head) if record.head else None
        if head is not None:
            row = row._replace(head_line=head.line, head_seq=head.seq)
        if row != line.row:
            line.change(row)
        if line.is_changed:
            line.change(line.row._replace(updated_at=max(record.updated_at, line.row.updated_at)))


def _differing(line: TargetLine) -> set[int]:
    """The checkpoints whose annotations are to be sent. A fork that does not see its base's overlays needs all that the
    source has."""
    sees_overlays = line.with_base_overlays is None or line.view is line.with_base_overlays
    return line.comparison.differing if sees_overlays else line.comparison.annotated
