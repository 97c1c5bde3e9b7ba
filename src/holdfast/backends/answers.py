"""What a backend answers: small records of rows, and the filter that some questions take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from holdfast.backends.rows import DAY, CheckpointRow, ChunkRow, LineRow, OverlayRow, ThreadRow


class Found(NamedTuple):
    """What `find` returns about one namespace of one thread."""

    thread: ThreadRow | None
    root: LineRow | None
    line: LineRow | None
    head: CheckpointRow | None
    generation: int  # of the tombstone; 0 if the thread exists or never existed
    last: str = ""  # of the tombstone, even if the thread exists again


class Listed(NamedTuple):
    """One thread in a list."""

    thread: ThreadRow
    root: LineRow | None  # None only if the row was lost
    head: CheckpointRow | None


class Want(NamedTuple):
    """One version of one value log."""

    log: int
    pos: int


class Piece(NamedTuple):
    """A chunk that a wanted version is made from, and the last of its positions that the version includes."""

    chunk: ChunkRow
    upto: int


class Filter(NamedTuple):
    """Conditions on a checkpoint's own columns: equality, and upper limits. None means any."""

    run_id: str | None = None
    status: str | None = None
    source: str | None = None
    node: str | None = None
    max_step: int | None = None
    max_time: int | None = None
    max_journal: int | None = None


ANY: Final = Filter()


class Tally(NamedTuple):
    """What one thread saved on one day; without a thread, what else a tree holds."""

    thread: str
    tree: int
    day: int  # since 1970
    checkpoints: int  # visible ones, of living threads, counted for the thread that saved them
    size: int  # of their states, each counted in full
    stored: int  # bytes of rows


Frames = tuple[int, ...]
"""After how many changes of a value these are stored as one frame, compressed together; largest first."""

Progress = Callable[[int, int], None]
"""Called with how much is done, and the total."""


def tally_tree(
    tree: int,
    threads: dict[int, str],
    lines: Iterable[LineRow],
    overlays: Iterable[OverlayRow],
    checkpoints: Iterable[CheckpointRow],
    other_bytes: int,
) -> list[Tally]:
    """The tallies of one tree. `threads` maps root lines to ids; `other_bytes` is the size of all other bodies."""
    names = {line.line: threads.get(line.thread) for line in lines}
    hidden = {(row.line, row.seq) for row in overlays if row.hidden}
    tallies: dict[tuple[str, int], Tally] = {}
    for row in checkpoints:
        name = names.get(row.line)
        if name is not None and (row.line, row.seq) not in hidden:
            day = row.created_at // DAY
            before = tallies.get((name, day), Tally(name, tree, day, 0, 0, 0))
            tallies[name, day] = before._replace(
                checkpoints=before.checkpoints + 1,
                size=before.size + row.size,
                stored=before.stored + len(row.metadata) + len(row.manifest),
            )
    return [*tallies.values(), Tally("", tree, 0, 0, 0, other_bytes)]
