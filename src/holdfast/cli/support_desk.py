"""The world that the demo's agent acts on: a desk that notes what it did in a file, and does nothing twice for one key.

A payment service or a mail server works the same way, if it takes an idempotency key. It is what makes it safe to call
again after a crash: the library repeats the call with the same key, and the service knows it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.cli.support_agent import State, Turn

if TYPE_CHECKING:
    import holdfast

PAUSE = 0.05  # seconds that everything takes here, so that a person can follow
FOREVER = 600.0

Tell = Callable[..., None]


class Desk:
    """`tell` hears of everything that really happens; in the act `hangs_in` the desk never answers."""

    def __init__(self, notes: Path, tell: Tell, hangs_in: str = "") -> None:
        self._notes = notes
        self._tell = tell
        self._hangs_in = hangs_in

    def say(self, turn: Turn) -> str:
        """What a model or a look into the files would answer."""
        time.sleep(PAUSE)
        return turn.content

    def act(self, name: str, key: str) -> str:
        """Change the world, once for each key."""
        time.sleep(PAUSE)
        known = key in happened(self._notes)
        if not known:
            self._note(name, key)
        self._tell("acted", name=name, key=key, known=known)
        if name == self._hangs_in:
            self._tell("hangs", name=name)
            time.sleep(FOREVER)
        return f"{name} done"

    def _note(self, name: str, key: str) -> None:
        with self._notes.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "what": name}) + "\n")
            file.flush()
            os.fsync(file.fileno())


def happened(notes: Path) -> list[str]:
    """The key of everything that was done, in order; twice if it was done twice."""
    if not notes.exists():
        return []
    return [json.loads(line)["key"] for line in notes.read_text("utf-8").splitlines()]


def work(run: holdfast.Run[State], thread_id: str, turns: tuple[Turn, ...], desk: Desk, tell: Tell) -> None:
    """The agent: a plain loop. Each turn asks the model or calls tools, and is then saved."""
    for turn in turns[len(run.state["messages"]) :]:
        if turn.acts:
            for act in turn.acts:
                key = f"{thread_id}/{act}"
                run.step(act, desk.act, act, key, key=key)
        else:
            run.step(turn.node, desk.say, turn, idempotent=True)
        _save(run, turn)
        tell("saved", node=turn.node, count=len(run.state["messages"]))


def _save(run: holdfast.Run[State], turn: Turn) -> Any:
    state = turn.apply(run.state)
    if turn.status == "running":
        return run.save(state, node=turn.node, next=turn.next)
    return run.finish(state, turn.status)
