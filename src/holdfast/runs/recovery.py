"""Recovery: what a thread's journal says about a run whose worker died, and deciding about its unfinished effects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.engine.checkpoints import read
from holdfast.engine.journal import writer
from holdfast.engine.journal.entries import OWN, RESULT, RETRY, START, Effect, JournalEntry, effects, questions, within
from holdfast.engine.threads import leases, location
from holdfast.errors import Conflict, InvalidArgument, NotFound
from holdfast.ids import check_id
from holdfast.model import Checkpoint, Lease
from holdfast.operations.thread_calls import ThreadCalls
from holdfast.runs.options import UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Where a thread is after its worker died: what a supervisor or a person reads before it is resumed."""

    checkpoint: Checkpoint[Any] | None
    tail: tuple[JournalEntry, ...]  # what happened since that checkpoint
    finished: tuple[Effect, ...]
    unfinished: tuple[Effect, ...]
    may_resume: bool
    why: str  # not; empty if it may


async def recover(thread: ThreadCalls[Any]) -> Recovery:
    engine, handle = thread.engine, thread.handle
    head = await thread.latest(None)
    here = await location.read(engine, handle.inner(""))
    if here is None:
        return _recovery(head, [], None)
    covered = min(head.journal_seq if head is not None else 0, here.root.journal)
    tail = within(await thread.entries_after(covered), handle.namespace)
    return _recovery(head, tail, leases.lease_of(here.root, await engine.backend.now()))


def _recovery(head: Checkpoint[Any] | None, tail: Sequence[JournalEntry], lease: Lease | None) -> Recovery:
    recorded = effects(tail).values()
    unfinished = tuple([effect for effect in recorded if effect.status == "unfinished"])
    why = _held(lease) or _undecided(unfinished) or _waiting(tail) or _nothing_to_resume(head, tail)
    return Recovery(
        checkpoint=head,
        tail=tuple(tail),
        finished=tuple([effect for effect in recorded if effect.status in ("done", "failed")]),
        unfinished=unfinished,
        may_resume=not why,
        why=why,
    )


# Each gives a reason why a run can't simply be resumed; empty if there is none.


def _held(lease: Lease | None) -> str:
    if lease is None or lease.expired:
        return ""
    return f"worker {lease.worker!r} holds it, at most until {lease.until:%H:%M:%S} UTC"


def _undecided(unfinished: Iterable[Effect]) -> str:
    for effect in unfinished:
        if not effect.safe_to_repeat:
            return f"step {effect.name!r} (journal entry {effect.seq}) was begun and may have happened: resolve it"
    return ""


def _waiting(tail: Iterable[JournalEntry]) -> str:
    if all(question.answered for question in questions(tail).values()):
        return ""
    return "it waits for a value: thread.run(resume=value)"


def _nothing_to_resume(head: Checkpoint[Any] | None, tail: Iterable[JournalEntry]) -> str:
    if head is None:
        has_started = any(entry.kind == START for entry in tail)
        return "" if has_started else "it has no run yet: thread.run(input=…)"
    has_ended = head.is_terminal and head.status.lower() != "failed"
    return f"its run has ended ({head.status})" if has_ended else ""


async def effects_after(thread: ThreadCalls[Any], id: str) -> list[Effect]:
    _, row = await read.pointed(thread.engine, thread.handle, check_id(id, "a checkpoint id"))
    return list(effects(await thread.entries_after(row.journal_seq)).values())


async def resolve(thread: ThreadCalls[Any], effect: Effect | int, result: Any, retry: bool) -> None:
    """Record how an unfinished effect ended. Its key in the journal lets only one decision in."""
    handle = thread.handle
    if (result is not UNSET) == retry:
        raise InvalidArgument("resolve() takes either result= (it happened) or retry=True (call it again)")
    seq = effect.seq if isinstance(effect, Effect) else effect
    found = effects(await thread.entries_after(0)).get(seq)
    if found is None:
        raise NotFound(f"{handle.name} has no effect with the journal entry {seq!r}; recover() lists them")
    if found.status != "unfinished":
        raise Conflict(f"{handle.name}: the effect {seq} is already {found.status}", actual=found.status)
    data = {"of": seq} if retry else {"of": seq, "value": result}
    body = handle.codec.encode(data, "result")
    await writer.append(thread.engine, handle, RETRY if retry else RESULT, body, f"{OWN}resolve:{seq}")
