"""What `verify` finds out about one tree: its faults, and what `repair` needs to know to remove them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from holdfast.backends.rows import CheckpointRow, ChunkRow, LogRow, Row, ThreadRow, describe_key, key_of, table_name
from holdfast.engine.integrity.tree_rows import TreeRows
from holdfast.engine.values import loader
from holdfast.engine.values.manifest import Header
from holdfast.errors import Corrupt
from holdfast.model import Fault

CHECKSUM: Final = "the {} row with {} does not match its checksum: the storage changed it; repair() sets it aside"
PointKey = tuple[int, int]
"""The line and the number of a checkpoint."""


class Viewer(NamedTuple):
    """A thread and a namespace in which a row is seen; the first of several."""

    thread_id: str
    namespace: str


class Shown(NamedTuple):
    """What a line shows."""

    total: int
    newest: CheckpointRow | None


@dataclass
class VersionNeed:
    """What checkpoints and writes expect of one version of a value log."""

    point: PointKey  # the first that refers to it
    digests: set[bytes] = field(default_factory=set)
    items: int = 0  # the least number of items: a settled write may refer to single ones


Needs = dict[int, dict[int, VersionNeed]]
"""By value log and position."""


class TreeFindings:
    """The faults of one tree, and what else was learned while it was checked."""

    def __init__(self, tree: TreeRows) -> None:
        self.tree = tree
        self.faults: list[Fault] = []
        self.seen: dict[PointKey, Viewer] = {}
        self.shown: dict[int, Shown] = {}  # by line
        self.missing: dict[int, list[int]] = {}  # by line, numbers that it gave to checkpoints that have no row
        self.heads: dict[int, CheckpointRow | None] = {}  # by line, with the status that an overlay gives it
        self.needs: Needs = {}
        self.unreadable: set[PointKey] = set()  # checkpoints whose own row, or whose manifest, can't be decoded
        self.manifests: dict[int, PointKey] = {}  # logs of wide manifests, each with the first checkpoint that is there
        self.too_large = 0  # manifests that this store was not opened for
        self._owners = {thread.line: thread.id for thread in tree.threads}

    def owner(self, line: int | None) -> Viewer | None:
        """The thread and namespace of a line."""
        row = self.tree.lines.get(line or 0)
        thread_id = None if row is None else self._owners.get(row.thread)
        return None if row is None or thread_id is None else Viewer(thread_id, row.namespace)

    def seen_rows(self) -> Iterator[tuple[CheckpointRow, Viewer]]:
        for point, viewer in sorted(self.seen.items()):
            yield self.tree.points[point], viewer

    def need(self, log: int, pos: int, row: CheckpointRow) -> VersionNeed:
        """What is expected of a version that this checkpoint, or one of its writes, refers to."""
        return self.needs.setdefault(log, {}).setdefault(pos, VersionNeed((row.line, row.seq)))

    def note_manifest(self, row: CheckpointRow) -> None:
        """Remember the log that the manifest of a checkpoint is in, if it is wide."""
        header = header_of(row)
        if header is not None:
            self.manifests.setdefault(header.ref.log, (row.line, row.seq))

    def add(self, kind: str, row: Row, message: str, checkpoint_id: str | None = None) -> None:
        """Add a fault of a row. The row says which thread it concerns: the one that sees the checkpoint, or the one
        that has the line."""
        viewer = self._viewer(row)
        self.faults.append(
            Fault(
                kind=kind, message=_where(viewer, checkpoint_id) + message, table=table_name(type(row)),
                key=key_of(row), thread_id=viewer.thread_id if viewer else None,
                namespace=viewer.namespace if viewer else "", checkpoint_id=checkpoint_id, tree=self.tree.number,
            )
        )  # fmt: skip

    def add_damaged(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.add("checksum", row, CHECKSUM.format(table_name(type(row)), describe_key(row)), _id_in(row))

    def _viewer(self, row: Row) -> Viewer | None:
        if isinstance(row, ThreadRow):
            return Viewer(row.id, "")
        if isinstance(row, ChunkRow | LogRow):
            needs = self.needs.get(row.log)
            point = next(iter(needs.values())).point if needs else self.manifests.get(row.log)
            return None if point is None else self.seen.get(point)
        line = getattr(row, "line", None)
        viewer = self.seen.get((row.line, row.seq)) if isinstance(row, CheckpointRow) else None
        return viewer or (self.owner(line) if isinstance(line, int) else None)


def header_of(row: CheckpointRow) -> Header | None:
    """What the row has of a wide manifest."""
    try:
        known = loader.unpacked(row)
    except Corrupt:
        return None
    return known if isinstance(known, Header) else None


def _where(viewer: Viewer | None, checkpoint_id: str | None) -> str:
    words = [] if viewer is None else [f"thread {viewer.thread_id!r}"]
    words += [f"namespace {viewer.namespace!r}"] if viewer is not None and viewer.namespace else []
    words += [f"checkpoint {checkpoint_id!r}"] if checkpoint_id is not None else []
    return ", ".join(words) + ": " if words else ""


def _id_in(row: Row) -> str | None:
    """What a damaged row has as its id, if that is a text."""
    return row.id if isinstance(row, CheckpointRow) and isinstance(row.id, str) else None
