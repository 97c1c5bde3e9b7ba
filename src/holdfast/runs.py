"""Runs: one execution of a thread, carried by whichever worker holds it.

A run holds the thread's lease, saves checkpoints that chain, and calls steps through the journal: intent, call, result.
When a worker dies, the next one resumes at the last checkpoint and replays what the journal knows; only what is not
known to have happened is called. This module is what `Run` and `AsyncRun` share.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, NamedTuple, TypeVar

from holdfast import _heartbeat
from holdfast._drive import run as drive
from holdfast.backends.rows import JournalRow
from holdfast.backlog import Backlog
from holdfast.calls import ThreadCalls
from holdfast.engine import appending, commits, leases, places
from holdfast.engine.context import Handle
from holdfast.engine.reduce import reducing
from holdfast.engine.states import Change
from holdfast.errors import (
    Closed,
    Deleted,
    EncodeError,
    Fenced,
    HoldfastError,
    Interrupted,
    InvalidArgument,
    NotInterrupted,
    StepFailed,
    ThreadBusy,
)
from holdfast.ids import check_id, check_text, new_id
from holdfast.journal import (
    ERROR,
    FAILED,
    INTENT,
    INTERRUPT,
    RESULT,
    RESUME,
    START,
    Effect,
    JournalEntry,
    Question,
    entry,
    questions,
    within,
)
from holdfast.model import Checkpoint, CheckpointInfo, is_boundary
from holdfast.replay import Replay, Use

S = TypeVar("S")
MAX_RESULT: Final = 64 * 1024 * 1024
_ALL: Final = 1 << 62
_LONGEST: Final = 366 * 24 * 3600


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return "holdfast.UNSET"


UNSET: Final = Unset()
"""No value given, where None is one."""


class Leave(BaseException):
    """Carries an interrupt out of the block of a run; never seen outside."""


def backoff(retries: int) -> list[float]:
    """The pauses between the tries of a step, in seconds."""
    if retries < 0:
        raise InvalidArgument(f"retries must not be negative, and is {retries}")
    return [min(0.1 * 2**n, 10.0) for n in range(retries)]


class Patience:
    """How long to wait for another worker's lease, in small pauses."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def next(self, busy: ThreadBusy) -> float:
        """The next pause; raises `busy` when the time is up."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise busy
        return min(left, 0.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What `thread.run` was called with."""

    input: Any = None
    resume: Any = UNSET
    worker: str | None = None
    ttl: float = 30.0
    durability: str = "sync"
    max_result: int = MAX_RESULT

    def checked(self) -> Options:
        if not 0 < self.ttl <= _LONGEST:
            raise InvalidArgument(
                f"ttl is how many seconds a lease lasts, above 0 and up to {_LONGEST}, not {self.ttl}"
            )
        if self.durability not in ("sync", "async", "exit"):
            raise InvalidArgument(f"durability must be sync, async or exit, not {self.durability!r}")
        if self.max_result <= 0:
            raise InvalidArgument(f"max_result is a number of bytes and must be above 0, and is {self.max_result}")
        return replace(self, worker=check_text(self.worker or f"{os.getpid()}-{new_id()[-8:]}", "worker"))


class Begun(NamedTuple):
    """How a step starts: to be called, or known already."""

    seq: int
    known: bool
    value: Any = None
    key: str | None = None


