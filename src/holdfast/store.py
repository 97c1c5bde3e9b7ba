"""The sync façade: full signatures, and no logic. `operations` and `runs` do the work; `aio` has the same methods with
`await`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from holdfast import transfer
from holdfast._drive import run
from holdfast._system.interrupts import is_interrupt
from holdfast.backends.base import Progress
from holdfast.codec.codec import MAX_VALUE
from holdfast.engine.cache import DEFAULT_BYTES
from holdfast.engine.checkpoints.state_diff import Diff
from holdfast.engine.journal.entries import Effect, JournalEntry
from holdfast.engine.values.reducers import Reducer
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
from holdfast.transfer import Listener, TransferReport

if TYPE_CHECKING:
    from holdfast.aio import AsyncStore

S = TypeVar("S")
T = TypeVar("T")
Durability = Literal["sync", "async", "exit"]


def open(
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
) -> Store:
    """Open a store: a path is SQLite, ``postgresql://…`` a server, ``memory:`` this process only.

    `types` are the classes that values may be rebuilt as; `cache` is how many bytes of committed state are kept in
    memory; a value whose encoding has more than `max_value` bytes is neither saved nor loaded, and raises `TooLarge`;
    `schema` is where in a PostgreSQL database the tables are. `ttl`, `refresh` and `retention` apply to threads that
    are written through this store and have none of their own: see `Store.thread`.
    """
    requested = requested_policy(ttl, refresh, retention)
    return Store(StoreCalls(run(open_engine, url, types, durability, cache, schema, requested, max_value)))


def copy(
    source: Store,
    target: Store,
    thread_ids: Iterable[str] | None = None,
    *,
    as_: Mapping[str, str] | None = None,
    progress: Listener | None = None,
) -> TransferReport:
    """Copy to one store what it lacks of another's threads (all, if None); `as_` gives threads other ids there.

    Digests show what the target has already. A thread that was continued in both stores raises `Conflict`, and stays as
    it is.
    """
    return run(transfer.copy, source._calls.engine, target._calls.engine, thread_ids, as_, progress)


class Store:
    """One opened database of threads. Usable from any thread; a context manager that closes it."""

    def __init__(self, calls: StoreCalls) -> None:
        self._calls = calls

    @property
    def aio(self) -> AsyncStore:
        """The async façade on the same store."""
        from holdfast.aio import AsyncStore

        return AsyncStore(self._calls)

    @property
    def url(self) -> str:
        return self._calls.engine.url

    def within(self, connection: Any) -> Store:
        """This store inside the transaction that is open on your psycopg connection: what is saved through it is
        committed or rolled back with your own rows. Only on PostgreSQL; an `AsyncStore` takes an async connection."""
        return Store(self._calls.within(connection))

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
    ) -> Thread[dict[str, Any]]: ...
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
    ) -> Thread[S]: ...
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
    ) -> Thread[Any]:
        """A handle on a thread; no I/O.

        `state` is the class that its states are rebuilt as; `metadata` is merged into the thread's at the next save;
        `reuse` lets a deleted thread start again. From the next save on, the thread expires `ttl` after it was last
        written (with `refresh`: or read), and is pruned by `retention` as it is written.
        """
        return Thread(
            self._calls.thread(id, namespace, state, metadata, reuse, requested_policy(ttl, refresh, retention))
        )

    def threads(
        self,
        prefix: str = "",
        where: Mapping[str, Any] | None = None,
        limit: int | None = 100,
        after: str | None = None,
    ) -> list[ThreadInfo]:
        """Threads in the order of their ids; `where` compares ``status`` and keys of the threads' metadata."""
        return run(self._calls.threads, prefix, where, limit, after)

    def copy_thread(self, source: str, target: str) -> bool:
        """Copy a thread with all namespaces, ids and writes, sharing content. False if there is nothing to copy."""
        return run(self._calls.copy_thread, source, target)

    def resumable(self) -> list[ThreadInfo]:
        """Threads that a supervisor may pick up: their worker died, left them unfinished, or failed."""
        return run(self._calls.resumable)

    def delete_run(self, run_id: str) -> int:
        """Remove what one run saved from every thread; returns how many checkpoints were removed."""
        return run(self._calls.delete_run, run_id)

    def verify(self, progress: Progress | None = None) -> VerifyReport:
        """Read everything that is stored, each row once, and report what is wrong with it. Other writers may continue.
        `progress` receives how many trees of threads are done, and of how many."""
        return run(self._calls.verify, progress)

    def repair(self, plan: VerifyReport, dry_run: bool = False) -> RepairReport:
        """Repair what `verify` found: damaged rows are moved to the quarantine, intact ones are linked again, and the
        report says what was lost. `dry_run` reports the same and changes nothing."""
        return run(self._calls.repair, plan, dry_run)

    def quarantined(self) -> list[Quarantined]:
        """The damaged rows that `repair` has moved to the quarantine, oldest first."""
        return run(self._calls.quarantined)

    def prune(self, retention: Retention, *, dry_run: bool = False, progress: Progress | None = None) -> PruneReport:
        """Remove from every thread the checkpoints that no rule keeps; `progress` receives how many threads are done,
        and of how many found so far."""
        return run(self._calls.prune, retention, dry_run, progress)

    def collect(self, progress: Progress | None = None) -> CollectReport:
        """Free what no thread, fork or early write refers to any more; other writers may continue. It may be stopped at
        any time and run again. `progress` receives how many trees of threads are done, and of how many."""
        return run(self._calls.collect, progress)

    def backup(self, path: str | os.PathLike[str], progress: Progress | None = None) -> BackupReport:
        """Write the store as it is at one moment to a new file (for a store of plain files: a new folder), which is a
        store itself; other writers may continue. The first process that opens the backup ends the leases in it.
        `progress` receives how many bytes or rows are written, and of how many."""
        return run(self._calls.backup, path, progress)

    def stats(self, progress: Progress | None = None) -> StoreStats:
        """How much the store holds: threads, checkpoints and bytes, the largest threads, and what was saved on each
        day. `progress` receives how many trees of threads are done, and of how many found so far."""
        return run(self._calls.stats, progress)

    def expire(
        self, limit: int | None = None, *, dry_run: bool = False, progress: Progress | None = None
    ) -> ExpireReport:
        """Remove threads whose ttl has run out, at most `limit` of them. They have been invisible since then; this
        frees their space. `progress` receives how many threads were examined, and how many had expired."""
        return run(self._calls.expire, limit, dry_run, progress)

    def erase(
        self, where: Mapping[str, Any], *, dry_run: bool = False, progress: Progress | None = None
    ) -> EraseCertificate:
        """Remove every thread that has this metadata, itself or in a checkpoint, with its forks and copies, so that no
        byte of them stays in the store. The certificate says what was removed, and where copies may still exist."""
        return run(self._calls.erase, where, dry_run, progress)

    def export(
        self,
        thread_ids: Iterable[str] | None,
        path: str | os.PathLike[str],
        *,
        json: bool = False,
        progress: Listener | None = None,
    ) -> TransferReport:
        """Write threads (all, if None) with all their content to one file: a bundle that `import_` reads, or with
        `json` lines of JSON for people to read."""
        return run(transfer.export, self._calls.engine, thread_ids, path, json, progress)

    def import_(
        self,
        path: str | os.PathLike[str],
        *,
        as_: Mapping[str, str] | None = None,
        progress: Listener | None = None,
    ) -> TransferReport:
        """Import what a bundle has and this store lacks, verified; `as_` gives threads other ids here."""
        return run(transfer.import_, self._calls.engine, path, as_, progress)

    def bytes_stored(self) -> int:
        """How many bytes the store takes up on disk or in the database."""
        return run(self._calls.bytes_stored)

    def close(self) -> None:
        """Release all resources; closing twice is fine."""
        return run(self._calls.close)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"holdfast.Store({self.url!r})"


