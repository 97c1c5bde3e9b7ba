"""The sync façade. Every method is one line onto the shared call in `calls`; `aio` has the same verbs with `await`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from holdfast import transfer
from holdfast._drive import run
from holdfast.backends.base import Progress
from holdfast.calls import StoreCalls, ThreadCalls, Types, asked, open_engine
from holdfast.engine.cache import DEFAULT_BYTES
from holdfast.engine.diff import Diff
from holdfast.engine.reduce import Reducer
from holdfast.errors import ThreadBusy
from holdfast.journal import Effect, JournalEntry, Recovery
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
from holdfast.runs import MAX_RESULT, UNSET, Options, Patience, RunCalls, backoff
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
    schema: str | None = None,
    ttl: timedelta | float | None = None,
    refresh: bool | None = None,
    retention: Retention | None = None,
) -> Store:
    """Open a store: a path is SQLite, ``postgresql://…`` a server, ``memory:`` this process only.

    `types` are the classes that values may be rebuilt as; `cache` is how many bytes of committed state are kept ready;
    `schema` is where in a PostgreSQL database the tables are. `ttl`, `refresh` and `retention` are the terms of threads
    that are written here and have none of their own: see `Store.thread`.
    """
    return Store(StoreCalls(run(open_engine, url, types, durability, cache, schema, asked(ttl, refresh, retention))))


def copy(
    source: Store,
    target: Store,
    thread_ids: Iterable[str] | None = None,
    *,
    as_: Mapping[str, str] | None = None,
    progress: Listener | None = None,
) -> TransferReport:
    """Bring to one store what it lacks of another's threads (all, if None); `as_` gives threads other ids there.

    What is there is told by digests. A thread that went on in both stores is a `Conflict`, and stays as it is.
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
        `reuse` allows to start a deleted thread anew. From the next save on, the thread goes `ttl` after it was last
        written to (with `refresh`, or read), and is pruned by `retention` as it is written.
        """
        return Thread(self._calls.thread(id, namespace, state, metadata, reuse, asked(ttl, refresh, retention)))

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
        """Remove what one run saved from every thread; says how many checkpoints went."""
        return run(self._calls.delete_run, run_id)

    def verify(self, progress: Progress | None = None) -> VerifyReport:
        """Go through everything that is stored, each row once, and tell what is wrong with it. Others may go on writing
        meanwhile. `progress` is told how many trees of threads are done, and of how many."""
        return run(self._calls.verify, progress)

    def repair(self, plan: VerifyReport, dry_run: bool = False) -> RepairReport:
        """Mend what `verify` found: damaged rows are set aside, what is sound is hung together again, and the report
        says what was lost. `dry_run` tells the same and changes nothing."""
        return run(self._calls.repair, plan, dry_run)

    def quarantined(self) -> list[Quarantined]:
        """The damaged rows that `repair` has set aside, oldest first."""
        return run(self._calls.quarantined)

    def prune(self, retention: Retention, *, dry_run: bool = False, progress: Progress | None = None) -> PruneReport:
        """Remove from every thread the checkpoints that no rule keeps; `progress` is told how many threads are done,
        and of how many that are known so far."""
        return run(self._calls.prune, retention, dry_run, progress)

    def collect(self, progress: Progress | None = None) -> CollectReport:
        """Free what no thread, fork or waiting write reaches any more, beside live writers. It may be stopped at any
        time and run again. `progress` is told how many trees of threads are done, and of how many."""
        return run(self._calls.collect, progress)

    def backup(self, path: str | os.PathLike[str], progress: Progress | None = None) -> BackupReport:
        """Write the whole store as it is at one moment to a new file (of a store of plain files: a new folder), which
        is a store itself; others may go on writing meanwhile. Whoever opens the copy first takes every thread in it
        from its worker. `progress` is told how many bytes or rows are written, and of how many."""
        return run(self._calls.backup, path, progress)

    def stats(self, progress: Progress | None = None) -> StoreStats:
        """How much the store holds: threads, checkpoints and bytes, the largest threads, and what came day by day.
        `progress` is told how many trees of threads are done, and of how many that are known so far."""
        return run(self._calls.stats, progress)

    def expire(
        self, limit: int | None = None, *, dry_run: bool = False, progress: Progress | None = None
    ) -> ExpireReport:
        """Remove threads whose ttl has run out, at most `limit` of them. They are invisible from that moment on anyway;
        this frees what they take up. `progress` is told how many threads were looked at, and how many were over."""
        return run(self._calls.expire, limit, dry_run, progress)

    def erase(
        self, where: Mapping[str, Any], *, dry_run: bool = False, progress: Progress | None = None
    ) -> EraseCertificate:
        """Remove every thread that has this metadata, itself or in a checkpoint, with its forks and copies, so that no
        byte of them stays in the store. What it returns says what was removed, and where copies may still be."""
        return run(self._calls.erase, where, dry_run, progress)

    def export(
        self,
        thread_ids: Iterable[str] | None,
        path: str | os.PathLike[str],
        *,
        json: bool = False,
        progress: Listener | None = None,
    ) -> TransferReport:
        """Write threads (all, if None) with everything they have to one file: a bundle that `import_` reads, or with
        `json` lines of JSON for people to read."""
        return run(transfer.export, self._calls.engine, thread_ids, path, json, progress)

    def import_(
        self,
        path: str | os.PathLike[str],
        *,
        as_: Mapping[str, str] | None = None,
        progress: Listener | None = None,
    ) -> TransferReport:
        """Bring in what a bundle has and this store lacks, verified; `as_` gives threads other ids here."""
        return run(transfer.import_, self._calls.engine, path, as_, progress)

    def bytes_stored(self) -> int:
        """What the store takes up where it lives."""
        return run(self._calls.bytes_stored)

    def close(self) -> None:
        """Give everything back; closing twice is fine."""
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
    """One namespace of one thread: a line of checkpoints to save to, look into, rewind and fork."""

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
        """Save a whole state as the next checkpoint; it is on disk when this returns."""
        return run(self._calls.save, state, node=node, next=next, step=step, source=source, run_id=run_id, status=status, label=label, metadata=metadata, extra=extra, origin=origin, journal_seq=journal_seq, id=id, parent=parent, expect_head=expect_head)  # fmt: skip  # noqa: E501

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
        """Change only these channels of the head, each by its reducer; tried again if the head moves meanwhile.

        What is not given (`next`, `run_id`, `status`) stays as the head has it.
        """
        return run(self._calls.update, updates, reduce=reduce, node=node, next=next, run_id=run_id, status=status, label=label, metadata=metadata)  # fmt: skip  # noqa: E501

    def latest(self, channels: Collection[str] | None = None) -> Checkpoint[S] | None:
        """The newest checkpoint; with `channels`, only those, as a dict."""
        return run(self._calls.latest, channels)

    def load(self, id: str, channels: Collection[str] | None = None) -> Checkpoint[S] | None:
        """One checkpoint by its id; None if it is not there."""
        return run(self._calls.load, id, channels)

    def at(
        self, *, step: int | None = None, time: datetime | None = None, journal_seq: int | None = None
    ) -> Checkpoint[S] | None:
        """The checkpoint at or before a step, a time or a place in the journal, along the head's lineage."""
        return run(self._calls.at, step, time, journal_seq)

    def history(
        self, limit: int | None = 20, before: str | None = None, where: Mapping[str, Any] | None = None
    ) -> list[CheckpointInfo]:
        """Checkpoints, newest first, without their states; `before` is the last id of the page before."""
        return run(self._calls.history, limit, before, where)

    def lineage(self, id: str) -> list[CheckpointInfo]:
        """A checkpoint and its ancestors, newest first, through forks."""
        return run(self._calls.lineage, id)

    def diff(self, a: str | CheckpointInfo, b: str | CheckpointInfo) -> Diff:
        """What changed from one checkpoint to another; a `CheckpointInfo` may be of another thread."""
        return run(self._calls.diff, a, b)

    def info(self) -> ThreadInfo | None:
        """What a list would show of this thread; None if it does not exist."""
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
        """Name a checkpoint; an empty text takes the name away."""
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
        """Work on the thread as its only worker: enter what this gives.

        `input` starts a run on an empty or ended thread; otherwise the unfinished run goes on. `wait` is how many
        seconds to wait for another worker's lease, `ttl` how long this one's lasts between its writes.
        """
        return Run(self._calls, Options(input=input, resume=resume, worker=worker, ttl=ttl, durability=durability or self._calls.engine.durability, max_result=max_result), wait)  # fmt: skip  # noqa: E501

    def recover(self) -> Recovery:
        """Where the thread stands: its checkpoint, what happened since, and whether a run may simply go on."""
        return run(self._calls.recover)

    def resolve(self, effect: Effect | int, *, result: Any = UNSET, retry: bool = False) -> None:
        """Decide about an unfinished effect: it happened with this result, or it is to be called again."""
        return run(self._calls.resolve, effect, result=result, given=result is not UNSET, retry=retry)

    def effects_after(self, id: str) -> list[Effect]:
        """The effects that happened after a checkpoint, and would happen again in a fork from there."""
        return run(self._calls.effects_after, id)

    def prune(self, retention: Retention, *, dry_run: bool = False) -> PruneReport:
        """Remove what no rule of the retention keeps, in every namespace; with `dry_run` only say what would go."""
        return run(self._calls.prune, retention, dry_run=dry_run)

    def delete(self) -> None:
        """Delete the thread with all its namespaces; a no-op if it is not there."""
        return run(self._calls.delete)

    def delete_checkpoints(self, ids: Iterable[str]) -> int:
        """Remove single checkpoints; says how many were there."""
        return run(self._calls.delete_checkpoints, ids)

    def delete_run(self, run_id: str) -> int:
        """Remove what one run saved in this thread; says how many checkpoints went."""
        return run(self._calls.delete_run, run_id)

    def __repr__(self) -> str:
        return f"holdfast.Thread({self.id!r}" + (f", {self.namespace!r})" if self.namespace else ")")


