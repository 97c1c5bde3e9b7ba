"""Runs DBOS steps for `bench.steps`: a line with a number on standard input is answered with milliseconds a step."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from typing import Any

from dbos import DBOS
from sqlalchemy import event
from sqlalchemy.engine import Engine

seen: list[sqlite3.Connection] = []


@event.listens_for(Engine, "connect")
def _connected(connection: Any, record: object) -> None:
    seen.append(connection)


@DBOS.step()
def step(n: int) -> int:
    return n


@DBOS.workflow()
def workflow(count: int) -> float:
    start = time.perf_counter()
    for n in range(count):
        step(n)
    return (time.perf_counter() - start) * 1000 / count


def settings() -> str:
    """As its own connections have them."""
    asked = ("PRAGMA journal_mode", "PRAGMA synchronous")
    mode, sync = (seen[-1].execute(pragma).fetchone()[0] for pragma in asked)
    return f"journal_mode={mode}, synchronous={sync}"


def main(path: str) -> None:
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever else is printed must not become an answer
    DBOS(config={"name": "bench", "system_database_url": f"sqlite:///{path}", "log_level": "CRITICAL"})
    DBOS.launch()
    workflow(1)
    print(json.dumps(settings()), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(workflow(int(line))), file=answers, flush=True)
    DBOS.destroy()


if __name__ == "__main__":
    main(sys.argv[1])
