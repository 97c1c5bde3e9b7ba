"""The async façade: the methods of `store`, awaited. Usable from any event loop, and from several at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Generic, TypeVar, overload

from holdfast import transfer
from holdfast._drive import Driver, called, sleep, threaded
from holdfast._system.interrupts import is_interrupt
from holdfast.backends.base import Progress
from holdfast.codec.codec import MAX_VALUE
from holdfast.engine.cache import DEFAULT_BYTES
from holdfast.engine.checkpoints.state_diff import Diff
from holdfast.engine.journal.entries import Effect, JournalEntry
from holdfast.engine.policy import Policy
from holdfast.engine.values.reducers import Reducer, may_block
from holdfast.errors import ThreadBusy
from holdfast.model import (
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
from holdfast.operations.arguments import SaveArguments, Types, requested_policy
from holdfast.operations.store_calls import StoreCalls, open_engine
from holdfast.operations.thread_calls import ThreadCalls
from holdfast.runs import recovery
from holdfast.runs.options import MAX_RESULT, UNSET, LeaseWait, Options, backoff
from holdfast.runs.recovery import Recovery
from holdfast.runs.run import RunCalls
from holdfast.store import Durability, Store
from holdfast.transfer import Listener, TransferReport

S = TypeVar("S")


def aopen(
    url: str | os.PathLike[str],
    *,
    types: Types = (),
    durability: Durability = "sync",
    cache: int = DEFAULT_BYTES,
    max_value: int = MAX_VALUE,
    schema: str | None = None,
    ttl: timedelta | float | None = None,
    refresh: bool | None = None,
    retention: Retention | None = None,
) -> StoreOpener:
    """Open a store for async use: ``store = await aopen(url)``, or ``async with aopen(url) as store``."""
    return StoreOpener(url, types, durability, cache, schema, requested_policy(ttl, refresh, retention), max_value)


class StoreOpener:
    """A store about to be opened: await it, or enter it."""

    def __init__(
        self,
        url: str | os.PathLike[str],
        types: Types,
        durability: Durability,
        cache: int,
        schema: str | None,
        default_policy: Policy,
        max_value: int,
    ) -> None:
        self._arguments = (url, types, durability, cache, schema, default_policy, max_value)
        self._store: AsyncStore | None = None

    def __await__(self) -> Generator[Any, None, AsyncStore]:
        return self._open().__await__()

    async def _open(self) -> AsyncStore:
        return AsyncStore(StoreCalls(await threaded(open_engine, *self._arguments)))

    async def __aenter__(self) -> AsyncStore:
        self._store = await self._open()
        return self._store

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._store is not None:
            await self._store.close()


async def acopy(
    source: AsyncStore,
    target: AsyncStore,
    thread_ids: Iterable[str] | None = None,
    *,
    as_: Mapping[str, str] | None = None,
    progress: Listener | None = None,
) -> TransferReport:
    """Copy to one store what it lacks of another's threads (all, if None); `as_` gives threads other ids there.

    Digests show what the target has already. A thread that was continued in both stores raises `Conflict`, and stays as
    it is.
    """
    return await threaded(transfer.copy, source._calls.engine, target._calls.engine, thread_ids, as_, progress)


class AsyncStore:
    """One opened database of threads. Usable from any event loop; an async context manager that closes it."""

    def __init__(self, calls: StoreCalls) -> None:
        self._calls = calls
        self._drive = Driver(calls.engine)

    @property
    def sync(self) -> Store:
        """The sync façade on the same store."""
        return Store(self._calls)

    @property
    def url(self) -> str:
        return self._calls.engine.url

    def within(self, connection: Any) -> AsyncStore:
        """This store inside the transaction that is open on your psycopg connection: what is saved through it is
        committed or rolled back with your own rows. Only on PostgreSQL; an `AsyncStore` takes an async connection."""
        return AsyncStore(self._calls.within(connection))

    @overload
    def thread(
        self,
        id: str,
        namespace: str = "",
        *,
        metadata: Mapping[str, Any] | None = None,
        reuse: bool = False,
        ttl: timedelta | float | None = None,
        refresh: bool | None = None,
        retention: Retention | None = None,
    ) -> AsyncThread[dict[str, Any]]: ...
    @overload
    def thread(
        self,
        id: str,
        namespace: str = "",
        *,
        state: type[S],
        metadata: Mapping[str, Any] | None = None,
        reuse: bool = False,
        ttl: timedelta | float | None = None,
        refresh: bool | None = None,
        retention: Retention | None = None,
    ) -> AsyncThread[S]: ...
    def thread(
        self,
        id: str,
        namespace: str = "",
        *,
        state: type[Any] = dict,
        metadata: Mapping[str, Any] | None = None,
        reuse: bool = False,
        ttl: timedelta | float | None = None,
        refresh: bool | None = None,
        retention: Retention | None = None,
    ) -> AsyncThread[Any]:
        """A handle on a thread; no I/O.

        `state` is the class that its states are rebuilt as; `metadata` is merged into the thread's at the next save;
        `reuse` lets a deleted thread start again. From the next save on, the thread expires `ttl` after it was last
        written (with `refresh`: or read), and is pruned by `retention` as it is written.
        """
        return AsyncThread(
            self._calls.thread(id, namespace, state, metadata, reuse, requested_policy(ttl, refresh, retention))
        )

    async def threads(
        self,
        prefix: str = "",
        where: Mapping[str, Any] | None = None,
        limit: int | None = 100,
        after: str | None = None,
    ) -> list[ThreadInfo]:
        """Threads in the order of their ids; `where` compares ``status`` and keys of the threads' metadata."""
        return await self._drive(self._calls.threads, prefix, where, limit, after)

    async def copy_thread(self, source: str, target: str) -> bool:
        """Copy a thread with all namespaces, ids and writes, sharing content. False if there is nothing to copy."""
        return await self._drive(self._calls.copy_thread, source, target)

    async def resumable(self) -> list[ThreadInfo]:
        """Threads that a supervisor may pick up: their worker died, left them unfinished, or failed."""
        return await self._drive(self._calls.resumable)

    async def delete_run(self, run_id: str) -> int:
        """Remove what one run saved from every thread; returns how many checkpoints were removed."""
        return await self._drive(self._calls.delete_run, run_id)

    async def verify(self, progress: Progress | None = None) -> VerifyReport:
        """Read everything that is stored, each row once, and report what is wrong with it. Other writers may continue.
        `progress` receives how many trees of threads are done, and of how many."""
        return await self._drive(self._calls.verify, progress)

    async def repair(self, plan: VerifyReport, dry_run: bool = False) -> RepairReport:
        """Repair what `verify` found: damaged rows are moved to the quarantine, intact ones are linked again, and the
        report says what was lost. `dry_run` reports the same and changes nothing."""
        return await self._drive(self._calls.repair, plan, dry_run)

    async def quarantined(self) -> list[Quarantined]:
        """The damaged rows that `repair` has moved to the quarantine, oldest first."""
        return await self._drive(self._calls.quarantined)

    async def prune(
        self, retention: Retention, *, dry_run: bool = False, progress: Progress | None = None
    ) -> PruneReport:
        """Remove from every thread the checkpoints that no rule keeps; `progress` receives how many threads are done,
        and of how many found so far."""
        return await self._drive(self._calls.prune, retention, dry_run, progress)

    async def collect(self, progress: Progress | None = None) -> CollectReport:
        """Free what no thread, fork or early write refers to any more; other writers may continue. It may be stopped at
        any time and run again. `progress` receives how many trees of threads are done, and of how many."""
        return await self._drive(self._calls.collect, progress)

    async def backup(self, path: str | os.PathLike[str], progress: Progress | None = None) -> BackupReport:
        """Write the store as it is at one moment to a new file (for a store of plain files: a new folder), which is a
        store itself; other writers may continue. The first process that opens the backup ends the leases in it.
        `progress` receives how many bytes or rows are written, and of how many."""
        return await threaded(self._calls.backup, path, progress)

    async def stats(self, progress: Progress | None = None) -> StoreStats:
        """How much the store holds: threads, checkpoints and bytes, the largest threads, and what was saved on each
        day. `progress` receives how many trees of threads are done, and of how many found so far."""
        return await self._drive(self._calls.stats, progress)

    async def expire(
        self, limit: int | None = None, *, dry_run: bool = False, progress: Progress | None = None
    ) -> ExpireReport:
        """Remove threads whose ttl has run out, at most `limit` of them. They have been invisible since then; this
        frees their space. `progress` receives how many threads were examined, and how many had expired."""
        return await self._drive(self._calls.expire, limit, dry_run, progress)

    async def erase(
        self, where: Mapping[str, Any], *, dry_run: bool = False, progress: Progress | None = None
    ) -> EraseCertificate:
        """Remove every thread that has this metadata, itself or in a checkpoint, with its forks and copies, so that no
        byte of them stays in the store. The certificate says what was removed, and where copies may still exist."""
        return await self._drive(self._calls.erase, where, dry_run, progress)

    async def export(
        self,
        thread_ids: Iterable[str] | None,
        path: str | os.PathLike[str],
        *,
        json: bool = False,
        progress: Listener | None = None,
    ) -> TransferReport:
        """Write threads (all, if None) with all their content to one file: a bundle that `import_` reads, or with
        `json` lines of JSON for people to read."""
        return await threaded(transfer.export, self._calls.engine, thread_ids, path, json, progress)

    async def import_(
        self,
        path: str | os.PathLike[str],
        *,
        as_: Mapping[str, str] | None = None,
        progress: Listener | None = None,
    ) -> TransferReport:
        """Import what a bundle has and this store lacks, verified; `as_` gives threads other ids here."""
        return await threaded(transfer.import_, self._calls.engine, path, as_, progress)

    async def bytes_stored(self) -> int:
        """How many bytes the store takes up on disk or in the database."""
        return await self._drive(self._calls.bytes_stored)

    async def close(self) -> None:
        """Release all resources; closing twice is fine."""
        return await self._drive(self._calls.close)

    async def __aenter__(self) -> AsyncStore:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"holdfast.AsyncStore({self.url!r})"