class Thread(Generic[S]):
    """One namespace of one thread: a line of checkpoints to save to, read, rewind and fork."""

    def __init__(self, calls: ThreadCalls[S]) -> None:
        self._calls = calls

    @property
    def id(self) -> str:
        return self._calls.handle.thread_id

    @property
    def namespace(self) -> str:
        return self._calls.handle.namespace

    def save(
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
        return run(self._calls.save, state, extra, given)

    def update(
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
        return run(self._calls.update, updates, reduce, given)

    def latest(self, channels: Collection[str] | None = None) -> Checkpoint[S] | None:
        """The newest checkpoint; with `channels`, only those, as a dict."""
        return run(self._calls.latest, channels)

    def load(self, id: str, channels: Collection[str] | None = None) -> Checkpoint[S] | None:
        """One checkpoint by its id; None if there is none."""
        return run(self._calls.load, id, channels)

    def at(
        self, *, step: int | None = None, time: datetime | None = None, journal_seq: int | None = None
    ) -> Checkpoint[S] | None:
        """The checkpoint at or before a step, a time or a journal entry, in the head's lineage."""
        return run(self._calls.at, step, time, journal_seq)

    def history(
        self, limit: int | None = 20, before: str | None = None, where: Mapping[str, Any] | None = None
    ) -> list[CheckpointInfo]:
        """Checkpoints, newest first, without their states; `before` is the last id of the previous page."""
        return run(self._calls.history, limit, before, where)

    def lineage(self, id: str) -> list[CheckpointInfo]:
        """A checkpoint and its ancestors, newest first, through forks."""
        return run(self._calls.lineage, id)

    def diff(self, a: str | CheckpointInfo, b: str | CheckpointInfo) -> Diff:
        """What changed from one checkpoint to another; a `CheckpointInfo` may be of another thread."""
        return run(self._calls.diff, a, b)

    def info(self) -> ThreadInfo | None:
        """The thread as lists show it; None if it does not exist."""
        return run(self._calls.info)

    def fork(
        self,
        at: str | None = None,
        *,
        edits: Mapping[str, Any] | None = None,
        to: str | None = None,
        history: bool = True,
    ) -> Thread[S]:
        """A new thread that starts at a checkpoint of this one (the head, if none is named) and shares all content."""
        return Thread(run(self._calls.fork, at, edits=edits, to=to, history=history))

    def label(self, id: str, text: str) -> None:
        """Name a checkpoint; an empty text removes the name."""
        return run(self._calls.label, id, text)

    def put_writes(self, id: str, writes: Iterable[Sequence[Any]], *, task_id: str, task_path: str = "") -> None:
        """Store what a task produced on top of a checkpoint: (channel, value) or (channel, value, index)."""
        return run(self._calls.put_writes, id, writes, task_id=task_id, task_path=task_path)

    @property
    def journal(self) -> Journal:
        """The thread's append-only record of events."""
        return Journal(self._calls)

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
    ) -> Run[S]:
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
        return Run(self._calls, options, wait)

    def recover(self) -> Recovery:
        """Where the thread is: its checkpoint, what happened since, and whether a run may simply be resumed."""
        return run(recovery.recover, self._calls)

    def resolve(self, effect: Effect | int, *, result: Any = UNSET, retry: bool = False) -> None:
        """Decide about an unfinished effect: it happened with this result, or it is called again."""
        return run(recovery.resolve, self._calls, effect, result, retry)

    def effects_after(self, id: str) -> list[Effect]:
        """The effects that happened after a checkpoint, and would happen again in a fork from it."""
        return run(recovery.effects_after, self._calls, id)

    def prune(self, retention: Retention, *, dry_run: bool = False) -> PruneReport:
        """Remove what no rule of the retention keeps, in every namespace; with `dry_run` only report it."""
        return run(self._calls.prune, retention, dry_run=dry_run)

    def delete(self) -> None:
        """Delete the thread with all its namespaces; a no-op if it does not exist."""
        return run(self._calls.delete)

    def delete_checkpoints(self, ids: Iterable[str]) -> int:
        """Remove single checkpoints; returns how many existed."""
        return run(self._calls.delete_checkpoints, ids)

    def delete_run(self, run_id: str) -> int:
        """Remove what one run saved in this thread; returns how many checkpoints were removed."""
        return run(self._calls.delete_run, run_id)

    def __repr__(self) -> str:
        return f"holdfast.Thread({self.id!r}" + (f", {self.namespace!r})" if self.namespace else ")")


class Journal:
    """A thread's append-only record of events."""

    def __init__(self, calls: ThreadCalls[Any]) -> None:
        self._calls = calls

    def append(self, kind: str, data: Any, *, key: str | None = None) -> int:
        """Store an event; returns its number, or that of the first event with the same key and content."""
        return run(self._calls.append, kind, data, key=key)

    def read(self, after: int | str = 0, limit: int | None = 100) -> list[JournalEntry]:
        """Entries after a number or cursor, oldest first."""
        return run(self._calls.entries, after, limit)

    def latest(self) -> JournalEntry | None:
        """The last entry."""
        return run(self._calls.last_entry)


class Run(Generic[S]):
    """One execution of a thread. Enter it; leaving the block ends the run as the block ended."""

    def __init__(self, thread: ThreadCalls[S], options: Options, wait: float) -> None:
        self._calls = RunCalls(thread, options)
        self._wait = wait

    @property
    def id(self) -> str:
        return self._calls.id

    @property
    def thread(self) -> Thread[S]:
        """The thread for the holder of its lease: updates and writes through it carry the lease."""
        return Thread(self._calls.thread)

    def inner(self, namespace: str) -> Thread[Any]:
        """An inner namespace of the thread for the holder of its lease: for sub-agents of the run."""
        return Thread(self._calls.inner(namespace))

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

    def step(
        self,
        name: str,
        fn: Callable[..., T],
        *args: Any,
        key: str | None = None,
        idempotent: bool = False,
        retries: int = 0,
    ) -> T:
        """Call `fn(*args)` once: its result is recorded, and returned without a call when the run is resumed.

        An `AsyncRun` awaits a coroutine function, and calls a plain one on a worker thread.
        """
        delays = backoff(retries)
        begun = run(self._calls.begin_step, self._calls.use_step(name, key), name, key, idempotent)
        if begun.is_recorded:
            return begun.value  # type: ignore[no-any-return]
        for delay in (*delays, None):
            try:
                value = fn(*args)
                break
            except Exception as error:
                if delay is None or is_interrupt(error):
                    run(self._calls.fail_step, begun, error)
                    raise
                time.sleep(delay)
        run(self._calls.end_step, begun, name, value)
        return value

    def save(
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
        return run(self._calls.save, state, extra, given)

    def interrupt(self, payload: Any = None, name: str = "") -> Any:
        """Save and leave the block, for a person to decide; when resumed, returns the value they gave."""
        return run(self._calls.interrupt, payload, name)

    def finish(self, state: S | Mapping[str, Any], status: str = "completed") -> CheckpointInfo:
        """Save the last checkpoint of the run."""
        return run(self._calls.finish, state, status)

    def __enter__(self) -> Run[S]:
        try:
            lease_wait = LeaseWait(self._wait)
            while True:
                try:
                    run(self._calls.take)
                    break
                except ThreadBusy as busy:
                    time.sleep(lease_wait.next(busy))
            run(self._calls.start)
            return self
        except BaseException:
            run(self._calls.abandon)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        try:
            return run(self._calls.leave, error)
        except BaseException as second:
            if is_interrupt(second):
                run(self._calls.abandon)
            raise
