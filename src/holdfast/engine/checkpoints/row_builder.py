"""The rows that a save puts, built from what it says."""

from __future__ import annotations

from holdfast.backends.rows import CheckpointRow, LineRow, with_checksum
from holdfast.engine.checkpoints.save_fields import SaveFields
from holdfast.engine.context import Handle
from holdfast.engine.threads.location import Located
from holdfast.engine.values import manifest
from holdfast.engine.values.manifest import Manifest
from holdfast.engine.values.state_change import Changed
from holdfast.engine.writes.write_format import encode
from holdfast.ids import new_id


def checkpoint_row(
    handle: Handle, fields: SaveFields, here: Located, parent: CheckpointRow | None, changed: Changed, moment: int
) -> CheckpointRow:
    """The row of a checkpoint that is saved at this moment of this machine's clock."""
    line = here.line
    seq = line.seq + 1
    row = CheckpointRow(
        tree=line.tree,
        line=line.line,
        seq=seq,
        id=fields.id or new_id(),
        # A framework may name a parent that does not exist: its id is kept.
        parent_id=fields.parent if isinstance(fields.parent, str) else None,
        parent_seq=0,
        parent_thread=fields.parent_thread,
        parent_digest=None,
        chain_start=seq,
        depth=1,
        step=fields.step or 0,
        source=fields.source,
        node=fields.node,
        next=packed_next(fields) or b"",
        run_id=fields.run_id,
        status=fields.status or "running",
        label=fields.label,
        metadata=fields.metadata or b"",
        created_at=moment,
        journal_seq=fields.journal_seq or 0,
        size=changed.size,
        origin=fields.origin,
        era=here.root.forks,
        digest=b"",
        manifest=b"",
    )
    if parent is not None:
        row = _child(row, fields, here, parent)
    digest = row_digest(handle.namespace, row, changed.manifest, None if parent is None else parent.digest)
    return with_checksum(row._replace(digest=digest, manifest=manifest.pack(changed.manifest)))


def _child(row: CheckpointRow, fields: SaveFields, here: Located, parent: CheckpointRow) -> CheckpointRow:
    """The row with what it takes from its parent."""
    own = parent.line == row.line
    # An update belongs to the run that it changes, unless it names another.
    inherits_run = fields.run_id is None and fields.source == "update"
    # The first checkpoint of a fork says which thread its parent is in. A copy has its past as its own.
    crosses = fields.parent_thread is None and not own and not here.line.is_copy
    return row._replace(
        parent_id=parent.id,
        parent_seq=parent.seq,
        parent_thread=here.thread.from_thread if crosses else fields.parent_thread,
        chain_start=parent.chain_start if own and parent.seq == here.line.seq else row.seq,
        depth=parent.depth + 1,
        step=parent.step + 1 if fields.step is None else fields.step,
        next=parent.next if fields.next is None else row.next,
        run_id=parent.run_id if inherits_run else fields.run_id,
        status=parent.status if fields.status is None else fields.status,
        created_at=max(row.created_at, parent.created_at),
    )


def packed_next(fields: SaveFields) -> bytes | None:
    """None if the checkpoint continues with what its parent would have continued with."""
    if fields.next is None:
        return None
    return encode(fields.next) if fields.next else b""


def row_digest(namespace: str, row: CheckpointRow, known: Manifest, parent: bytes | None) -> bytes:
    fields = (
        row.id, namespace, parent, row.step, row.source, row.node, row.next,
        row.run_id, row.status, row.metadata, row.journal_seq,
    )  # fmt: skip
    return manifest.checkpoint_digest(fields, known)


def line_after(line: LineRow, row: CheckpointRow, stored: int, head: CheckpointRow, moment: int) -> LineRow:
    """The line once `row` is saved, at this moment of the store's clock."""
    return with_checksum(
        line._replace(
            version=line.version + 1,
            seq=max(line.seq, row.seq),
            head_line=head.line,
            head_seq=head.seq,
            updated_at=moment,
            checkpoints=line.checkpoints + (row.seq > line.seq),
            size=line.size + stored + len(row.manifest) + len(row.metadata),
        )
    )


def located_after(
    here: Located, row: CheckpointRow, changed: Changed, head: CheckpointRow, moment: int, hides: bool
) -> Located:
    """Where the thread is once `row` is saved."""
    line = here.line
    if hides:
        line = line._replace(checkpoints=line.checkpoints - 1, overlays=line.overlays + 1)
    after = line_after(line, row, changed.stored, head, moment)
    return here._replace(
        root=here.root if line.namespace else after,
        line=after,
        head=head,
        manifest=changed.manifest if head is row else here.manifest,
    )
