"""What every call of the saver does, written once: the saver only says how it is driven."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    CheckpointTuple,
    DeltaChannelHistory,
)

from holdfast.adapters.langgraph.known import storable
from holdfast.adapters.langgraph.metadata import metadata_of, packed, unpacked
from holdfast.adapters.langgraph.outline import TASKS, next_nodes, nodes_run
from holdfast.adapters.langgraph.records import record_of
from holdfast.adapters.langgraph.storing import Storing
from holdfast.backends.rows import CheckpointRow
from holdfast.codec import Codec
from holdfast.codec.bursts import burst
from holdfast.engine import commits, forks, load, places, removal, sealing, views, writes
from holdfast.engine.context import Engine, Handle, as_datetime
from holdfast.engine.manifest import Manifest
from holdfast.engine.places import enclosing
from holdfast.engine.rows import Fields
from holdfast.engine.steady import Again
from holdfast.engine.views import View
from holdfast.engine.writes import Write
from holdfast.errors import Corrupt, InvalidArgument
from holdfast.ids import check_id, check_text
from holdfast.model import ROOT, SOURCES, PendingWrite

Config = Mapping[str, Any]
INTERRUPT: Final = "__interrupt__"
RESUME: Final = "__resume__"
_PAGE: Final = 20
_BATCH: Final = 8 * 1024 * 1024  # bytes of state that are made into objects at once
_REMEMBERED: Final = 10_000
_ALL: Final = 1 << 62


def configurable(config: Config | None) -> Mapping[str, Any]:
    found = (config or {}).get("configurable")
    if not isinstance(found, Mapping) or found.get("thread_id") is None:
        raise InvalidArgument('the config names no thread: pass {"configurable": {"thread_id": "…"}}')
    return found


class Recent(dict[Any, Any]):
    """A dict that forgets what was put first. Whoever forgets is one of many threads, and may find it gone."""

    def remember(self, key: Any, value: Any) -> None:
        self[key] = value
        if len(self) > _REMEMBERED:
            with suppress(KeyError, RuntimeError, StopIteration):
                del self[next(iter(self))]


def is_question(rows: Sequence[Write]) -> bool:
    """Whether a task asks something, or is answered."""
    return any(one.channel in (INTERRUPT, RESUME) for one in rows)


@dataclass(eq=False)
class SaverCalls:
    engine: Engine
    codec: Codec
    single_writer: bool = False
    asking: threading.Lock = field(default_factory=threading.Lock)
    seen: Recent = field(default_factory=Recent)  # (thread, namespace): id and record of the last checkpoint
    served: Recent = field(default_factory=Recent)  # (thread, namespace, id): checkpoints that may be branched from

    def handle(self, config: Config) -> Handle:
        found = configurable(config)
        thread_id = check_id(str(found["thread_id"]), "configurable['thread_id']")
        namespace = check_id(found.get("checkpoint_ns") or "", "configurable['checkpoint_ns']", empty=True)
        return Handle(thread_id, namespace, self.codec, None, reuse=True)

    # ---------------------------------------------------------------- putting

    def prepared(
        self, config: Config, checkpoint: Mapping[str, Any], metadata: Mapping[str, Any], versions: Mapping[str, Any]
    ) -> tuple[Storing, Fields]:
        """A put, encoded: the caller may change everything from here on."""
        handle = self.handle(config)
        storing = Storing(self.engine, handle, checkpoint, versions)
        return storing, self._fields(handle, config, checkpoint, metadata, storing)

    async def put(self, config: Config, storing: Storing, fields: Fields) -> dict[str, Any]:
        handle, checkpoint_id = storing.handle, str(fields.id)
        if isinstance(fields.parent, str) and storing.record.get("v", 1) < 4 and "pending_sends" not in storing.record:
            await self._fold_sends(storing, fields.parent)
        await commits.save(self.engine, handle, fields, storing)
        if sealing.has_controls(self.engine, handle, checkpoint_id):  # questions that waited for their checkpoint
            found = await self._pending(handle, checkpoint_id)
            await self._tell_status(handle, checkpoint_id, "", {one.channel for one in found})
        self.seen.remember((handle.thread_id, handle.namespace), (checkpoint_id, storing.record))
        return _config(configurable(config)["thread_id"], handle.namespace, checkpoint_id)

    def _fields(
        self, handle: Handle, config: Config, checkpoint: Mapping[str, Any], metadata: Mapping[str, Any],
        storing: Storing,
    ) -> Fields:  # fmt: skip
        parent = configurable(config).get("checkpoint_id")
        said = metadata_of(config, metadata)
        storing.growing = _growing(said)
        step, source = said.get("step"), said.get("source")
        parents = said.get("parents") if isinstance(said.get("parents"), Mapping) else {}
        run_id = said.get("run_id") or config.get("run_id")
        upcoming = next_nodes(checkpoint)
        known_id, record = self.seen.get((handle.thread_id, handle.namespace), (None, None))
        return Fields(
            id=check_id(checkpoint["id"], "checkpoint['id']"),
            parent=check_id(parent, "configurable['checkpoint_id']") if parent else ROOT,
            node=nodes_run(storing.record, record if known_id == parent else None),
            next=upcoming,
            step=step if type(step) is int else None,
            source=source if source in SOURCES else "loop",
            run_id=None if run_id is None else check_text(str(run_id), "run_id"),
            status="running" if upcoming else "completed",
            metadata=packed(said, self.codec),
            origin=parents.get(enclosing(handle.namespace)) if parents and handle.namespace else None,
            expect_head=self._expected_head(handle, parent),
            foreign=True,
            outer=tuple(one for one in parents.values() if isinstance(one, str)) if parents else (),
        )

    def _expected_head(self, handle: Handle, parent: str | None) -> str | None:
        if not self.single_writer or (handle.thread_id, handle.namespace, parent) in self.served:
            return None
        return parent or ""

    async def _fold_sends(self, storing: Storing, parent: str) -> None:
        """Before version 4 a checkpoint found what was sent to it in its parent's writes; now it has a channel."""
        sends = [one.value for one in await self._pending(storing.handle, parent) if one.channel == TASKS]
        if sends:
            known = storing.record["channel_versions"]
            storing.also(TASKS, sends, max(known.values()) if known else next_version(None))

    async def _pending(self, handle: Handle, checkpoint_id: str) -> tuple[PendingWrite, ...]:
        view, row = await self._row(handle, checkpoint_id)
        if view is None or row is None:
            return ()
        return (await load.pending_writes(self.engine, self.codec, view, [row]))[row.seq]

    def prepared_writes(self, entries: Sequence[tuple[str, Any]]) -> list[Write]:
        """What a task wrote, encoded. Of two control writes of one kind in a batch the last counts."""
        encoded: dict[int, Write] = {}
        for number, (channel, value) in enumerate(entries):
            place = WRITES_IDX_MAP.get(channel, number)
            enc = self.codec.encode(storable(value), f"writes[{number}][{channel!r}]")
            encoded[place] = Write(check_text(channel, "channel"), enc, place)
        return list(encoded.values())

    async def put_writes(self, config: Config, rows: list[Write], task_id: str, task_path: str) -> None:
        handle = self.handle(config)
        wanted = configurable(config).get("checkpoint_id")
        if not wanted:
            raise InvalidArgument("the config names no checkpoint: writes belong to one, configurable['checkpoint_id']")
        checkpoint_id = check_id(wanted, "configurable['checkpoint_id']")
        task, path = check_id(task_id, "task_id"), check_text(task_path, "task_path")
        self.engine.check_open()
        channels = {one.channel for one in rows}
        if not is_question(rows):
            if rows:
                await writes.put_writes(self.engine, handle, checkpoint_id, rows, task, path, may_wait=True)
            return
        with self.asking:  # a question and the answer to the one before it: the last to be stored decides
            await writes.put_writes(self.engine, handle, checkpoint_id, rows, task, path, may_wait=True)
            await self._tell_status(handle, checkpoint_id, task, channels)

    async def _tell_status(self, handle: Handle, checkpoint_id: str, task_id: str, channels: set[str]) -> None:
        """A checkpoint is interrupted while a question of its tasks has no answer."""
        if INTERRUPT not in channels and RESUME not in channels:
            return
        view, row = await self._row(handle, checkpoint_id)
        if view is None or row is None:
            return
        if INTERRUPT in channels:
            status = "interrupted"
        else:
            found = (await load.pending_writes(self.engine, self.codec, view, [row]))[row.seq]
            answered = {task_id, *(one.task_id for one in found if one.channel == RESUME)}
            asked = {one.task_id for one in found if one.channel == INTERRUPT}
            everything = len(asked) == 1 and any(one.channel == RESUME for one in found)
            status = row.status if asked <= answered or everything else "interrupted"
        await writes.set_status(self.engine, handle, checkpoint_id, status)

    # ---------------------------------------------------------------- getting

    async def get_tuple(self, config: Config) -> CheckpointTuple | None:
        again = Again()
        while True:
            try:
                return await self._get_tuple(config)
            except Corrupt as error:  # it may have been removed while it was read
                again.check(error)
                places.forget(self.engine, self.handle(config))

    async def _get_tuple(self, config: Config) -> CheckpointTuple | None:
        handle = self.handle(config)
        wanted = configurable(config).get("checkpoint_id")
        view, row = await self._row(handle, wanted)
        if view is None or row is None:
            return None
        page = await self.load(handle, view, [row])
        found = page.tuple(row, configurable(config)["thread_id"])
        self._serve(handle, found, explicit=bool(wanted))
        return found

    def _serve(self, handle: Handle, found: CheckpointTuple, explicit: bool) -> None:
        """Whoever asked for a checkpoint by its id may go on from it; a copy goes on from the parent."""
        place = (handle.thread_id, handle.namespace)
        if explicit:
            self.served.remember((*place, found.checkpoint["id"]), True)
        if found.parent_config is not None:
            self.served.remember((*place, found.parent_config["configurable"]["checkpoint_id"]), True)
        self.seen.remember(place, (found.checkpoint["id"], record_of(found.checkpoint)))

    async def _row(self, handle: Handle, checkpoint_id: str | None) -> tuple[View | None, CheckpointRow | None]:
        here = await places.used(self.engine, handle)
        if here is None:
            return None, None
        view = await views.open_view(self.engine, here.line)
        if checkpoint_id:
            return view, await views.find(self.engine, view, str(checkpoint_id))
        return view, here.head

    async def load(self, handle: Handle, view: View, rows: Sequence[CheckpointRow]) -> Page:
        """All that is stored about some checkpoints of one namespace, in few questions."""
        manifests = {row.seq: load.manifest_of(row) for row in rows}
        entries = [entry for one in manifests.values() for entry in one.channels.values()]
        entries += [one.extra for one in manifests.values() if one.extra is not None]
        known = await load.versions(self.engine, view.line.tree, entries)
        pending = await load.pending_writes(self.engine, self.codec, view, rows, known)
        parents = {row.seq: (await views.parent_of(self.engine, view, row))[0] for row in rows}
        return Page(handle, manifests, known, pending, parents)

    # ---------------------------------------------------------------- listing

    async def sources(self, config: Config | None) -> list[tuple[Handle, View]]:
        """The namespaces that a list looks at, each with its view."""
        if config is None:
            listed = await self.engine.backend.threads("", [], "", -1)
            handles = [Handle(one.thread.id, "", self.codec) for one in listed]
        else:
            handles = [self.handle(config)]
        found: list[tuple[Handle, View]] = []
        for handle in handles:
            for inner in await self._namespaces(handle, config):
                view = await self._view(inner)
                if view is not None:
                    found.append((inner, view))
        return found

    async def _namespaces(self, handle: Handle, config: Config | None) -> list[Handle]:
        if config is not None and configurable(config).get("checkpoint_ns") is not None:
            return [handle]
        here = await places.read(self.engine, handle.inner(""))
        if here is None:
            return []
        return [handle.inner(name) for name in await removal.namespaces(self.engine, here.root)]

    async def _view(self, handle: Handle) -> View | None:
        here = await places.used(self.engine, handle)
        return None if here is None else await views.open_view(self.engine, here.line)

    # ---------------------------------------------------------------- removing

    async def delete_thread(self, thread_id: str) -> None:
        await removal.delete(self.engine, self._thread(thread_id))

    async def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self.engine.check_open()
        for run_id in run_ids:
            await removal.delete_run_everywhere(self.engine, check_text(str(run_id), "run_id"), by_id=True)

    async def copy_thread(self, source: str, target: str) -> None:
        await forks.copy(self.engine, self._thread(source), self._thread(target))

    async def prune(self, thread_ids: Sequence[str], strategy: str) -> None:
        if strategy not in ("keep_latest", "delete"):
            raise InvalidArgument(f"strategy is 'keep_latest' or 'delete', not {strategy!r}")
        for thread_id in thread_ids:
            if strategy == "delete":
                await self.delete_thread(thread_id)
            else:
                await removal.keep_heads(self.engine, self._thread(thread_id))

    def _thread(self, thread_id: str) -> Handle:
        return Handle(check_id(str(thread_id), "thread_id"), "", self.codec, None, reuse=True)

    # ---------------------------------------------------------------- delta channels

    async def delta_history(self, config: Config, channels: Sequence[str]) -> dict[str, DeltaChannelHistory]:
        """What each channel was given since the last ancestor that has its value. Ancestors that were removed count:
        the value is made of what was written there."""
        collected: dict[str, list[list[PendingWrite]]] = {name: [] for name in channels}
        seeds: dict[str, Any] = {}
        handle = self.handle(config)
        view, row = await self._row(handle, configurable(config).get("checkpoint_id"))
        left = set(channels)
        if view is not None and row is not None and row.parent_seq:
            async for ancestor, known in self._ancestors(view, row.parent_seq):
                stored = load.manifest_of(ancestor).channels
                for name in sorted(left):
                    collected[name].append([one for one in known if one.channel == name])
                    if name in stored:
                        seeds |= (await load.channels(self.engine, self.codec, ancestor, [name]))[0]
                left -= seeds.keys()
                if not left:
                    break
        return {name: _history(collected[name], name, seeds) for name in channels}

    async def _ancestors(self, view: View, seq: int) -> Any:
        raw = View(view.line, {}, view._ancestry)
        for segment in await views.chain(self.engine, raw, seq):
            before = segment.hi
            while rows := await views.scan_segments(self.engine, raw, [segment], before, 64):
                known = await load.pending_writes(self.engine, self.codec, raw, rows)
                for row in rows:
                    yield row, known[row.seq]
                before = rows[-1].seq - 1