class AsyncThread(Generic[S]):
    """One namespace of one thread: a line of checkpoints to save to, read, rewind and fork."""

    def __init__(self, calls: ThreadCalls[S]) -> None:
        self._calls = calls
        self._drive = Driver(calls.engine)

    @property
    def id(self) -> str:
        return self._calls.handle.thread_id

    @property
    def namespace(self) -> str:
        return self._calls.handle.namespace

    async def save(
        self,
        state: S | Mapping[str, Any],
        *,
        node: str = "",
        next: Sequence[str] = (),
        step: int | None = None,
        source: str = "loop",
        run_id: str | None = None,
        status: str = "running",
        label: str = "",
        metadata: Mapping[str, Any] | None = None,
        extra: Any = None,
        origin: str | None = None,
        journal_seq: int | None = None,
        id: str | None = None,
        parent: Parent = None,
        expect_head: str | None = None,
    ) -> CheckpointInfo:
        """Save a complete state as the next checkpoint; it is on disk when this returns."""
        given = SaveArguments(
            node=node,
            next=next,
            step=step,
            source=source,
            run_id=run_id,
            status=status,
            label=label,
            metadata=metadata,
            origin=origin,
            journal_seq=journal_seq,
            id=id,
            parent=parent,
            expect_head=expect_head,
        )
        return await self._drive(self._calls.save, state, extra, given)

    async def update(
        self,
        updates: Mapping[str, Any],
        *,
        reduce: Mapping[str, Reducer] | None = None,
        node: str = "",
        next: Sequence[str] | None = None,
        run_id: str | None = None,
        status: str | None = None,
        label: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> CheckpointInfo:
        """Change only these channels of the head, each by its reducer; tried again if another writer moves the head.

        `next`, `run_id` and `status` stay as the head has them unless they are given.
        """
        given = SaveArguments(
            node=node, next=next, source="update", run_id=run_id, status=status, label=label, metadata=metadata
        )
        drive = threaded if may_block(reduce) else self._drive
        return await drive(self._calls.update, updates, reduce, given)

    async def latest(self, channels: Collection[str] | None = None) -> Checkpoint[S] | None:
        """The newest checkpoint; with `channels`, only those, as a dict."""
        return await self._drive(self._calls.latest, channels)

    async def load(self, id: str, channels: Collection[str] | None = None) -> Checkpoint[S] | None:
        """One checkpoint by its id; None if there is none."""
        return await self._drive(self._calls.load, id, channels)

    async def at(
        self, *, step: int | None = None, time: datetime | None = None, journal_seq: int | None = None
    ) -> Checkpoint[S] | None:
        """The checkpoint at or before a step, a time or a journal entry, in the head's lineage."""
        return await self._drive(self._calls.at, step, time, journal_seq)

    async def history(
        self, limit: int | None = 20, before: str | None = None, where: Mapping[str, Any] | None = None
    ) -> list[CheckpointInfo]:
        """Checkpoints, newest first, without their states; `before` is the last id of the previous page."""
        return await self._drive(self._calls.history, limit, before, where)

    async def lineage(self, id: str) -> list[CheckpointInfo]:
        """A checkpoint and its ancestors, newest first, through forks."""
        return await self._drive(self._calls.lineage, id)

    async def diff(self, a: str | CheckpointInfo, b: str | CheckpointInfo) -> Diff:
        """What changed from one checkpoint to another; a `CheckpointInfo` may be of another thread."""
        return await self._drive(self._calls.diff, a, b)

    async def info(self) -> ThreadInfo | None:
        """The thread as lists show it; None if it does not exist."""
        return await self._drive(self._calls.info)

    async def fork(
        self,
        at: str | None = None,
        *,
        edits: Mapping[str, Any] | None = None,
        to: str | None = None,
        history: bool = True,
    ) -> AsyncThread[S]:
        """A new thread that starts at a checkpoint of this one (the head, if none is named) and shares all content."""
        return AsyncThread(await self._drive(self._calls.fork, at, edits=edits, to=to, history=history))

    async def label(self, id: str, text: str) -> None:
        """Name a checkpoint; an empty text removes the name."""
        return await self._drive(self._calls.label, id, text)

    async def put_writes(self, id: str, writes: Iterable[Sequence[Any]], *, task_id: str, task_path: str = "") -> None:
        """Store what a task produced on top of a checkpoint: (channel, value) or (channel, value, index)."""
        return await self._drive(self._calls.put_writes, id, writes, task_id=task_id, task_path=task_path)

    @property
    def journal(self) -> AsyncJournal:
        """The thread's append-only record of events."""
        return AsyncJournal(self._calls)

    def run(
        self,
        *,
        input: S | Mapping[str, Any] | None = None,
        resume: Any = UNSET,
        worker: str | None = None,
        ttl: float = 30.0,
        wait: float = 0.0,
        durability: Durability | None = None,
        max_result: int = MAX_RESULT,
    ) -> AsyncRun[S]:
        """Work on the thread as its only worker: enter the result in a ``with`` block.

        `input` starts a run on an empty or ended thread; otherwise the unfinished run is resumed. `wait` is how many
        seconds to wait for another worker's lease, `ttl` how long this one's lasts between its writes.
        """
        options = Options(
            input=input,
            resume=resume,
            worker=worker,
            ttl=ttl,
            durability=durability or self._calls.engine.durability,
            max_result=max_result,
        )
        return AsyncRun(self._calls, options, wait)

    async def recover(self) -> Recovery:
        """Where the thread is: its checkpoint, what happened since, and whether a run may simply be resumed."""
        return await self._drive(recovery.recover, self._calls)

    async def resolve(self, effect: Effect | int, *, result: Any = UNSET, retry: bool = False) -> None:
        """Decide about an unfinished effect: it happened with this result, or it is called again."""
        return await self._drive(recovery.resolve, self._calls, effect, result, retry)

    async def effects_after(self, id: str) -> list[Effect]:
        """The effects that happened after a checkpoint, and would happen again in a fork from it."""
        return await self._drive(recovery.effects_after, self._calls, id)

    async def prune(self, retention: Retention, *, dry_run: bool = False) -> PruneReport:
        """Remove what no rule of the retention keeps, in every namespace; with `dry_run` only report it."""
        return await self._drive(self._calls.prune, retention, dry_run=dry_run)

    async def delete(self) -> None:
        """Delete the thread with all its namespaces; a no-op if it does not exist."""
        return await self._drive(self._calls.delete)

    async def delete_checkpoints(self, ids: Iterable[str]) -> int:
        """Remove single checkpoints; returns how many existed."""
        return await self._drive(self._calls.delete_checkpoints, ids)

    async def delete_run(self, run_id: str) -> int:
        """Remove what one run saved in this thread; returns how many checkpoints were removed."""
        return await self._drive(self._calls.delete_run, run_id)

    def __repr__(self) -> str:
        return f"holdfast.AsyncThread({self.id!r}" + (f", {self.namespace!r})" if self.namespace else ")")


class AsyncJournal:
    """A thread's append-only record of events."""

    def __init__(self, calls: ThreadCalls[Any]) -> None:
        self._calls = calls
        self._drive = Driver(calls.engine)

    async def append(self, kind: str, data: Any, *, key: str | None = None) -> int:
        """Store an event; returns its number, or that of the first event with the same key and content."""
        return await self._drive(self._calls.append, kind, data, key=key)

    async def read(self, after: int | str = 0, limit: int | None = 100) -> list[JournalEntry]:
        """Entries after a number or cursor, oldest first."""
        return await self._drive(self._calls.entries, after, limit)

    async def latest(self) -> JournalEntry | None:
        """The last entry."""
        return await self._drive(self._calls.last_entry)


class AsyncRun(Generic[S]):
    """One execution of a thread. Enter it; leaving the block ends the run as the block ended."""

    def __init__(self, thread: ThreadCalls[S], options: Options, wait: float) -> None:
        self._calls = RunCalls(thread, options)
        self._drive = Driver(thread.engine)
        self._wait = wait

    @property
    def id(self) -> str:
        return self._calls.id

    @property
    def thread(self) -> AsyncThread[S]:
        """The thread for the holder of its lease: updates and writes through it carry the lease."""
        return AsyncThread(self._calls.thread)

    def inner(self, namespace: str) -> AsyncThread[Any]:
        """An inner namespace of the thread for the holder of its lease: for sub-agents of the run."""
        return AsyncThread(self._calls.inner(namespace))

    @property
    def state(self) -> S:
        """The state as last saved."""
        state: S = self._calls.state
        return state

    @property
    def resumed(self) -> bool:
        """Whether this continues a run that was started before."""
        return self._calls.resumed

    @property
    def interrupted(self) -> bool:
        return self._calls.interrupted

    @property
    def payload(self) -> Any:
        """What the interrupt asked for."""
        return self._calls.payload

    async def step(
        self,
        name: str,
        fn: Callable[..., Any],
        *args: Any,
        key: str | None = None,
        idempotent: bool = False,
        retries: int = 0,
    ) -> Any:
        """Call `fn(*args)` once: its result is recorded, and returned without a call when the run is resumed.

        An `AsyncRun` awaits a coroutine function, and calls a plain one on a worker thread.
        """
        delays = backoff(retries)
        begun = await self._drive(self._calls.begin_step, self._calls.use_step(name, key), name, key, idempotent)
        if begun.is_recorded:
            return begun.value
        for delay in (*delays, None):
            try:
                value = await called(fn, *args)
                break
            except Exception as error:
                if delay is None or is_interrupt(error):
                    await self._drive(self._calls.fail_step, begun, error)
                    raise
                await sleep(delay)
        await self._drive(self._calls.end_step, begun, name, value)
        return value

    async def save(
        self,
        state: S | Mapping[str, Any],
        *,
        node: str = "",
        next: Sequence[str] = (),
        step: int | None = None,
        label: str = "",
        metadata: Mapping[str, Any] | None = None,
        extra: Any = None,
    ) -> CheckpointInfo | None:
        """Save a checkpoint of the run; None where the durability leaves it for later."""
        given = SaveArguments(node=node, next=next, step=step, label=label, metadata=metadata)
        return await self._drive(self._calls.save, state, extra, given)

    async def interrupt(self, payload: Any = None, name: str = "") -> Any:
        """Save and leave the block, for a person to decide; when resumed, returns the value they gave."""
        return await self._drive(self._calls.interrupt, payload, name)

    async def finish(self, state: S | Mapping[str, Any], status: str = "completed") -> CheckpointInfo:
        """Save the last checkpoint of the run."""
        return await self._drive(self._calls.finish, state, status)

    async def __aenter__(self) -> AsyncRun[S]:
        lease_wait = LeaseWait(self._wait)
        try:
            while True:
                try:
                    await self._drive.shielded(self._calls.take)
                    break
                except ThreadBusy as busy:
                    await sleep(lease_wait.next(busy))
            await self._drive.shielded(self._calls.start)
        except BaseException:
            await self._drive.shielded(self._calls.abandon)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return await self._drive.shielded(self._calls.leave, error)
