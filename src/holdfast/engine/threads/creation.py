"""Starting a thread: whatever is written to it first makes its directory entry, its root line and the namespace's line.

A save, a journal entry and a lease may each be the first. They start from a `Start`: where the thread is, and what
has to be true and be written so that it exists. For a thread that exists already a `Start` adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.backends.base import Drop, Expect, NamespaceFree, ThreadAbsent, TombstoneAt, drop_of
from holdfast.backends.rows import LineRow, Row, ThreadRow, with_checksum
from holdfast.engine import policy
from holdfast.engine.context import Engine, Handle, now
from holdfast.engine.threads import lifetime, location, tags
from holdfast.engine.threads.location import Located, Lookup
from holdfast.ids import new_number, tombstone_hash


@dataclass(slots=True)
class Start:
    """Where a write starts from, and what its batch needs so that the thread and the line exist."""

    here: Located
    expects: list[Expect] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)


async def start(engine: Engine, handle: Handle, lookup: Lookup) -> Start:
    """The thread that was looked up, or a new one."""
    if lookup.thread is None or lookup.root is None:
        return await _new(engine, handle, lookup)
    location.bind(handle, lookup.thread)
    line = lookup.line or new_line(lookup.root.tree, lookup.root.line, handle.namespace)
    here = Located(lookup.thread, lookup.root, line, lookup.head, lookup.last, lookup.policy)
    found = Start(here)
    merge_request(engine, handle, found)
    if line.version == 0:
        found.expects.append(NamespaceFree(line.tree, line.thread, line.namespace))
    return found


async def start_root(engine: Engine, handle: Handle, lookup: Lookup) -> Start:
    """The same for what is written to the root line alone; the handle may mean an inner namespace."""
    if lookup.here is None:
        return await _new(engine, handle.root(), lookup)
    location.bind(handle, lookup.here.thread)
    return Start(lookup.here)


async def _new(engine: Engine, handle: Handle, lookup: Lookup) -> Start:
    location.check_not_deleted(handle, lookup)
    thread, root = new_thread(engine, handle, lookup.generation + 1)
    root = root._replace(updated_at=await lifetime.start_of(engine, thread))
    here = Located(thread, root, root, None, lookup.last, policy.of(thread))
    expects: list[Expect] = [ThreadAbsent(thread.id), TombstoneAt(tombstone_hash(thread.id), lookup.generation)]
    rows: list[Row] = [thread, *tags.of_thread(thread)]
    if not handle.namespace:
        return Start(here, expects, rows)
    root = with_checksum(root._replace(version=1))
    line = new_line(root.tree, root.line, handle.namespace)
    return Start(here._replace(root=root, line=line), expects, [*rows, root])


def new_thread(engine: Engine, handle: Handle, generation: int) -> tuple[ThreadRow, LineRow]:
    tree, line = engine.backend.new_tree(handle.thread_id), new_number()
    metadata = handle.codec.encode(dict(handle.metadata), "metadata") if handle.metadata else b""
    thread = with_checksum(ThreadRow(handle.thread_id, tree, line, generation, now(), metadata, None, None))
    return policy.with_requested(thread, handle.requested, engine.default_policy), new_line(tree, line, "", line)


def new_line(tree: int, thread: int, namespace: str, line: int = 0) -> LineRow:
    return LineRow(tree, line or new_number(), thread, namespace, updated_at=now())


def merge_request(engine: Engine, handle: Handle, start: Start) -> None:
    """Merge the metadata and the policy of the handle into the thread's."""
    before = start.here.thread
    thread = policy.with_requested(before, handle.requested, engine.default_policy)
    if handle.metadata:
        stored = policy.metadata_of(thread)
        metadata = handle.codec.decode_dict(stored)
        encoded = handle.codec.encode({**metadata, **handle.metadata}, "metadata")
        if encoded != stored:
            thread = policy.with_metadata(thread, encoded)
    if thread is not before:
        start.drops += [drop_of(row) for row in tags.of_thread(before)]
        start.rows += [thread, *tags.of_thread(thread)]
        start.here = start.here._replace(thread=thread, policy=policy.of(thread))
