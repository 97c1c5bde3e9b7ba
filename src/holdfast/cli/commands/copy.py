"""`holdfast copy`: threads from one store to another."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli.args.store_url import JsonReportOption, chosen_threads, open_existing


def command(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The store to read: a path or a URL.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The store to write to: a path or a URL.")],
    threads: Annotated[list[str] | None, typer.Argument(metavar="[THREAD]...", help="The threads to copy.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Copy all threads.")] = False,
    names: Annotated[
        list[str] | None,
        typer.Option("--as", metavar="ID=NEW", help="Give a thread another id in the target. May be repeated."),
    ] = None,
    as_json: JsonReportOption = False,
) -> None:
    """Copy what the target lacks: push, pull, or follow. The source is only read; no thread is ever replaced."""
    import holdfast
    from holdfast.cli.ui import render_transfer
    from holdfast.cli.ui.progress import interruptible

    wanted = chosen_threads(threads, every)
    renamed = dict(_renamed(text) for text in names or [])
    with (
        interruptible(render_transfer.RESUMABLE),
        open_existing(source) as from_store,
        holdfast.open(target) as to_store,
        render_transfer.transfer_progress("copying", quiet=as_json) as progress,
    ):
        done = holdfast.copy(from_store, to_store, wanted, as_=renamed, progress=progress)
    render_transfer.report_transfer(done, "copied", as_json=as_json)


def _renamed(text: str) -> tuple[str, str]:
    old, equals, new = text.rpartition("=")
    if not (old and equals and new):
        raise typer.BadParameter(f"{text!r} does not have the form ID=NEW", param_hint="--as")
    return old, new
