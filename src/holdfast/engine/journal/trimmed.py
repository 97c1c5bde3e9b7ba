"""The record of entries that were trimmed from a journal.

Trimming (`maintenance/journal_trim.py`) leaves one entry of the kind `TRIMMED` at the end of each range that it drops.
It says where the range starts, so that `verify` can distinguish trimmed entries from lost ones.
"""

from __future__ import annotations

import msgspec

from holdfast.backends.rows import JournalRow, LineRow, with_checksum
from holdfast.engine.journal.entries import TRIMMED

Range = tuple[int, int]
"""The first and the last number of a range of entries."""
_encode = msgspec.msgpack.Encoder().encode


def trimmed_row(root: LineRow, trimmed: Range) -> JournalRow:
    first, last = trimmed
    return with_checksum(JournalRow(root.tree, root.line, last, TRIMMED, None, 0, _encode(first)))


def trimmed_range(row: JournalRow) -> Range:
    """The entries that this record stands for, its own number included."""
    return msgspec.msgpack.decode(row.body, type=int), row.seq


def covered_range(row: JournalRow) -> Range:
    """The numbers that one row accounts for: its own, or all of a trimmed range."""
    return trimmed_range(row) if row.kind == TRIMMED else (row.seq, row.seq)
