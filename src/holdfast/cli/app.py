"""Finds the commands and runs one of them.

A command is a module in `commands/` with a function `command`: `commands/import_langgraph.py` is `holdfast
import-langgraph`. All are imported at start, so a module that is slow to import is imported inside the function.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Annotated

import rich  # noqa: F401  a missing rich is reported at the start, not by the first command that prints
import typer

from holdfast._version import __version__
from holdfast.cli import commands
from holdfast.cli.ui.terminal_text import one_line
from holdfast.errors import HoldfastError


def run() -> None:
    """Run the command that the arguments name; print errors of Holdfast as a message without a traceback."""
    try:
        build()()
    except HoldfastError as error:
        print(f"holdfast: {one_line(str(error))}", file=sys.stderr)
        sys.exit(1)


def build() -> typer.Typer:
    """The application with all commands."""
    app = typer.Typer(
        name="holdfast",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # plain help: loading rich takes longer than everything else
        pretty_exceptions_enable=False,
    )
    app.callback()(options)
    for module_name in command_modules():
        module = importlib.import_module(f"{commands.__name__}.{module_name}")
        app.command(command_name(module_name))(module.command)
    return app


def command_modules() -> list[str]:
    """The modules that are commands, in the order of `--help`."""
    modules = pkgutil.iter_modules(commands.__path__)
    return sorted(module.name for module in modules if not module.name.startswith("_"))


def command_name(module_name: str) -> str:
    """The command of a module; `import_` is the command `import`, since a module can't be named like a keyword."""
    return module_name.rstrip("_").replace("_", "-")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"holdfast {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Stores the state of AI agents and workflows: list, rewind, diff and fork every step."""
