"""Replaying: which of the recorded steps and interrupts a resumed run is asking for.

Steps are told apart by their key, or by name and number of use since the last save. Saves that were only counted or
were lost on their way to disk leave several stretches of recorded steps behind one checkpoint; each is a lap, numbered
from the checkpoint that the run resumes at.
"""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime
from typing import Any, NamedTuple

from holdfast.errors import Diverged, StepFailed, UnsafeEffect
from holdfast.journal import (
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

Recorded = Effect | Question


class Use(NamedTuple):
    """One use of a step or interrupt, and what is recorded for it."""

    nth: int
    at: int
    found: Recorded | None


class Replay:
    """What is recorded since the checkpoint, and what of it was asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.base = 0  # the number of the checkpoint that this execution starts at
        self._first = 0  # what its first lap is numbered
        self._lap = 0
        self._uses: Counter[tuple[str, str]] = Counter()
        self._recorded: dict[tuple[str, str, int, int] | str, tuple[int, Recorded]] = {}
        self._asked: set[int] = set()
        self.ended_by: int | None = None  # the step whose failure ended the run: it is called again

    def start(self, base: int, tail: list[JournalEntry], *, saved: int, unwritten: bool, boundary: bool = False) -> int:
        """Begin after the checkpoint with the number `base`, with what the journal knows since; gives the number of the
        first lap. `saved` is the last checkpoint that the run itself saved, where an interrupt, a failure or an update
        came after it. Saves that are only counted are counted on from where the boundary left off."""
        self.base = base
        counted = _first_counted(tail, boundary)
        self._first = counted if unwritten else base
        for effect in effects(tail).values():
            self._record("step", effect, counted, saved, effect.key)
        for question in questions(tail).values():
            self._record("interrupt", question, counted, saved, None)
        return self._first

    def _record(self, kind: str, one: Recorded, counted: int, saved: int, key: str | None) -> None:
        """An execution that started later than the last save numbered its laps from its own start."""
        lap = one.at - counted if one.unwritten else max(0, one.at - max(one.base, saved))
        self._recorded[key if key is not None else (kind, one.name, one.nth, lap)] = (lap, one)

    # ---------------------------------------------------------------- asking

    def use(self, kind: str, name: str, key: str | None = None) -> Use:
        with self._lock:
            nth = self._uses[kind, name]
            self._uses[kind, name] += 1
            _, found = self._recorded.get(key if key is not None else (kind, name, nth, self._lap), (0, None))
            if found is not None:
                self._asked.add(found.seq)
            return Use(nth, self._first + self._lap, found)

    def answer(self, effect: Effect, name: str, idempotent: bool) -> bool:
        """Whether the recorded result answers the step; False if it is to be called."""
        if effect.name != name:
            raise Diverged(f"the key {effect.key!r} is recorded for the step {effect.name!r}, and {name!r} asks for it")
        if effect.status == "failed" and effect.seq != self.ended_by:
            raise StepFailed(
                f"step {name!r} failed before with {effect.error_type}: {effect.error}",
                error_type=effect.error_type,
                text=effect.error,
            )
        if effect.status == "unfinished" and not (effect.safe_to_repeat or idempotent):
            raise UnsafeEffect(
                f"step {name!r} was begun (journal entry {effect.seq}) and nothing says whether it happened; "
                "look, then thread.resolve(effect, result=…) or thread.resolve(effect, retry=True)",
                effect=effect.seq,
            )
        return effect.status == "done"

    def done(self, key: str, seq: int, name: str, result: Any) -> None:
        """A step with a key ended: asked for again before the next save, it is the same step."""
        with self._lock:
            effect = Effect(
                seq=seq, name=name, nth=0, at=self._first + self._lap, base=self.base, unwritten=False, key=key,
                idempotent=False, status="done", result=result, started_at=datetime.now(UTC),
            )  # fmt: skip
            self._recorded[key] = (self._lap, effect)
            self._asked.add(seq)

    # ---------------------------------------------------------------- saving

    def covered(self, end: int) -> int:
        """How much of the journal a save now covers: not what is recorded for after it, by an execution that got
        further than what it saved."""
        later = [one.seq for lap, one in self._recorded.values() if lap > self._lap]
        return min(later) - 1 if later else end

    def check(self, name: str, *, ending: bool = False) -> None:
        """Everything that was recorded since the last save must have been asked for again; before the end, all."""
        asked = self._asked
        found = self._recorded.values()
        missed = [one for lap, one in found if one.seq not in asked and (ending or lap <= self._lap)]
        if missed:
            one = min(missed, key=lambda missing: missing.seq)
            kind = "step" if isinstance(one, Effect) else "interrupt"
            raise Diverged(
                f"{name}: {kind} {one.name!r} (journal entry {one.seq}) is recorded, and the code did not ask for it "
                "before the next save"
            )

    def saved(self) -> None:
        """A new lap starts."""
        with self._lock:
            self._uses.clear()
            self._lap += 1
            self._recorded = {key: (lap, one) for key, (lap, one) in self._recorded.items() if lap >= self._lap}


def _first_counted(tail: list[JournalEntry], boundary: bool) -> int:
    """The number of the lap that was left where the checkpoint stands. Behind a boundary everything is of that lap or
    of a later one, but for the marks of executions that replayed earlier ones; else such a mark is the start."""
    counted = [one for one in tail if one.kind in SCOPED and one.data["unwritten"]]
    starts = [int(one.data["at"]) for one in counted if one.kind == START]
    if boundary and any(one.kind in (INTERRUPT, FAILED) for one in counted):
        return min(int(one.data["at"]) for one in counted if one.kind != START)
    return min(starts, default=0)
