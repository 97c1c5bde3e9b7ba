"""What each call of a thread does, for both façades: arguments are checked and values are encoded here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from datetime import datetime
from typing import Any, Generic, TypeVar

from holdfast.backends.rows import NO_LIMIT
from holdfast.codec import channels_of, state_from
from holdfast.engine.checkpoints import deletion, fork, overlays, pending_writes, read, save
from holdfast.engine.checkpoints.pending_writes import TaskWrites
from holdfast.engine.checkpoints.save_fields import SaveFields
from holdfast.engine.checkpoints.state_diff import Diff, diff
from holdfast.engine.context import Engine, Handle
from holdfast.engine.journal import entries, reader, writer
from holdfast.engine.journal.entries import JournalEntry
from holdfast.engine.maintenance import retention, retention_rules
from holdfast.engine.threads import location, thread_list
from holdfast.engine.values.reducers import Reducer, reducing
from holdfast.engine.values.state_change import Change, replacing
from holdfast.errors import InvalidArgument
from holdfast.ids import MAX_ID, check_id, check_list, check_text, new_id
from holdfast.model import Checkpoint, CheckpointInfo, PruneReport, Retention, ThreadInfo
from holdfast.operations.arguments import (
    OF_UPDATE,
    SaveArguments,
    check_channel_names,
    check_channel_values,
    check_channels,
    check_limit,
    check_mapping,
    check_number,
    check_reducers,
    save_fields,
)

S = TypeVar("S")
"""A limit or number that no journal reaches."""


class ThreadCalls(Generic[S]):
    """The calls of one namespace of a thread."""

    def __init__(self, engine: Engine, handle: Handle, state: type[S]) -> None:
        self.engine = engine
        self.handle = handle
        self.state = state

    async def save(self, state: S | Mapping[str, Any], extra: Any, given: SaveArguments) -> CheckpointInfo:
        change = self.change(state, extra)
        return await save.save(self.engine, self.handle, save_fields(given, self.handle.codec), change)

    def change(self, state: S | Mapping[str, Any], extra: Any = None) -> Change:
        """A state, encoded now: the caller may modify it from here on."""
        codec = self.handle.codec
        channels = channels_of(state)
        check_channels(channels)
        encoded: dict[str, bytes] = {}
        for name, value in channels.items():
            encoded[name] = codec.encode(value, f"state[{name!r}]")
        return replacing(encoded, None if extra is None else codec.encode(extra, "extra"))

    def fields(self, given: SaveArguments) -> SaveFields:
        """What a save is called with besides its state, checked and encoded."""
        return save_fields(given, self.handle.codec)

    async def update(
        self, updates: Mapping[str, Any], reduce: Mapping[str, Reducer] | None, given: SaveArguments
    ) -> CheckpointInfo:
        channels = check_channel_values(updates, "updates")
        change = reducing(channels, check_reducers(reduce, channels))
        fields = save_fields(given, self.handle.codec, OF_UPDATE)
        return await save.save(self.engine, self.handle, fields, change)

    async def latest(self, channels: Collection[str] | None) -> Checkpoint[S] | None:
        names = None if channels is None else check_channel_names(channels)
        return self._typed(await read.latest(self.engine, self.handle, names), channels)

    async def load(self, id: str, channels: Collection[str] | None) -> Checkpoint[S] | None:
        wanted = check_id(id, "a checkpoint id")
        names = None if channels is None else check_channel_names(channels)
        return self._typed(await read.by_id(self.engine, self.handle, wanted, names), channels)

    async def at(self, step: int | None, time: datetime | None, journal_seq: int | None) -> Checkpoint[S] | None:
        if time is not None and not isinstance(time, datetime):
            raise InvalidArgument(f"time must be a datetime, not {time!r}")
        number, seq = check_number(step, "step"), check_number(journal_seq, "journal_seq")
        return self._typed(await read.at(self.engine, self.handle, number, time, seq), None)

    async def history(
        self, limit: int | None, before: str | None, where: Mapping[str, Any] | None
    ) -> list[CheckpointInfo]:
        last = None if before is None else check_id(before, "before")
        return await read.history(self.engine, self.handle, check_limit(limit), last, check_mapping(where, "where"))

    async def lineage(self, id: str) -> list[CheckpointInfo]:
        return await read.lineage(self.engine, self.handle, check_id(id, "a checkpoint id"))

    async def diff(self, a: str | CheckpointInfo, b: str | CheckpointInfo) -> Diff:
        return await diff(self.engine, self._pointed(a), self._pointed(b))

    async def info(self) -> ThreadInfo | None:
        return await thread_list.info(self.engine, self.handle)

    async def fork(
        self, at: str | None, *, edits: Mapping[str, Any] | None, to: str | None, history: bool
    ) -> ThreadCalls[S]:
        name = self._fork_name() if to is None else check_id(to, "to")
        target = Handle(name, "", self.handle.codec)
        channels = None if edits is None else check_channel_values(edits, "edits")
        point = None if at is None else check_id(at, "at")
        await fork.fork(self.engine, self.handle, point, channels, target, history)
        return ThreadCalls(self.engine, target, self.state)

    async def label(self, id: str, text: str) -> None:
        await overlays.label(self.engine, self.handle, check_id(id, "a checkpoint id"), check_text(text, "label"))

    async def put_writes(self, id: str, entries: Iterable[Sequence[Any]], *, task_id: str, task_path: str) -> None:
        encoded = [self._write(index, entry) for index, entry in enumerate(check_list(entries, "writes"))]
        task, path = check_id(task_id, "task_id"), check_text(task_path, "task_path")
        self.engine.check_open()
        if encoded:
            checkpoint_id = check_id(id, "a checkpoint id")
            await pending_writes.put_writes(self.engine, self.handle, TaskWrites(checkpoint_id, encoded, task, path))

    async def prune(self, keep: Retention, *, dry_run: bool) -> PruneReport:
        return await retention.prune(self.engine, self.handle, retention_rules.check(keep), dry_run)

    async def delete(self) -> None:
        await deletion.delete(self.engine, self.handle)

    async def delete_checkpoints(self, ids: Iterable[str]) -> int:
        wanted = [check_id(id, "an id") for id in check_list(ids, "ids")]
        return await deletion.delete_checkpoints(self.engine, self.handle, wanted)

    async def delete_run(self, run_id: str) -> int:
        return await deletion.delete_run(self.engine, self.handle, check_text(run_id, "run_id"))

    # ---------------------------------------------------------------- journal

    async def append(self, kind: str, data: Any, *, key: str | None) -> int:
        if check_text(kind, "kind").startswith(entries.OWN):
            raise InvalidArgument(f"kinds that start with {entries.OWN!r} are reserved; choose another")
        body = self.handle.codec.encode(data, "data")
        if key is not None and check_id(key, "key").startswith(entries.OWN):
            raise InvalidArgument(f"keys that start with {entries.OWN!r} are reserved; choose another")
        return (await writer.append(self.engine, self.handle, kind, body, key)).seq

    async def entries(self, after: int | str, limit: int | None) -> list[JournalEntry]:
        most = check_limit(limit)
        return await self.entries_after(entries.parse_cursor(after), limit=NO_LIMIT if most is None else most)

    async def last_entry(self) -> JournalEntry | None:
        here = await location.read(self.engine, self.handle.inner(""))
        if here is None:
            return None
        last = await self.entries_after(here.root.journal - 1, upto=here.root.journal)
        return last[0] if last else None

    async def entries_after(self, number: int, *, upto: int = NO_LIMIT, limit: int = NO_LIMIT) -> list[JournalEntry]:
        here = await location.used(self.engine, self.handle.inner(""))
        if here is None:
            return []
        rows = await reader.read(self.engine, here.root, max(number, 0), upto, limit)
        return [entries.entry(self.handle.codec, row) for row in rows]

    # ---------------------------------------------------------------- helpers

    def _typed(self, checkpoint: Checkpoint[Any] | None, channels: Collection[str] | None) -> Checkpoint[S] | None:
        """The state as an instance of the thread's state class; a part of it stays a dict."""
        if checkpoint is None or self.state is dict or channels is not None:
            return checkpoint
        values = {field.name: getattr(checkpoint, field.name) for field in dataclass_fields(checkpoint)}
        return Checkpoint(**{**values, "state": state_from(self.state, checkpoint.state)})

    def _pointed(self, point: str | CheckpointInfo) -> tuple[Handle, str]:
        if isinstance(point, CheckpointInfo):
            return Handle(point.thread_id, point.namespace, self.handle.codec), point.id
        return self.handle, check_id(point, "a checkpoint id")

    def _fork_name(self) -> str:
        return f"{self.handle.thread_id[: MAX_ID - 21]}~{new_id()}"

    def _write(self, default_index: int, entry: Sequence[Any]) -> pending_writes.Write:
        path = f"writes[{default_index}]"
        if not isinstance(entry, tuple | list) or len(entry) not in (2, 3):
            raise InvalidArgument(f"{path} must be (channel, value) or (channel, value, index)")
        check_channels(entry[:1])
        index = check_number(entry[2] if len(entry) == 3 else default_index, f"{path} index")
        return pending_writes.Write(entry[0], self.handle.codec.encode(entry[1], path), index or 0)
