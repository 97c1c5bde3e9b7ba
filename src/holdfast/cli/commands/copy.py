"""`holdfast copy`: threads from one store to another."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The store to read: a path or a URL.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The store to write to: a path or a URL.")],
    threads: Annotated[list[str] | None, typer.Argument(metavar="[THREAD]...", help="The threads to copy.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Copy all threads.")] = False,
    names: Annotated[
        list[str] | None, typer.Option("--as", metavar="ID=NEW", help="Give a thread another id in the target.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Copy what the target lacks: push, pull, or follow. The source is only read; no thread is ever replaced."""
    import holdfast
    from holdfast.cli import stores
    from holdfast.cli import transfer_show as show

    wanted = show.chosen(threads, every)
    renamed = dict(_renamed(one) for one in names or [])
    with (
        show.stoppable(),
        stores.opened(source) as one,
        holdfast.open(target) as other,
        show.progress(quiet=as_json) as progress,
    ):
        done = holdfast.copy(one, other, wanted, as_=renamed, progress=progress)
    show.report(done, "copied", as_json=as_json)


def _renamed(text: str) -> tuple[str, str]:
    old, equals, new = text.rpartition("=")
    if not (old and equals and new):
        raise typer.BadParameter(f"{text!r} is not of the form ID=NEW", param_hint="--as")
    return old, new
