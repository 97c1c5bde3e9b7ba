"""Lists of threads, and what is known about one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from holdfast.backends.base import Listed
from holdfast.backends.rows import CheckpointRow, LineRow, ThreadRow, checked
from holdfast.codec import Codec
from holdfast.engine import policy
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.engine.threads import leases, lifetime, location, namespaces, tags, views
from holdfast.errors import Corrupt, InvalidArgument
from holdfast.ids import check_text
from holdfast.model import DAMAGED, ForkPoint, ThreadInfo

_PAGE: Final = 200


async def threads(
    engine: Engine, prefix: str, where: Mapping[str, Any] | None, limit: int | None, after: str | None
) -> list[ThreadInfo]:
    """In the order of their ids."""
    engine.check_open()
    conditions = dict(where or {})
    lease = _lease(conditions.pop("lease", None))
    wanted = [("run", tags.HELD)] if lease is not None else []
    wanted += [_tag(name, value) for name, value in conditions.items()]
    page = _PAGE if lease is not None else -1 if limit is None else limit
    found: list[ThreadInfo] = []
    last = after or ""
    while limit is None or len(found) < limit:
        rows = await engine.backend.threads(prefix, wanted, last, page)
        found += [info for row in rows if (info := await _matching(engine, row, lease)) is not None]
        if page < 0 or len(rows) < page:
            break
        last = rows[-1].thread.id
    return found[:limit]


async def _matching(engine: Engine, row: Listed, lease: str | None) -> ThreadInfo | None:
    """What no index can answer: whether a lease has run out, which depends on the clock, and whether a fork is empty,
    which depends on its origin."""
    if await is_over(engine, row):
        return None
    if lease is None:
        return None if await _is_empty(engine, row) else await _listed(engine, row)
    info = await _listed(engine, row)
    return info if _is_expired(info) == (lease == "expired") else None


async def is_over(engine: Engine, row: Listed) -> bool:
    """Whether the thread has expired. A damaged one stays in the list, since that can't be known."""
    try:
        return row.root is not None and await lifetime.has_expired(engine, checked(row.thread), checked(row.root))
    except Corrupt:
        return False


def _is_expired(info: ThreadInfo) -> bool:
    return info.lease is None or info.lease.expired


async def _is_empty(engine: Engine, row: Listed) -> bool:
    root = row.root
    if root is None or root.checkpoints or root.journal or root.base_line is None:
        return False
    return not await namespaces.sees_any(engine, Handle(row.thread.id, "", engine.codec), root)


def _lease(value: Any) -> str | None:
    if value not in (None, "expired", "live"):
        raise InvalidArgument(f"where['lease'] is 'expired' or 'live', not {value!r}")
    return cast(str | None, value)


async def resumable(engine: Engine) -> list[ThreadInfo]:
    """Threads that a supervisor may pick up: their worker died, left them unfinished, or failed."""
    engine.check_open()
    found = {info.id: info for info in await threads(engine, "", {"lease": "expired"}, None, None)}
    for tag in (("run", tags.LEFT), tags.status_tag("failed")):
        for row in await engine.backend.threads("", [tag], "", -1):
            info = await _listed(engine, row)
            if _is_expired(info) and not await is_over(engine, row):
                found[info.id] = info
    return [found[key] for key in sorted(found)]


def _tag(name: str, value: Any) -> tuple[str, str]:
    if name == "status":
        return tags.status_tag(check_text(value, "where['status']"))
    return tags.metadata_tag(name, value)


async def info(engine: Engine, handle: Handle) -> ThreadInfo | None:
    here = await location.read(engine, handle.inner(""))
    if here is None:
        return None
    return _info(handle.codec, here.thread, here.root, here.head, await engine.backend.now())


async def _listed(engine: Engine, row: Listed) -> ThreadInfo:
    """A damaged thread does not stop the list: it is listed as damaged, and opening it reports what is wrong."""
    try:
        if row.root is None or (row.root.head_seq and row.head is None):
            raise Corrupt("a row is missing")
        head = None if row.head is None else checked(row.head)
        if head is not None and row.root.overlays:
            view = await views.open_lazily(engine, checked(row.root))
            await views.know(engine, view, head.seq, head.seq)
            head = head._replace(status=view.status(head))
        return _info(engine.codec, checked(row.thread), checked(row.root), head, await engine.backend.now())
    except Corrupt:
        moment = as_datetime(0)
        return ThreadInfo(
            id=row.thread.id, metadata={}, status=DAMAGED, head=None, step=None, created_at=moment, updated_at=moment,
            checkpoints=0, size=0,
        )  # fmt: skip


def _info(codec: Codec, thread: ThreadRow, root: LineRow, head: CheckpointRow | None, now: int) -> ThreadInfo:
    origin = None
    if thread.from_thread is not None and thread.from_checkpoint is not None:
        origin = ForkPoint(thread_id=thread.from_thread, checkpoint_id=thread.from_checkpoint)
    return ThreadInfo(
        id=thread.id,
        metadata=codec.decode_dict(policy.metadata_of(thread)),
        status=head.status if head is not None else "",
        head=head.id if head is not None else None,
        step=head.step if head is not None else None,
        created_at=as_datetime(thread.created_at),
        updated_at=as_datetime(root.updated_at),
        checkpoints=root.checkpoints,
        size=root.size,
        forked_from=origin,
        lease=leases.lease_of(root, now),
    )
