"""Forking and copying: a new thread that shares everything with the old one.

A fork without edits writes a directory entry and one line row, however large the thread is. It raises the origin's fork
count, which is the era of what the origin writes next. The fork sees nothing of that era or later.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from holdfast.backends.base import Batch, Claim, Expect, LineAt, ThreadAbsent, TombstoneAt
from holdfast.backends.rows import CheckpointRow, LineRow, Row, RunRow, ThreadRow, with_checksum
from holdfast.engine.checkpoints import hydrate
from holdfast.engine.checkpoints.read import required
from holdfast.engine.checkpoints.row_builder import checkpoint_row, line_after
from holdfast.engine.checkpoints.save_fields import SaveFields
from holdfast.engine.context import Engine, Handle, now
from holdfast.engine.retry import until_applied
from holdfast.engine.threads import lifetime, location, namespaces, tags, tombstones, views
from holdfast.engine.threads.location import Located
from holdfast.engine.values import loader, manifest
from holdfast.engine.values.reducers import reducing
from holdfast.engine.values.state_change import Base, log_manifest
from holdfast.errors import Conflict, Deleted, InvalidArgument, NotFound
from holdfast.ids import id_after, new_number, tombstone_hash


async def fork(
    engine: Engine, handle: Handle, at: str | None, edits: Mapping[str, Any] | None, target: Handle, history: bool
) -> None:
    """Make `target` a fork of this thread."""
    if handle.namespace:
        raise InvalidArgument(
            f"{handle.name}: a fork covers all namespaces; call fork() on the root namespace's handle"
        )

    async def attempt() -> bool | None:
        return await _fork_once(engine, handle, at, edits, target, history) or None

    await until_applied(handle.name, attempt)
    location.forget(engine, handle)


async def _fork_once(
    engine: Engine, handle: Handle, at: str | None, edits: Mapping[str, Any] | None, target: Handle, history: bool
) -> bool:
    here = await location.read(engine, handle)
    if here is None or here.head is None:
        raise NotFound(f"{handle.name} has no checkpoint to fork from")
    view = await views.open_lazily(engine, here.line)
    point = here.head if at is None else await required(engine, handle, view, at)
    # An overlay may have given the fork point another status, which the fork starts with.
    await views.know(engine, view, point.seq, point.seq)
    point = point._replace(status=view.status(point))
    open_channels = () if history else (await loader.manifest_of(engine, point)).open
    if open_channels:
        raise InvalidArgument(
            f"{handle.name}: the channels {', '.join(open_channels)} are made of what was written to them before, and "
            "would be lost without it; fork with history=True"
        )
    generation, expects = await _free(engine, target)
    thread = _directory(here.thread, target, generation, point)
    line = await _forked_line(engine, view, thread, point, history)
    puts: list[Row] = [thread, *_tags(thread, point)]
    if edits or not history:
        line, rows = await _edited(engine, handle, target, Located(thread, line, line, None), point, edits or {})
        puts += rows
    # The origin's era grows in the same batch: what it writes next about shared checkpoints is not the fork's.
    puts += (line, _era_after(here.line))
    expects.append(LineAt(here.line.tree, here.line.line, here.line.version))
    return await _commit(engine, here, Batch(expects, puts, claims=[Claim(target.thread_id)]))


async def _commit(engine: Engine, origin: Located, batch: Batch) -> bool:
    """Commit a new thread, which has the policy of its origin: its life begins by the store's clock."""
    batch.expects += await lifetime.in_time(engine, origin.policy)
    if await engine.backend.commit(batch):
        return True
    lifetime.ask_again(engine)
    return False


async def _free(engine: Engine, target: Handle) -> tuple[int, list[Expect]]:
    """The target's next generation, if no thread has its id."""
    there = await location.find(engine, target)
    if there.thread is not None:
        raise Conflict(f"{target.name} exists already; name another target", actual=target.thread_id)
    if there.generation and not target.reuse:
        raise Deleted(
            f"{target.name} was deleted; a late writer may still mean the deleted thread, so name another target"
        )
    there = await tombstones.vacated(engine, target, there)
    tombstone_row = TombstoneAt(tombstone_hash(target.thread_id), there.generation)
    return there.generation + 1, [ThreadAbsent(target.thread_id), tombstone_row]


def _directory(origin: ThreadRow, target: Handle, generation: int, point: CheckpointRow | None) -> ThreadRow:
    return with_checksum(
        origin._replace(
            id=target.thread_id, line=new_number(), generation=generation, created_at=now(),
            from_thread=origin.id if point is not None else origin.from_thread,
            from_checkpoint=point.id if point is not None else origin.from_checkpoint,
        )
    )  # fmt: skip


def _tags(thread: ThreadRow, head: CheckpointRow | None) -> list[Row]:
    found: list[Row] = [*tags.of_thread(thread)]
    if head is not None:
        found.append(tags.status(thread.id, head.status))
    return found


