"""`holdfast import-langgraph`: moves in with what LangGraph's own savers stored."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from holdfast.adapters.langgraph.moving import MoveReport
    from holdfast.adapters.langgraph.sources.base import Source

_NEEDED = ("langgraph", "langchain_core", "ormsgpack")
_STOPPED = 130  # as a shell says it of a command that Ctrl-C ended


def command(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file of SqliteSaver, or postgresql://… of PostgresSaver.")
    ],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The store to copy to: a path or a URL.")],
    thread: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Copy only this thread. May be given more than once.")
    ] = None,
    module: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="Import this module first, for the classes in your states."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Copy a database of LangGraph's own savers to a store, and compare every checkpoint. The source is only read."""
    _check_extra()
    _import(module or [])
    from holdfast.adapters.langgraph.sources.opening import open_source
    from holdfast.cli import move_show as show

    try:
        with open_source(source) as opened:  # first: a source that can't be read should not leave an empty store behind
            report = _moved(opened, target, thread, quiet=as_json)
    except KeyboardInterrupt:
        print("stopped; what was copied is safe, and the same command goes on from here", file=sys.stderr)
        raise typer.Exit(_STOPPED) from None
    print(show.as_json(report) if as_json else show.summary(report))
    if report.problems:
        raise typer.Exit(1)


def _moved(source: Source, target: str, threads: list[str] | None, *, quiet: bool) -> MoveReport:
    from holdfast.adapters.langgraph import HoldfastSaver
    from holdfast.adapters.langgraph.moving import move
    from holdfast.cli import move_show as show

    with HoldfastSaver.from_url(target) as saver, show.progress(quiet=quiet) as progress:
        return move(source, saver, threads=threads, progress=progress)


def _check_extra() -> None:
    try:
        import langgraph.checkpoint.base  # noqa: F401
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _NEEDED:
            raise
        print("importing from LangGraph needs: pip install 'holdfast[langgraph]'", file=sys.stderr)
        raise typer.Exit(2) from None


def _import(modules: list[str]) -> None:
    sys.path.insert(0, os.getcwd())  # an installed command does not have it there, and `python -m` does
    for name in modules:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as missing:
            raise typer.BadParameter(f"{name} can't be imported: {missing}", param_hint="--import") from missing
