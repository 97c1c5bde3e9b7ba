"""Appending to a thread's journal, and reading it through forks.

Numbers come from the root line, in the same conditional write that stores the entry. A fork's journal starts as its
origin's up to the fork point and goes on with its own entries: since entries never change, nothing has to be copied.
"""

from __future__ import annotations

from holdfast.backends.base import Batch, Expect, GraveAt, KeyFree, LineAt, ThreadAbsent
from holdfast.backends.rows import JournalRow, LineRow, Row, checked, sealed
from holdfast.engine import burial, clocks, leases, places, tags, views
from holdfast.engine.context import Engine, Handle, now
from holdfast.engine.places import Here, Place
from holdfast.engine.rows import new_thread
from holdfast.errors import Conflict, Contended, Fenced
from holdfast.ids import grave_hash
from holdfast.journal import TRIMMED

_ATTEMPTS = 500


async def append(engine: Engine, handle: Handle, kind: str, body: bytes, key: str | None = None) -> JournalRow:
    """Store one entry. The same key with the same content is the first entry again; with other content, a conflict."""
    engine.check_open()
    root_handle = handle.inner("")
    here = await places.recalled(engine, root_handle)
    for _ in range(_ATTEMPTS):
        fresh = here is None
        if here is None:
            place = await burial.vacated(engine, handle, await places.find(engine, root_handle, flush=False))
            here, expects, puts = _begun(engine, handle, place)
        else:
            expects, puts = [], []
        if key is not None and (fresh or here.root.base_journal):
            first = await _first(engine, here.root, key)
            if first is not None:
                return _same(handle, first, kind, body)
        done = await _append_once(engine, root_handle, here, expects, puts, kind, body, key, fresh)
        if done is not None:
            handle.generation = root_handle.generation
            return done
        places.forget(engine, root_handle)
        here = None
    raise Contended(f"{handle.name}: other writers were faster {_ATTEMPTS} times; try again")


def _begun(engine: Engine, handle: Handle, place: Place) -> tuple[Here, list[Expect], list[Row]]:
    """A journal may begin before the first checkpoint."""
    if place.here is not None:
        places.bind(handle, place.here.thread)
        return place.here, [], []
    places.check_not_deleted(handle, place)
    thread, root = new_thread(handle, place.generation + 1, engine.usual)
    expects: list[Expect] = [ThreadAbsent(thread.id), GraveAt(grave_hash(thread.id), place.generation)]
    return Here(thread, root, root, None), expects, [thread, *tags.of_thread(thread)]


async def _append_once(
    engine: Engine, handle: Handle, here: Here, expects: list[Expect], puts: list[Row], kind: str, body: bytes,
    key: str | None, fresh: bool,
) -> JournalRow | None:  # fmt: skip
    root = here.root
    if handle.epoch is not None:
        try:
            root = await leases.admitted(engine, handle, root)
        except Fenced:
            if fresh:
                raise
            return None
    root = await clocks.written(engine, here.thread, root)
    row = sealed(JournalRow(root.tree, root.line, root.journal + 1, kind, key, now(), body))
    after = sealed(root._replace(version=root.version + 1, journal=row.seq))
    expects.append(LineAt(root.tree, root.line, root.version))
    if key is not None:
        expects.append(KeyFree(root.tree, root.line, key))
    if not await engine.backend.commit(Batch(expects, [*puts, after, row])):
        return None
    places.bind(handle, here.thread)
    places.remember(engine, handle, here._replace(root=after, line=after))
    return row


async def _first(engine: Engine, root: LineRow, key: str) -> JournalRow | None:
    """The entry with this key, if the thread's journal has it."""
    if root.version == 0:
        return None
    lines = await _lines(engine, root)
    for row in await engine.backend.journal_key(root.tree, [line.line for line, _, _ in lines], key):
        if any(row.line == line.line and low <= row.seq <= high for line, low, high in lines):
            return checked(row)
    return None


def _same(handle: Handle, first: JournalRow, kind: str, body: bytes) -> JournalRow:
    equal = first.body == body or handle.codec.decode(first.body) == handle.codec.decode(body)
    if first.kind != kind or not equal:
        raise Conflict(
            f"{handle.name}: the journal's entry {first.seq} has the key {first.key!r} and other content; "
            "a key stands for one event",
            expected=first.key,
            actual=str(first.seq),
        )
    return first


async def read(engine: Engine, root: LineRow, after: int, upto: int, limit: int) -> list[JournalRow]:
    """Entries after one number, up to another, oldest first."""
    return [row for row in await read_all(engine, root, after, upto, limit) if row.kind != TRIMMED]


async def read_all(engine: Engine, root: LineRow, after: int, upto: int, limit: int) -> list[JournalRow]:
    """With those that tell of entries that are gone; they do not count."""
    found: list[JournalRow] = []
    for line, low, high in reversed(await _lines(engine, root)):
        low, high = max(low, after + 1), min(high, upto)
        while low <= high and limit > 0:
            rows = await engine.backend.journal(line.tree, line.line, low, high, limit)
            found += map(checked, rows)
            low = rows[-1].seq + 1 if len(rows) == limit else high + 1
            limit -= sum(row.kind != TRIMMED for row in rows)
    return found


async def _lines(engine: Engine, root: LineRow) -> list[tuple[LineRow, int, int]]:
    """The lines that the journal is made of, newest first, with the numbers that each gives."""
    found = []
    high = root.journal
    for line in await views.ancestry(engine, views.View(root)):
        found.append((line, line.base_journal + 1, high))
        high = min(high, line.base_journal)
        if not high:
            break
    return found
