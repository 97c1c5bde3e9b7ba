"""The record of entries that were trimmed from a journal.

Trimming (`maintenance/journal_trim.py`) leaves one entry of the kind `TRIMMED` at the end of each range that it drops.
It says where the range starts, so that `verify` can distinguish trimmed entries from lost ones.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from holdfast.backends.rows import JournalRow, LineRow, with_checksum
from holdfast.engine.journal.entries import TRIMMED
from holdfast.errors import Corrupt

Range = tuple[int, int]
"""The first and the last number of a range of entries."""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(int).decode


def trimmed_row(root: LineRow, trimmed: Range) -> JournalRow:
    first, last = trimmed
    return with_checksum(JournalRow(root.tree, root.line, last, TRIMMED, None, 0, _encode(first)))


def trimmed_range(row: JournalRow) -> Range:
    """The entries that this record stands for, its own number included."""
    try:
        return _decode(row.body), row.seq
    except msgspec.MsgspecError as error:
        raise Corrupt(f"entry {row.seq} of the journal does not say which entries were trimmed: {error}") from error


def covered_range(row: JournalRow) -> Range:
    """The numbers that one row accounts for: its own, or all of a trimmed range."""
    return trimmed_range(row) if row.kind == TRIMMED else (row.seq, row.seq)


def gaps(rows: Iterable[JournalRow], after: int, last: int) -> list[Range]:
    """The numbers past `after` and up to `last` that no row accounts for, as ranges: a row may state any number."""
    found: list[Range] = []
    free = after + 1
    for first, end in sorted(covered_range(row) for row in rows if after < row.seq <= last):
        if first > free:
            found.append((free, first - 1))
        free = max(free, end + 1)
    return [*found, (free, last)] if free <= last else found
