"""Runs: one execution of a thread, by the worker that holds its lease.

A run holds the thread's lease, saves checkpoints that chain, and calls steps through the journal: intent, call, result.
When a worker dies, the next one resumes at the last checkpoint and replays what the journal has recorded; only steps
without a recorded result are called. This module is what `Run` and `AsyncRun` share.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Generic, NamedTuple, TypeVar

from holdfast._drive import run as drive
from holdfast.backends.rows import NO_LIMIT, JournalRow
from holdfast.engine.checkpoints import save
from holdfast.engine.context import Engine, Handle
from holdfast.engine.journal import reader, writer
from holdfast.engine.journal.entries import (
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
from holdfast.engine.threads import leases, location
from holdfast.engine.values.reducers import reducing
from holdfast.engine.values.state_change import Change
from holdfast.errors import (
    Closed,
    Corrupt,
    Deleted,
    EncodeError,
    Fenced,
    HoldfastError,
    Interrupted,
    InvalidArgument,
    NotInterrupted,
    StepFailed,
)
from holdfast.ids import check_id, check_text, new_id
from holdfast.model import Checkpoint, CheckpointInfo, is_boundary
from holdfast.operations.arguments import SaveArguments
from holdfast.operations.thread_calls import ThreadCalls
from holdfast.runs import heartbeat
from holdfast.runs.background_saves import Backlog
from holdfast.runs.options import UNSET, Options
from holdfast.runs.replay import Replay, Use

S = TypeVar("S")
_FINISHED: Final = "after finish()"


class Leave(BaseException):
    """Carries an interrupt out of the block of a run; the run catches it."""


class Begun(NamedTuple):
    """How a step starts: it is to be called, or its result is recorded."""

    seq: int
    is_recorded: bool
    value: Any = None
    key: str | None = None


class RunCalls(Generic[S]):
    """The calls of a run."""

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
        self._at_rest = True  # whether the thread needs no other worker if this run does not start
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
        if self.options.input is None and await location.read(self.thread.engine, self.handle.inner("")) is None:
            self._check_no_answer()
            raise InvalidArgument(f"{self.handle.name} has no run to resume; pass input= to start one")
        ttl = int(self.options.ttl * 1_000_000)
        await leases.acquire(self.thread.engine, self.handle, self.options.worker or "", ttl)

    async def start(self) -> None:
        """Resume or begin, from the head and the journal. Holds the lease."""
        try:
            await self._start()
        except BaseException:
            await self._release(finished=self._at_rest)
            raise
        if self.options.durability == "async":
            self._backlog = Backlog(self.handle.name)
            self.thread.engine.backlogs[self.handle.thread_id] = self._backlog
        engine, handle = self.thread.engine, self.handle
        self._beat = heartbeat.beats.add(
            self.options.ttl / 3, lambda: _renew(engine, handle), lambda: _give_back(engine, handle), owner=self
        )

    async def abandon(self) -> None:
        """Release the lease after an interrupt of the run's own entering or leaving."""
        if self.handle.epoch is not None:
            await self.leave(SystemExit())

    async def _start(self) -> None:
        head = await self.thread.latest(None)
        self._at_rest = head is None or head.is_terminal
        self._covered = head.journal_seq if head is not None else 0
        tail = await self._tail()
        known_run = None if head is None else head.run_id
        # A run that writes no checkpoints leaves only its start: one that the head does not know died.
        starts = [entry for entry in tail if entry.kind == START and entry.data["run_id"] != known_run]
        if head is not None and not self._ended(head):
            await self._resume(head, tail)
        elif starts:
            await self._restart(starts[-1], head, tail)
        else:
            await self._begin(head)

    def _ended(self, head: Checkpoint[S]) -> bool:
        """A failed run is resumed when there is no input for a new one."""
        return head.is_terminal and not (head.status.lower() == "failed" and self.options.input is None)

    async def _resume(self, head: Checkpoint[S], tail: list[JournalEntry]) -> None:
        await self._answer(head, tail)
        # The step that ended the run is called again. Failures that the code has handled are replayed.
        if head.status.lower() == "failed":
            failures = [entry.data["effect"] for entry in tail if entry.kind == FAILED]
            self._replay.ended_by = failures[-1] if failures else None
        self.id, self.state, self.resumed = head.run_id or new_id(), head.state, True
        saved = await self._last_save(head)
        first = self._replay.start(head.seq, tail, saved=saved, unwritten=self._unwritten, boundary=_is_boundary(head))
        if self._unwritten:
            await self._begin_unwritten(first)

    async def _answer(self, head: Checkpoint[S], tail: list[JournalEntry]) -> None:
        """Record the value that the run is resumed with, if it waits for one."""
        open_questions = [question for question in questions(tail).values() if not question.answered]
        self._at_rest = bool(open_questions) or head.is_terminal
        if not open_questions:
            return self._check_no_answer()
        if self.options.resume is UNSET:
            raise Interrupted(
                f"{self.handle.name} waits for a value: pass it with thread.run(resume=value)",
                payload=open_questions[-1].payload,
            )
        # Even if the next write raises: a disk that reports an error may have stored the answer.
        self._at_rest = False
        row = await self._append(RESUME, {"of": open_questions[-1].seq, "value": self.options.resume}, "resume")
        tail.append(entry(self.handle.codec, row))

    def _check_no_answer(self) -> None:
        if self.options.resume is not UNSET:
            raise NotInterrupted(f"{self.handle.name} does not wait for a value; leave resume= out")

    async def _restart(self, started: JournalEntry, head: Checkpoint[S] | None, tail: list[JournalEntry]) -> None:
        """A run with durability `exit` that died left a journal, and no checkpoint."""
        if self.options.input is None:
            raise InvalidArgument(f"{self.handle.name}: its run saved nothing before it died; pass its input= again")
        self.id, self.state, self.resumed = started.data["run_id"], self.options.input, True
        self._saved = self.thread.change(self.state)
        self._covered = started.seq
        base = _seq(head) if self._unwritten else await self._save_input()
        since = [entry for entry in tail if entry.seq >= started.seq]
        self._replay.start(base, since, saved=base, unwritten=self._unwritten)

    async def _begin(self, head: Checkpoint[S] | None) -> None:
        self._check_no_answer()
        if self.options.input is None:
            what = "has no run to resume" if head is None else f"has ended ({head.status})"
            raise InvalidArgument(f"{self.handle.name} {what}; pass input= to start one")
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
        """A run that writes no checkpoint before its end records its start in the journal, for the worker that resumes
        it if it dies."""
        data = {"run_id": self.id, "at": first, "unwritten": True, "namespace": self.handle.namespace}
        return (await self._append(START, data, "start")).seq

    async def _last_save(self, head: CheckpointInfo) -> int:
        """The number of the last checkpoint that a step of the run saved."""
        info: CheckpointInfo | None = head
        while info is not None and info.parent_id and _is_boundary(info):
            parent = await self.thread.load(info.parent_id, ())
            if parent is not None and parent.seq >= info.seq:
                raise Corrupt(f"checkpoint {info.id!r} has a parent that was saved after it: {parent.id!r}")
            info = parent
        return _seq(info)

    async def _save_input(self) -> int:
        """Write the first checkpoint of a run; returns its number. It does not cover the journal of an earlier run that
        died."""
        given = SaveArguments(source="input", journal_seq=self._covered)
        return (await self._write(self._saved, given)).seq

    async def _tail(self) -> list[JournalEntry]:
        located = await location.read(self.thread.engine, self.handle.inner(""))
        if located is None:
            return []
        self._end = located.root.journal
        # A caller without a journal may have saved numbers of its own.
        self._covered = min(self._covered, self._end)
        rows = await reader.read(self.thread.engine, located.root, self._covered, NO_LIMIT, NO_LIMIT)
        return within([entry(self.handle.codec, row) for row in rows], self.handle.namespace)

    def _stop_beating(self) -> None:
        if self._beat is not None:
            heartbeat.beats.stop(self._beat)

    # ---------------------------------------------------------------- steps

    def use_step(self, name: str, key: str | None) -> Use:
        """Count the use when the step is called: concurrent steps are identified by the order of their calls."""
        self._check_open("step")
        if key is not None:
            check_id(key, "key")
        return self._replay.use("step", check_text(name, "name"), key)

    async def begin_step(self, use: Use, name: str, key: str | None, idempotent: bool) -> Begun:
        """The recorded result of this step; if there is none, commit its intent."""
        if isinstance(use.found, Effect):
            try:
                if self._replay.answer(use.found, name, idempotent):
                    return Begun(use.found.seq, is_recorded=True, value=use.found.result)
            except StepFailed as error:
                self._raised = (error, use.found.seq)
                raise
        # A step that is called again is the same effect: its new intent names the first.
        again = use.found.seq if use.found is not None else None
        data = {**self._where(use), "name": name, "key": key, "idempotent": idempotent, "again": again}
        return Begun((await self._append(INTENT, data, "intent")).seq, is_recorded=False, key=key)

    def _where(self, use: Use) -> dict[str, Any]:
        """What identifies this use when the run is resumed."""
        return {
            "namespace": self.handle.namespace,
            "nth": use.nth,
            "at": use.at,
            "base": self._replay.base,
            "unwritten": self._unwritten,
        }

    async def end_step(self, begun: Begun, name: str, value: Any) -> None:
        """Commit the result. A result that can't be stored raises, and leaves the step unfinished."""
        path = f"step[{name!r}]"
        body = self.handle.codec.encode({"of": begun.seq, "value": value}, path)
        if len(body) > self.options.max_result:
            raise EncodeError(
                f"the result takes {len(body)} bytes; the limit is {self.options.max_result}: "
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
        # A worker that died before it left the block may have recorded the interrupt already.
        if use.found is None:
            await self._append(INTERRUPT, {**self._where(use), "name": name, "payload": payload}, "interrupt")
        # The interrupt has to come after the saves that are still in the background.
        await self._drained()
        await self._write(self._saved, SaveArguments(status="interrupted", journal_seq=self._covered))
        self.interrupted, self.payload = True, payload
        raise Leave

    # ---------------------------------------------------------------- saving

    async def save(self, state: Any, extra: Any, given: SaveArguments) -> CheckpointInfo | None:
        """The next checkpoint of the run; None where the durability leaves it for later."""
        self._check_open("save")
        self._replay.check(self.handle.name)
        change = self.thread.change(state, extra)
        covered = self._replay.covered(self._end)
        given = given._replace(journal_seq=covered)
        info = None
        if self._backlog is not None:
            self._write_later(self._backlog, change, given)
        elif self._unwritten:
            # Arguments that could never be stored are refused now.
            self.thread.fields(given)
        else:
            info = await self._write(change, given)
        self._covered = covered
        self._saved, self.state = change, state
        self._replay.saved()
        return info

    def _write_later(self, backlog: Backlog, change: Change, given: SaveArguments) -> None:
        id = new_id()
        fields = self.thread.fields(given._replace(run_id=self.id, id=id))
        engine, handle = self.thread.engine, self.handle
        backlog.put(id, lambda: drive(save.save, engine, handle, fields, change))

    async def _write(self, change: Change, given: SaveArguments) -> CheckpointInfo:
        fields = self.thread.fields(given._replace(run_id=self.id))
        return await save.save(self.thread.engine, self.handle, fields, change)

    async def finish(self, state: Any, status: str) -> CheckpointInfo:
        self._check_open("finish")
        self._replay.check(self.handle.name, ending=True)
        change = self.thread.change(state)
        await self._drained()
        info = await self._write(change, SaveArguments(status=status, journal_seq=self._end))
        self.state = state
        self._over = _FINISHED
        return info

    async def _drained(self) -> None:
        if self._backlog is not None:
            self._backlog.flush()
            self._backlog.check()

    # ---------------------------------------------------------------- leaving

    async def leave(self, error: BaseException | None) -> bool:
        """End the run as its block ended; True if the exception is the run's own `Leave`."""
        if os.getpid() != self._process:
            # A child that was forked inside the block: the run is its parent's.
            return isinstance(error, Leave)
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
        has_finished = self._over == _FINISHED
        ended = has_finished or error is None or isinstance(error, Leave) or (isinstance(error, Exception) and recorded)
        await self._release(finished=ended)
        return isinstance(error, Leave)

    async def _release(self, *, finished: bool) -> None:
        """A lease that can't be released expires by itself: an error must not hide how the run ended."""
        if self._backlog is not None:
            # What the worker writes after the release would be refused as another worker's.
            self._backlog.flush()
        with suppress(HoldfastError):
            await leases.release(self.thread.engine, self.handle, finished=finished)

    async def _fail(self, error: Exception) -> bool:
        """Save a checkpoint that says why the run failed; returns whether it was written. An error while recording must
        not hide the one that is recorded."""
        effect = self._raised[1] if self._raised is not None and _caused(error, self._raised[0]) else None
        what = {"type": type(error).__qualname__, "text": str(error)}
        try:
            await self._drained()
            if effect is not None or self._unwritten:
                where = self._where(self._replay.use("failure", ""))
                await self._append(FAILED, {**where, **what, "effect": effect}, "error")
            given = SaveArguments(status="failed", metadata={"error": what}, journal_seq=self._covered)
            await self._write(self._saved, given)
        except HoldfastError as second:
            if second is not error:
                error.add_note(f"holdfast could not record this failure: {second}")
            return False
        return True

    # ---------------------------------------------------------------- helpers

    async def _append(self, kind: str, data: dict[str, Any], what: str) -> JournalRow:
        return await self._append_body(kind, self.handle.codec.encode(data, what))

    async def _append_body(self, kind: str, body: bytes) -> JournalRow:
        row = await writer.append(self.thread.engine, self.handle, kind, body)
        self._end = max(self._end, row.seq)
        return row

    def _check_open(self, what: str) -> None:
        if os.getpid() != self._process:
            raise InvalidArgument(f"{what}() was called in a forked child: the run {self.id!r} is its parent's")
        if self._over:
            raise InvalidArgument(f"{what}() was called {self._over}: the run {self.id!r} has ended")
        if self._backlog is not None:
            self._backlog.check()


def _renew(engine: Engine, handle: Handle) -> bool:
    """Runs on the heartbeat's thread; False if there is nothing to renew any more. A lease that was lost makes the next
    write fail, not this call."""
    try:
        drive(leases.renew, engine, handle)
    except (Fenced, Deleted, Closed):
        return False
    except HoldfastError:
        pass  # a failing disk or a slow lock: the next beat tries again
    return True


def _give_back(engine: Engine, handle: Handle) -> None:
    """The run is gone, and was never left."""
    if handle.epoch is not None:
        with suppress(HoldfastError):
            drive(leases.release, engine, handle, finished=False)


def _is_boundary(info: CheckpointInfo) -> bool:
    return is_boundary(info.source, info.status)


def _seq(head: CheckpointInfo | None) -> int:
    return head.seq if head is not None else 0


def _caused(error: BaseException, by: BaseException) -> bool:
    """Whether an exception is `by`, or was raised from it."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        if cause is by:
            return True
        seen.append(cause)
        cause = cause.__cause__ or cause.__context__
    return False
