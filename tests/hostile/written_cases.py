"""Hostile stores that were thought of: each a function from the rows of a good store to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from holdfast import _zstd
from holdfast.backends.rows import (
    LARGEST,
    LATEST,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    LogRow,
    OverlayRow,
    PendingRow,
    QuarantineRow,
    Row,
    RunRow,
    SettledRow,
    TagRow,
    ThreadRow,
    TombstoneRow,
)
from holdfast.codec.wire import Marker, pack_raw
from holdfast.engine.values import manifest
from holdfast.engine.values.digests import value_digest
from holdfast.engine.values.manifest import Inline, Manifest, Ref
from holdfast.engine.values.msgpack_parts import parts_of
from tests.hostile.hostile_values import DEEP, LYING_LENGTHS, frame_of_stated_size

Change = Callable[[list[Row]], list[Row]]


def _each(rows_of: Any, /, **columns: Any) -> Change:
    """These columns in all rows of a kind; a function gets the row."""

    def change(rows: list[Row]) -> list[Row]:
        return [_with(row, columns) if type(row) is rows_of else row for row in rows]

    return change


def _with(row: Any, columns: dict[str, Any]) -> Any:
    return row._replace(**{name: value(row) if callable(value) else value for name, value in columns.items()})


def _state(**channels: Any) -> Change:
    """These encoded values in all checkpoints."""
    entries: dict[str, manifest.Entry] = {name: Inline(enc) for name, enc in channels.items()}
    return _each(CheckpointRow, manifest=manifest.pack(Manifest(entries)))


def _key_that_expands(rows: list[Row]) -> list[Row]:
    """A frame whose changes double a list again and again: sixty of them have more items than there are atoms."""
    doubling = [[1, n, 0, [b"x" * 1000] * 2**n] for n in range(12)]
    body = b"\x01" + _zstd.compress(pack_raw(doubling), 1)
    return _each(ChunkRow, body=lambda row: body if row.kind == 2 else row.body)(rows)


def _cuts_that_overlap(rows: list[Row]) -> list[Row]:
    """Changes of a text that would repeat it: each doubles what the one before has made."""
    changes = [[3, 0, 0, b"x", 0, 0, b"", 0, 1 << 40, b""]] * 16
    body = b"\x01" + _zstd.compress(pack_raw(changes), 1)
    return _each(ChunkRow, body=lambda row: body if row.kind == 2 else row.body)(rows)


def _many_references(rows: list[Row]) -> list[Row]:
    """Ten thousand channels that share the largest value."""
    chunk = next(row for row in rows if type(row) is ChunkRow and row.kind == 0)
    channels: dict[str, manifest.Entry] = {f"c{n}": Ref(chunk.log, chunk.lo, b"", True) for n in range(10_000)}
    packed = manifest.pack(Manifest(channels))
    large = _each(ChunkRow, body=lambda row: b"\x00" + pack_raw("x" * 1_000_000) if row is chunk else row.body)(rows)
    return _each(CheckpointRow, manifest=lambda row: packed if row.tree == chunk.tree else row.manifest)(large)


def _list_of_nothing(rows: list[Row]) -> list[Row]:
    """A log with an empty list, which a save keeps in the manifest."""
    chunk = next(row for row in rows if type(row) is ChunkRow and row.kind == 0)
    empty = pack_raw([])
    packed = manifest.pack(Manifest({"a": Ref(chunk.log, chunk.lo, value_digest(parts_of(empty), b""))}))
    short = _each(ChunkRow, body=lambda row: b"\x00" + empty if row is chunk else row.body)(rows)
    return _each(CheckpointRow, manifest=lambda row: packed if row.tree == chunk.tree else row.manifest)(short)


def _ring_of_lines(rows: list[Row]) -> list[Row]:
    """All lines of a tree were forked from the next, and the last from the first."""
    lines = [row for row in rows if type(row) is LineRow]
    following = dict(zip([row.line for row in lines], [row.line for row in lines[1:] + lines[:1]], strict=True))
    tree = lines[0].tree
    ring = _each(LineRow, tree=tree, base_line=lambda row: following[row.line], base_seq=1 << 40, base_journal=1 << 40)
    return ring(rows)


def _ring_of_logs(rows: list[Row]) -> list[Row]:
    logs = [row.log for row in rows if type(row) is LogRow]
    return _each(LogRow, tree=next(row.tree for row in rows if type(row) is LogRow), base_log=logs[0])(rows)


def _path_ids(rows: list[Row]) -> list[Row]:
    return _each(ThreadRow, id=lambda row: f"../../{row.id}\x1b[31m")(rows)


CASES: Final[dict[str, Change]] = {
    "times beyond the calendar": _each(CheckpointRow, created_at=LATEST + 1),
    "the last time of the calendar": _each(CheckpointRow, created_at=LATEST),
    "threads from before the calendar": _each(ThreadRow, created_at=-(1 << 60)),
    "leases without an end": _each(LineRow, worker="w", lease_at=LATEST, lease_ttl=LARGEST),
    "counters at their end": _each(LineRow, version=LARGEST, seq=LARGEST, checkpoints=LARGEST, epoch=LARGEST),
    "journals without an end": _each(LineRow, journal=LARGEST),
    "journals that begin late": _each(LineRow, journal=LARGEST, base_journal=LARGEST - 1),
    "overlays of everything": _each(OverlayRow, hidden=LARGEST, seq=LARGEST),
    "eras at their end": _each(LineRow, base_era=LARGEST, forks=LARGEST, overlays=LARGEST),
    "heads that are not there": _each(LineRow, head_seq=LARGEST),
    "checkpoints that are their own parents": _each(
        CheckpointRow, parent_seq=lambda row: row.seq, parent_id=lambda row: row.id
    ),
    "checkpoints before their parents": _each(CheckpointRow, parent_seq=lambda row: row.seq + 1, chain_start=0),
    "chains that start at the end": _each(CheckpointRow, chain_start=LARGEST, depth=LARGEST),
    "checkpoints of any step": _each(CheckpointRow, step=-LARGEST, journal_seq=LARGEST),
    "one id for all checkpoints": _each(CheckpointRow, id="c1"),
    "lines in a ring": _ring_of_lines,
    "logs in a ring": _ring_of_logs,
    "one line for all": _each(LineRow, line=1, thread=1),
    "ids that are paths": _path_ids,
    "namespaces that are paths": _each(LineRow, namespace="../../x"),
    "texts in the place of numbers": _each(LineRow, seq="1", version="x", size=b"2"),
    "no columns at all": _each(CheckpointRow, id=None, seq=None, digest=None, manifest=None),
    "fractions in the place of numbers": _each(JournalRow, seq=1.5, created_at=float("inf")),
    "frames that expand": _key_that_expands,
    "cuts that overlap": _cuts_that_overlap,
    "channels that share a large value": _many_references,
    "a log with an empty list": _list_of_nothing,
    "chunks of a stated size": _each(ChunkRow, body=b"\x01" + frame_of_stated_size(1 << 40)),
    "chunks without an end": _each(ChunkRow, hi=LARGEST),
    "chunks before the start": _each(ChunkRow, lo=-1),
    "chunks of no kind": _each(ChunkRow, kind=7),
    "values that lie about their length": _state(**{f"c{n}": enc for n, enc in enumerate(LYING_LENGTHS)}),
    "values that nest deeply": _state(**{f"c{n}": enc for n, enc in enumerate(DEEP)}),
    "values of objects' addresses": _state(a=pack_raw([Marker(24), "|O", [1], "C", b"\x41" * 8])),
    "values that name functions": _state(a=pack_raw([Marker(4), "dataclass", "os.system", "command", "true"])),
    "metadata that is a list": _each(CheckpointRow, metadata=pack_raw([1, 2])),
    "metadata with keys that are no text": _each(ThreadRow, metadata=pack_raw({1: 2, None: 3})),
    "policies of half a length": _each(ThreadRow, metadata=b"\xc1\xff\xff\x93"),
    "policies without an end": _each(ThreadRow, metadata=lambda row: _policy([LARGEST, True, None])),
    "retentions of any shape": _each(
        ThreadRow, metadata=lambda row: _policy([1 << 50, True, {"keep_last": -1, "max_age": "x"}])
    ),
    "nodes that are no list": _each(CheckpointRow, next=pack_raw({"a": 1})),
    "writes of any shape": _each(SettledRow, body=pack_raw([[b"short", "", [[0, "a", [1]]]]])),
    "writes that refer to everything": _each(
        SettledRow, body=pack_raw([["t", "", [[n, "a", [1, 1 << 40]] for n in range(99)]]])
    ),
    "pending writes that are none": _each(PendingRow, body=b"\x01" + frame_of_stated_size(1 << 32)),
    "early writes of paths": _each(EarlyWriteRow, namespace="../x", checkpoint="c9", body=b"\x92"),
    "tags of nothing": _each(TagRow, thread="no such thread"),
    "tombstones above everything": _each(TombstoneRow, generation=LARGEST, last="\U0010ffff" * 9),
    "runs of nothing": _each(RunRow, tree=1, line=1),
    "a quarantine of any bytes": _each(QuarantineRow, body=DEEP[2], kind="../x", created_at=0),
    "own entries without data": _each(JournalRow, kind="holdfast.intent", body=b"\xc0"),
    "trimmed entries from nowhere": _each(JournalRow, kind="holdfast.trimmed", body=pack_raw(-(1 << 62))),
    "results of nothing": _each(JournalRow, kind="holdfast.result", body=pack_raw({"of": [1], "value": 1})),
    "no rows": lambda rows: [],
    "threads alone": lambda rows: [row for row in rows if type(row) is ThreadRow],
    "no threads": lambda rows: [row for row in rows if type(row) is not ThreadRow],
    "no chunks": lambda rows: [row for row in rows if type(row) is not ChunkRow],
    "no checkpoints": lambda rows: [row for row in rows if type(row) is not CheckpointRow],
}  # fmt: skip


def _policy(parts: list[Any]) -> bytes:
    body = pack_raw(parts)
    return b"\xc1" + len(body).to_bytes(2, "big") + body
