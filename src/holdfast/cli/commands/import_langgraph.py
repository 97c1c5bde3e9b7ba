"""`holdfast import-langgraph`: copies what LangGraph's own savers stored."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.args.store_url import JsonReportOption
from holdfast.cli.ui.output import refuse

if TYPE_CHECKING:
    from holdfast.adapters.langgraph.importer import ImportReport, Source

_NEEDED = ("langgraph", "langchain_core", "ormsgpack")


def command(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file of SqliteSaver, or postgresql://… of PostgresSaver.")
    ],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The store to copy to: a path or a URL.")],
    thread: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Copy only this thread. May be repeated.")
    ] = None,
    module: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="MODULE",
            help="Import this module first, for the classes in your states. May be repeated.",
        ),
    ] = None,
    as_json: JsonReportOption = False,
) -> None:
    """Copy a database of LangGraph's own savers to a store. Every checkpoint is compared. The source is only read."""
    _check_extra()
    _import(module or [])
    from holdfast.adapters.langgraph.importer import open_source
    from holdfast.cli.ui import render_transfer
    from holdfast.cli.ui.progress import interruptible

    # The source is opened first: one that can't be read must not leave an empty store behind.
    with interruptible(render_transfer.RESUMABLE), open_source(source) as opened:
        report = _imported(opened, target, thread, quiet=as_json)
    render_transfer.report_import(report, as_json=as_json)
    if report.problems:
        raise typer.Exit(1)


def _imported(source: Source, target: str, threads: list[str] | None, *, quiet: bool) -> ImportReport:
    from holdfast.adapters.langgraph import HoldfastSaver, importer
    from holdfast.cli.ui.render_transfer import import_progress

    with HoldfastSaver.from_url(target) as saver, import_progress(quiet=quiet) as progress:
        return importer.import_threads(source, saver, threads=threads, progress=progress)


def _check_extra() -> None:
    try:
        import langgraph.checkpoint.base  # noqa: F401
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _NEEDED:
            raise
        refuse("importing from LangGraph needs an extra: pip install 'holdfast[langgraph]'")


def _import(modules: list[str]) -> None:
    # `python -m` has the current folder on the path, an installed command does not.
    sys.path.insert(0, os.getcwd())
    for name in modules:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as missing:
            raise typer.BadParameter(f"{name} can't be imported: {missing}", param_hint="--import") from missing
