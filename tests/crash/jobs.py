"""A small agent with side effects, and what its side effects must look like whenever it is killed.

Every step writes its name to a file, so that the file is the truth about what happened. All values follow from the
job's name: what a state must be, and what a step returned, is known without having seen it.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import holdfast
from holdfast import Interrupted, Run, StorageFailed, StorageFull, Store, Thread, ThreadBusy, UnsafeEffect, WriteLost
from holdfast.engine.journal.entries import effects
from tests.crash import shim, states
from tests.crash.nursery import tell

TURNS = 4
STEPS = ("plain", "keyed", "repeatable", "plain again")
TTL = 0.5


def value(effect: str) -> dict[str, Any]:
    return {"effect": effect, "text": states.text(*effect.encode())}


def state_after(turns: int) -> dict[str, Any]:
    log = [value(f"{step} {turn}") for turn in range(turns) for step in STEPS]
    return {"turn": turns, "log": log, "answers": ["yes"] * (turns > 1)}


# ------------------------------------------------------------------------------------------------ doing


class Worker:
    """Runs jobs to their end, and reports what it does."""

    def __init__(self, store: Store, folder: Path, durability: Any, ttl: float = TTL) -> None:
        self.store = store
        self.folder = folder
        self.durability = durability
        self.ttl = ttl
        self.doing = ""

    def carry(self, name: str, wait: float = 0.0) -> None:
        """Run the job until it has ended, deciding about unfinished effects as a person would: by looking."""
        thread = self.store.thread(name)
        resume: Any = holdfast.UNSET
        while not self._ended(thread):
            try:
                given = state_after(0) if thread.latest() is None else None
                run = thread.run(input=given, resume=resume, ttl=self.ttl, wait=wait, durability=self.durability)
                resume = holdfast.UNSET
                with run:
                    self._work(name, run)
            except Interrupted:
                resume = "yes"
            except UnsafeEffect as unsafe:
                self._decide(thread, name, unsafe.effect)
            except (StorageFailed, StorageFull, WriteLost) as error:
                tell(failed=type(error).__name__)
                self._heal(thread)

    def _heal(self, thread: Thread[dict[str, Any]]) -> None:
        """The disk works again. A run that may be resumed has to be listed for a supervisor."""
        shim.end_of_trouble()
        time.sleep(self.ttl)  # a lease that could not be given back runs out
        if thread.recover().may_resume and thread.id not in [info.id for info in self.store.resumable()]:
            tell(unlisted=thread.id, why=repr(thread.info()))

    def _ended(self, thread: Thread[dict[str, Any]]) -> bool:
        head = thread.latest(channels=[])
        return head is not None and head.status == "completed"

    def _work(self, name: str, run: Run[dict[str, Any]]) -> None:
        tell(entered=name, resumed=run.resumed)
        state = run.state
        for turn in range(state["turn"], TURNS):
            log, answers = list(state["log"]), list(state["answers"])
            log += [self._step(name, run, step, turn) for step in STEPS]
            if turn == 1:
                answers.append(run.interrupt({"turn": turn}, name="approve"))
            state = {"turn": turn + 1, "log": log, "answers": answers}
            saved = run.save(state, node=f"turn {turn}")
            if saved is not None:
                tell(saved=saved.id, job=name, turn=turn + 1)
        run.finish(state)
        tell(finished=name)

    def _step(self, name: str, run: Run[dict[str, Any]], step: str, turn: int) -> Any:
        self.doing = effect = f"{step} {turn}"
        tell(about=effect, job=name)
        result = run.step(
            step.split()[0], self._effect, name, effect,
            key=f"{name} {effect}" if step == "keyed" else None, idempotent=step == "repeatable",
        )  # fmt: skip
        tell(recorded=effect, job=name)
        return result

    def _effect(self, name: str, effect: str) -> dict[str, Any]:
        file = os.open(self.folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{effect}\n".encode())
        os.close(file)
        return value(effect)

    def _decide(self, thread: Thread[dict[str, Any]], name: str, unsafe: int) -> None:
        if self.doing in happened(self.folder, name):
            thread.resolve(unsafe, result=value(self.doing))
        else:
            thread.resolve(unsafe, retry=True)
        tell(decided=self.doing, job=name)


def happened(folder: Path, name: str) -> list[str]:
    file = folder / name
    return file.read_text().splitlines() if file.exists() else []


def carry_all(url: str, folder: str, names: list[str], durability: str, wait: float = 0.0, ttl: float = TTL) -> None:
    """In a process of its own: every job that no other worker holds."""
    with holdfast.open(url) as store:
        tell(opened=url)
        worker = Worker(store, Path(folder), durability, ttl)
        for name in names:
            try:
                worker.carry(name, wait)
            except ThreadBusy:
                tell(busy=name)
    tell(ended=True, calls=shim.calls_so_far())


# ------------------------------------------------------------------------------------------------ checking


@dataclass
class Record:
    """What is known about one job: what its workers reported, and what the store showed after each crash."""

    name: str
    folder: Path
    durability: str
    done: int = 0  # lines of the side-effect file that were looked at
    recorded: set[str] = field(default_factory=set)  # effects with a result, as the store or a worker reports
    saved: dict[str, int] = field(default_factory=dict)
    entries: list[Any] = field(default_factory=list)
    finished: bool = False
    told_finished: bool = False

    def hear(self, lines: list[dict[str, Any]]) -> None:
        self.told_finished |= any(line.get("finished") == self.name for line in lines)
        self._check_effects({line["recorded"] for line in lines if line.get("job") == self.name and "recorded" in line})
        for line in lines:
            if line.get("job") == self.name and "saved" in line:
                self.saved[line["saved"]] = line["turn"]

    def _check_effects(self, recorded: set[str]) -> None:
        lines = happened(self.folder, self.name)
        again = self.recorded.intersection(lines[self.done :])
        assert not again, f"{self.name}: done again although their results are recorded: {sorted(again)}"
        twice = [one for one, times in Counter(lines).items() if times > 1 and one.startswith("plain")]
        assert not twice, f"{self.name}: done twice although nothing says that they may: {twice}"
        self.done = len(lines)
        self.recorded |= recorded

    def check(self, store: Store) -> None:
        thread = store.thread(self.name)
        self._check_journal(thread)
        self._check_checkpoints(thread)
        head = thread.latest()
        self.finished = head is not None and head.status == "completed"
        assert self.finished or not self.told_finished
        if head is not None and self.finished:
            assert head.state == state_after(TURNS)
            assert set(happened(self.folder, self.name)) == {
                f"{step} {turn}" for step in STEPS for turn in range(TURNS)
            }

    def _check_journal(self, thread: Thread[dict[str, Any]]) -> None:
        entries = thread.journal.read(limit=None)
        assert entries[: len(self.entries)] == self.entries, f"{self.name}: the journal lost or changed entries"
        self.entries = entries
        done = {one.result["effect"] for one in effects(entries).values() if one.status == "done"}
        assert self.recorded <= done, f"{self.name}: results that were acknowledged are lost: {self.recorded - done}"
        assert done <= set(happened(self.folder, self.name)), f"{self.name}: results of what never happened"
        self.recorded = done

    def _check_checkpoints(self, thread: Thread[dict[str, Any]]) -> None:
        history = thread.history(limit=None)[::-1]
        assert [info.seq for info in history] == list(range(1, len(history) + 1))
        turns = []
        for info in history:
            found = thread.load(info.id)
            assert found is not None
            turns.append(found.state["turn"])
            assert found.state == state_after(turns[-1]), f"{self.name}: a state that never was"
            assert info.id not in self.saved or self.saved[info.id] == turns[-1]
        assert turns == sorted(turns)
        if self.durability == "sync":
            lost = self.saved.keys() - {info.id for info in history}
            assert not lost, f"{self.name}: checkpoints that were acknowledged are lost: {lost}"
