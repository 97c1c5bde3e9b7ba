"""Replay: matches the steps and interrupts of a resumed run to those that the journal has recorded.

Steps are identified by their key, or by their name and how many times it was used since the last save. What happens
between two saves is a lap. Where saves were only counted, or were lost on their way to disk, the journal has several
laps after one checkpoint; they are numbered from the checkpoint that the run resumes at.
"""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime
from typing import Any, NamedTuple

from holdfast.engine.journal.entries import (
    FAILED,
    INTERRUPT,
    SCOPED,
    START,
    Effect,
    JournalEntry,
    Question,
    effects,
    questions,
)
from holdfast.errors import Diverged, StepFailed, UnsafeEffect

Recorded = Effect | Question


class Use(NamedTuple):
    """One use of a step or interrupt, and what is recorded for it."""

    nth: int
    at: int
    found: Recorded | None


class Replay:
    """What is recorded since the checkpoint, and which of it the code has used again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.base = 0  # the number of the checkpoint that this execution starts at
        self._first = 0  # what its first lap is numbered
        self._lap = 0
        self._uses: Counter[tuple[str, str]] = Counter()
        self._recorded: dict[tuple[str, str, int, int] | str, tuple[int, Recorded]] = {}
        self._used: set[int] = set()
        self.ended_by: int | None = None  # the step whose failure ended the run, which is called again

    def start(self, base: int, tail: list[JournalEntry], *, saved: int, unwritten: bool, boundary: bool = False) -> int:
        """Begin after the checkpoint number `base`, with the journal's entries since then; returns the number of the
        first lap. `saved` is the number of the last checkpoint that a step of the run saved: later ones are interrupts,
        failures and updates. Saves that are only counted continue the count at the boundary."""
        self.base = base
        counted = _first_counted(tail, boundary)
        self._first = counted if unwritten else base
        for effect in effects(tail).values():
            self._record("step", effect, counted, saved, effect.key)
        for question in questions(tail).values():
            self._record("interrupt", question, counted, saved, None)
        return self._first

    def _record(self, kind: str, recorded: Recorded, counted: int, saved: int, key: str | None) -> None:
        """An execution that started after the last save numbered its laps from its own start."""
        # Saves that were only counted have no number in the store, so their laps are counted from the first one.
        if recorded.unwritten:
            lap = recorded.at - counted
        else:
            lap = max(0, recorded.at - max(recorded.base, saved))
        self._recorded[key if key is not None else (kind, recorded.name, recorded.nth, lap)] = (lap, recorded)

    # ---------------------------------------------------------------- using

    def use(self, kind: str, name: str, key: str | None = None) -> Use:
        with self._lock:
            nth = self._uses[kind, name]
            self._uses[kind, name] += 1
            _, found = self._recorded.get(key if key is not None else (kind, name, nth, self._lap), (0, None))
            if found is not None:
                self._used.add(found.seq)
            return Use(nth, self._first + self._lap, found)

    def answer(self, effect: Effect, name: str, idempotent: bool) -> bool:
        """Whether the recorded result answers the step; False if it is to be called."""
        if effect.name != name:
            raise Diverged(f"the key {effect.key!r} is recorded for the step {effect.name!r}, and {name!r} uses it")
        # The code handled this failure when it first ran, so it has to see it again.
        if effect.status == "failed" and effect.seq != self.ended_by:
            raise StepFailed(
                f"step {name!r} failed before with {effect.error_type}: {effect.error}",
                error_type=effect.error_type,
                text=effect.error,
            )
        # The journal can't say whether it happened: only the system that it acted on knows.
        if effect.status == "unfinished" and not (effect.safe_to_repeat or idempotent):
            raise UnsafeEffect(
                f"step {name!r} was begun (journal entry {effect.seq}), and whether it happened is unknown; "
                "find out, then call thread.resolve(effect, result=…) or thread.resolve(effect, retry=True)",
                effect=effect.seq,
            )
        return effect.status == "done"

    def done(self, key: str, seq: int, name: str, result: Any) -> None:
        """A step with a key ended: if the code uses the key again before the next save, it is the same step."""
        with self._lock:
            effect = Effect(
                seq=seq,
                name=name,
                nth=0,
                at=self._first + self._lap,
                base=self.base,
                unwritten=False,
                key=key,
                idempotent=False,
                status="done",
                result=result,
                started_at=datetime.now(UTC),
            )
            self._recorded[key] = (self._lap, effect)
            self._used.add(seq)

    # ---------------------------------------------------------------- saving

    def covered(self, end: int) -> int:
        """Up to which number a save now covers the journal: not the entries of later laps, which an earlier execution
        recorded beyond what it saved."""
        later = [recorded.seq for lap, recorded in self._recorded.values() if lap > self._lap]
        return min(later) - 1 if later else end

    def check(self, name: str, *, ending: bool = False) -> None:
        """Everything that was recorded for this lap must have been used again; at the end of the run, for all laps."""
        due = [recorded for lap, recorded in self._recorded.values() if ending or lap <= self._lap]
        missed = [recorded for recorded in due if recorded.seq not in self._used]
        if missed:
            first = min(missed, key=lambda recorded: recorded.seq)
            kind = "step" if isinstance(first, Effect) else "interrupt"
            raise Diverged(
                f"{name}: {kind} {first.name!r} (journal entry {first.seq}) is recorded, and the code did not "
                "repeat it before the next save"
            )

    def saved(self) -> None:
        """A new lap starts."""
        with self._lock:
            self._uses.clear()
            self._lap += 1
            self._recorded = {key: found for key, found in self._recorded.items() if found[0] >= self._lap}


def _first_counted(tail: list[JournalEntry], boundary: bool) -> int:
    """The number of the lap in which the checkpoint was written. After a boundary, all entries are of that lap or of
    later ones, except the starts of executions that replayed earlier laps; elsewhere such a start is the lap."""
    counted = [entry for entry in tail if entry.kind in SCOPED and entry.data["unwritten"]]
    kinds = {entry.kind for entry in counted}
    if boundary and not kinds.isdisjoint((INTERRUPT, FAILED)):
        return min(_lap_numbers(counted, starts=False))
    return min(_lap_numbers(counted, starts=True), default=0)


def _lap_numbers(entries: list[JournalEntry], *, starts: bool) -> list[int]:
    return [int(entry.data["at"]) for entry in entries if (entry.kind == START) is starts]