class Page:
    """Some checkpoints of one namespace, read; each becomes a tuple when it is asked for."""

    def __init__(
        self, handle: Handle, manifests: dict[int, Manifest], known: dict[Any, Any],
        pending: dict[int, tuple[PendingWrite, ...]], parents: dict[int, str | None],
    ) -> None:  # fmt: skip
        self._handle = handle
        self._manifests = manifests
        self._known = known
        self._pending = pending
        self._parents = parents

    def tuple(self, row: CheckpointRow, thread_id: Any) -> CheckpointTuple:
        codec, namespace = self._handle.codec, self._handle.namespace
        manifest = self._manifests[row.seq]
        record = {} if manifest.extra is None else load.value(codec, manifest.extra, self._known)
        channels = {name: load.value(codec, entry, self._known) for name, entry in manifest.channels.items()}
        parent = self._parents[row.seq]
        return CheckpointTuple(
            config=_config(thread_id, namespace, row.id),  # type: ignore[arg-type]
            checkpoint=_checkpoint(row, record, channels),  # type: ignore[arg-type]
            metadata=unpacked(row, codec),  # type: ignore[arg-type]
            parent_config=None if parent is None else _config(thread_id, namespace, parent),  # type: ignore[arg-type]
            pending_writes=[(one.task_id, one.channel, one.value) for one in self._pending[row.seq]],
        )


