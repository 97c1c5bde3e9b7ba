"""What the commands that move threads show: progress on standard error, and a report when they are done."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from holdfast import TransferProgress, TransferReport

Listener = Callable[["TransferProgress"], None]

SECONDS_BETWEEN_LINES = 2.0
STOPPED = 130  # as a shell says it of a command that Ctrl-C ended


def chosen(threads: list[str] | None, every: bool) -> list[str] | None:
    """The threads that are named; None for all."""
    if bool(threads) == every:
        raise typer.BadParameter("name threads, or give --all", param_hint="THREAD")
    return None if every else threads


@contextmanager
def stoppable() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        print("stopped; what was moved is safe, and the same command goes on from here", file=sys.stderr)
        raise typer.Exit(STOPPED) from None


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
        TextColumn("threads, {task.description}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("looking", total=None)

        def listener(now: TransferProgress) -> None:
            bar.update(
                task,
                completed=now.threads_done,
                total=now.threads_total,
                description=_count(now.checkpoints, "checkpoint"),
            )

        yield listener


def _lines() -> Listener:
    last = time.monotonic()

    def listener(now: TransferProgress) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            done = f"{now.threads_done:,} of {_count(now.threads_total, 'thread')}"
            print(f"{done}, {_count(now.checkpoints, 'checkpoint')}", file=sys.stderr, flush=True)

    return listener


def report(done: TransferReport, what: str, *, as_json: bool) -> None:
    """What was done, for people or for programs."""
    if as_json:
        print(json.dumps(asdict(done), indent=2))
        return
    parts = ((done.checkpoints, "checkpoint"), (done.writes, "write"), (done.entries, "entry"))
    told = ", ".join(_count(number, noun) for number, noun in parts)
    print(f"{what} {told}; {done.size / 1e6:,.1f} MB of state")
    unchanged = f"; {done.unchanged:,} of them had nothing new" if done.unchanged else ""
    print(f"looked at {_count(done.threads, 'thread')}{unchanged}")


def _count(number: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"
