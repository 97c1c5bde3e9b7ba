"""Finds the commands and runs one.

A command is a module in `commands/` with a function `command`: `commands/copy_thread.py` is `holdfast copy-thread`.
All of them are imported at start, so what takes long to import belongs inside the function.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Annotated

import rich  # noqa: F401  a missing rich should be said at the start, not by the first command that prints
import typer

from holdfast._version import __version__
from holdfast.cli import commands
from holdfast.cli.escapes import one_line
from holdfast.errors import HoldfastError


def run() -> None:
    """Run the command that the arguments name; an error of Holdfast's own is a message, not a traceback."""
    try:
        build()()
    except HoldfastError as error:
        print(f"holdfast: {one_line(str(error))}", file=sys.stderr)
        sys.exit(1)


def build() -> typer.Typer:
    """The application with every command in it."""
    app = typer.Typer(
        name="holdfast",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # plain help: loading rich for it would take longer than all the rest
        pretty_exceptions_enable=False,
    )
    app.callback()(options)
    for module_name in command_modules():
        module = importlib.import_module(f"{commands.__name__}.{module_name}")
        app.command(command_name(module_name))(module.command)
    return app


def command_modules() -> list[str]:
    """The modules that are commands, in the order `--help` lists them."""
    return sorted(found.name for found in pkgutil.iter_modules(commands.__path__) if not found.name.startswith("_"))


def command_name(module_name: str) -> str:
    return module_name.replace("_", "-")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"holdfast {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Keeps the state of AI agents and workflows: list, rewind, diff and fork every step."""
