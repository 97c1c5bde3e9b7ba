"""Runs: one execution of a thread, carried by whichever worker holds it.

A run holds the thread's lease, saves checkpoints that chain, and calls steps through the journal: intent, call, result.
When a worker dies, the next one resumes at the last checkpoint and replays what the journal knows; only what is not
known to have happened is called. This module is what `Run` and `AsyncRun` share.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, NamedTuple, TypeVar

from holdfast import _heartbeat
from holdfast._drive import run as drive
from holdfast.backlog import Backlog
from holdfast.calls import ThreadCalls
from holdfast.engine import appending, leases, places
from holdfast.engine.context import Handle
from holdfast.errors import (
    Diverged,
    EncodeError,
    Fenced,
    HoldfastError,
    Interrupted,
    InvalidArgument,
    NotInterrupted,
    StepFailed,
    ThreadBusy,
    UnsafeEffect,
)
from holdfast.ids import new_id
from holdfast.journal import (
    ERROR,
    INTENT,
    INTERRUPT,
    RESULT,
    RESUME,
    START,
    Effect,
    JournalEntry,
    Question,
    effects,
    entry,
    questions,
)
from holdfast.model import Checkpoint, CheckpointInfo

S = TypeVar("S")
MAX_RESULT: Final = 64 * 1024 * 1024
_ALL: Final = 1 << 62


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
    worker: str = ""
    ttl: float = 30.0
    durability: str = "sync"
    max_result: int = MAX_RESULT

    def checked(self) -> Options:
        if not self.ttl > 0:
            raise InvalidArgument(f"ttl is how many seconds a lease lasts and must be above 0, and is {self.ttl}")
        if self.durability not in ("sync", "async", "exit"):
            raise InvalidArgument(f"durability must be sync, async or exit, not {self.durability!r}")
        if self.max_result <= 0:
            raise InvalidArgument(f"max_result is a number of bytes and must be above 0, and is {self.max_result}")
        return replace(self, worker=self.worker or f"{os.getpid()}-{new_id()[-8:]}")


class Begun(NamedTuple):
    """How a step starts: to be called, or known already."""

    seq: int
    known: bool
    value: Any = None


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
        self.finished = False
        self._lock = threading.Lock()
        self._head = ""
        self._covered = 0
        self._uses: Counter[str] = Counter()
        self._lap = 0
        self._recorded: dict[tuple[str, int, int] | str, Effect | Question] = {}
        self._asked: set[int] = set()
        self._ended_by: int | None = None
        self._raised: tuple[BaseException, int] | None = None
        self._backlog: Backlog | None = None
        self._beat = 0

    @property
    def handle(self) -> Handle:
        return self.thread.handle

    # ---------------------------------------------------------------- entering

    async def take(self) -> None:
        """Take the lease; `ThreadBusy` while another worker holds it."""
        ttl = int(self.options.ttl * 1_000_000)
        await leases.acquire(self.thread.engine, self.handle, self.options.worker, ttl)

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

    async def _start(self) -> None:
        head = await self.thread.latest(None)
        self._at_rest = head is None or head.is_terminal
        self._head = head.id if head is not None else ""
        self._covered = head.journal_seq if head is not None else 0
        tail = await self._tail()
        starts = [one for one in tail if one.kind == START]
        if head is not None and not self._ended(head):
            await self._go_on(head, tail)
        elif starts:
            self._restart(starts[-1], tail)
        else:
            await self._begin(head, tail)

    _at_rest = True

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
            row = await self._append(RESUME, {"of": waiting[-1].seq, "value": self.options.resume}, "resume")
            tail.append(entry(self.handle.codec, row))
        elif self.options.resume is not UNSET:
            raise NotInterrupted(f"{self.handle.name} waits for no value; leave resume= out")
        error = head.metadata.get("error") if head.status.lower() == "failed" else None
        self._ended_by = error.get("effect") if isinstance(error, Mapping) else None
        self._resume(head.run_id or new_id(), head.state, tail)
        if self.options.durability == "exit":
            await self._append(START, {"run_id": self.id}, "start")

    def _restart(self, started: JournalEntry, tail: list[JournalEntry]) -> None:
        """A run of durability `exit` that died left a journal, and no checkpoint."""
        if self.options.input is None:
            raise InvalidArgument(f"{self.handle.name}: its run saved nothing before it died; give the input= again")
        self._covered = started.seq - 1
        self._resume(started.data["run_id"], self.options.input, [one for one in tail if one.seq >= started.seq])

    def _resume(self, run_id: str, state: Any, tail: list[JournalEntry]) -> None:
        """What is recorded since the checkpoint is known from here on. Laps count from where this execution starts, so
        what an earlier one recorded before its boundary is of the first."""
        self.id, self.state, self.resumed = run_id, state, True
        restarted = min((one.seq for one in tail if one.kind == START), default=_ALL)
        for effect in effects(tail).values():
            lap = effect.lap if effect.seq > restarted else 0
            self._recorded[effect.key or (effect.name, effect.nth, lap)] = replace(effect, lap=lap)
        for question in questions(tail).values():
            if question.answered:
                self._recorded["?" + question.name, question.nth, 0] = question

    async def _begin(self, head: Checkpoint[S] | None, tail: list[JournalEntry]) -> None:
        if self.options.resume is not UNSET:
            raise NotInterrupted(f"{self.handle.name} waits for no value; leave resume= out")
        if self.options.input is None:
            what = "has no run to go on with" if head is None else f"has ended ({head.status})"
            raise InvalidArgument(f"{self.handle.name} {what}; give input= to start one")
        self.id, self.state = new_id(), self.options.input
        if self.options.durability == "exit":
            self._covered = (await self._append(START, {"run_id": self.id}, "start")).seq
        else:
            info = await self._save_now(self.state, source="input", status="running")
            self._covered = info.journal_seq

    async def _tail(self) -> list[JournalEntry]:
        place = await places.read(self.thread.engine, self.handle.inner(""))
        if place is None:
            return []
        rows = await appending.read(self.thread.engine, place.root, self._covered, _ALL, _ALL)
        return [entry(self.handle.codec, row) for row in rows]

    def _renew(self) -> None:
        """From the heartbeat's thread. A hold that was lost shows at the next write, which is the one that matters."""
        try:
            drive(leases.renew, self.thread.engine, self.handle)
        except HoldfastError:
            _heartbeat.beats.stop(self._beat)

    # ---------------------------------------------------------------- steps

    async def begin_step(self, name: str, key: str | None, idempotent: bool) -> Begun:
        """What is known about this step, or its intent, committed."""
        self._check_open("step")
        with self._lock:
            nth = self._uses[name]
            self._uses[name] += 1
            lap = self._lap
            found = self._recorded.get(key if key is not None else (name, nth, lap))
        if isinstance(found, Effect):
            known = self._known(found, name, idempotent)
            if known is not None:
                return known
        data = {"name": name, "key": key, "nth": nth, "lap": lap, "idempotent": idempotent}
        return Begun((await self._append(INTENT, data, "intent")).seq, known=False)

    def _known(self, effect: Effect, name: str, idempotent: bool) -> Begun | None:
        """None if the step is to be called, again or for the first time."""
        self._asked.add(effect.seq)
        if effect.name != name:
            raise Diverged(
                f"the key {effect.key!r} was recorded for the step {effect.name!r}, and {name!r} asks for it"
            )
        if effect.status == "done":
            return Begun(effect.seq, known=True, value=effect.result)
        if effect.status == "failed" and effect.seq != self._ended_by:
            error = StepFailed(
                f"step {name!r} failed before with {effect.error_type}: {effect.error}",
                error_type=effect.error_type,
                text=effect.error,
            )
            self._raised = (error, effect.seq)
            raise error
        if effect.status == "unfinished" and not (effect.safe_to_repeat or idempotent):
            raise UnsafeEffect(
                f"step {name!r} was begun (journal entry {effect.seq}) and nothing says whether it happened; "
                "look, then thread.resolve(effect, result=…) or thread.resolve(effect, retry=True)",
                effect=effect.seq,
            )
        return None

    async def end_step(self, begun: Begun, name: str, value: Any) -> None:
        """Commit the result. One that can't be stored fails here, and leaves the step unfinished."""
        body = self.handle.codec.encode({"of": begun.seq, "value": value}, f"step[{name!r}]")
        if len(body) > self.options.max_result:
            raise EncodeError(
                f"the result takes {len(body)} bytes, and the limit is {self.options.max_result}; "
                "store it elsewhere and return a reference, or raise max_result",
                path=f"step[{name!r}]",
            )
        await appending.append(self.thread.engine, self.handle, RESULT, body)

    async def fail_step(self, begun: Begun, error: Exception) -> None:
        self._raised = (error, begun.seq)
        data = {"of": begun.seq, "type": type(error).__qualname__, "text": str(error)}
        await self._append(ERROR, data, "error")

    async def interrupt(self, payload: Any, name: str) -> Any:
        """The value that the run was resumed with; the first time, save and leave."""
        self._check_open("interrupt")
        with self._lock:
            nth = self._uses["?" + name]
            self._uses["?" + name] += 1
            found = self._recorded.get(("?" + name, nth, 0))
        if isinstance(found, Question):
            self._asked.add(found.seq)
            return found.answer
        await self._append(INTERRUPT, {"name": name, "nth": nth, "payload": payload}, "interrupt")
        await self._drained()
        await self._save_now(self.state, status="interrupted", journal_seq=self._covered)
        self.interrupted, self.payload = True, payload
        raise Leave

    # ---------------------------------------------------------------- saving

    async def save(
        self, state: Any, *, node: str, next: Sequence[str], step: int | None, label: str,
        metadata: Mapping[str, Any] | None, extra: Any,
    ) -> CheckpointInfo | None:  # fmt: skip
        """The next checkpoint of the run; None where the durability leaves it for later."""
        self._check_open("save")
        self._check_replayed()
        fields = {"node": node, "next": next, "step": step, "label": label, "metadata": metadata, "extra": extra}
        info = None
        if self.options.durability == "exit":
            self._covered = await self._journal_end()
        elif self._backlog is not None:
            await self._save_later(self._backlog, state, fields)
        else:
            info = await self._save_now(state, **fields)
            self._covered = info.journal_seq
        self._sealed(state)
        return info

    def _sealed(self, state: Any) -> None:
        self.state = state
        self._uses.clear()
        if self.options.durability == "exit":
            self._lap += 1  # nothing was written, so what is recorded stays what a restart finds
        else:
            self._recorded.clear()
            self._asked.clear()

    async def _save_later(self, backlog: Backlog, state: Any, fields: dict[str, Any]) -> None:
        """Encoded now, since the caller may go on changing the state; written in the background."""
        backlog.check()
        self._covered = await self._journal_end()
        fields = {**fields, "journal_seq": self._covered, "id": new_id(), "expect_head": self._head}
        save = self.thread.prepared(state, run_id=self.id, **fields)
        self._head = fields["id"]
        backlog.put(fields["id"], lambda: drive(save))

    async def _save_now(self, state: Any, **fields: Any) -> CheckpointInfo:
        info = await self.thread.prepared(state, run_id=self.id, expect_head=self._head, **fields)()
        self._head = info.id
        return info

    async def finish(self, state: Any, status: str) -> CheckpointInfo:
        self._check_open("finish")
        self._check_replayed()
        await self._drained()
        info = await self._save_now(state, status=status)
        self._sealed(state)
        self.finished = True
        return info

    async def _journal_end(self) -> int:
        place = places.remembered(self.thread.engine, self.handle.inner("")) or await places.read(
            self.thread.engine, self.handle.inner("")
        )
        return place.root.journal if place is not None else 0

    async def _drained(self) -> None:
        if self._backlog is not None:
            self._backlog.flush()
            self._backlog.check()

    # ---------------------------------------------------------------- leaving

    async def leave(self, error: BaseException | None) -> bool:
        """End the run as its block ended; True if the exception was the run's own way out."""
        _heartbeat.beats.stop(self._beat)
        try:
            return await self._leave(error)
        finally:
            if self._backlog is not None:
                self._backlog.close()
                self.thread.engine.backlogs.pop(self.handle.thread_id, None)

    async def _leave(self, error: BaseException | None) -> bool:
        if isinstance(error, Fenced):
            return False
        if error is None and not self.finished:
            try:
                await self.finish(self.state, "completed")
            except BaseException:
                await self._release(finished=False)
                raise
        recorded = True
        if isinstance(error, Exception) and not self.finished:
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
        what = {"type": type(error).__qualname__, "text": str(error), "effect": effect}
        try:
            await self._drained()
            await self._save_now(self.state, status="failed", metadata={"error": what}, journal_seq=self._covered)
        except HoldfastError as second:
            if second is not error:
                error.add_note(f"holdfast could not record this failure: {second}")
            return False
        return True

    # ---------------------------------------------------------------- helpers

    async def _append(self, kind: str, data: dict[str, Any], what: str) -> Any:
        body = self.handle.codec.encode(data, what)
        return await appending.append(self.thread.engine, self.handle, kind, body)

    def _check_open(self, what: str) -> None:
        if self.finished:
            raise InvalidArgument(f"{what}() was called after finish(): the run {self.id!r} has ended")

    def _check_replayed(self) -> None:
        """Everything that was recorded since the last save must have been asked for again."""
        missed = [
            one
            for one in self._recorded.values()
            if one.seq not in self._asked and (isinstance(one, Question) or one.lap == self._lap)
        ]
        if missed:
            one = min(missed, key=lambda found: found.seq)
            raise Diverged(
                f"{self.handle.name}: {'step' if isinstance(one, Effect) else 'interrupt'} {one.name!r} "
                f"(journal entry {one.seq}) is recorded, and the code did not ask for it before the next save"
            )


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
