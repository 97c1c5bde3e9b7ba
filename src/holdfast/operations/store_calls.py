"""What each call of a store does, for both façades."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeVar

from holdfast.backends.base import Progress
from holdfast.backends.registry import open_backend, path_of, shown
from holdfast.codec import Codec
from holdfast.codec.codec import MAX_VALUE
from holdfast.engine import policy
from holdfast.engine.cache import Cache
from holdfast.engine.checkpoints import deletion, fork
from holdfast.engine.context import Engine, Handle
from holdfast.engine.maintenance import (
    auto_prune,
    backups,
    erasure,
    expiry,
    garbage,
    retention,
    retention_rules,
    statistics,
)
from holdfast.engine.policy import Policy
from holdfast.engine.threads import thread_list
from holdfast.ids import check_id, check_text
from holdfast.model import (
    BackupReport,
    CollectReport,
    EraseCertificate,
    ExpireReport,
    PruneReport,
    Quarantined,
    RepairReport,
    Retention,
    StoreStats,
    ThreadInfo,
    VerifyReport,
)
from holdfast.operations.arguments import (
    Types,
    check_durability,
    check_limit,
    check_mapping,
    check_max_value,
    check_number,
    check_types,
)
from holdfast.operations.thread_calls import ThreadCalls

S = TypeVar("S")


async def open_engine(
    url: str | os.PathLike[str],
    types: Types,
    durability: str,
    cache: int,
    schema: str | None = None,
    default_policy: Policy = policy.NONE,
    max_value: int = MAX_VALUE,
) -> Engine:
    check_durability(durability)
    check_number(cache, "cache", least=0)
    codec = Codec(check_types(types), max_value=check_max_value(max_value))
    backend = open_backend(url, schema)
    return Engine(backend, codec, shown(url), durability, Cache(cache), default_policy, auto_prune.after_save)


class StoreCalls:
    """The verbs of a store."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def thread(
        self,
        thread_id: str,
        namespace: str,
        state: type[S],
        metadata: Mapping[str, Any] | None,
        reuse: bool,
        requested: Policy = policy.NONE,
    ) -> ThreadCalls[S]:
        self.engine.check_open()
        handle = Handle(
            check_id(thread_id, "a thread id"),
            check_id(namespace, "a namespace", empty=True),
            self.engine.codec if state is dict else self.engine.codec.with_types([state]),
            check_mapping(metadata, "metadata"),
            reuse,
            requested=requested,
        )
        return ThreadCalls(self.engine, handle, state)

    async def threads(
        self, prefix: str, where: Mapping[str, Any] | None, limit: int | None, after: str | None
    ) -> list[ThreadInfo]:
        start = "" if after is None else check_text(after, "after")
        conditions = check_mapping(where, "where")
        return await thread_list.threads(
            self.engine, check_text(prefix, "prefix"), conditions, check_limit(limit), start
        )

    async def copy_thread(self, source: str, target: str) -> bool:
        origin = Handle(check_id(source, "a thread id"), "", self.engine.codec)
        return await fork.copy(self.engine, origin, Handle(check_id(target, "a thread id"), "", self.engine.codec))

    async def resumable(self) -> list[ThreadInfo]:
        return await thread_list.resumable(self.engine)

    async def delete_run(self, run_id: str) -> int:
        self.engine.check_open()
        return await deletion.delete_run_everywhere(self.engine, check_text(run_id, "run_id"))

    async def backup(self, path: str | os.PathLike[str], progress: Progress | None) -> BackupReport:
        return await backups.backup(self.engine, path_of(path), progress)

    async def stats(self, progress: Progress | None) -> StoreStats:
        return await statistics.stats(self.engine, progress)

    async def verify(self, progress: Progress | None) -> VerifyReport:
        from holdfast.engine.integrity import verification  # loaded by the first call: most programs never make one

        return await verification.verify(self.engine, progress)

    async def repair(self, plan: VerifyReport, dry_run: bool) -> RepairReport:
        from holdfast.engine.integrity import repairs

        return await repairs.repair(self.engine, plan, dry_run)

    async def quarantined(self) -> list[Quarantined]:
        from holdfast.engine.integrity import repairs

        return await repairs.quarantined(self.engine)

    async def prune(self, keep: Retention, dry_run: bool, progress: Progress | None) -> PruneReport:
        return await retention.prune_all(self.engine, retention_rules.check(keep), dry_run, progress)

    async def collect(self, progress: Progress | None) -> CollectReport:
        return await garbage.collect(self.engine, progress)

    async def expire(self, limit: int | None, dry_run: bool, progress: Progress | None) -> ExpireReport:
        return await expiry.expire(self.engine, check_limit(limit), dry_run, progress)

    async def erase(self, where: Mapping[str, Any], dry_run: bool, progress: Progress | None) -> EraseCertificate:
        return await erasure.erase(self.engine, check_mapping(where, "where") or {}, dry_run, progress)

    async def bytes_stored(self) -> int:
        self.engine.check_open()
        return await self.engine.backend.bytes_stored()

    def within(self, connection: object) -> StoreCalls:
        """The same store inside a transaction that may be rolled back: nothing is cached."""
        self.engine.check_open()
        backend = self.engine.backend.within(connection)
        return StoreCalls(
            Engine(backend, self.engine.codec, self.engine.url, "sync", Cache(0), self.engine.default_policy)
        )

    async def close(self) -> None:
        if not self.engine.closed:
            self.engine.flush_all()
            self.engine.closed = True
            self.engine.cache.clear()
            await self.engine.backend.close()
