"""One worker of the demo, in a process of its own: ``python -m holdfast.cli.demo.worker DATABASE EFFECTS NAME``.

It reports what happens on standard output, one JSON object a line.
"""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import holdfast
from holdfast.cli.demo import agent
from holdfast.cli.demo.world import Service, work

TTL = 1.5  # seconds; short, so that the demo does not take long
WAIT = 0.4  # seconds between two reports that it waits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("effects", type=Path)
    parser.add_argument("name")
    parser.add_argument("--hangs-in", default="")
    given = parser.parse_args()
    with holdfast.open(given.database) as store, ExitStack() as stack:
        thread = store.thread(agent.THREAD, metadata={"user": "ada"})
        run = _entered(stack, thread, given.name)
        service = Service(given.effects, report, given.hangs_in)
        report("took", resumed=run.resumed, run=run.id, count=len(run.state["messages"]))
        work(run, agent.THREAD, agent.ORIGINAL, service, report)
    report("left")


def _entered(stack: ExitStack, thread: holdfast.Thread[agent.State], name: str) -> holdfast.Run[agent.State]:
    """Enter the run as soon as no other worker holds the thread."""
    start = agent.ORIGINAL[0].apply(agent.START)
    while True:
        try:
            return stack.enter_context(thread.run(input=start, worker=name, ttl=TTL, wait=WAIT))
        except holdfast.ThreadBusy as busy:
            report("waits", seconds=_left(busy.until))


def _left(until: datetime | None) -> float:
    return max((until - datetime.now(UTC)).total_seconds(), 0.0) if until is not None else 0.0


def report(event: str, **details: Any) -> None:
    print(json.dumps({"event": event, **details}), flush=True)


if __name__ == "__main__":
    main()
