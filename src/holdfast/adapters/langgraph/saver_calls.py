"""What every call of the saver does, written once for sync and async; the saver only drives it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from langgraph.checkpoint.base import WRITES_IDX_MAP, CheckpointTuple, DeltaChannelHistory

from holdfast.adapters.langgraph.channel_writer import ChannelWriter
from holdfast.adapters.langgraph.checkpoint_record import record_of
from holdfast.adapters.langgraph.checkpoint_tuple import config_of, tuple_of
from holdfast.adapters.langgraph.delta_history import delta_history
from holdfast.adapters.langgraph.graph_status import TASKS, next_nodes, nodes_run
from holdfast.adapters.langgraph.metadata import growing_in, metadata_of, packed, run_id_of, step_of
from holdfast.adapters.langgraph.storable_types import storable
from holdfast.engine.port import Handle, Port, SaveFields, TaskWrites, View, Write, enclosing
from holdfast.errors import InvalidArgument, InvalidId
from holdfast.ids import check_id, check_list, check_text
from holdfast.model import ROOT, SOURCES, PendingWrite

Config = Mapping[str, Any]
INTERRUPT: Final = "__interrupt__"
RESUME: Final = "__resume__"
_REMEMBERED: Final = 10_000


def configurable(config: Config | None) -> Mapping[str, Any]:
    found = (config or {}).get("configurable")
    if not isinstance(found, Mapping) or found.get("thread_id") is None:
        raise InvalidArgument('the config names no thread: pass {"configurable": {"thread_id": "…"}}')
    return found


def next_version(current: Any) -> Any:
    """Grows; ends in random digits, so that two writers that start from the same version make two."""
    import random

    if isinstance(current, int):
        return current + 1
    number = 0 if current is None else int(str(current).split(".")[0])
    return f"{number + 1:032}.{round(random.random(), 9)}"  # noqa: S311  # it need not be hard to guess


class BoundedDict(dict[Any, Any]):
    """A dict of bounded size, which drops its oldest entry. If several threads drop at once, some find it dropped."""

    def remember(self, key: Any, value: Any) -> None:
        self[key] = value
        if len(self) > _REMEMBERED:
            with suppress(KeyError, RuntimeError, StopIteration):
                del self[next(iter(self))]


def is_question(writes: Sequence[Write]) -> bool:
    """Whether a task asks something, or is answered."""
    return any(write.channel in (INTERRUPT, RESUME) for write in writes)


@dataclass(eq=False)
class SaverCalls:
    port: Port
    single_writer: bool = False
    question_lock: threading.Lock = field(default_factory=threading.Lock)
    seen: BoundedDict = field(default_factory=BoundedDict)  # (thread, namespace): id and record of the last checkpoint
    branch_points: BoundedDict = field(
        default_factory=BoundedDict
    )  # (thread, namespace, id): checkpoints that may be branched from; "" for none

    def handle(self, config: Config) -> Handle:
        found = configurable(config)
        thread_id = check_id(str(found["thread_id"]), "configurable['thread_id']")
        namespace = check_id(found.get("checkpoint_ns") or "", "configurable['checkpoint_ns']", empty=True)
        return self.port.handle(thread_id, namespace)

    # ---------------------------------------------------------------- putting

    def prepared(
        self, config: Config, checkpoint: Mapping[str, Any], metadata: Mapping[str, Any], versions: Mapping[str, Any]
    ) -> tuple[ChannelWriter, SaveFields]:
        """A put, encoded: the caller may change everything from here on."""
        handle = self.handle(config)
        writer = ChannelWriter(self.port, handle, checkpoint, versions)
        return writer, self._fields(config, checkpoint, metadata, writer)

    async def put(self, config: Config, writer: ChannelWriter, fields: SaveFields) -> dict[str, Any]:
        handle, checkpoint_id = writer.handle, str(fields.id)
        if isinstance(fields.parent, str) and writer.record.get("v", 1) < 4 and "pending_sends" not in writer.record:
            await self._fold_sends(writer, fields.parent)
        if await self.port.save(handle, fields, writer):  # questions came before their checkpoint
            writes = await self._pending(handle, checkpoint_id)
            await self._update_status(handle, checkpoint_id, "", {write.channel for write in writes})
        self.seen.remember((handle.thread_id, handle.namespace), (checkpoint_id, writer.record))
        return config_of(config["configurable"]["thread_id"], handle.namespace, checkpoint_id)

    def _fields(
        self, config: Config, checkpoint: Mapping[str, Any], metadata: Mapping[str, Any], writer: ChannelWriter
    ) -> SaveFields:
        handle = writer.handle
        parent = configurable(config).get("checkpoint_id")
        id = check_id(checkpoint["id"], "checkpoint['id']")
        known_parent = check_id(parent, "configurable['checkpoint_id']") if parent else ROOT
        merged = metadata_of(config, metadata)
        writer.growing, writer.parent = growing_in(merged), str(parent) if parent else None
        run_id, step = run_id_of(config, merged), step_of(merged)
        encoded = packed(merged, self.port.codec)
        outer = merged["parents"] if isinstance(merged.get("parents"), Mapping) else {}
        upcoming = next_nodes(checkpoint)
        # Which nodes ran is not in a checkpoint: it follows from the difference to its parent, if that is at hand.
        known_id, record = self.seen.get((handle.thread_id, handle.namespace), (None, None))
        source = merged.get("source")
        return SaveFields(
            id=id,
            parent=known_parent,
            node=check_text(nodes_run(writer.record, record if known_id == parent else None), "the name of a node"),
            next=upcoming,
            step=step,
            source=source if source in SOURCES else "loop",
            run_id=run_id,
            status="running" if upcoming else "completed",
            metadata=encoded,
            origin=_origin(outer, handle) if handle.namespace else None,
            expect_head=self._expected_head(handle, parent, source) if self.single_writer else None,
            outer=_texts(outer.values()) if outer else (),
        )

    def _expected_head(self, handle: Handle, parent: str | None, source: Any) -> str | None:
        key = (handle.thread_id, handle.namespace, parent or "")
        if parent:
            return None if key in self.branch_points else parent
        # A copy of a first checkpoint has no parent either. That a list was empty allows one put.
        is_branch = source == "fork" or self.branch_points.pop(key, False)
        return None if is_branch else ""

    async def _fold_sends(self, writer: ChannelWriter, parent: str) -> None:
        """Before version 4 a checkpoint found what was sent to it in its parent's writes; now it has a channel."""
        sends = [write.value for write in await self._pending(writer.handle, parent) if write.channel == TASKS]
        if sends:
            versions = writer.record["channel_versions"]
            writer.also(TASKS, sends, max(versions.values()) if versions else next_version(None))

    async def _pending(self, handle: Handle, checkpoint_id: str) -> tuple[PendingWrite, ...]:
        found = await self.port.find(handle, checkpoint_id)
        return () if found is None else await self.port.pending_writes(found)

    def prepared_writes(self, entries: Sequence[tuple[str, Any]]) -> list[Write]:
        """What a task wrote, encoded. Of two control writes of one kind in a batch the last counts."""
        encoded: dict[int, Write] = {}
        for number, (channel, value) in enumerate(entries):
            idx = WRITES_IDX_MAP.get(channel, number)
            enc = self.port.codec.encode(storable(value), f"writes[{number}][{channel!r}]")
            encoded[idx] = Write(check_text(channel, "channel"), enc, idx)
        return list(encoded.values())

    async def put_writes(self, config: Config, writes: list[Write], task_id: str, task_path: str) -> None:
        handle = self.handle(config)
        wanted = configurable(config).get("checkpoint_id")
        if not wanted:
            raise InvalidArgument("the config names no checkpoint: writes belong to one, configurable['checkpoint_id']")
        checkpoint_id = check_id(wanted, "configurable['checkpoint_id']")
        task = TaskWrites(checkpoint_id, writes, check_id(task_id, "task_id"), check_text(task_path, "task_path"))
        self.port.check_open()
        if not is_question(writes):
            if writes:
                await self.port.put_writes(handle, task)
            return
        with self.question_lock:  # a question and the answer to the one before it: the last to be stored decides
            await self.port.put_writes(handle, task)
            await self._update_status(handle, checkpoint_id, task.task_id, {write.channel for write in writes})

    async def _update_status(self, handle: Handle, checkpoint_id: str, task_id: str, channels: set[str]) -> None:
        """A checkpoint is interrupted while a question of its tasks has no answer."""
        if INTERRUPT not in channels and RESUME not in channels:
            return
        found = await self.port.find(handle, checkpoint_id)
        if found is None:
            return
        waits = INTERRUPT in channels or _has_questions(await self.port.pending_writes(found), task_id)
        await self.port.set_status(handle, checkpoint_id, "interrupted" if waits else found.row.status)

    # ---------------------------------------------------------------- getting

    async def get_tuple(self, config: Config) -> CheckpointTuple | None:
        return await self.port.reread(self.handle(config), lambda: self._get_tuple(config))

    async def _get_tuple(self, config: Config) -> CheckpointTuple | None:
        handle = self.handle(config)
        wanted = configurable(config).get("checkpoint_id")
        found = await self.port.find(handle, str(wanted) if wanted else None)
        if found is None:
            return None
        stored = await self.port.read(found.view, [found.row])
        tuple_ = tuple_of(stored, found.row, handle, configurable(config)["thread_id"])
        self._remember_branch_points(handle, tuple_, explicit=bool(wanted))
        return tuple_

    def _remember_branch_points(self, handle: Handle, found: CheckpointTuple, explicit: bool) -> None:
        """A caller that asked for a checkpoint by its id may continue from it; a copy continues from the parent."""
        key = (handle.thread_id, handle.namespace)
        if explicit:
            self.branch_points.remember((*key, found.checkpoint["id"]), True)
        if found.parent_config is not None:
            self.branch_points.remember((*key, found.parent_config["configurable"]["checkpoint_id"]), True)
        self.seen.remember(key, (found.checkpoint["id"], record_of(found.checkpoint)))

    def remember_listed(self, config: Config, found: Sequence[CheckpointTuple]) -> None:
        """A replay looks for the checkpoint that a subgraph had before another one, with a list of one. It continues
        from the one it gets; from nothing, if there was none."""
        for one in found:
            place = one.config["configurable"]
            handle = self.port.handle(str(place["thread_id"]), place["checkpoint_ns"])
            self._remember_branch_points(handle, one, explicit=True)
        if not found:
            handle = self.handle(config)
            self.branch_points.remember((handle.thread_id, handle.namespace, ""), True)

    async def delta_history(self, config: Config, channels: Sequence[str]) -> dict[str, DeltaChannelHistory]:
        names = check_list(channels, "channels")
        wanted = configurable(config).get("checkpoint_id")
        found = await self.port.find(self.handle(config), str(wanted) if wanted else None)
        return await delta_history(self.port, found, names)

    async def sources(self, config: Config | None) -> list[tuple[Handle, View]]:
        """The namespaces that a list covers, each with its view."""
        if config is None:
            handles = [self.port.handle(thread_id) for thread_id in await self.port.thread_ids()]
        else:
            handles = [self.handle(config)]
        found: list[tuple[Handle, View]] = []
        for handle in handles:
            for inner in await self._namespaces(handle, config):
                view = await self.port.view(inner)
                if view is not None:
                    found.append((inner, view))
        return found

    async def _namespaces(self, handle: Handle, config: Config | None) -> list[Handle]:
        if config is not None and configurable(config).get("checkpoint_ns") is not None:
            return [handle]
        return [handle.inner(name) for name in await self.port.namespaces(handle)]

    # ---------------------------------------------------------------- removing

    async def delete_thread(self, thread_id: str) -> None:
        await self.port.delete(self._thread(thread_id))

    async def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self.port.check_open()
        for run_id in check_list(run_ids, "run_ids"):
            await self.port.delete_run(check_text(str(run_id), "run_id"))

    async def copy_thread(self, source: str, target: str) -> None:
        await self.port.copy(self._thread(source), self._thread(target))

    async def prune(self, thread_ids: Sequence[str], strategy: str) -> None:
        if strategy not in ("keep_latest", "delete"):
            raise InvalidArgument(f"strategy is 'keep_latest' or 'delete', not {strategy!r}")
        remove = self.port.delete if strategy == "delete" else self.port.keep_heads
        for thread_id in check_list(thread_ids, "thread_ids"):
            await remove(self._thread(thread_id))

    def _thread(self, thread_id: str) -> Handle:
        return self.port.handle(check_id(str(thread_id), "thread_id"))


def _origin(parents: Mapping[Any, Any], handle: Handle) -> str | None:
    """The checkpoint of the enclosing namespace that the metadata names. Other things than ids stay in the metadata."""
    with suppress(InvalidId):
        return check_id(parents.get(enclosing(handle.namespace)), "origin")
    return None


def _texts(names: Iterable[Any]) -> tuple[str, ...]:
    return tuple(name for name in names if isinstance(name, str))


def _has_questions(writes: Sequence[PendingWrite], answered_task: str) -> bool:
    """Whether a task still waits for an answer. Any answer settles a single question, even the null task's."""
    # LangGraph stores an answer without an id under a task of its own, so that it can't be matched by task.
    asked = {write.task_id for write in writes if write.channel == INTERRUPT}
    answered = {write.task_id for write in writes if write.channel == RESUME}
    if len(asked) == 1 and answered:
        return False
    return not asked <= {answered_task, *answered}
