"""Reads the rows of a store of files from the written format alone, without code of the backend."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from holdfast.backends import rows
from holdfast.backends.rows import KEYS

KINDS: list[Any] = [
    None, rows.LineRow, rows.CheckpointRow, rows.OverlayRow, rows.LogRow, rows.ChunkRow, rows.PendingRow,
    rows.SettledRow, rows.JournalRow, rows.ThreadRow, rows.TombstoneRow, rows.TagRow, rows.EarlyWriteRow, rows.RunRow,
    rows.QuarantineRow,
]  # fmt: skip
Tables = dict[Any, dict[Any, Any]]


def records(path: Path, salt: int) -> Iterator[Any]:
    """Every record but a torn last one."""
    data = path.read_bytes()
    start = b"\x89HFS\r\n\x1a\n" + struct.pack("<HH", 1, 1)
    assert data[:16] == start + struct.pack("<I", zlib.crc32(start)), f"the header of {path}"
    at = 16
    while at + 12 <= len(data):
        magic, length, total = struct.unpack_from("<4sII", data, at)
        payload = data[at + 12 : at + 12 + length]
        if len(payload) < length or total != zlib.crc32(payload, zlib.crc32(data[at + 4 : at + 8], salt)):
            break
        assert magic == b"\xf1REC"
        yield msgspec.msgpack.decode(payload)
        at += 12 + length
    rest = data[at:]
    assert b"\xf1REC" not in rest[1:], f"{path} has something after a damaged record at {at}"


def apply(tables: Tables, part: Any, tree: int | None) -> None:
    drops, puts = part
    own = KINDS[1:9]
    start: Any = lambda kind: (tree,) if kind in own else ()  # noqa: E731
    for kind, *rest in drops:
        if kind == 0:
            tables[KINDS[rest[0]]].pop((*start(KINDS[rest[0]]), *rest[1:]), None)
        elif kind == 1:
            log, lo, hi = rest
            _drop(tables, rows.ChunkRow, lambda row, log=log, lo=lo, hi=hi: row.log == log and lo <= row.lo <= hi)
        elif kind == 2 and tree is None:
            _drop(tables, rows.RunRow, lambda row, gone=rest[0]: row.tree == gone)
        elif kind == 3:
            thread, before = rest
            _drop(
                tables,
                rows.EarlyWriteRow,
                lambda row, thread=thread, before=before: thread in ("", row.thread) and row.created_at < before,
            )
        else:
            raise AssertionError(f"a drop of kind {kind}")
    for number, *columns in puts:
        row = KINDS[number]._make((*start(KINDS[number]), *columns))
        tables[type(row)][row[: KEYS[type(row)]]] = row


def _drop(tables: Tables, kind: Any, which: Any) -> None:
    tables[kind] = {key: row for key, row in tables[kind].items() if not which(row)}


def read(root: Path) -> dict[Any, list[Any]]:
    """Every row of the store."""
    found: Tables = {kind: {} for kind in KEYS}
    folders: dict[int, str] = {}
    waiting: dict[int, list[Any]] = {}
    for _, entries in records(root / "directory.hfs", zlib.crc32(b"directory")):
        for created, removed, own, parts in entries:
            folders |= dict(created)
            apply(found, own, None)
            for tree, number, part in parts:
                waiting.setdefault(tree, []).append((number, part))
            for tree, _ in removed:
                folders.pop(tree, None)
                waiting.pop(tree, None)
    for tree, name in folders.items():
        own_rows = read_tree(root / "threads" / name / "rows.hfs", tree, waiting.get(tree, []))
        for kind, table in own_rows.items():
            assert not (table.keys() & found[kind].keys())
            found[kind] |= table
    return {kind: list(table.values()) for kind, table in found.items()}


def read_tree(path: Path, tree: int, waiting: list[Any]) -> Tables:
    found: Tables = {kind: {} for kind in KEYS}
    last = 0
    for carried, parts in records(path, zlib.crc32(tree.to_bytes(8, "little"))):
        for _, part in parts:
            apply(found, part, tree)
        last = max(last, carried)
    for number, part in waiting:
        if number > last:
            apply(found, part, tree)
    return found
