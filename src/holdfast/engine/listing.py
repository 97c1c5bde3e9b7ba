"""Lists of threads, and what is known about one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.backends.base import CheckpointRow, LineRow, Listed, ThreadRow, checked
from holdfast.codec import Codec
from holdfast.engine import places, tags
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.errors import Corrupt
from holdfast.ids import check_text
from holdfast.model import DAMAGED, ForkPoint, ThreadInfo


async def threads(
    engine: Engine, prefix: str, where: Mapping[str, Any] | None, limit: int | None, after: str | None
) -> list[ThreadInfo]:
    """In the order of their ids."""
    engine.check_open()
    wanted = [_tag(name, value) for name, value in (where or {}).items()]
    rows = await engine.backend.threads(prefix, wanted, after or "", -1 if limit is None else limit)
    return [_listed(engine.codec, row) for row in rows]


def _tag(name: str, value: Any) -> tuple[str, str]:
    if name == "status":
        return tags.status_tag(check_text(value, "where['status']"))
    return tags.metadata_tag(name, value)


async def info(engine: Engine, handle: Handle) -> ThreadInfo | None:
    here = await places.read(engine, handle.inner(""))
    return None if here is None else _info(handle.codec, here.thread, here.root, here.head)


def _listed(codec: Codec, row: Listed) -> ThreadInfo:
    """A damaged thread does not stop the list: it stands there as damaged, and says more when it is opened."""
    try:
        if row.root is None or (row.root.head_seq and row.head is None):
            raise Corrupt("a row is missing")
        head = None if row.head is None else checked(row.head)
        return _info(codec, checked(row.thread), checked(row.root), head)
    except Corrupt:
        moment = as_datetime(0)
        return ThreadInfo(
            id=row.thread.id, metadata={}, status=DAMAGED, head=None, step=None, created_at=moment, updated_at=moment,
            checkpoints=0, size=0,
        )  # fmt: skip


def _info(codec: Codec, thread: ThreadRow, root: LineRow, head: CheckpointRow | None) -> ThreadInfo:
    origin = None
    if thread.from_thread is not None and thread.from_checkpoint is not None:
        origin = ForkPoint(thread_id=thread.from_thread, checkpoint_id=thread.from_checkpoint)
    return ThreadInfo(
        id=thread.id,
        metadata=codec.decode(thread.metadata) if thread.metadata else {},
        status=head.status if head is not None else "",
        head=head.id if head is not None else None,
        step=head.step if head is not None else None,
        created_at=as_datetime(thread.created_at),
        updated_at=as_datetime(root.updated_at),
        checkpoints=root.checkpoints,
        size=root.size,
        forked_from=origin,
    )
