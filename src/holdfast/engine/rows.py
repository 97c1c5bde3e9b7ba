"""The rows that a save writes, built from what it says."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.backends.rows import CheckpointRow, LineRow, ThreadRow, sealed
from holdfast.engine import digests, load, manifest, terms
from holdfast.engine.context import Handle, now
from holdfast.engine.manifest import Manifest
from holdfast.engine.places import Here
from holdfast.engine.states import Changed
from holdfast.engine.terms import Terms
from holdfast.ids import new_id, new_number
from holdfast.model import Parent


class Fields(NamedTuple):
    """What a save says besides the state; encoded where needed, checked by the façade."""

    node: str = ""
    next: tuple[str, ...] | None = ()  # None: as the parent
    step: int | None = None
    source: str = "loop"
    run_id: str | None = None
    status: str | None = "running"  # None: as the parent
    label: str = ""
    metadata: bytes | None = None
    origin: str | None = None
    journal_seq: int | None = None
    id: str | None = None
    parent: Parent = None
    expect_head: str | None = None
    parent_thread: str | None = None
    foreign: bool = False  # another framework chose id and parent: see engine/foreign.py
    outer: tuple[str, ...] = ()  # the checkpoints of enclosing namespaces that it names


def new_thread(handle: Handle, generation: int, usual: Terms) -> tuple[ThreadRow, LineRow]:
    tree, line = new_number(), new_number()
    metadata = handle.codec.encode(dict(handle.metadata), "metadata") if handle.metadata else b""
    thread = sealed(ThreadRow(handle.thread_id, tree, line, generation, now(), metadata, None, None))
    return terms.with_asked(thread, handle.asked, usual), new_line(tree, line, "", line)


def new_line(tree: int, thread: int, namespace: str, line: int = 0) -> LineRow:
    return LineRow(tree, line or new_number(), thread, namespace, updated_at=now())


def packed_next(fields: Fields, parent: CheckpointRow | None = None) -> bytes:
    if fields.next is None:
        return parent.next if parent is not None else b""
    return load.encode(fields.next) if fields.next else b""


def _status(fields: Fields, parent: CheckpointRow | None) -> str:
    if fields.status is not None:
        return fields.status
    return parent.status if parent is not None else "running"


def _run_id(fields: Fields, parent: CheckpointRow | None) -> str | None:
    """An update belongs to the run that it changes, unless it names another."""
    if fields.run_id is None and fields.source == "update" and parent is not None:
        return parent.run_id
    return fields.run_id


def checkpoint_row(
    handle: Handle, fields: Fields, here: Here, parent: CheckpointRow | None, changed: Changed
) -> CheckpointRow:
    line = here.line
    seq = line.seq + 1
    follows = parent is not None and parent.line == line.line and parent.seq == line.seq
    row = CheckpointRow(
        tree=line.tree,
        line=line.line,
        seq=seq,
        id=fields.id or new_id(),
        parent_id=parent.id if parent is not None else _unknown_parent(fields),
        parent_seq=parent.seq if parent is not None else 0,
        parent_thread=fields.parent_thread or _parent_thread(here, parent),
        parent_digest=None,
        stretch=parent.stretch if parent is not None and follows else seq,
        depth=parent.depth + 1 if parent is not None else 1,
        step=fields.step if fields.step is not None else (parent.step + 1 if parent is not None else 0),
        source=fields.source,
        node=fields.node,
        next=packed_next(fields, parent),
        run_id=_run_id(fields, parent),
        status=_status(fields, parent),
        label=fields.label,
        metadata=fields.metadata or b"",
        created_at=max(now(), parent.created_at if parent is not None else 0),
        journal_seq=fields.journal_seq or 0,
        size=changed.size,
        origin=fields.origin,
        era=here.root.forks,
        digest=b"",
        manifest=manifest.pack(changed.manifest),
    )
    return sealed(row._replace(digest=row_digest(handle.namespace, row, changed.manifest, parent and parent.digest)))


def _unknown_parent(fields: Fields) -> str | None:
    """A parent that is not there is kept as it was named, if that is not an error already."""
    return fields.parent if fields.foreign and isinstance(fields.parent, str) else None


def _parent_thread(here: Here, parent: CheckpointRow | None) -> str | None:
    """The thread that a fork's first checkpoint came from; a copy has its past as its own."""
    if parent is None or parent.line == here.line.line or here.line.whole:
        return None
    return here.thread.from_thread


def row_digest(namespace: str, row: CheckpointRow, known: Manifest, parent: bytes | None) -> bytes:
    fields = (
        row.id, namespace, parent, row.step, row.source, row.node, row.next,
        row.run_id, row.status, row.metadata, row.journal_seq,
    )  # fmt: skip
    return digests.checkpoint_digest(fields, *manifest.contents(known))


def line_after(line: LineRow, row: CheckpointRow, stored: int, head: CheckpointRow | None = None) -> LineRow:
    head = head or row
    return sealed(
        line._replace(
            version=line.version + 1, seq=max(line.seq, row.seq), head_line=head.line, head_seq=head.seq,
            updated_at=row.created_at, checkpoints=line.checkpoints + (row.seq > line.seq),
            size=line.size + stored + len(row.manifest) + len(row.metadata),
        )
    )  # fmt: skip
