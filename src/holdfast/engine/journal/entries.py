"""The journal's records: entries and cursors, and the effects and questions that entries describe.

An effect is two entries: an intent, committed before the step is called, and its result or error after. However the
process dies, the journal says what is known to have happened.
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
from holdfast.engine.journal.entry_shapes import (
    ERROR,
    FAILED,
    INTENT,
    INTERRUPT,
    OWN,
    RESULT,
    RESUME,
    RETRY,
    START,
    TRIMMED,
    problem,
)
from holdfast.errors import Corrupt, InvalidArgument

__all__ = [
    "ERROR",
    "FAILED",
    "INTENT",
    "INTERRUPT",
    "OWN",
    "RESULT",
    "RESUME",
    "RETRY",
    "START",
    "TRIMMED",
    "Effect",
    "JournalEntry",
    "Question",
    "effects",
    "entry",
    "parse_cursor",
    "questions",
    "within",
]

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
        """The entry's position as text, for `journal.read(after=…)`."""
        return f"journal:{self.seq}"


def parse_cursor(value: int | str) -> int:
    """A number or a cursor's text; anything else is an error, never the start."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    found = _CURSOR.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise InvalidArgument(f"{value!r} is not a position in a journal: pass a number, or a cursor like 'journal:17'")
    return int(found[1])


def entry(codec: Codec, row: JournalRow) -> JournalEntry:
    """An entry as callers get it. `Corrupt` if it is one of Holdfast's own and does not have what those have."""
    data = codec.decode(row.body)
    wrong = problem(row.kind, data) if row.kind.startswith(OWN) else ""
    if wrong:
        raise Corrupt(f"entry {row.seq} of the journal, {row.kind}, can't be read: {wrong}")
    return JournalEntry(seq=row.seq, kind=row.kind, data=data, key=row.key, created_at=as_datetime(row.created_at))


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One step of a run: what was about to happen, and what is known about its outcome."""

    seq: int
    name: str
    nth: int  # which use of the name since the last save, from 0
    at: int  # the number of the checkpoint it came after, written or not
    base: int  # the number of the checkpoint that its execution of the run started at
    unwritten: bool  # with durability `exit`, where checkpoints are counted and not written
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


SCOPED: Final = frozenset({INTENT, INTERRUPT, START, FAILED})


def within(entries: Iterable[JournalEntry], namespace: str) -> list[JournalEntry]:
    """The entries of one namespace: a thread has one journal, and a run belongs to one namespace. Results, errors and
    answers name the entry that they end, and are all kept."""
    return [entry for entry in entries if entry.kind not in SCOPED or entry.data["namespace"] == namespace]


ENDINGS: Final[dict[str, Literal["done", "failed", "retry"]]] = {RESULT: "done", ERROR: "failed", RETRY: "retry"}


def effects(entries: Iterable[JournalEntry]) -> dict[int, Effect]:
    """The effects that these entries describe, by the number of their intent."""
    found: dict[int, Effect] = {}
    for entry in entries:
        if entry.kind == INTENT:
            # A step that is called again is one effect.
            found.pop(entry.data["again"], None)
            found[entry.seq] = _begun(entry)
        elif entry.kind in ENDINGS and entry.data["of"] in found:
            effect = found[entry.data["of"]]
            # The first ending counts.
            if effect.status == "unfinished":
                found[effect.seq] = _ended(effect, entry)
    return found


def _begun(intent: JournalEntry) -> Effect:
    data = intent.data
    return Effect(
        seq=intent.seq,
        name=data["name"],
        nth=data["nth"],
        at=data["at"],
        base=data["base"],
        unwritten=data["unwritten"],
        key=data["key"],
        idempotent=data["idempotent"],
        status="unfinished",
        started_at=intent.created_at,
    )


def _ended(effect: Effect, ending: JournalEntry) -> Effect:
    data = ending.data
    return replace(
        effect,
        status=ENDINGS[ending.kind],
        result=data.get("value"),
        error_type=data.get("type", ""),
        error=data.get("text", ""),
    )


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
    """The interrupts that these entries describe, by number."""
    found: dict[int, Question] = {}
    for entry in entries:
        data = entry.data
        if entry.kind == INTERRUPT:
            found[entry.seq] = Question(
                seq=entry.seq,
                name=data["name"],
                nth=data["nth"],
                at=data["at"],
                base=data["base"],
                unwritten=data["unwritten"],
                payload=data["payload"],
            )
        elif entry.kind == RESUME and data["of"] in found:
            question = found[data["of"]]
            found[question.seq] = replace(question, answered=True, answer=data["value"])
    return found
