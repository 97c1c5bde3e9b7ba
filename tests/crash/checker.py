"""What must be true of any store after any crash, whatever it holds: its rows are read without the library.

Every row matches its checksum, every checkpoint's digest is that of its row, manifest and parent, every line counts
without gaps, and SQLite finds its file in order.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

import holdfast
from holdfast import Store
from holdfast.backends.rows import KEYS, CheckpointRow, JournalRow, LineRow, TagRow, ThreadRow, checked, table_name
from holdfast.engine.checkpoints.row_builder import row_digest
from holdfast.engine.journal.entries import TRIMMED
from holdfast.engine.values import manifest
from tests.crash.ledger import Ledger

Rows = dict[Any, list[Any]]


def check(url: str, *ledgers: Ledger) -> None:
    """Open the store again and check everything that it must hold."""
    with holdfast.open(url) as store:
        for ledger in ledgers:
            ledger.check(store)
        accepts_saves(store)


def accepts_saves(store: Store) -> None:
    thread = store.thread("checker's own")
    before = thread.latest()
    count = before.state["count"] + 1 if before else 1
    thread.save({"count": count, "text": "x" * 100})
    found = thread.latest()
    assert found is not None
    assert found.state["count"] == count


def check_file(path: Path) -> None:
    """Every row of an SQLite store."""
    check_all(read_rows(path))


def checked_rows(rows: Rows) -> Rows:
    return {kind: [checked(row) for row in found] for kind, found in rows.items()}


def check_all(rows: Rows) -> None:
    _check_lines(rows)
    _check_checkpoints(rows)
    _check_journals(rows)
    _check_status_tags(rows)


def read_rows(path: Path) -> Rows:
    """Every row of every table, its checksum checked."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows: Rows = {}
        for kind in KEYS:
            columns = ", ".join(f'"{name}"' for name in kind._fields)  # not in the order of every table
            found = connection.execute(f"SELECT {columns} FROM {table_name(kind)}")  # noqa: S608  names from the code
            rows[kind] = [checked(kind._make(row)) for row in found]  # type: ignore[type-var]
    return rows


def _check_lines(rows: Rows) -> None:
    """Numbers are handed out one by one, and the head is a row that exists. Where rows were removed, some may have
    been collected."""
    stored: dict[int, list[int]] = {line.line: [] for line in rows[LineRow]}
    for row in sorted(rows[CheckpointRow], key=lambda row: (row.line, row.seq)):
        stored[row.line].append(row.seq)
    bases = {line.line: line.base_seq for line in rows[LineRow]}
    living = _living(rows)
    numbers = {(row.line, row.seq) for row in rows[CheckpointRow]}
    for line in rows[LineRow]:
        handed_out = list(range(bases[line.line] + 1, line.seq + 1))
        is_whole = line.line in living and not line.overlays
        assert stored[line.line] == handed_out or (not is_whole and {*stored[line.line]} <= {*handed_out}), (
            f"gaps in {line}"
        )
        has_head = line.head_seq == 0 or (line.head_line, line.head_seq) in numbers
        assert has_head or line.line not in living, f"no head for {line}"
    assert {thread.line for thread in rows[ThreadRow]} <= stored.keys(), "a thread without its line"


def _living(rows: Rows) -> set[int]:
    """The lines of threads that were not deleted."""
    roots = {thread.line for thread in rows[ThreadRow]}
    return {line.line for line in rows[LineRow] if line.thread in roots}


def _check_checkpoints(rows: Rows) -> None:
    lines = {line.line: line for line in rows[LineRow]}
    found = {(row.line, row.seq): row for row in rows[CheckpointRow]}
    for row in rows[CheckpointRow]:
        parent = _parent(row, lines, found)
        known = manifest.unpack(row.manifest)
        assert isinstance(known, manifest.Manifest), "the states of these tests have few channels"
        assert row_digest(lines[row.line].namespace, row, known, parent and parent.digest) == row.digest, (
            f"the digest of {row}"
        )
        assert parent is None or row.parent_digest or parent.created_at <= row.created_at


def _parent(row: CheckpointRow, lines: dict[int, LineRow], found: dict[tuple[int, int], CheckpointRow]) -> Any:
    if row.parent_digest is not None:
        return row._replace(digest=row.parent_digest)
    if not row.parent_seq:
        return None
    line = lines[row.line]
    while row.parent_seq <= line.base_seq and line.base_line is not None:
        line = lines[line.base_line]
    return found[line.line, row.parent_seq]


def _check_journals(rows: Rows) -> None:
    stored: dict[int, list[int]] = {line.line: [] for line in rows[LineRow]}
    for row in sorted(rows[JournalRow], key=lambda row: (row.line, row.seq)):
        first = msgspec.msgpack.decode(row.body) if row.kind == TRIMMED else row.seq
        stored[row.line] += range(first, row.seq + 1)
    living = _living(rows)
    for line in rows[LineRow]:
        if line.line == line.thread:
            appended = list(range(line.base_journal + 1, line.journal + 1))
            end = len(appended) if line.line in living else len(stored[line.line])  # a fork may need the beginning
            assert stored[line.line] == appended[:end], f"gaps in {line}"


def _check_status_tags(rows: Rows) -> None:
    """What `threads(where={"status": …})` finds is what the heads say."""
    lines = {line.line: line for line in rows[LineRow]}
    found = {(row.line, row.seq): row for row in rows[CheckpointRow]}
    wanted = set()
    for thread in rows[ThreadRow]:
        root = lines[thread.line]
        if root.head_seq:
            wanted.add((thread.id, found[root.head_line, root.head_seq].status))
    assert {(tag.thread, tag.value) for tag in rows[TagRow] if tag.key == "status"} == wanted
