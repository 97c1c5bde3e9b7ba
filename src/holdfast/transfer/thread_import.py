"""Imports the threads of a bundle: what the store lacks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.engine.context import Engine
from holdfast.errors import Conflict, Contended, Corrupt, Deleted, ThreadBusy
from holdfast.transfer import bundle_file, paths, wire_records
from holdfast.transfer.report import Listener, ProgressReporter, TransferReport
from holdfast.transfer.target.target_thread import DeltaBaseMissing, SharedHistoryMissing
from holdfast.transfer.target.thread_writer import Target, ThreadWriter
from holdfast.transfer.thread_failures import ThreadFailures
from holdfast.transfer.thread_ids import checked_names
from holdfast.transfer.wire_records import ContentRecord, OutlineRecord

_MOST_SHOWN = 20


async def import_(
    engine: Engine, path: str | os.PathLike[str], as_: Mapping[str, str] | None, progress: Listener | None
) -> TransferReport:
    """Read a bundle; `as_` gives some of its threads another id."""
    engine.check_open()
    target = Target(engine, checked_names(as_))
    importing = _Import(target, ProgressReporter(progress, 0, target.counts))
    try:
        for offset, record in bundle_file.read(paths.named(path), engine.codec.max_value):
            await importing.take(record, f"{path}: in the block at byte {offset}")
    finally:
        # Threads that are complete are stored, even if an error ends the import.
        await target.queue.flush()
    conflicts = target.queue.take_conflicts()
    if conflicts:
        ids = ", ".join(map(repr, conflicts[:_MOST_SHOWN]))
        raise Contended(f"other writers created these threads during the import: {ids}; try again")
    importing.failures.check()
    return target.counts.report()


@dataclass(eq=False)
class _Import:
    """Takes one record after the other."""

    target: Target
    reporter: ProgressReporter
    failures: ThreadFailures = field(default_factory=ThreadFailures)
    thread_id: str = ""
    writer: ThreadWriter | None = None
    """None between threads, and while the records of a thread that failed are skipped."""

    async def take(self, record: wire_records.Record, where: str) -> None:
        try:
            await self._take(record)
        except Corrupt as error:
            raise Corrupt(f"{where}: {error}") from error
        except (Conflict, Deleted, ThreadBusy) as error:
            self._skip(error)
        except SharedHistoryMissing:
            self._skip(Conflict(
                f"thread {self.thread_id!r} is a fork, and the store does not have the checkpoints that it shares with "
                "another thread of the bundle: that thread has other content here, or was pruned"
            ))  # fmt: skip
        except DeltaBaseMissing:
            self._skip(Conflict(
                f"thread {self.thread_id!r} can't be continued here: the checkpoints that the bundle continues from "
                "were removed; import it under another id"
            ))  # fmt: skip

    def _skip(self, error: Conflict | Deleted | ThreadBusy) -> None:
        self.failures.add(error)
        self.writer = None

    async def _take(self, record: wire_records.Record) -> None:
        if isinstance(record, wire_records.BundleStart):
            self.reporter.total = record.threads
        elif isinstance(record, wire_records.Thread):
            self.thread_id, self.writer = record.id, None
            self.writer = await self.target.open(record)
        elif isinstance(record, wire_records.ThreadEnd):
            if self.writer is not None:
                await self.writer.finish()
            self.reporter.after(self.thread_id)
        elif self.writer is not None and not isinstance(record, wire_records.BundleEnd):
            await self._write(self.writer, record)

    async def _write(
        self, writer: ThreadWriter, record: OutlineRecord | wire_records.OutlineEnd | ContentRecord
    ) -> None:
        if isinstance(record, OutlineRecord):
            await writer.compare(record)
        elif isinstance(record, wire_records.OutlineEnd):
            await writer.request()
        else:
            await writer.write(record)
            self.reporter.within(self.thread_id)
