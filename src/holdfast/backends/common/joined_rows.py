"""What backends that ask in SQL share: taking joined rows apart, and the end of a range of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.backends.base import Found
from holdfast.backends.rows import CheckpointRow, LineRow, PendingRow, SettledRow, ThreadRow


def cut(row: Sequence[Any], *kinds: Any) -> list[Any]:
    """The rows that a joined row was joined from; a missing one is None. TypeError if the width does not match."""
    parts, start = [], 0
    for kind in kinds:
        end = start + len(kind._fields)
        part = row[start:end]
        parts.append(None if part and part[0] is None else kind._make(part))
        start = end
    if start != len(row):
        raise TypeError(f"a joined row has {len(row)} columns")
    return parts


def found(row: Sequence[Any]) -> Found:
    """The answer of `find`: the last id of an earlier generation, and the joined rows."""
    last, *columns = row
    thread, root, own, head = cut(columns, ThreadRow, LineRow, LineRow, CheckpointRow)
    return Found(thread, root, own, head, 0, last or "")


def written(row: Sequence[Any]) -> PendingRow | SettledRow:
    """A row of a query that unites `pending` and `settled`: true and the columns of the first, or false and those of
    the second, with `number` in the place of `idx`."""
    is_pending, *columns = row
    if is_pending:
        return PendingRow._make(columns)
    tree, line, seq, _, number, era, _, body, total = columns
    return SettledRow(tree, line, seq, number, era, body, total)


def after_prefix(prefix: str) -> str | None:
    """The lowest text that is greater than every text with this prefix; None if there is none."""
    for i in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[i]) + 1
        if code <= 0x10FFFF:
            return prefix[:i] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)
    return None
