"""What a target has beside what comes: whether one side went on, both did, or neither."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.backends.rows import CheckpointRow, checked
from holdfast.engine import terms, views
from holdfast.engine.context import Engine
from holdfast.errors import Conflict, Corrupt
from holdfast.transfer import looking, records
from holdfast.transfer.joining import Item, Join
from holdfast.transfer.standing import Standing, TargetLine


async def raw_row(engine: Engine, line: TargetLine, seq: int) -> CheckpointRow | None:
    """The row of this number, seen or not."""
    for one in await views.ancestry(engine, line.view):
        if seq > one.base_seq or one.base_line is None:
            rows = await engine.backend.checkpoints(one.tree, one.line, seq, seq, 1)
            return checked(rows[0]) if rows else None
    return None


@dataclass(eq=False)
class Comparison:
    """One thread, on both sides."""

    engine: Engine
    record: records.Thread
    id: str  # that it has, or gets, in the target
    standing: Standing

    @property
    def _joins(self) -> list[Join]:
        return [self.standing.journal, *(line.join for line in self.standing.lines.values())]

    def line(self, namespace: str) -> TargetLine:
        try:
            return self.standing.lines[namespace]
        except KeyError:
            raise Corrupt(f"thread {self.record.id!r} has no namespace {namespace!r}, which a record names") from None

    async def finish(self) -> None:
        """The outline has ended."""
        for join in self._joins:
            await join.finish()

    async def feed(self, page: records.Outline | records.Entries) -> None:
        if isinstance(page, records.Entries):
            await self.standing.journal.feed(Item(*row) for row in page.rows)
        else:
            await self.line(page.namespace).join.feed(Item(*row) for row in page.rows)

    def is_something_else(self) -> bool:
        """Whether what was begun before is not the beginning of what comes now."""
        return any(join.theirs_only or join.missing for join in self._joins)

    async def goes_on(self) -> bool:
        """Whether the source has anything that an existing thread lacks."""
        standing = self.standing
        parted = await self._parted()
        if parted is not None:
            raise Conflict(parted, expected=self.record.id, actual=self.id)
        if self._theirs_went_on():
            return False
        words = any(line.join.differing for line in standing.lines.values())
        thread = standing.thread
        return any(join.ours_went_on for join in self._joins) or words or (
            thread is not None and terms.metadata_of(thread) != self.record.metadata
        )  # fmt: skip

    def _theirs_went_on(self) -> bool:
        standing = self.standing
        lines = any(map(self._went_on, standing.lines.values()))
        return standing.others_went_on or standing.journal.theirs_went_on or lines

    def _went_on(self, line: TargetLine) -> bool:
        """Not if the source has come as far, and removed all that there was: as a prune does with what a call left."""
        said = next(one for one in self.record.lines if one.namespace == line.row.namespace)
        return line.join.theirs_went_on and (said.head > 0 or said.seq < line.row.seq)

    async def _parted(self) -> str | None:
        """Where the two sides part, if both went on."""
        standing = self.standing
        ours = any(join.ours_went_on for join in self._joins)
        theirs = self._theirs_went_on()
        for line in standing.lines.values():
            if (self._went_on(line) and ours) or (theirs and line.join.ours_went_on) or await self._taken(line):
                return await self._where(line)
        journal = standing.journal
        if journal.ours_only or (ours and theirs):
            return (
                f"thread {self.id!r} went on in both stores: their journals part after entry {journal.common}; "
                "copy it under another id, or delete one of the two"
            )
        return None

    async def _taken(self, line: TargetLine) -> bool:
        """Whether the target has given a number of the source's to another checkpoint, that was removed since."""
        for item in line.join.ours_only:
            row = await raw_row(self.engine, line, item.seq)
            if row is not None and row.digest != item.digest:
                return True
        return False

    async def _where(self, line: TargetLine) -> str:
        row = await looking.row_at(self.engine, line.view, line.join.common)
        namespace = f", namespace {line.row.namespace!r}" if line.row.namespace else ""
        after = (
            f"they part after checkpoint {row.id!r} (seq {row.seq})"
            if row is not None
            else "they have nothing in common, or what they had was pruned"
        )
        return (
            f"thread {self.id!r}{namespace} has other content in the target: {after}; "
            "copy it under another id, or delete one of the two"
        )