def _growing(metadata: Mapping[str, Any]) -> list[str]:
    """The delta channels that were written to since the last checkpoint that holds their value."""
    counts = metadata.get("counters_since_delta_snapshot")
    return [name for name in counts if isinstance(name, str)] if isinstance(counts, Mapping) else []


def _checkpoint(row: CheckpointRow, record: dict[str, Any], channels: dict[str, Any]) -> dict[str, Any]:
    """As it was put. One that was saved natively has no record, and gets what LangGraph needs to read it."""
    if not record:
        moment = as_datetime(row.created_at).isoformat()
        record = {"v": 4, "ts": moment, "channel_versions": {}, "versions_seen": {}}
    return {**record, "id": row.id, "channel_values": channels}


def _config(thread_id: Any, namespace: str, checkpoint_id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _history(steps: list[list[PendingWrite]], name: str, seeds: dict[str, Any]) -> DeltaChannelHistory:
    written = [(one.task_id, one.channel, one.value) for step in reversed(steps) for one in step]
    found: DeltaChannelHistory = {"writes": written}
    if name in seeds:
        found["seed"] = seeds[name]
    return found


def next_version(current: Any) -> Any:
    """Grows; ends in random digits, so that two writers who start from the same version make two."""
    import random

    if isinstance(current, int):
        return current + 1
    number = 0 if current is None else int(str(current).split(".")[0])
    return f"{number + 1:032}.{round(random.random(), 9)}"  # noqa: S311  # nobody has to guess it


class Listing:
    """A list on its way: rows of several namespaces in the order of their ids, page by page."""

    def __init__(
        self, calls: SaverCalls, sources: list[tuple[Handle, View]], wanted: str | None, before: str | None,
        where: Mapping[str, Any] | None, limit: int | None,
    ) -> None:  # fmt: skip
        self._calls = calls
        self._sources = sources
        self._wanted = wanted
        self._before: list[str | None] = [before] * len(sources)
        self._waiting: list[list[CheckpointRow]] = [[] for _ in sources]
        self._done = [False] * len(sources)
        self._where = dict(where or {})
        self._left = _ALL if limit is None else max(limit, 0)
        self._read: list[tuple[Page, CheckpointRow, str]] = []

    async def batch(self) -> list[CheckpointTuple]:
        """The next checkpoints, as many as fit into memory well; none at the end. What comes before a damaged one is
        handed out first."""
        if not self._read:
            self._read = await self._page()
        found: list[CheckpointTuple] = []
        size = 0
        with burst:
            while self._read and size < _BATCH:
                page, row, thread_id = self._read[0]
                try:
                    found.append(page.tuple(row, thread_id))
                except Exception:
                    if not found:
                        raise
                    break
                size += row.size
                del self._read[0]
        return found

    async def _page(self) -> list[tuple[Page, CheckpointRow, str]]:
        chosen: list[tuple[int, CheckpointRow]] = []
        while len(chosen) < min(_PAGE, self._left):
            await self._fill()
            sources = [number for number, rows in enumerate(self._waiting) if rows]
            if not sources:
                break
            number = max(sources, key=lambda one: self._waiting[one][0].id)
            chosen.append((number, self._waiting[number].pop(0)))
        self._left -= len(chosen)
        pages: dict[int, Page] = {}
        for number in {number for number, _ in chosen}:
            handle, view = self._sources[number]
            rows = [row for one, row in chosen if one == number]
            pages[number] = await self._calls.load(handle, view, rows)
        return [(pages[number], row, self._sources[number][0].thread_id) for number, row in chosen]

    async def _fill(self) -> None:
        for number, (_, view) in enumerate(self._sources):
            if self._waiting[number] or self._done[number]:
                continue
            rows = await self._rows(view, self._before[number], min(_PAGE, self._left))
            self._waiting[number] = rows
            self._done[number] = len(rows) < min(_PAGE, self._left)
            if rows:
                self._before[number] = rows[-1].id

    async def _rows(self, view: View, before: str | None, limit: int) -> list[CheckpointRow]:
        engine = self._calls.engine
        if self._wanted is None:
            return await views.scan_by_id(engine, view, before, limit, self._keep if self._where else None)
        row = await views.find(engine, view, self._wanted)
        fits = row is not None and (before is None or row.id < before) and self._keep(row)
        return [row] if row is not None and fits else []

    def _keep(self, row: CheckpointRow) -> bool:
        if not self._where:
            return True
        metadata = unpacked(row, self._calls.codec)
        return all(metadata.get(key) == value for key, value in self._where.items())
