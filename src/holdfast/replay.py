"""Replaying: which of the recorded steps and interrupts a resumed run is asking for.

Steps are told apart by their key, or by name and number of use since the last save. Saves that were only counted or
were lost on their way to disk leave several stretches of recorded steps behind one checkpoint; each is a lap, numbered
from the checkpoint that the run resumes at.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from holdfast.errors import Diverged, StepFailed, UnsafeEffect
from holdfast.journal import START, Effect, JournalEntry, Question, effects, questions

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
        self._base = 0
        self._saved = 0
        self._lap = 0
        self._uses: Counter[tuple[str, str]] = Counter()
        self._recorded: dict[tuple[str, str, int, int] | str, Recorded] = {}
        self._asked: set[int] = set()
        self.ended_by: int | None = None  # the step whose failure ended the run: it is called again

    @property
    def base(self) -> int:
        return self._base

    def start(self, base: int, tail: list[JournalEntry], saved: int | None = None) -> None:
        """Begin after the checkpoint with the number `base`, with what the journal knows since. `saved` is the last
        that the run itself saved, where an interrupt, a failure or an update came after it."""
        self._base = base
        self._saved = base if saved is None else saved
        starts = [(one.seq, one.data["at"]) for one in tail if one.kind == START]
        for effect in effects(tail).values():
            self._record("step", effect, starts, effect.key)
        for question in questions(tail).values():
            if question.answered:
                self._record("interrupt", question, starts, None)

    def _record(self, kind: str, one: Recorded, starts: list[tuple[int, int]], key: str | None) -> None:
        lap = self._lap_of(one, starts)
        known = replace(one, at=self._base + lap)
        self._recorded[key if key is not None else (kind, one.name, one.nth, lap)] = known

    def _lap_of(self, one: Recorded, starts: list[tuple[int, int]]) -> int:
        """How many saves were lost, or only counted, between the last one that is there and this. An execution that
        started later than that one counted from its own start. Counted saves end with the boundary that was written."""
        before = [at for seq, at in starts if seq < one.seq]
        if before:
            return one.at - before[-1]
        return 0 if one.unwritten else max(0, one.at - max(one.base, self._saved))

    # ---------------------------------------------------------------- asking

    def use(self, kind: str, name: str, key: str | None = None) -> Use:
        with self._lock:
            nth = self._uses[kind, name]
            self._uses[kind, name] += 1
            found = self._recorded.get(key if key is not None else (kind, name, nth, self._lap))
            if found is not None:
                self._asked.add(found.seq)
            return Use(nth, self._base + self._lap, found)

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
            self._recorded[key] = Effect(
                seq=seq, name=name, nth=0, at=self._base + self._lap, base=self._base, unwritten=False, key=key,
                idempotent=False, status="done", result=result, started_at=datetime.now(UTC),
            )  # fmt: skip
            self._asked.add(seq)

    # ---------------------------------------------------------------- saving

    def check(self, name: str) -> None:
        """Everything that was recorded since the last save must have been asked for again."""
        now = self._base + self._lap
        missed = [one for one in self._recorded.values() if one.seq not in self._asked and one.at <= now]
        if missed:
            one = min(missed, key=lambda found: found.seq)
            kind = "step" if isinstance(one, Effect) else "interrupt"
            raise Diverged(
                f"{name}: {kind} {one.name!r} (journal entry {one.seq}) is recorded, and the code did not ask for it "
                "before the next save"
            )

    def saved(self) -> int:
        """Count a save; the number that its checkpoint has, or would have."""
        with self._lock:
            self._uses.clear()
            self._lap += 1
            now = self._base + self._lap
            self._recorded = {key: one for key, one in self._recorded.items() if one.at >= now}
            return now
