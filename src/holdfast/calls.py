"""What every public call does, written once: the façades in `store` and `aio` only say how it is driven.

Arguments are checked here, values are encoded here, and errors about them name the argument.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from holdfast import journal
from holdfast.backends.base import Progress
from holdfast.backends.registry import open_backend, path_of, shown
from holdfast.codec import Codec, channels_of, state_from
from holdfast.engine import (
    appending,
    backup,
    collect,
    commits,
    erase,
    expiry,
    forks,
    history,
    leases,
    listing,
    places,
    removal,
    repair,
    retention,
    rules,
    stats,
    terms,
    verify,
    writes,
)
from holdfast.engine.cache import Cache
from holdfast.engine.context import Engine, Handle
from holdfast.engine.diff import Diff, diff
from holdfast.engine.reduce import Reducer, reducing
from holdfast.engine.rows import Fields
from holdfast.engine.states import Change, replacing
from holdfast.engine.terms import Terms
from holdfast.errors import Conflict, InvalidArgument, NotFound
from holdfast.ids import MAX_ID, check_id, check_text, is_text, new_id
from holdfast.journal import Effect, JournalEntry, Recovery
from holdfast.model import (
    ROOT,
    SOURCES,
    BackupReport,
    Checkpoint,
    CheckpointInfo,
    CollectReport,
    EraseCertificate,
    ExpireReport,
    Parent,
    PruneReport,
    Quarantined,
    RepairReport,
    Retention,
    StoreStats,
    ThreadInfo,
    VerifyReport,
)

S = TypeVar("S")
Types = Iterable[type] | Mapping[str, type]
DURABILITIES: Final = ("sync", "async", "exit")


# ------------------------------------------------------------------------------------------------ stores


async def open_engine(
    url: str | os.PathLike[str], types: Types, durability: str, cache: int, schema: str | None = None,
    usual: Terms = terms.NONE,
) -> Engine:  # fmt: skip
    if durability not in DURABILITIES:
        raise InvalidArgument(f"durability must be one of {', '.join(DURABILITIES)}, not {durability!r}")
    _number(cache, "cache", least=0)
    codec = Codec(_types(types))
    return Engine(open_backend(url, schema), codec, shown(url), durability, Cache(cache), usual)


def asked(ttl: timedelta | float | None, refresh: bool | None, keep: Retention | None) -> Terms:
    """Terms that a caller asks for, checked."""
    return Terms(_span(ttl), refresh, None if keep is None else rules.check(keep))


def _span(ttl: Any) -> int | None:
    if ttl is None:
        return None
    seconds = ttl.total_seconds() if isinstance(ttl, timedelta) else ttl
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < 1 << 40:
        raise InvalidArgument(f"ttl is a timedelta or a number of seconds above 0, not {ttl!r}")
    return int(seconds * 1_000_000)


def _types(types: Any) -> Types:
    known: Types = dict(types) if isinstance(types, Mapping) else _listed(types, "types")
    for one in known.values() if isinstance(known, Mapping) else known:
        if not isinstance(one, type):
            raise InvalidArgument(f"types names classes (in a list, or by their old names), not {one!r}")
    return known


class StoreCalls:
    """The verbs of a store."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def thread(
        self, thread_id: str, namespace: str, state: type[S], metadata: Mapping[str, Any] | None, reuse: bool,
        asked: Terms = terms.NONE,
    ) -> ThreadCalls[S]:  # fmt: skip
        self.engine.check_open()
        handle = Handle(
            check_id(thread_id, "a thread id"),
            check_id(namespace, "a namespace", empty=True),
            self.engine.codec if state is dict else self.engine.codec.with_types([state]),
            _mapping(metadata, "metadata"),
            reuse,
            asked=asked,
        )
        return ThreadCalls(self.engine, handle, state)

    async def threads(
        self, prefix: str, where: Mapping[str, Any] | None, limit: int | None, after: str | None
    ) -> list[ThreadInfo]:
        start = "" if after is None else check_text(after, "after")
        known = _mapping(where, "where")
        return await listing.threads(self.engine, check_text(prefix, "prefix"), known, _limit(limit), start)

    async def copy_thread(self, source: str, target: str) -> bool:
        one = Handle(check_id(source, "a thread id"), "", self.engine.codec)
        return await forks.copy(self.engine, one, Handle(check_id(target, "a thread id"), "", self.engine.codec))

    async def resumable(self) -> list[ThreadInfo]:
        return await listing.resumable(self.engine)

    async def delete_run(self, run_id: str) -> int:
        self.engine.check_open()
        return await removal.delete_run_everywhere(self.engine, check_text(run_id, "run_id"))

    async def backup(self, path: str | os.PathLike[str], progress: Progress | None) -> BackupReport:
        return await backup.backup(self.engine, path_of(path), progress)

    async def stats(self, progress: Progress | None) -> StoreStats:
        return await stats.stats(self.engine, progress)

    async def verify(self, progress: Progress | None) -> VerifyReport:
        return await verify.verify(self.engine, progress)

    async def repair(self, plan: VerifyReport, dry_run: bool) -> RepairReport:
        return await repair.repair(self.engine, plan, dry_run)

    async def quarantined(self) -> list[Quarantined]:
        return await repair.quarantined(self.engine)

    async def prune(self, keep: Retention, dry_run: bool, progress: Progress | None) -> PruneReport:
        return await retention.prune_all(self.engine, rules.check(keep), dry_run, progress)

    async def collect(self, progress: Progress | None) -> CollectReport:
        return await collect.collect(self.engine, progress)

    async def expire(self, limit: int | None, dry_run: bool, progress: Progress | None) -> ExpireReport:
        return await expiry.expire(self.engine, _limit(limit), dry_run, progress)

    async def erase(self, where: Mapping[str, Any], dry_run: bool, progress: Progress | None) -> EraseCertificate:
        return await erase.erase(self.engine, _mapping(where, "where") or {}, dry_run, progress)

    async def bytes_stored(self) -> int:
        self.engine.check_open()
        return await self.engine.backend.bytes_stored()

    def within(self, connection: object) -> StoreCalls:
        """The same store inside a transaction that may yet be rolled back: nothing of it is remembered."""
        self.engine.check_open()
        backend = self.engine.backend.within(connection)
        return StoreCalls(
            Engine(backend, self.engine.codec, self.engine.url, "sync", Cache(0), self.engine.usual, tends=False)
        )

    async def close(self) -> None:
        if not self.engine.closed:
            for backlog in list(self.engine.backlogs.values()):
                backlog.flush()
            self.engine.closed = True
            self.engine.cache.clear()
            await self.engine.backend.close()


