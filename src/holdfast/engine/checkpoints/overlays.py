"""What may change about a checkpoint after it is saved: its label, its status, and whether its thread still shows it.

The checkpoint's row stays as it is. An overlay row says what is different for one line, from one era on, so that a fork
keeps seeing what it saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.backends.base import Batch, drop_of
from holdfast.backends.rows import LineRow, OverlayRow, with_checksum
from holdfast.engine.checkpoints.read import required
from holdfast.engine.context import Engine, Handle
from holdfast.engine.retry import until_applied
from holdfast.engine.threads import location, tags, views
from holdfast.engine.threads.location import Located


class Change(NamedTuple):
    """What an overlay changes about the checkpoint of one number; None leaves it as it is."""

    seq: int
    hidden: int = 0
    label: str | None = None
    status: str | None = None


async def label(engine: Engine, handle: Handle, checkpoint_id: str, text: str) -> None:
    await _change(engine, handle, checkpoint_id, label=text)


async def set_status(engine: Engine, handle: Handle, checkpoint_id: str, status: str) -> None:
    """A checkpoint waits for an answer, or has got one."""
    await _change(engine, handle, checkpoint_id, status=status)


async def _change(
    engine: Engine, handle: Handle, checkpoint_id: str, label: str | None = None, status: str | None = None
) -> None:
    async def attempt() -> bool | None:
        here = await location.existing(engine, handle)
        view = await views.open_lazily(engine, here.line)
        row = await required(engine, handle, view, checkpoint_id)
        if status is not None and view.status(row) == status:
            return True
        batch = await overlay_batch(engine, here, [Change(row.seq, label=label, status=status)])
        if status is not None and not handle.namespace and here.head is not None and here.head.seq == row.seq:
            # The status of a root namespace's head is indexed.
            batch.drops = [drop_of(tags.status(here.thread.id, here.head.status))]
            batch.puts = [*batch.puts, tags.status(here.thread.id, status)]
        if not await engine.backend.commit(batch):
            return None
        location.forget(engine, handle)
        overlays = [put for put in batch.puts if isinstance(put, OverlayRow)]
        after = here.line._replace(overlays=here.line.overlays + len(overlays))
        views.remember_changed(engine, view, after, overlays)
        return True

    await until_applied(handle.name, attempt)


async def overlay_batch(
    engine: Engine, here: Located, changes: Sequence[Change], after: LineRow | None = None
) -> Batch:
    """The batch that writes overlays in the thread's present era. `after` is the line as it will be, if more about it
    changes."""
    line, root = here.line, here.root
    numbers = [change.seq for change in changes]
    known = await engine.backend.overlays(line.tree, [line.line], min(numbers), max(numbers)) if line.overlays else []
    stored = {(row.seq, row.era): row for row in known}
    rows = [_merged(stored, line, root.forks, change) for change in changes]
    moved = (after or line)._replace(version=line.version + 1, overlays=line.overlays + len(rows))
    return Batch(here.unchanged(), [*rows, with_checksum(moved)])


def _merged(stored: dict[tuple[int, int], OverlayRow], line: LineRow, era: int, change: Change) -> OverlayRow:
    blank = OverlayRow(line.tree, line.line, change.seq, era, 0, None, None)
    old = stored.get((change.seq, era), blank)
    return with_checksum(
        old._replace(
            hidden=change.hidden or old.hidden,
            label=old.label if change.label is None else change.label,
            status=old.status if change.status is None else change.status,
        )
    )
