"""What backends that ask in SQL share: joined rows taken apart, and the end of a range of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def cut(row: Sequence[Any], *kinds: Any) -> list[Any]:
    """A joined row as the rows it was joined from; a missing one is None. TypeError if it is not as wide."""
    found, start = [], 0
    if len(row) != sum(len(kind._fields) for kind in kinds):
        raise TypeError(f"a joined row has {len(row)} columns")
    for kind in kinds:
        end = start + len(kind._fields)
        part = row[start:end]
        found.append(None if part[0] is None else kind._make(part))
        start = end
    return found


def after_prefix(prefix: str) -> str | None:
    """The first text that comes after every one with this prefix; None if there is no such text."""
    for i in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[i]) + 1
        if code <= 0x10FFFF:
            return prefix[:i] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)
    return None
