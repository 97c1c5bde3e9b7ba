"""The sync façade. Every method is one line onto the shared call in `calls`; `aio` has the same verbs with `await`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from holdfast._drive import run
from holdfast.calls import StoreCalls, ThreadCalls, Types, open_engine
from holdfast.engine.cache import DEFAULT_BYTES
from holdfast.engine.diff import Diff
from holdfast.engine.reduce import Reducer
from holdfast.model import Checkpoint, CheckpointInfo, Parent, ThreadInfo

if TYPE_CHECKING:
    from holdfast.aio import AsyncStore

S = TypeVar("S")
Durability = Literal["sync", "async", "exit"]


def open(
    url: str | os.PathLike[str],
    *,
    types: Types = (),
    durability: Durability = "sync",
    cache: int = DEFAULT_BYTES,
) -> Store:
    """Open a store: a path is SQLite, ``memory:`` is this process only.

    `types` are the classes that values may be rebuilt as; `cache` is how many bytes of committed state are kept ready.
    """
    return Store(StoreCalls(run(open_engine, url, types, durability, cache)))


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

    @overload
    def thread(
        self, id: str, namespace: str = "", *, metadata: Mapping[str, Any] | None = None, reuse: bool = False
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
    ) -> Thread[S]: ...
    def thread(
        self,
        id: str,
        namespace: str = "",
        *,
        state: type[Any] = dict,
        metadata: Mapping[str, Any] | None = None,
        reuse: bool = False,
    ) -> Thread[Any]:
        """A handle on a thread; no I/O.

        `state` is the class that its states are rebuilt as; `metadata` is merged into the thread's at the next save;
        `reuse` allows to start a deleted thread anew.
        """
        return Thread(self._calls.thread(id, namespace, state, metadata, reuse))

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

    def delete_run(self, run_id: str) -> int:
        """Remove what one run saved from every thread; says how many checkpoints went."""
        return run(self._calls.delete_run, run_id)

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
