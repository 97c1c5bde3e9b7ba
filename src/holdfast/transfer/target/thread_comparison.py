"""Compares a thread of a source with the same thread in the target: equal, one side ahead, or diverged."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.backends.rows import CheckpointRow, checked
from holdfast.engine import policy
from holdfast.engine.context import Engine
from holdfast.engine.threads import views
from holdfast.errors import Conflict, Corrupt
from holdfast.transfer import outline, wire_records
from holdfast.transfer.target.sequence_comparison import Item, SequenceComparison
from holdfast.transfer.target.target_thread import TargetLine, TargetThread

_ADVICE = "copy it under another id, or delete one of the two"


async def stored_row(engine: Engine, line: TargetLine, seq: int) -> CheckpointRow | None:
    """The row with this number, whether it is removed or not."""
    for own in await views.ancestry(engine, line.view):
        if seq > own.base_seq or own.base_line is None:
            rows = await engine.backend.checkpoints(own.tree, own.line, seq, seq, 1)
            return checked(rows[0]) if rows else None
    return None


@dataclass(eq=False)
class ThreadComparison:
    """One thread on both sides."""

    engine: Engine
    record: wire_records.Thread
    id: str
    """The id of the thread in the target."""
    target: TargetThread

    @property
    def _sequences(self) -> list[SequenceComparison]:
        return [self.target.journal, *(line.comparison for line in self.target.lines.values())]

    def line(self, namespace: str) -> TargetLine:
        try:
            return self.target.lines[namespace]
        except KeyError:
            raise Corrupt(f"thread {self.record.id!r} has no namespace {namespace!r}, which a record names") from None

    async def feed(self, page: wire_records.OutlineRecord) -> None:
        """The next page of the source's outline."""
        if isinstance(page, wire_records.JournalOutline):
            await self.target.journal.feed(Item(*row) for row in page.rows)
        else:
            await self.line(page.namespace).comparison.feed(Item(*row) for row in page.rows)

    async def finish(self) -> None:
        """The outline has ended."""
        for sequence in self._sequences:
            await sequence.finish()

    def is_different(self) -> bool:
        """Whether a staged thread is not the beginning of what the source has."""
        return any(sequence.target_only or sequence.missing for sequence in self._sequences)

    async def has_news(self) -> bool:
        """Whether the source has anything that an existing thread lacks. Two sides that diverged are a `Conflict`."""
        conflict = await self._conflict()
        if conflict is not None:
            raise Conflict(conflict, expected=self.record.id, actual=self.id)
        if self._target_is_ahead():
            return False
        if self._source_is_ahead() or any(line.comparison.differing for line in self.target.lines.values()):
            return True
        thread = self.target.thread
        return thread is not None and policy.metadata_of(thread) != self.record.metadata

    def _source_is_ahead(self) -> bool:
        return any(sequence.source_is_ahead for sequence in self._sequences)

    def _target_is_ahead(self) -> bool:
        target = self.target
        if target.has_more_namespaces or target.journal.target_is_ahead:
            return True
        return any(map(self._line_is_ahead, target.lines.values()))

    def _line_is_ahead(self, line: TargetLine) -> bool:
        """Whether the target has checkpoints past those of the source. Not if the source has assigned as many numbers
        and has removed all its checkpoints, as prune does with those of a finished call."""
        record = next(one for one in self.record.lines if one.namespace == line.row.namespace)
        return line.comparison.target_is_ahead and (record.head > 0 or record.seq < line.row.seq)

    # ---------------------------------------------------------------- divergence

    async def _conflict(self) -> str | None:
        """Where the two sides diverge, if both have something that the other lacks."""
        source, target = self._source_is_ahead(), self._target_is_ahead()
        for line in self.target.lines.values():
            if self._diverges(line, source, target) or await self._has_reused_number(line):
                return await self._divergence(line)
        journal = self.target.journal
        if journal.source_only or (source and target):
            return (
                f"thread {self.id!r} was continued in both stores: their journals diverge after entry "
                f"{journal.common}; {_ADVICE}"
            )
        return None

    def _diverges(self, line: TargetLine, source: bool, target: bool) -> bool:
        """Whether one side is ahead in this line while the other is ahead anywhere."""
        return (source and self._line_is_ahead(line)) or (target and line.comparison.source_is_ahead)

    async def _has_reused_number(self, line: TargetLine) -> bool:
        """Whether the target gave a number of the source's to another checkpoint, which was removed since."""
        for item in line.comparison.source_only:
            row = await stored_row(self.engine, line, item.seq)
            if row is not None and row.digest != item.digest:
                return True
        return False

    async def _divergence(self, line: TargetLine) -> str:
        row = await outline.row_at(self.engine, line.view, line.comparison.common)
        namespace = f", namespace {line.row.namespace!r}" if line.row.namespace else ""
        if row is None:
            where = "they have no checkpoint in common, or those that they had were pruned"
        else:
            where = f"they diverge after checkpoint {row.id!r} (seq {row.seq})"
        return f"thread {self.id!r}{namespace} has other content in the target: {where}; {_ADVICE}"
