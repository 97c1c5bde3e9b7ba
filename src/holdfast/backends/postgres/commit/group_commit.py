"""Writers that wait share a commit, in which each is applied or not by itself.

A writer that finds fewer than a few commits in progress leads one, and takes along all writers that wait; writers that
come later wait for the next. A member whose expectations fail is reported stale. A member that met a locked row, and
every member of a commit that failed, tries again alone: then it waits for locks, finds out what became of its first
attempt, and gets its own error.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Final

import psycopg

from holdfast._system.interrupts import is_interrupt
from holdfast.backends.base import Batch
from holdfast.backends.postgres.commit.batch_program import program_of
from holdfast.backends.postgres.commit.program import Program, joined
from holdfast.backends.postgres.connection.connector import Connector, Signal
from holdfast.backends.postgres.errors import CHUNK_TAKEN, doubtful, is_crossed, is_lost, may_be_done, translate, unsure
from holdfast.errors import HoldfastError

STALE: Final = 0
APPLIED: Final = 1
LOCKED: Final = 2
_IN_PROGRESS: Final = 2  # commits at the same time
_MEMBERS: Final = 64
_BYTES: Final = 4 * 1024 * 1024
_CROSSED: Final = 20  # times that a deadlock or the like is retried


class _Ticket:
    """One batch on its way."""

    __slots__ = ("program", "signal", "leads", "verdict", "unknown", "error")

    def __init__(self, program: Program, signal: Signal) -> None:
        self.program = program
        self.signal = signal
        self.leads = False
        self.verdict = LOCKED  # until a commit says otherwise: a batch without a verdict is tried alone
        self.unknown = False  # whether an attempt may have been applied although it failed
        self.error: HoldfastError | None = None


def _portions(tickets: list[_Ticket]) -> Iterator[list[_Ticket]]:
    """Tickets that fit into one commit."""
    members: list[_Ticket] = []
    weight = 0
    for ticket in tickets:
        if members and (len(members) >= _MEMBERS or weight >= _BYTES):
            yield members
            members, weight = [], 0
        members.append(ticket)
        weight += ticket.program.weight
    if members:
        yield members


class GroupCommit:
    """The writers that wait in the same way: the threads of a process, or the tasks of a loop."""

    def __init__(self, connector: Connector, sql: Mapping[str, bytes]) -> None:
        self.connector = connector
        self._sql = sql
        self._shown = connector.address.shown
        self._gate = threading.Lock()
        self._queue: deque[_Ticket] = deque()
        self._in_progress = 0

    async def commit(self, batch: Batch) -> bool:
        ticket = _Ticket(program_of(batch), self.connector.signal())
        with self._gate:
            # A writer leads at once if few commits are in progress, and takes along those that wait. Else it waits.
            if self._in_progress < _IN_PROGRESS:
                self._in_progress += 1
                ticket.leads = True
            else:
                self._queue.append(ticket)
        if ticket.leads:
            await self.connector.finish(self._lead(ticket))
        else:
            await self._follow(ticket)
        return await self._outcome(ticket)

    async def commit_each(self, batches: Sequence[Batch]) -> list[bool]:
        """Several batches of one caller, in as few round trips as their sizes allow."""
        tickets = [_Ticket(program_of(batch), self.connector.signal()) for batch in batches]
        for members in _portions(tickets):
            await self.connector.finish(self._commit_together(members))
        return [await self._outcome(ticket) for ticket in tickets]

    async def _outcome(self, ticket: _Ticket) -> bool:
        if ticket.error is not None:
            raise ticket.error
        if ticket.verdict == LOCKED:
            return await self._commit_alone(ticket.program, ticket.unknown)
        return ticket.verdict == APPLIED

    async def _follow(self, ticket: _Ticket) -> None:
        try:
            await ticket.signal.wait()
        except BaseException:
            # A writer that was made the leader just before it was stopped has to pass that on.
            with self._gate:
                leads = ticket.leads
                if ticket in self._queue:
                    self._queue.remove(ticket)
            if leads:
                self._hand_on()
            raise
        if ticket.leads:
            await self.connector.finish(self._lead(ticket))

    async def _lead(self, ticket: _Ticket) -> None:
        members = [ticket]
        try:
            with self._gate:
                weight = ticket.program.weight
                while self._queue and len(members) < _MEMBERS and weight < _BYTES:
                    members.append(self._queue.popleft())
                    weight += members[-1].program.weight
            await self._commit_together(members)
        except BaseException:
            # The leader was stopped: its followers don't know whether the commit was made.
            for member in members:
                member.unknown = True
            raise
        finally:
            self._hand_on()
            for member in members:
                if member is not ticket:
                    member.signal.set()

    def _hand_on(self) -> None:
        """The next writer that waits leads; where tasks can be started, in a task of its own."""
        with self._gate:
            if not self._queue:
                self._in_progress -= 1
                return
            following = self._queue.popleft()
        if not self.connector.start(lambda: self._lead_for(following)):
            following.leads = True
            following.signal.set()

    async def _lead_for(self, ticket: _Ticket) -> None:
        try:
            await self._lead(ticket)
        finally:
            ticket.signal.set()

    async def _commit_together(self, members: list[_Ticket]) -> None:
        # In one order for all clients, so that two groups never wait for each other's rows.
        members.sort(key=lambda member: member.program.key)
        try:
            verdicts = await self._apply([member.program for member in members], patient=False)
        except psycopg.Error as error:
            for member in members:
                member.unknown = may_be_done(error)
        except HoldfastError as error:
            # No connection was free in time. Each member alone would only wait as long again.
            for member in members:
                member.error = copy(error)
        except Exception as error:
            if is_interrupt(error):
                raise
            # A member's value can't be sent, or the driver failed: each member finds out alone.
            for member in members:
                member.unknown = True
        else:
            for member, verdict in zip(members, verdicts, strict=True):
                member.verdict = verdict

    async def _apply(self, programs: Sequence[Program], *, patient: bool) -> list[int]:
        program = joined(programs)
        arguments = (patient, program.starts, program.ops, program.numbers, program.texts)
        bodies = program.bodies_for_sending()
        name = "apply" if len(bodies) == 1 else "apply_with_large_body"
        ((verdicts,),) = await self.connector.fetch(self._sql[name], (*arguments, *bodies))
        return list(verdicts)

    # ---------------------------------------------------------------- alone

    async def commit_once(self, program: Program) -> bool:
        """Wait for locks, and don't retry: for a transaction that is the caller's."""
        try:
            (verdict,) = await self._apply([program], patient=True)
        except psycopg.Error as error:
            raise translate(error, self._shown) from error
        return verdict == APPLIED

    async def _commit_alone(self, program: Program, unknown: bool) -> bool:
        """Wait for locks, and for a server that is away. `unknown` says that an earlier attempt may have been applied:
        then a stale verdict may be its own doing, and the stamp that only this batch leaves behind decides."""
        retries = _Retries(self.connector)
        while True:
            try:
                with doubtful(unknown, self._shown):
                    (verdict,) = await self._apply([program], patient=True)
            except psycopg.Error as error:
                # Its own first attempt has put the chunk.
                if unknown and error.sqlstate == CHUNK_TAKEN and await self._was_applied(program):
                    return True
                unknown = await retries.wait(error, unknown)
            else:
                return verdict == APPLIED or (unknown and await self._was_applied(program))

    async def _was_applied(self, program: Program) -> bool:
        """Whether an earlier attempt was applied. If that can't be found out any more, the caller has to know."""
        patience = Patience(self.connector)
        applied = None
        with doubtful(True, self._shown):
            while True:
                try:
                    ((applied,),) = await self.connector.fetch(self._sql["was_applied"], program.traces())
                    break
                except psycopg.Error as error:
                    await patience.lost(error)
        if applied is None:
            raise unsure("others have written to the same thread many times since", self._shown)
        return bool(applied)