async def _forked_line(
    engine: Engine, view: views.View, thread: ThreadRow, point: CheckpointRow, history: bool
) -> LineRow:
    origin = view.line
    moment = await lifetime.start_of(engine, thread)
    line = LineRow(origin.tree, thread.line, thread.line, "", version=1, updated_at=moment)
    if not history:
        return with_checksum(line)
    return with_checksum(
        line._replace(
            seq=point.seq, head_line=point.line, head_seq=point.seq, checkpoints=await views.count(engine, view, point),
            overlays=origin.overlays, base_line=origin.line, base_seq=point.seq, base_era=origin.forks + 1,
            journal=point.journal_seq, base_journal=point.journal_seq,
        )
    )  # fmt: skip


async def _edited(
    engine: Engine, handle: Handle, target: Handle, here: Located, point: CheckpointRow, edits: Mapping[str, Any]
) -> tuple[LineRow, list[Row]]:
    """The one checkpoint that a fork with edits, or without history, starts with."""
    line = here.line
    base = Base(line.tree, manifest.frozen(await loader.manifest_of(engine, point)), point.size)
    # The logs stay the origin's: edited channels continue them in logs of their own.
    changed = await reducing(edits, {})(engine, target, base)
    if changed.manifest.is_wide:
        await log_manifest(engine, base, changed)
    fields = SaveFields(
        id=id_after(point.id), source="fork", step=point.step, node=point.node, status=point.status,
        run_id=point.run_id, next=hydrate.decode_next(point.next) if point.next else (),
        metadata=point.metadata or None,
        journal_seq=line.journal, parent_thread=handle.thread_id,
    )  # fmt: skip
    row = checkpoint_row(target, fields, here, point, changed, now())
    if line.base_line is None:  # its parent is named, but is not visible in the fork
        row = with_checksum(row._replace(parent_seq=0, parent_digest=point.digest, depth=1))
    rows: list[Row] = [row, *changed.rows]
    if row.run_id is not None:
        rows.append(with_checksum(RunRow(row.run_id, row.tree, row.line)))
    return line_after(line, row, changed.stored, row, max(line.updated_at, row.created_at)), rows


def _era_after(line: LineRow) -> LineRow:
    return with_checksum(line._replace(version=line.version + 1, forks=line.forks + 1))


# ------------------------------------------------------------------------------------------------ copying


async def copy(engine: Engine, source: Handle, target: Handle) -> bool:
    """Make `target` a copy: all namespaces, all branches, same ids. False if there was nothing to copy."""

    async def attempt() -> bool | None:
        here = await location.read(engine, source)
        if here is None:
            return False
        lines = await engine.backend.namespaces(here.root.tree, here.root.line)
        if here.root not in lines:  # another writer saved in between
            return None
        seen = await _seen_through_origin(engine, source, here.root, {line.namespace for line in lines})
        if not any(line.checkpoints for line in (*lines, *seen)):
            return False
        return await _copy_once(engine, here, lines, seen, target) or None

    copied = await until_applied(source.name, attempt)
    location.forget(engine, source)
    return copied


async def _seen_through_origin(engine: Engine, source: Handle, root: LineRow, own: Collection[str]) -> list[LineRow]:
    """Inner namespaces that a fork sees and has not written to. A copy finds them as the fork does, unless the fork has
    removed the checkpoints that they belong under; so the copy gets lines for them."""
    # Without overlays nothing was removed, and the copy finds the same as the fork.
    if root.base_line is None or not root.overlays:
        return []
    others = [name for name in await namespaces.names_of(engine, root) if name not in own]
    found = [(await location.find(engine, source.inner(name))).line for name in others]
    return [line for line in found if line is not None]


async def _copy_once(engine: Engine, here: Located, lines: list[LineRow], seen: list[LineRow], target: Handle) -> bool:
    generation, expects = await _free(engine, target)
    thread = _directory(here.thread, target, generation, None)
    expects += [LineAt(line.tree, line.line, line.version) for line in lines]
    if here.policy.ttl is not None:
        moment = await lifetime.start_of(engine, thread)
        lines = [line._replace(updated_at=moment) for line in lines]
    copies = [_copied_line(line, thread, here.root.forks + 1) for line in lines]
    copies += [with_checksum(line._replace(thread=thread.line, version=1)) for line in seen]
    puts: list[Row] = [thread, *_tags(thread, here.head), *copies, _era_after(here.root)]
    return await _commit(engine, here, Batch(expects, puts, claims=[Claim(target.thread_id)]))


def _copied_line(line: LineRow, thread: ThreadRow, era: int) -> LineRow:
    return with_checksum(
        line._replace(
            line=new_number() if line.namespace else thread.line, thread=thread.line, version=1, size=0, forks=0,
            base_line=line.line, base_seq=line.seq, base_era=era, is_copy=1, base_journal=line.journal,
            epoch=0, worker="", lease_at=0, lease_ttl=0,
        )
    )  # fmt: skip
