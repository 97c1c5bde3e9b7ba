"""How far a command has come, on standard error: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

import typer

from holdfast.cli.ui.output import note

SECONDS_BETWEEN_LINES = 2.0
INTERRUPTED: Final = 130  # the exit code that shells use for a command that Ctrl-C ended


class Update(Protocol):
    """Called as the work proceeds: `done` of `total`, and a text that follows these numbers."""

    def __call__(self, done: int, total: int, detail: str = "", /) -> None: ...


@contextmanager
def progress(action: str, *, quiet: bool, lines: bool = False) -> Iterator[Update | None]:
    """A bar on a terminal. Elsewhere lines of text if the command wants `lines`, else None: nothing is shown."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar(action) as update:
            yield update
    else:
        yield _lines() if lines else None


@contextmanager
def _bar(action: str) -> Iterator[Update]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(action, total=None, detail="")

        def update(done: int, total: int, detail: str = "", /) -> None:
            shown.update(task, completed=done, total=total, detail=detail)

        yield update


def _lines() -> Update:
    last = time.monotonic()

    def update(done: int, total: int, detail: str = "", /) -> None:
        nonlocal last
        if done == total or time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            note(f"{done:,} of {total:,} {detail}".rstrip())

    return update


@contextmanager
def interruptible(outcome: str) -> Iterator[None]:
    """On Ctrl-C, say what became of the work so far instead of showing a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        note(f"stopped; {outcome}")
        raise typer.Exit(INTERRUPTED) from None
