"""Writers that wait share a commit, in which each stands or falls alone.

Whoever finds fewer than a few commits under way takes along all that wait, and whoever comes meanwhile waits for the
next. A member that is stale is told so. One that met a locked row, and every member of a commit that failed, tries
again alone: it then waits for locks, finds out what became of it, and only it gets its error.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from copy import copy
from typing import Final

import psycopg

from holdfast.backends.base import Batch
from holdfast.backends.postgres.failures import (
    CHUNK_TAKEN,
    doubtful,
    is_crossed,
    is_lost,
    may_be_done,
    translate,
    unsure,
)
from holdfast.backends.postgres.programs import Program, joined
from holdfast.backends.postgres.statements import statements
from holdfast.backends.postgres.twins import Signal, Twin
from holdfast.errors import HoldfastError

STALE: Final = 0
APPLIED: Final = 1
LOCKED: Final = 2
_AT_ONCE: Final = 2  # commits under way
_MEMBERS: Final = 64
_BYTES: Final = 4 * 1024 * 1024
_CROSSED: Final = 20  # times that other transactions may be in the way


class _Ticket:
    """One batch on its way."""

    __slots__ = ("program", "signal", "leads", "verdict", "unknown", "error")

    def __init__(self, program: Program, signal: Signal) -> None:
        self.program = program
        self.signal = signal
        self.leads = False
        self.verdict = LOCKED  # until it is known better: then it is to be tried alone
        self.unknown = False  # whether it may have been applied all the same
        self.error: HoldfastError | None = None


class Grouping:
    """The writers that wait in one way: the threads of a process, or the tasks of a loop."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self._sql = statements(twin.address.schema)
        self._shown = twin.address.shown
        self._gate = threading.Lock()
        self._queue: deque[_Ticket] = deque()
        self._under_way = 0

    async def commit(self, batch: Batch) -> bool:
        ticket = _Ticket(Program(batch), self._twin.signal())
        with self._gate:
            if self._under_way < _AT_ONCE:
                self._under_way += 1
                ticket.leads = True
            else:
                self._queue.append(ticket)
        if ticket.leads:
            await self._twin.finish(self._lead(ticket))
        else:
            await self._follow(ticket)
        if ticket.error is not None:
            raise ticket.error
        if ticket.verdict == LOCKED:
            return await self.commit_alone(ticket.program, unknown=ticket.unknown)
        return ticket.verdict == APPLIED

    async def _follow(self, ticket: _Ticket) -> None:
        try:
            await ticket.signal.wait()
        except BaseException:
            with self._gate:
                leads = ticket.leads
                if ticket in self._queue:
                    self._queue.remove(ticket)
            if leads:
                self._hand_on()
            raise
        if ticket.leads:
            await self._twin.finish(self._lead(ticket))

    async def _lead(self, ticket: _Ticket) -> None:
        members = [ticket]
        try:
            with self._gate:
                weight = ticket.program.weight
                while self._queue and len(members) < _MEMBERS and weight < _BYTES:
                    members.append(self._queue.popleft())
                    weight += members[-1].program.weight
            await self._commit_together(members)
        except BaseException:  # the leader was stopped; whoever goes on must not believe in a commit that never was
            for one in members:
                one.unknown = True
            raise
        finally:
            self._hand_on()
            for one in members:
                if one is not ticket:
                    one.signal.set()

    def _hand_on(self) -> None:
        """The next of those who wait leads; where tasks can be started, in a task of its own."""
        with self._gate:
            if not self._queue:
                self._under_way -= 1
                return
            following = self._queue.popleft()
        if not self._twin.start(lambda: self._lead_for(following)):
            following.leads = True
            following.signal.set()

    async def _lead_for(self, ticket: _Ticket) -> None:
        try:
            await self._lead(ticket)
        finally:
            ticket.signal.set()

    async def _commit_together(self, members: list[_Ticket]) -> None:
        members.sort(key=lambda one: one.program.key)
        try:
            verdicts = await self._apply([one.program for one in members], patient=False)
        except psycopg.Error as error:
            for one in members:
                one.unknown = may_be_done(error)
            return
        except HoldfastError as error:  # there was no connection to be had: to wait for one again helps nobody
            for one in members:
                one.error = copy(error)
            return
        except Exception:  # what one of them sends is not fit to be sent, or the driver failed: each finds out alone
            for one in members:
                one.unknown = True
            return
        for one, verdict in zip(members, verdicts, strict=True):
            one.verdict = verdict

    async def _apply(self, programs: Sequence[Program], *, patient: bool) -> list[int]:
        whole = joined(programs)
        arguments = (patient, whole.starts, whole.ops, whole.numbers, whole.texts, whole.bodies)
        ((verdicts,),) = await self._twin.fetch(self._sql["apply"], arguments)
        return list(verdicts)

    # ---------------------------------------------------------------- alone

    async def commit_alone(self, program: Program, *, unknown: bool = False, once: bool = False) -> bool:
        """Wait for locks, and for a server that is away. `unknown` says that an earlier try may have been applied: then
        a stale answer may be its own doing, and the stamp that only this batch leaves behind tells."""
        patience = Patience(self._twin)
        crossed = 0
        while True:
            try:
                with doubtful(unknown, self._shown):
                    (verdict,) = await self._apply([program], patient=True)
            except psycopg.Error as error:
                if once:
                    raise translate(error, self._shown) from error
                if unknown and error.sqlstate == CHUNK_TAKEN and await self._landed(program):
                    return True
                if is_crossed(error) and crossed < _CROSSED:
                    crossed += 1
                    continue
                if unknown and not is_lost(error):  # it fails now, but may have been done before
                    raise unsure(error, self._shown) from error
                with doubtful(unknown, self._shown):
                    await patience.lost(error)
                unknown = unknown or may_be_done(error)
                continue
            return verdict == APPLIED or (unknown and await self._landed(program))

    async def _landed(self, program: Program) -> bool:
        """Whether an earlier try was applied. Where nobody can tell any more, that is what the caller has to hear."""
        patience = Patience(self._twin)
        found = None
        with doubtful(True, self._shown):
            while True:
                try:
                    ((found,),) = await self._twin.fetch(self._sql["landed"], program.traces())
                    break
                except psycopg.Error as error:
                    await patience.lost(error)
        if found is None:
            raise unsure("others have written to the same thread many times since", self._shown)
        return bool(found)


class Patience:
    """How long to go on trying while a server is away."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self._end = time.monotonic() + twin.address.retry
        self._pause = 0.0

    async def lost(self, error: psycopg.Error) -> None:
        """Wait a little if the connection was lost and there is time; raise what is to be raised otherwise."""
        if not is_lost(error) or time.monotonic() + self._pause > self._end:
            raise translate(error, self._twin.address.shown) from error
        await self._twin.sleep(self._pause)  # the first time at once: often only an old connection was closed
        self._pause = min(self._pause * 2 or 0.05, 1.0)
