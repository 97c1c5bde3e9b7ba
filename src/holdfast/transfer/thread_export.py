"""Exports threads to a file: a bundle, or lines of JSON."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.engine.context import Engine
from holdfast.engine.retry import Again
from holdfast.errors import Contended, Corrupt, Deleted, NotFound
from holdfast.transfer import bundle_file, json_lines, paths, wire_records
from holdfast.transfer.report import Counts, Listener, ProgressReporter, TransferReport
from holdfast.transfer.source.thread_reader import OpenedThread, Source
from holdfast.transfer.thread_failures import naming_thread
from holdfast.transfer.thread_ids import checked_ids
from holdfast.transfer.wire_records import ContentRecord


async def export(
    engine: Engine, thread_ids: Iterable[str] | None, path: str | os.PathLike[str], json: bool,
    progress: Listener | None,
) -> TransferReport:  # fmt: skip
    """Write threads, or all, to one file."""
    file = paths.named(path)
    source = Source(engine, verifying=True)
    ids = await source.order(checked_ids(thread_ids))
    counts = Counts()
    exporting = _Export(engine, source, ids, thread_ids is not None, ProgressReporter(progress, len(ids), counts))
    await (exporting.to_json(file) if json else exporting.to_bundle(file))
    return counts.report()


@dataclass(eq=False)
class _Export:
    """An export of several threads."""

    engine: Engine
    source: Source
    ids: list[str]
    named: bool
    """Whether the caller named the threads: then one that is no longer there is an error."""
    reporter: ProgressReporter
    written: list[str] = field(default_factory=list)
    """Threads that later ones may share checkpoints with."""

    @property
    def counts(self) -> Counts:
        return self.reporter.counts

    async def to_json(self, path: Path) -> None:
        with json_lines.Writer(path, self.engine.backend.rights()) as writer:
            for thread_id in self.ids:
                with naming_thread(thread_id):
                    opened = await self._opened(thread_id, ())
                    if opened is not None:
                        await self._write_lines(opened, writer)

    async def to_bundle(self, path: Path) -> None:
        with bundle_file.Writer(path, self.engine.backend.rights()) as writer:
            writer.write(wire_records.BundleStart(wire_records.FORMAT, len(self.ids)))
            for thread_id in self.ids:
                with naming_thread(thread_id):
                    opened = await self._opened(thread_id, self.written)
                    if opened is not None:
                        await self._write_thread(opened, writer)
                        self.written.append(thread_id)
            writer.write(wire_records.BundleEnd(self.counts.threads, self.counts.checkpoints))

    async def _opened(self, thread_id: str, earlier: Collection[str]) -> OpenedThread | None:
        """The thread; None if it was deleted since threads were listed."""
        again = Again()
        while True:
            try:
                return await self.source.open(thread_id, earlier)
            except (NotFound, Deleted):
                if self.named:
                    raise
                return None
            except Corrupt as error:
                again.check(error)  # rows may have been removed while they were read

    async def _write_lines(self, opened: OpenedThread, writer: json_lines.Writer) -> None:
        async for line in json_lines.thread_lines(self.engine.codec, opened, self.counts):
            writer.write(line)
            self.reporter.within(opened.thread.id)
        self._written(opened)

    async def _write_thread(self, opened: OpenedThread, writer: bundle_file.Writer) -> None:
        try:
            await self._write_records(opened, writer)
        except Corrupt as error:
            if not await self.source.has_changed(opened):
                raise
            raise _changed(opened) from error
        self._written(opened)

    async def _write_records(self, opened: OpenedThread, writer: bundle_file.Writer) -> None:
        writer.write(opened.record)
        expected = written = 0
        async for page in opened.outline():
            writer.write(page)
            expected += sum(row[0] > opened.shared_up_to(page) for row in page.rows)
        writer.write(wire_records.OutlineEnd())
        async for record in opened.content():
            writer.write(record)
            self._count(record)
            written += isinstance(record, wire_records.Checkpoint | wire_records.JournalEntry)
            self.reporter.within(opened.thread.id)
        if written != expected:
            raise _changed(opened)
        writer.write(wire_records.ThreadEnd())

    def _count(self, record: ContentRecord) -> None:
        counts = self.counts
        if isinstance(record, wire_records.Checkpoint):
            counts.checkpoints += 1
            counts.size += record.size
        elif isinstance(record, wire_records.Writes):
            counts.writes += len(record.writes)
        elif isinstance(record, wire_records.JournalEntry):
            counts.entries += 1

    def _written(self, opened: OpenedThread) -> None:
        self.counts.threads += 1
        self.reporter.after(opened.thread.id)


def _changed(opened: OpenedThread) -> Contended:
    return Contended(f"thread {opened.thread.id!r} was pruned or deleted while it was exported; try again")