# ------------------------------------------------------------------------------------------------ threads


class ThreadCalls(Generic[S]):
    """The verbs of a thread."""

    def __init__(self, engine: Engine, handle: Handle, state: type[S]) -> None:
        self.engine = engine
        self.handle = handle
        self.state = state

    async def save(
        self, state: S | Mapping[str, Any], *, node: str, next: Sequence[str], step: int | None, source: str,
        run_id: str | None, status: str, label: str, metadata: Mapping[str, Any] | None, extra: Any,
        origin: str | None, journal_seq: int | None, id: str | None, parent: Parent, expect_head: str | None,
    ) -> CheckpointInfo:  # fmt: skip
        change = self.change(state, extra)
        fields = self.fields(
            node=node, next=next, step=step, source=source, run_id=run_id, status=status, label=label,
            metadata=metadata, origin=origin, journal_seq=journal_seq, id=id, parent=parent, expect_head=expect_head,
        )  # fmt: skip
        return await commits.save(self.engine, self.handle, fields, change)

    def change(self, state: S | Mapping[str, Any], extra: Any = None) -> Change:
        """A state, encoded: what the caller does to it from here on does not matter."""
        codec = self.handle.codec
        channels = {
            _channel(name): codec.encode(value, f"state[{name!r}]") for name, value in channels_of(state).items()
        }
        return replacing(channels, None if extra is None else codec.encode(extra, "extra"))

    def fields(
        self, *, node: str = "", next: Sequence[str] = (), step: int | None = None, source: str = "loop",
        run_id: str | None = None, status: str = "running", label: str = "",
        metadata: Mapping[str, Any] | None = None, origin: str | None = None, journal_seq: int | None = None,
        id: str | None = None, parent: Parent = None, expect_head: str | None = None,
    ) -> Fields:  # fmt: skip
        """What a save says besides its state, checked."""
        if source not in SOURCES:
            raise InvalidArgument(f"source must be one of {', '.join(SOURCES)}, not {source!r}")
        return Fields(
            node=check_text(node, "node"),
            next=_nodes(next),
            step=_number(step, "step"),
            source=source,
            run_id=None if run_id is None else check_text(run_id, "run_id"),
            status=check_text(status, "status"),
            label=check_text(label, "label"),
            metadata=self._metadata(metadata),
            origin=None if origin is None else check_id(origin, "origin"),
            journal_seq=_number(journal_seq, "journal_seq", least=0),
            id=None if id is None else check_id(id, "a checkpoint id"),
            parent=parent if parent is None or parent is ROOT else check_id(parent, "parent"),
            expect_head=None if expect_head is None else check_id(expect_head, "expect_head", empty=True),
        )

    async def update(
        self, updates: Mapping[str, Any], *, reduce: Mapping[str, Reducer] | None, node: str,
        next: Sequence[str] | None, run_id: str | None, status: str | None, label: str,
        metadata: Mapping[str, Any] | None,
    ) -> CheckpointInfo:  # fmt: skip
        channels = _channels(updates, "updates")
        reducers = _mapping(reduce, "reduce") or {}
        for name, reducer in reducers.items():
            if name not in channels:
                raise InvalidArgument(f"reduce names the channel {name!r}, which is not among the updates")
            if not callable(reducer):
                raise InvalidArgument(f"reduce[{name!r}] must be a function of (old, new), not {reducer!r}")
        fields = Fields(
            node=check_text(node, "node"),
            next=None if next is None else _nodes(next),
            source="update",
            run_id=None if run_id is None else check_text(run_id, "run_id"),
            status=None if status is None else check_text(status, "status"),
            label=check_text(label, "label"),
            metadata=self._metadata(metadata),
        )
        return await commits.save(self.engine, self.handle, fields, reducing(channels, reducers))

    async def latest(self, channels: Collection[str] | None) -> Checkpoint[S] | None:
        return self._typed(await history.latest(self.engine, self.handle, _names(channels)), channels)

    async def load(self, id: str, channels: Collection[str] | None) -> Checkpoint[S] | None:
        wanted = check_id(id, "a checkpoint id")
        return self._typed(await history.by_id(self.engine, self.handle, wanted, _names(channels)), channels)

    async def at(self, step: int | None, time: datetime | None, journal_seq: int | None) -> Checkpoint[S] | None:
        if time is not None and not isinstance(time, datetime):
            raise InvalidArgument(f"time must be a datetime, not {time!r}")
        number, seq = _number(step, "step"), _number(journal_seq, "journal_seq")
        return self._typed(await history.at(self.engine, self.handle, number, time, seq), None)

    async def history(
        self, limit: int | None, before: str | None, where: Mapping[str, Any] | None
    ) -> list[CheckpointInfo]:
        last = None if before is None else check_id(before, "before")
        return await history.history(self.engine, self.handle, _limit(limit), last, _mapping(where, "where"))

    async def lineage(self, id: str) -> list[CheckpointInfo]:
        return await history.lineage(self.engine, self.handle, check_id(id, "a checkpoint id"))

    async def diff(self, a: str | CheckpointInfo, b: str | CheckpointInfo) -> Diff:
        return await diff(self.engine, self._pointed(a), self._pointed(b))

    async def info(self) -> ThreadInfo | None:
        return await listing.info(self.engine, self.handle)

    async def fork(
        self, at: str | None, *, edits: Mapping[str, Any] | None, to: str | None, history: bool
    ) -> ThreadCalls[S]:
        name = self._fork_name() if to is None else check_id(to, "to")
        target = Handle(name, "", self.handle.codec)
        channels = None if edits is None else _channels(edits, "edits")
        point = None if at is None else check_id(at, "at")
        await forks.fork(self.engine, self.handle, point, channels, target, history)
        return ThreadCalls(self.engine, target, self.state)

    async def label(self, id: str, text: str) -> None:
        await writes.label(self.engine, self.handle, check_id(id, "a checkpoint id"), check_text(text, "label"))

    async def put_writes(self, id: str, entries: Iterable[Sequence[Any]], *, task_id: str, task_path: str) -> None:
        encoded = [self._write(place, entry) for place, entry in enumerate(_listed(entries, "writes"))]
        task, path = check_id(task_id, "task_id"), check_text(task_path, "task_path")
        self.engine.check_open()
        if encoded:
            checkpoint_id = check_id(id, "a checkpoint id")
            await writes.put_writes(self.engine, self.handle, checkpoint_id, encoded, task, path)

    async def prune(self, keep: Retention, *, dry_run: bool) -> PruneReport:
        return await retention.prune(self.engine, self.handle, rules.check(keep), dry_run)

    async def delete(self) -> None:
        await removal.delete(self.engine, self.handle)

    async def delete_checkpoints(self, ids: Iterable[str]) -> int:
        wanted = [check_id(one, "an id") for one in _listed(ids, "ids")]
        return await removal.delete_checkpoints(self.engine, self.handle, wanted)

    async def delete_run(self, run_id: str) -> int:
        return await removal.delete_run(self.engine, self.handle, check_text(run_id, "run_id"))

    # ---------------------------------------------------------------- journal

    async def append(self, kind: str, data: Any, *, key: str | None) -> int:
        if check_text(kind, "kind").startswith(journal.OWN):
            raise InvalidArgument(f"kinds that start with {journal.OWN!r} are the library's own; choose another")
        body = self.handle.codec.encode(data, "data")
        known = None if key is None else check_id(key, "key")
        if known is not None and known.startswith(journal.OWN):
            raise InvalidArgument(f"keys that start with {journal.OWN!r} are the library's own; choose another")
        return (await appending.append(self.engine, self.handle, kind, body, known)).seq

    async def entries(self, after: int | str, limit: int | None) -> list[JournalEntry]:
        most = _limit(limit)
        return await self._entries(journal.parse_cursor(after), 1 << 62, 1 << 62 if most is None else most)

    async def last_entry(self) -> JournalEntry | None:
        here = await places.read(self.engine, self.handle.inner(""))
        found = await self._entries(here.root.journal - 1, here.root.journal, 1) if here is not None else []
        return found[0] if found else None

    async def _entries(self, after: int, upto: int, limit: int) -> list[JournalEntry]:
        here = await places.used(self.engine, self.handle.inner(""))
        if here is None:
            return []
        rows = await appending.read(self.engine, here.root, max(after, 0), upto, limit)
        return [journal.entry(self.handle.codec, row) for row in rows]

    async def effects_after(self, id: str) -> list[Effect]:
        _, row = await history.pointed(self.engine, self.handle, check_id(id, "a checkpoint id"))
        return list(journal.effects(await self._entries(row.journal_seq, 1 << 62, 1 << 62)).values())

    async def recover(self) -> Recovery:
        head = await self.latest(None)
        here = await places.read(self.engine, self.handle.inner(""))
        if here is None:
            return journal.recovery(head, [], None)
        covered = min(head.journal_seq if head is not None else 0, here.root.journal)
        tail = journal.within(await self._entries(covered, 1 << 62, 1 << 62), self.handle.namespace)
        return journal.recovery(head, tail, leases.lease_of(here.root, await self.engine.backend.now()))

    async def resolve(self, effect: Effect | int, *, result: Any, given: bool, retry: bool) -> None:
        if given == retry:
            raise InvalidArgument("resolve() takes either result= (it happened) or retry=True (call it again)")
        seq = effect.seq if isinstance(effect, Effect) else effect
        known = journal.effects(await self._entries(0, 1 << 62, 1 << 62)).get(seq)
        if known is None:
            raise NotFound(f"{self.handle.name} has no effect with the journal entry {seq!r}; recover() lists them")
        if known.status != "unfinished":
            raise Conflict(f"{self.handle.name}: the effect {seq} is {known.status} already", actual=known.status)
        data = {"of": seq} if retry else {"of": seq, "value": result}
        body = self.handle.codec.encode(data, "result")
        kind = journal.RETRY if retry else journal.RESULT
        await appending.append(self.engine, self.handle, kind, body, f"{journal.OWN}resolve:{seq}")  # decided once

    # ---------------------------------------------------------------- helpers

    def _typed(self, found: Checkpoint[Any] | None, channels: Collection[str] | None) -> Checkpoint[S] | None:
        """The state as an instance of the thread's state class; a part of it stays a dict."""
        if found is None or self.state is dict or channels is not None:
            return found
        values = {field.name: getattr(found, field.name) for field in dataclass_fields(found)}
        return Checkpoint(**{**values, "state": state_from(self.state, found.state)})

    def _metadata(self, metadata: Mapping[str, Any] | None) -> bytes | None:
        known = _mapping(metadata, "metadata")
        return self.handle.codec.encode(known, "metadata") if known else None

    def _pointed(self, point: str | CheckpointInfo) -> tuple[Handle, str]:
        if isinstance(point, CheckpointInfo):
            return Handle(point.thread_id, point.namespace, self.handle.codec), point.id
        return self.handle, check_id(point, "a checkpoint id")

    def _fork_name(self) -> str:
        return f"{self.handle.thread_id[: MAX_ID - 21]}~{new_id()}"

    def _write(self, place: int, entry: Sequence[Any]) -> writes.Write:
        if not isinstance(entry, tuple | list) or len(entry) not in (2, 3):
            raise InvalidArgument(f"writes[{place}] must be (channel, value) or (channel, value, index)")
        index = entry[2] if len(entry) == 3 else place
        number = _number(index, f"writes[{place}] index")
        path = f"writes[{place}]"
        return writes.Write(_channel(entry[0]), self.handle.codec.encode(entry[1], path), number or 0)


