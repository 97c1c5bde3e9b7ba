"""Appending to a thread's journal.

The number of an entry comes from the root line, in the same conditional batch that stores the entry.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from holdfast.backends.base import Batch, KeyFree, LineAt
from holdfast.backends.rows import JournalRow, with_checksum
from holdfast.engine.context import Engine, Handle, now
from holdfast.engine.journal import reader
from holdfast.engine.retry import until_applied
from holdfast.engine.threads import creation, leases, lifetime, location, tombstones
from holdfast.engine.threads.creation import Start
from holdfast.errors import Conflict, Fenced

_ATTEMPTS: Final = 500


class NewEntry(NamedTuple):
    """An entry that has no number yet."""

    kind: str
    body: bytes
    key: str | None


async def append(engine: Engine, handle: Handle, kind: str, body: bytes, key: str | None = None) -> JournalRow:
    """Store one entry. The same key with the same content returns the first entry; with other content it is a
    `Conflict`."""
    engine.check_open()
    root_handle = handle.inner("")
    entry = NewEntry(kind, body, key)
    here = await location.recalled(engine, root_handle)
    if here is not None:
        row = await _append(engine, handle, root_handle, Start(here), entry, fresh=False)
        if row is not None:
            return row
        location.forget(engine, root_handle)

    async def attempt() -> JournalRow | None:
        lookup = await location.find(engine, root_handle, flush=False)
        # A journal may begin before the first checkpoint.
        start = await creation.start_root(engine, handle, await tombstones.vacated(engine, handle, lookup))
        return await _append(engine, handle, root_handle, start, entry, fresh=True)

    return await until_applied(handle.name, attempt, attempts=_ATTEMPTS)


async def _append(
    engine: Engine, handle: Handle, root_handle: Handle, start: Start, entry: NewEntry, *, fresh: bool
) -> JournalRow | None:
    """None if the root line has moved since it was read."""
    root = start.here.root
    if entry.key is not None and (fresh or root.base_journal):
        first = await reader.by_key(engine, root, entry.key)
        if first is not None:
            return _same(handle, first, entry)
    row = await _commit(engine, root_handle, start, entry, fresh)
    if row is not None:
        handle.generation = root_handle.generation
    return row


async def _commit(engine: Engine, handle: Handle, start: Start, entry: NewEntry, fresh: bool) -> JournalRow | None:
    here, root = start.here, start.here.root
    if handle.epoch is not None:
        try:
            root = await leases.admitted(engine, handle, root)
        except Fenced:
            if fresh:
                raise
            return None
    if here.policy.ttl is not None:
        root = await lifetime.written(engine, here.policy, here.thread, root)
    row = with_checksum(JournalRow(root.tree, root.line, root.journal + 1, entry.kind, entry.key, now(), entry.body))
    after = with_checksum(root._replace(version=root.version + 1, journal=row.seq))
    expects = [*start.expects, LineAt(root.tree, root.line, root.version), *await lifetime.in_time(engine, here.policy)]
    if entry.key is not None:
        expects.append(KeyFree(root.tree, root.line, entry.key))
    if not await engine.backend.commit(Batch(expects, [*start.rows, after, row])):
        lifetime.ask_again(engine)
        return None
    location.bind(handle, here.thread)
    location.remember(engine, handle, here._replace(root=after, line=after))
    return row


def _same(handle: Handle, first: JournalRow, entry: NewEntry) -> JournalRow:
    equal = first.body == entry.body or handle.codec.decode(first.body) == handle.codec.decode(entry.body)
    if first.kind != entry.kind or not equal:
        raise Conflict(
            f"{handle.name}: the journal's entry {first.seq} has the key {first.key!r} and other content; "
            "a key stands for one event, so use another key",
            expected=first.key,
            actual=str(first.seq),
        )
    return first
