"""Asking before something goes for good, and showing how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from holdfast.cli.output import note

YesOption = Annotated[bool, typer.Option("--yes", help="Go ahead without asking.")]


def may_go_on(shown: str, question: str, *, yes: bool, quiet: bool) -> bool:
    """Show what would happen. Without a person to ask, only --yes goes ahead."""
    if not quiet:
        note(shown)
    if yes or quiet or not sys.stdin.isatty():
        return yes
    return typer.confirm(question, err=True)


@contextmanager
def bar(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar, where somebody watches: told how much is done, and of how much."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty()) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, known: progress.update(task, completed=done, total=known)
