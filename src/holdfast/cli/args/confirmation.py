"""Asks for permission before a command removes something for good."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from holdfast.cli.ui.output import note

YesOption = Annotated[bool, typer.Option("--yes", help="Go ahead without asking.")]


def confirmed(preview: str, question: str, *, yes: bool, quiet: bool) -> bool:
    """Show what would happen, and ask. Where no one can be asked, only --yes goes ahead."""
    if not quiet:
        note(preview)
    return yes or (can_ask(quiet=quiet) and ask(question))


def can_ask(*, quiet: bool) -> bool:
    """Whether a person is at the terminal, and the command prints text for people."""
    return not quiet and sys.stdin.isatty()


def ask(question: str) -> bool:
    return typer.confirm(question, err=True)
