"""The journal's records: entries and cursors, effects, and what recovery makes of them.

An effect is two entries: an intent, committed before the step is called, and its result or error after. Whatever the
process dies of, what the journal says is what is known to have happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

from holdfast.backends.rows import JournalRow
from holdfast.codec import Codec
from holdfast.engine.context import as_datetime
from holdfast.errors import InvalidArgument
from holdfast.model import Checkpoint, Lease

OWN: Final = "holdfast."
INTENT, RESULT, ERROR, RETRY = (OWN + name for name in ("intent", "result", "error", "retry"))
TRIMMED: Final = OWN + "trimmed"  # tells that entries up to this one are gone, and from which on
INTERRUPT, RESUME, START, FAILED = (OWN + name for name in ("interrupt", "resume", "start", "failed"))

_CURSOR: Final = re.compile(r"journal:(0|[1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One event of a thread."""

    seq: int
    kind: str
    data: Any
    key: str | None
    created_at: datetime

    @property
    def cursor(self) -> str:
        """The entry's place as text, for `journal.read(after=…)`."""
        return f"journal:{self.seq}"


def parse_cursor(value: int | str) -> int:
    """A number or a cursor's text; anything else is an error, never the start."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    found = _CURSOR.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise InvalidArgument(f"{value!r} is no place in a journal: give a number, or an entry's cursor ('journal:17')")
    return int(found[1])


def entry(codec: Codec, row: JournalRow) -> JournalEntry:
    return JournalEntry(
        seq=row.seq, kind=row.kind, data=codec.decode(row.body), key=row.key, created_at=as_datetime(row.created_at)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One step of a run: something that was about to happen, and what is known to have come of it."""

    seq: int
    name: str
    nth: int  # which use of the name since the last save, from 0
    at: int  # the number of the checkpoint it came after, written or not
    base: int  # the number of the checkpoint that its execution of the run started at
    unwritten: bool  # in durability `exit`, where numbers are only counted
    key: str | None
    idempotent: bool
    status: Literal["unfinished", "done", "failed", "retry"]
    result: Any = None
    error_type: str = ""
    error: str = ""
    started_at: datetime

    @property
    def safe_to_repeat(self) -> bool:
        return self.idempotent or self.key is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Where a thread stands after its worker died: what a supervisor or a person looks at before it goes on."""

    checkpoint: Checkpoint[Any] | None
    tail: tuple[JournalEntry, ...]  # what happened since that checkpoint
    finished: tuple[Effect, ...]
    unfinished: tuple[Effect, ...]
    may_resume: bool
    why: str  # it may not; empty if it may


SCOPED: Final = frozenset({INTENT, INTERRUPT, START, FAILED})


def within(entries: Iterable[JournalEntry], namespace: str) -> list[JournalEntry]:
    """The journal is the thread's; a run is one namespace's. Endings follow what they end."""
    return [one for one in entries if one.kind not in SCOPED or one.data["namespace"] == namespace]


def effects(entries: Iterable[JournalEntry]) -> dict[int, Effect]:
    """The effects that these entries tell of, by the number of their intent."""
    found: dict[int, Effect] = {}
    for one in entries:
        if one.kind == INTENT:
            found.pop(one.data["again"], None)  # a step called again is one effect
            found[one.seq] = _begun(one)
        elif one.kind in ENDINGS and one.data["of"] in found:
            effect = found[one.data["of"]]
            if effect.status == "unfinished":  # whoever ended it first has decided
                found[effect.seq] = _ended(effect, one)
    return found


def _begun(one: JournalEntry) -> Effect:
    data = one.data
    return Effect(
        seq=one.seq, name=data["name"], nth=data["nth"], at=data["at"], base=data["base"],
        unwritten=data["unwritten"], key=data["key"],
        idempotent=data["idempotent"], status="unfinished", started_at=one.created_at,
    )  # fmt: skip


ENDINGS: Final[dict[str, Literal["done", "failed", "retry"]]] = {RESULT: "done", ERROR: "failed", RETRY: "retry"}


def _ended(effect: Effect, one: JournalEntry) -> Effect:
    data = one.data
    return replace(
        effect, status=ENDINGS[one.kind], result=data.get("value"), error_type=data.get("type", ""),
        error=data.get("text", ""),
    )  # fmt: skip


def recovery(head: Checkpoint[Any] | None, tail: list[JournalEntry], lease: Lease | None) -> Recovery:
    known = effects(tail)
    unfinished = tuple(one for one in known.values() if one.status == "unfinished")
    why = _why_not(head, tail, lease, unfinished)
    return Recovery(
        checkpoint=head, tail=tuple(tail), unfinished=unfinished, may_resume=not why, why=why,
        finished=tuple(one for one in known.values() if one.status in ("done", "failed")),
    )  # fmt: skip


def _why_not(
    head: Checkpoint[Any] | None, tail: list[JournalEntry], lease: Lease | None, unfinished: tuple[Effect, ...]
) -> str:
    """Why a run can't simply go on; empty if it can."""
    if lease is not None and not lease.expired:
        return f"worker {lease.worker!r} holds it until {lease.until:%H:%M:%S} UTC at most"
    unsafe = [one for one in unfinished if not one.safe_to_repeat]
    if unsafe:
        return f"step {unsafe[0].name!r} (journal entry {unsafe[0].seq}) was begun and may have happened: resolve it"
    if any(not one.answered for one in questions(tail).values()):
        return "it waits for a value: thread.run(resume=value)"
    if head is None and not any(one.kind == START for one in tail):
        return "it has no run yet: thread.run(input=…)"
    if head is not None and head.is_terminal and head.status.lower() != "failed":
        return f"its run has ended ({head.status})"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An interrupt, and the value it was resumed with."""

    seq: int
    name: str
    nth: int
    at: int
    base: int
    unwritten: bool
    payload: Any
    answered: bool = False
    answer: Any = None


def questions(entries: Iterable[JournalEntry]) -> dict[int, Question]:
    found: dict[int, Question] = {}
    for one in entries:
        if one.kind == INTERRUPT:
            data = one.data
            found[one.seq] = Question(
                seq=one.seq, name=data["name"], nth=data["nth"], at=data["at"], base=data["base"],
                unwritten=data["unwritten"], payload=data["payload"],
            )  # fmt: skip
        elif one.kind == RESUME and one.data["of"] in found:
            asked = found[one.data["of"]]
            found[asked.seq] = replace(asked, answered=True, answer=one.data["value"])
    return found