class Patience:
    """How long to keep trying while a server is away."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector
        self._end = time.monotonic() + connector.address.retry
        self._pause = 0.0

    async def lost(self, error: psycopg.Error) -> None:
        """Wait a little if the connection was lost and there is time left; raise the translated error if not."""
        if not is_lost(error) or time.monotonic() + self._pause > self._end:
            raise translate(error, self._connector.address.shown) from error
        # The first retry is immediate: often only an old connection was closed.
        await self._connector.sleep(self._pause)
        self._pause = min(self._pause * 2 or 0.05, 1.0)


class _Retries:
    """What follows a failed attempt of one batch."""

    def __init__(self, connector: Connector) -> None:
        self._patience = Patience(connector)
        self._shown = connector.address.shown
        self._crossed = 0

    async def wait(self, error: psycopg.Error, unknown: bool) -> bool:
        """Return when it is time for the next attempt, and whether an attempt may have been applied by then."""
        if is_crossed(error) and self._crossed < _CROSSED:
            self._crossed += 1
            return unknown
        if unknown and not is_lost(error):
            # This attempt has failed for good, but an earlier one may have been applied.
            raise unsure(error, self._shown) from error
        with doubtful(unknown, self._shown):
            await self._patience.lost(error)
        return unknown or may_be_done(error)
