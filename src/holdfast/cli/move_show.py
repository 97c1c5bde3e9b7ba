"""What `holdfast import-langgraph` shows: progress on standard error while it copies, and a report when it is done."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from holdfast.cli.quantities import counted

if TYPE_CHECKING:
    from holdfast.adapters.langgraph.moving import MoveReport
    from holdfast.adapters.langgraph.moving import Progress as Move

Listener = Callable[["Move"], None]

SECONDS_BETWEEN_LINES = 2.0
LISTED = 20


@contextmanager
def progress(*, quiet: bool) -> Iterator[Listener | None]:
    """A bar on a terminal, a line every few seconds elsewhere."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as listener:
            yield listener
    else:
        yield _lines()


@contextmanager
def _bar() -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("checkpoints, {task.description}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("counting", total=None)

        def listener(now: Move) -> None:
            bar.update(task, completed=now.done, total=now.total, description=_place(now))

        yield listener


def _lines() -> Listener:
    last = time.monotonic()

    def listener(now: Move) -> None:
        nonlocal last
        if now.done == now.total or time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"{now.done:,} of {now.total:,} checkpoints, {_place(now)}", file=sys.stderr, flush=True)

    return listener


def _place(now: Move) -> str:
    problems = f", {counted(now.problems, 'problem')}" if now.problems else ""
    return f"thread {now.threads_done + 1:,} of {now.threads_total:,}{problems}"


def summary(report: MoveReport) -> str:
    copied = f"{counted(report.checkpoints, 'checkpoint')} and {counted(report.writes, 'write')}"
    lines = [f"copied   {copied}, of {counted(report.threads, 'thread')}; each was read back and is equal"]
    if report.skipped:
        lines.append(f"skipped  {counted(report.skipped, 'checkpoint')} that the target had already, all equal")
    if report.problems:
        lines.append(f"problems {len(report.problems):,}; these checkpoints are not in the target as in the source")
        lines += [f"  {problem}" for problem in report.problems[:LISTED]]
        if len(report.problems) > LISTED:
            lines.append(f"  … and {len(report.problems) - LISTED:,} more; --json lists them all")
    return "\n".join(lines)


def as_json(report: MoveReport) -> str:
    return json.dumps(asdict(report), indent=2)
