"""The world that the demo's agent acts on: a service that records each side effect in a file, once for each key.

A payment service or a mail server with idempotency keys works the same way. That makes it safe to call again after a
crash: the library repeats the call with the same key, and the service recognises it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.cli.demo.agent import State, Turn

if TYPE_CHECKING:
    import holdfast

PAUSE = 0.05  # seconds for each call, so that a person can follow
FOREVER = 600.0

Report = Callable[..., None]


class Service:
    """`report` is called for every side effect; in the act `hangs_in` the service never answers."""

    def __init__(self, effects: Path, report: Report, hangs_in: str = "") -> None:
        self._effects = effects
        self._report = report
        self._hangs_in = hangs_in

    def say(self, turn: Turn) -> str:
        """The answer of a model, or of a tool that only reads."""
        time.sleep(PAUSE)
        return turn.content

    def act(self, name: str, key: str) -> str:
        """Cause a side effect, once for each key."""
        time.sleep(PAUSE)
        known = key in happened(self._effects)
        if not known:
            self._record(name, key)
        self._report("acted", name=name, key=key, known=known)
        if name == self._hangs_in:
            self._report("hangs", name=name)
            time.sleep(FOREVER)
        return f"{name} done"

    def _record(self, name: str, key: str) -> None:
        with self._effects.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "what": name}) + "\n")
            file.flush()
            os.fsync(file.fileno())


def happened(effects: Path) -> list[str]:
    """The keys of all side effects in order, with repetitions."""
    if not effects.exists():
        return []
    return [json.loads(line)["key"] for line in effects.read_text("utf-8").splitlines()]


def work(run: holdfast.Run[State], thread_id: str, turns: tuple[Turn, ...], service: Service, report: Report) -> None:
    """The agent: a plain loop. Each turn asks the model or calls tools, and is then saved."""
    for turn in turns[len(run.state["messages"]) :]:
        if turn.acts:
            for act in turn.acts:
                key = f"{thread_id}/{act}"
                run.step(act, service.act, act, key, key=key)
        else:
            run.step(turn.node, service.say, turn, idempotent=True)
        _save(run, turn)
        report("saved", node=turn.node, count=len(run.state["messages"]))


def _save(run: holdfast.Run[State], turn: Turn) -> Any:
    state = turn.apply(run.state)
    if turn.status == "running":
        return run.save(state, node=turn.node, next=turn.next)
    return run.finish(state, turn.status)