# ------------------------------------------------------------------------------------------------ arguments


def _channels(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidArgument(f"{what} must be a mapping of channels to values, not {type(value).__name__}")
    return {_channel(name): one for name, one in value.items()}


def _channel(name: Any) -> str:
    if not isinstance(name, str):
        raise InvalidArgument(f"a channel is named by text, not by {name!r}")
    if not is_text(name):
        raise InvalidArgument(f"the channel name {name[:80]!r} contains half of a surrogate pair")
    return name


def _number(value: Any, what: str, least: int | None = None) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidArgument(f"{what} must be a whole number, not {value!r}")
    if (least is not None and value < least) or abs(value) >= 1 << 62:
        raise InvalidArgument(f"{what} is out of range: {value}")
    return int(value)


def _nodes(value: Sequence[str]) -> tuple[str, ...]:
    return tuple(check_text(name, "next") for name in _listed(value, "next"))


def _names(channels: Collection[str] | None) -> Collection[str] | None:
    return None if channels is None else [_channel(name) for name in _listed(channels, "channels")]


def _listed(value: Any, what: str) -> list[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidArgument(f"{what} is a list; for one, write [{value!r}]")
    return list(value)


def _limit(value: Any) -> int | None:
    return _number(value, "limit", least=0)


def _mapping(value: Mapping[str, Any] | None, what: str) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidArgument(f"{what} must be a mapping, not {type(value).__name__}")
    for key in value:
        if not isinstance(key, str):
            raise InvalidArgument(f"{what} is keyed by text, not by {key!r}")
        check_text(key, f"a key of {what}")
    return dict(value)
