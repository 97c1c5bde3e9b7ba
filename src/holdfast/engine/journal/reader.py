"""Reading a thread's journal, through forks.

A fork's journal starts with its origin's entries up to the fork point and continues with its own. Entries never change,
so nothing is copied.
"""

from __future__ import annotations

from holdfast.backends.rows import JournalRow, LineRow, checked
from holdfast.engine.context import Engine
from holdfast.engine.journal.entries import TRIMMED
from holdfast.engine.threads import views


async def read(engine: Engine, root: LineRow, after: int, upto: int, limit: int) -> list[JournalRow]:
    """Entries after one number, up to another, oldest first."""
    return [row for row in await read_all(engine, root, after, upto, limit) if row.kind != TRIMMED]


async def read_all(engine: Engine, root: LineRow, after: int, upto: int, limit: int) -> list[JournalRow]:
    """The same with the records of trimmed entries, which do not count towards the limit."""
    found: list[JournalRow] = []
    for line, low, high in reversed(await _lines(engine, root)):
        low, high = max(low, after + 1), min(high, upto)
        while low <= high and limit > 0:
            rows = await engine.backend.journal(line.tree, line.line, low, high, limit)
            found += map(checked, rows)
            low = rows[-1].seq + 1 if len(rows) == limit else high + 1
            limit -= sum(row.kind != TRIMMED for row in rows)
    return found


async def by_key(engine: Engine, root: LineRow, key: str) -> JournalRow | None:
    """The entry with this key, if the thread's journal has it."""
    if root.version == 0:
        return None
    lines = await _lines(engine, root)
    for row in await engine.backend.journal_key(root.tree, [line.line for line, _, _ in lines], key):
        if any(row.line == line.line and low <= row.seq <= high for line, low, high in lines):
            return checked(row)
    return None


async def _lines(engine: Engine, root: LineRow) -> list[tuple[LineRow, int, int]]:
    """The lines that the journal is made of, newest first, with the range of numbers that each contributes."""
    if not root.base_journal:
        return [(root, 1, root.journal)]
    found = []
    high = root.journal
    for line in await views.ancestry(engine, views.View(root)):
        found.append((line, line.base_journal + 1, high))
        high = min(high, line.base_journal)
        if not high:
            break
    return found
