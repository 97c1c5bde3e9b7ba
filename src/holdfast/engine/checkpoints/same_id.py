"""A checkpoint id that is saved again: identical state and fields are a no-op; anything else is a conflict."""

from __future__ import annotations

from holdfast.backends.rows import CheckpointRow
from holdfast.engine.checkpoints import hydrate
from holdfast.engine.checkpoints.row_builder import packed_next
from holdfast.engine.checkpoints.save_fields import SaveFields
from holdfast.engine.context import Engine, Handle
from holdfast.engine.threads import views
from holdfast.engine.threads.location import Located
from holdfast.engine.values import loader, manifest
from holdfast.engine.values.state_change import Base, Change
from holdfast.errors import Conflict
from holdfast.model import ROOT, CheckpointInfo


async def same_again(
    engine: Engine, handle: Handle, fields: SaveFields, change: Change, here: Located, first: CheckpointRow
) -> CheckpointInfo:
    """The checkpoint that was saved first, if this save says the same."""
    stored = await loader.manifest_of(engine, first)
    changed = await change(engine, handle, Base(first.tree, manifest.frozen(stored), first.size))
    same_state = manifest.contents(changed.manifest) == manifest.contents(stored)
    different = [name for name, same in _compared(fields, first, same_state) if not same]
    if different:
        raise Conflict(
            f"{handle.name}: checkpoint {first.id!r} is already saved with other {', '.join(different)}; "
            "use a new id for a new checkpoint",
            expected=fields.id,
            actual=first.id,
        )
    view = await views.open_view(engine, here.line)
    return await hydrate.info(engine, handle, view, first)


def _compared(fields: SaveFields, first: CheckpointRow, same_state: bool) -> list[tuple[str, bool]]:
    parent = None if fields.parent is ROOT else fields.parent
    return [
        ("state", same_state),
        ("node", fields.node == first.node),
        ("next", (packed_next(fields) or b"") == first.next),
        ("source", fields.source == first.source),
        ("status", fields.status == first.status),
        ("step", fields.step in (None, first.step)),
        ("run_id", fields.run_id in (None, first.run_id)),
        ("label", fields.label in ("", first.label)),
        ("metadata", fields.metadata in (None, first.metadata)),
        ("origin", fields.origin in (None, first.origin)),
        ("journal_seq", fields.journal_seq in (None, first.journal_seq)),
        ("parent", fields.parent is None or parent == first.parent_id),
    ]
