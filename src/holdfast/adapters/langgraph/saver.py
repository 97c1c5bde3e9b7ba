"""The checkpointer: one class for `invoke` and `ainvoke`, on any store."""

from __future__ import annotations

import copy
import os
from collections.abc import AsyncIterator, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)

from holdfast._drive import Driver, run, threaded
from holdfast.adapters.langgraph.checkpoint_list import CheckpointList
from holdfast.adapters.langgraph.saver_calls import SaverCalls, configurable, is_question, next_version
from holdfast.adapters.langgraph.storable_types import codec_for
from holdfast.aio import AsyncStore
from holdfast.codec.codec import MAX_VALUE
from holdfast.engine.port import Port
from holdfast.errors import InvalidArgument
from holdfast.operations.arguments import Types, check_types
from holdfast.store import Store
from holdfast.store import open as open_store


class _Done:
    """The result of a call that has nothing to do; it may be awaited or not."""

    def __await__(self) -> Generator[None, None, None]:
        yield from ()


class HoldfastSaver(BaseCheckpointSaver[str]):
    """Keeps a graph's checkpoints in a Holdfast store.

    ``HoldfastSaver.from_url("agents.db")`` opens a store of its own, which leaving a ``with`` block or `close` closes;
    ``HoldfastSaver(store)`` uses one that is open. Without `types` every class that the process has imported comes back
    as itself; with them only those, and LangGraph's own. `single_writer` refuses a put whose parent is no longer the
    latest checkpoint, unless this saver was asked for that checkpoint by its id, or for the one before another.
    """

    def __init__(self, store: Store | AsyncStore, *, types: Types | None = None, single_writer: bool = False) -> None:
        super().__init__()
        if not isinstance(store, Store | AsyncStore):
            raise InvalidArgument(
                f"HoldfastSaver takes an open store, not a {type(store).__name__}; from_url(url) opens one"
            )
        self.store = store.sync if isinstance(store, AsyncStore) else store
        self._owns = False
        self._types = None if types is None else check_types(types)
        self._allowed: frozenset[str] = frozenset()
        engine = self.store._calls.engine
        port = Port(engine, codec_for(self._types, max_value=engine.codec.max_value))
        self._calls = SaverCalls(port, single_writer)
        self._drive = Driver(port.engine)

    @classmethod
    def from_url(
        cls,
        url: str | os.PathLike[str],
        *,
        types: Types | None = None,
        single_writer: bool = False,
        max_value: int = MAX_VALUE,
    ) -> HoldfastSaver:
        """A saver on a store of its own: a path, "memory:", "sqlite:PATH", …"""
        known = None if types is None else check_types(types)  # before a store is open
        saver = cls(open_store(url, max_value=max_value), types=known, single_writer=single_writer)
        saver._calls.port.engine.codec = saver._calls.port.codec  # so that the native calls know the same classes
        saver._owns = True
        return saver

    from_conn_string = from_url

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "serde" and value is not BaseCheckpointSaver.serde:
            raise InvalidArgument(
                f"HoldfastSaver would ignore the serializer {type(value).__name__}: Holdfast encodes values itself "
                "and does not encrypt them. Name the classes to be built with types=[…]; to encrypt, use an encrypted "
                "disk or database, or encrypt the values before the graph stores them"
            )
        super().__setattr__(name, value)

    @property
    def astore(self) -> AsyncStore:
        """The same store for asyncio."""
        return self.store.aio

    def setup(self) -> Any:
        """There is nothing to set up; call it or await it, if your code does so for another saver."""
        return _Done()

    def close(self) -> None:
        """Close the store, if it is this saver's own."""
        if self._owns:
            self.store.close()

    def __enter__(self) -> HoldfastSaver:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> HoldfastSaver:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    # ---------------------------------------------------------------- reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return run(self._calls.get_tuple, config)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._drive(self._calls.get_tuple, config)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        listing = self._listing(config, filter, before, limit, run(self._calls.sources, config))
        batch = run(listing.batch)
        if config is not None and before is not None and limit == 1:
            self._calls.remember_listed(config, batch)
        while batch:
            yield from batch
            batch = run(listing.batch)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        listing = self._listing(config, filter, before, limit, await self._drive(self._calls.sources, config))
        batch = await self._drive(listing.batch)
        if config is not None and before is not None and limit == 1:
            self._calls.remember_listed(config, batch)
        while batch:
            for checkpoint in batch:
                yield checkpoint
            batch = await self._drive(listing.batch)

    def _listing(
        self, config: RunnableConfig | None, where: dict[str, Any] | None, before: RunnableConfig | None,
        limit: int | None, sources: Any,
    ) -> CheckpointList:  # fmt: skip
        wanted = configurable(config).get("checkpoint_id") if config is not None else None
        end = ((before or {}).get("configurable") or {}).get("checkpoint_id")
        return CheckpointList(self._calls.port, sources, wanted, end, where, limit)

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return run(self._calls.delta_history, config, channels)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return await self._drive(self._calls.delta_history, config, channels)

    # ---------------------------------------------------------------- writing

    # What is put is encoded before the first `await`: the graph continues, and may change it.

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:  # fmt: skip
        prepared = self._calls.prepared(config, checkpoint, metadata, new_versions)
        return cast(RunnableConfig, run(self._calls.put, config, *prepared))

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:  # fmt: skip
        prepared = self._calls.prepared(config, checkpoint, metadata, new_versions)
        return cast(RunnableConfig, await self._drive(self._calls.put, config, *prepared))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        run(self._calls.put_writes, config, self._calls.prepared_writes(writes), task_id, task_path)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        prepared = self._calls.prepared_writes(writes)
        drive = threaded if is_question(prepared) else self._drive  # which is stored under a lock: not for a loop
        await drive(self._calls.put_writes, config, prepared, task_id, task_path)

    def get_next_version(self, current: Any, channel: None = None) -> Any:
        """The next version of a channel, in the form of the official savers; a whole number stays one."""
        return next_version(current)

    # ---------------------------------------------------------------- removing

    def delete_thread(self, thread_id: str) -> None:
        run(self._calls.delete_thread, thread_id)

    async def adelete_thread(self, thread_id: str) -> None:
        await self._drive(self._calls.delete_thread, thread_id)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        run(self._calls.delete_for_runs, run_ids)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await self._drive(self._calls.delete_for_runs, run_ids)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        run(self._calls.copy_thread, source_thread_id, target_thread_id)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await self._drive(self._calls.copy_thread, source_thread_id, target_thread_id)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        run(self._calls.prune, thread_ids, strategy)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await self._drive(self._calls.prune, thread_ids, strategy)

    # ---------------------------------------------------------------- classes

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> HoldfastSaver:
        """A saver on the same store that knows these classes too, given as (module, name). One without `types` knows
        every imported class already."""
        if self._types is None:
            return self
        clone = copy.copy(self)
        clone._allowed = self._allowed.union(".".join(name) for name in extra_allowlist)
        codec = codec_for(self._types, clone._allowed, max_value=self._calls.port.codec.max_value)
        clone._calls = replace(self._calls, port=self._calls.port.with_codec(codec))
        return clone