class RunCalls(Generic[S]):
    """The verbs of a run."""

    def __init__(self, thread: ThreadCalls[S], options: Options) -> None:
        self.options = options.checked()
        self.thread = ThreadCalls(thread.engine, replace(thread.handle, epoch=None), thread.state)
        self.id = ""
        self.state: Any = None
        self.resumed = False
        self.interrupted = False
        self.payload: Any = None
        self._over = ""  # how the run ended, once it has
        self._process = os.getpid()
        self._at_rest = True  # whether nobody has to pick the thread up if this run does not start
        self._saved: Change = reducing({}, {})  # the state as last saved, encoded
        self._covered = 0  # the journal's end at the last save
        self._end = 0  # the journal's end as this run knows it
        self._replay = Replay()
        self._raised: tuple[BaseException, int] | None = None
        self._backlog: Backlog | None = None
        self._beat: int | None = None

    @property
    def handle(self) -> Handle:
        return self.thread.handle

    def inner(self, namespace: str) -> ThreadCalls[Any]:
        """Another namespace of the thread, for its holder."""
        handle = self.handle.inner(check_id(namespace, "a namespace", empty=True))
        return ThreadCalls(self.thread.engine, handle, dict)

    @property
    def _unwritten(self) -> bool:
        return self.options.durability == "exit"

    # ---------------------------------------------------------------- entering

    async def take(self) -> None:
        """Take the lease; `ThreadBusy` while another worker holds it."""
        if self.options.input is None and await places.read(self.thread.engine, self.handle.inner("")) is None:
            if self.options.resume is not UNSET:
                raise NotInterrupted(f"{self.handle.name} waits for no value; leave resume= out")
            raise InvalidArgument(f"{self.handle.name} has no run to go on with; give input= to start one")
        ttl = int(self.options.ttl * 1_000_000)
        await leases.acquire(self.thread.engine, self.handle, self.options.worker or "", ttl)

    async def start(self) -> None:
        """Find out where the thread stands, and go on from there. Holds the lease."""
        try:
            await self._start()
        except BaseException:
            await self._release(finished=self._at_rest)
            raise
        if self.options.durability == "async":
            self._backlog = Backlog(self.handle.name)
            self.thread.engine.backlogs[self.handle.thread_id] = self._backlog
        self._beat = _heartbeat.beats.add(self.options.ttl / 3, self._renew)

    async def abandon(self) -> None:
        """Undo an entering that was cut short."""
        if self.handle.epoch is not None:
            await self.leave(SystemExit())

    async def _start(self) -> None:
        head = await self.thread.latest(None)
        self._at_rest = head is None or head.is_terminal
        self._covered = head.journal_seq if head is not None else 0
        tail = await self._tail()
        starts = [one for one in tail if one.kind == START and (head is None or one.data["run_id"] != head.run_id)]
        if head is not None and not self._ended(head):
            await self._go_on(head, tail)
        elif starts:
            await self._restart(starts[-1], head, tail)
        else:
            await self._begin(head)

    def _ended(self, head: Checkpoint[S]) -> bool:
        """A failed run goes on when there is no input for a new one."""
        return head.is_terminal and not (head.status.lower() == "failed" and self.options.input is None)

    async def _go_on(self, head: Checkpoint[S], tail: list[JournalEntry]) -> None:
        waiting = [one for one in questions(tail).values() if not one.answered]
        self._at_rest = bool(waiting) or head.is_terminal
        if waiting and self.options.resume is UNSET:
            raise Interrupted(
                f"{self.handle.name} waits for a value: thread.run(resume=value) gives it", payload=waiting[-1].payload
            )
        if waiting:
            self._at_rest = False  # even if this fails: a disk that says so may have stored the answer
            row = await self._append(RESUME, {"of": waiting[-1].seq, "value": self.options.resume}, "resume")
            tail.append(entry(self.handle.codec, row))
        elif self.options.resume is not UNSET:
            raise NotInterrupted(f"{self.handle.name} waits for no value; leave resume= out")
        if head.status.lower() == "failed":
            self._replay.ended_by = next((one.data["effect"] for one in reversed(tail) if one.kind == FAILED), None)
        self.id, self.state, self.resumed = head.run_id or new_id(), head.state, True
        saved = await self._last_save(head)
        first = self._replay.start(head.seq, tail, saved=saved, unwritten=self._unwritten, boundary=_is_boundary(head))
        if self._unwritten:
            await self._begin_unwritten(first)

    async def _restart(self, started: JournalEntry, head: Checkpoint[S] | None, tail: list[JournalEntry]) -> None:
        """A run of durability `exit` that died left a journal, and no checkpoint."""
        if self.options.input is None:
            raise InvalidArgument(f"{self.handle.name}: its run saved nothing before it died; give the input= again")
        self.id, self.state, self.resumed = started.data["run_id"], self.options.input, True
        self._saved = self.thread.change(self.state)
        self._covered = started.seq
        base = _seq(head) if self._unwritten else await self._save_input()
        known = [one for one in tail if one.seq >= started.seq]
        self._replay.start(base, known, saved=base, unwritten=self._unwritten)

    async def _begin(self, head: Checkpoint[S] | None) -> None:
        if self.options.resume is not UNSET:
            raise NotInterrupted(f"{self.handle.name} waits for no value; leave resume= out")
        if self.options.input is None:
            what = "has no run to go on with" if head is None else f"has ended ({head.status})"
            raise InvalidArgument(f"{self.handle.name} {what}; give input= to start one")
        self.id, self.state = new_id(), self.options.input
        self._saved = self.thread.change(self.state)
        if self._unwritten:
            self._covered = await self._begin_unwritten(0)
            self._replay.start(_seq(head), [], saved=_seq(head), unwritten=True)
        else:
            self._covered = self._end
            base = await self._save_input()
            self._replay.start(base, [], saved=base, unwritten=False)

    async def _begin_unwritten(self, first: int) -> int:
        """A run that writes no checkpoint before its end leaves a mark in the journal, for whoever finds it dead."""
        data = {"run_id": self.id, "at": first, "unwritten": True, "namespace": self.handle.namespace}
        return (await self._append(START, data, "start")).seq

    async def _last_save(self, head: CheckpointInfo) -> int:
        """The number of the last checkpoint that is neither a boundary nor somebody's update."""
        info: CheckpointInfo | None = head
        while info is not None and info.parent_id and _is_boundary(info):
            info = await self.thread.load(info.parent_id, ())
        return _seq(info)

    async def _save_input(self) -> int:
        """The first checkpoint of a run, and its number. What a run that died before it recorded stays uncovered."""
        return (await self._write(self._saved, source="input", journal_seq=self._covered)).seq

    async def _tail(self) -> list[JournalEntry]:
        place = await places.read(self.thread.engine, self.handle.inner(""))
        if place is None:
            return []
        self._end = place.root.journal
        self._covered = min(self._covered, self._end)  # before there was a journal, callers kept numbers of their own
        rows = await appending.read(self.thread.engine, place.root, self._covered, _ALL, _ALL)
        return within([entry(self.handle.codec, row) for row in rows], self.handle.namespace)

    def _renew(self) -> None:
        """From the heartbeat's thread. A hold that was lost shows at the next write, which is the one that matters."""
        try:
            drive(leases.renew, self.thread.engine, self.handle)
        except (Fenced, Deleted, Closed):
            self._stop_beating()
        except HoldfastError:
            pass  # a disk that fails or a lock that is slow: the next beat tries again

    def _stop_beating(self) -> None:
        if self._beat is not None:
            _heartbeat.beats.stop(self._beat)

    # ---------------------------------------------------------------- steps

    def use_step(self, name: str, key: str | None) -> Use:
        """Count the use where it is asked for: steps that are gathered are told apart by the order of their calls."""
        self._check_open("step")
        if key is not None:
            check_id(key, "key")
        return self._replay.use("step", check_text(name, "name"), key)

    async def begin_step(self, use: Use, name: str, key: str | None, idempotent: bool) -> Begun:
        """What is known about this step, or its intent, committed."""
        if isinstance(use.found, Effect):
            try:
                if self._replay.answer(use.found, name, idempotent):
                    return Begun(use.found.seq, known=True, value=use.found.result)
            except StepFailed as error:
                self._raised = (error, use.found.seq)
                raise
        again = use.found.seq if use.found is not None else None
        data = {**self._where(use), "name": name, "key": key, "idempotent": idempotent, "again": again}
        return Begun((await self._append(INTENT, data, "intent")).seq, known=False, key=key)

    def _where(self, use: Use) -> dict[str, Any]:
        """What tells this use from all others when the run is resumed."""
        return {
            "namespace": self.handle.namespace, "nth": use.nth, "at": use.at, "base": self._replay.base,
            "unwritten": self._unwritten,
        }  # fmt: skip

    async def end_step(self, begun: Begun, name: str, value: Any) -> None:
        """Commit the result. One that can't be stored fails here, and leaves the step unfinished."""
        path = f"step[{name!r}]"
        body = self.handle.codec.encode({"of": begun.seq, "value": value}, path)
        if len(body) > self.options.max_result:
            raise EncodeError(
                f"the result takes {len(body)} bytes, and the limit is {self.options.max_result}; "
                "store it elsewhere and return a reference, or raise max_result",
                path=path,
            )
        await self._append_body(RESULT, body)
        if begun.key is not None:
            self._replay.done(begun.key, begun.seq, name, value)

    async def fail_step(self, begun: Begun, error: Exception) -> None:
        self._raised = (error, begun.seq)
        data = {"of": begun.seq, "type": type(error).__qualname__, "text": str(error)}
        await self._append(ERROR, data, "error")

    async def interrupt(self, payload: Any, name: str) -> Any:
        """The value that the run was resumed with; the first time, save and leave."""
        self._check_open("interrupt")
        use = self._replay.use("interrupt", check_text(name, "name"))
        if isinstance(use.found, Question) and use.found.answered:
            return use.found.answer
        if use.found is None:  # else it was asked by a worker that died before it could leave
            await self._append(INTERRUPT, {**self._where(use), "name": name, "payload": payload}, "interrupt")
        await self._drained()
        await self._write(self._saved, status="interrupted", journal_seq=self._covered)
        self.interrupted, self.payload = True, payload
        raise Leave

    # ---------------------------------------------------------------- saving

    async def save(
        self, state: Any, *, node: str, next: Sequence[str], step: int | None, label: str,
        metadata: Mapping[str, Any] | None, extra: Any,
    ) -> CheckpointInfo | None:  # fmt: skip
        """The next checkpoint of the run; None where the durability leaves it for later."""
        self._check_open("save")
        self._replay.check(self.handle.name)
        change = self.thread.change(state, extra)
        covered = self._replay.covered(self._end)
        said: dict[str, Any] = {"node": node, "next": next, "step": step, "label": label, "metadata": metadata}
        info = None
        if self._backlog is not None:
            self._write_later(self._backlog, change, {**said, "journal_seq": covered})
        elif self._unwritten:
            self.thread.fields(**said)  # what could never be stored is refused now
        else:
            info = await self._write(change, journal_seq=covered, **said)
        self._covered = covered
        self._saved, self.state = change, state
        self._replay.saved()
        return info

    def _write_later(self, backlog: Backlog, change: Change, said: dict[str, Any]) -> None:
        fields = self.thread.fields(run_id=self.id, id=new_id(), **said)
        engine, handle = self.thread.engine, self.handle
        backlog.put(fields.id or "", lambda: drive(commits.save, engine, handle, fields, change))

    async def _write(self, change: Change, **said: Any) -> CheckpointInfo:
        fields = self.thread.fields(run_id=self.id, **said)
        return await commits.save(self.thread.engine, self.handle, fields, change)

    async def finish(self, state: Any, status: str) -> CheckpointInfo:
        self._check_open("finish")
        self._replay.check(self.handle.name, ending=True)
        change = self.thread.change(state)
        await self._drained()
        info = await self._write(change, status=status, journal_seq=self._end)
        self.state = state
        self._over = "after finish()"
        return info

    async def _drained(self) -> None:
        if self._backlog is not None:
            self._backlog.flush()
            self._backlog.check()

    # ---------------------------------------------------------------- leaving

    async def leave(self, error: BaseException | None) -> bool:
        """End the run as its block ended; True if the exception was the run's own way out."""
        if os.getpid() != self._process:
            return isinstance(error, Leave)  # a child that was forked inside the block: the run is its parent's
        self._stop_beating()
        try:
            return await self._leave(error)
        finally:
            self._over = self._over or "after the run was left"
            if self._backlog is not None:
                self._backlog.close()
                self.thread.engine.backlogs.pop(self.handle.thread_id, None)

    async def _leave(self, error: BaseException | None) -> bool:
        if isinstance(error, Fenced):
            return False
        if error is None and not self._over:
            try:
                await self.finish(self.state, "completed")
            except BaseException:
                await self._release(finished=False)
                raise
        recorded = True
        if isinstance(error, Exception) and not self._over:
            recorded = await self._fail(error)
        ended = error is None or isinstance(error, Leave) or (isinstance(error, Exception) and recorded)
        await self._release(finished=ended)
        return isinstance(error, Leave)

    async def _release(self, *, finished: bool) -> None:
        """A lease that can't be given back runs out by itself: no reason to hide how the run ended."""
        with suppress(HoldfastError):
            await leases.release(self.thread.engine, self.handle, finished=finished)

    async def _fail(self, error: Exception) -> bool:
        """A boundary that says why; whether it could be written. A failure to record must not hide what failed."""
        effect = self._raised[1] if self._raised is not None and _caused(error, self._raised[0]) else None
        what = {"type": type(error).__qualname__, "text": str(error)}
        try:
            await self._drained()
            if effect is not None or self._unwritten:
                where = self._where(self._replay.use("failure", ""))
                await self._append(FAILED, {**where, **what, "effect": effect}, "error")
            await self._write(self._saved, status="failed", metadata={"error": what}, journal_seq=self._covered)
        except HoldfastError as second:
            if second is not error:
                error.add_note(f"holdfast could not record this failure: {second}")
            return False
        return True

    # ---------------------------------------------------------------- helpers

    async def _append(self, kind: str, data: dict[str, Any], what: str) -> JournalRow:
        return await self._append_body(kind, self.handle.codec.encode(data, what))

    async def _append_body(self, kind: str, body: bytes) -> JournalRow:
        row = await appending.append(self.thread.engine, self.handle, kind, body)
        self._end = max(self._end, row.seq)
        return row

    def _check_open(self, what: str) -> None:
        if os.getpid() != self._process:
            raise InvalidArgument(f"{what}() was called in a forked child: the run {self.id!r} is its parent's")
        if self._over:
            raise InvalidArgument(f"{what}() was called {self._over}: the run {self.id!r} has ended")
        if self._backlog is not None:
            self._backlog.check()


def _is_boundary(info: CheckpointInfo) -> bool:
    return is_boundary(info.source, info.status)


def _seq(head: CheckpointInfo | None) -> int:
    return head.seq if head is not None else 0


def _caused(error: BaseException, by: BaseException) -> bool:
    """Whether an exception is another one, or was raised from it."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        if cause is by:
            return True
        seen.append(cause)
        cause = cause.__cause__ or cause.__context__
    return False