class Journal:
    """A thread's append-only record: the truth that checkpoints accelerate."""

    def __init__(self, calls: ThreadCalls[Any]) -> None:
        self._calls = calls

    def append(self, kind: str, data: Any, *, key: str | None = None) -> int:
        """Store an event and give its number; the same key with the same content gives the first one's."""
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
        """The thread as its holder: updates and writes through it carry the run's lease."""
        return Thread(self._calls.thread)

    def inner(self, namespace: str) -> Thread[Any]:
        """An inner namespace of the thread, as its holder: for sub-agents that work within the run."""
        return Thread(self._calls.inner(namespace))

    @property
    def state(self) -> S:
        """The state as last saved."""
        state: S = self._calls.state
        return state

    @property
    def resumed(self) -> bool:
        """Whether this goes on with a run that was there before."""
        return self._calls.resumed

    @property
    def interrupted(self) -> bool:
        return self._calls.interrupted

    @property
    def payload(self) -> Any:
        """What the interrupt asked."""
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
        if begun.known:
            return begun.value  # type: ignore[no-any-return]
        for delay in (*delays, None):
            try:
                value = fn(*args)
                break
            except Exception as error:
                if delay is None:
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
        return run(
            self._calls.save, state, node=node, next=next, step=step, label=label, metadata=metadata, extra=extra
        )

    def interrupt(self, payload: Any = None, name: str = "") -> Any:
        """Save and leave the block, for a person to decide; when resumed, the value they gave."""
        return run(self._calls.interrupt, payload, name)

    def finish(self, state: S | Mapping[str, Any], status: str = "completed") -> CheckpointInfo:
        """Save the last checkpoint of the run."""
        return run(self._calls.finish, state, status)

    def __enter__(self) -> Run[S]:
        patience = Patience(self._wait)
        while True:
            try:
                run(self._calls.take)
                break
            except ThreadBusy as busy:
                time.sleep(patience.next(busy))
        run(self._calls.start)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return run(self._calls.leave, error)
