"""`holdfast export`: threads to one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store to read: a path or a URL.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file to write.")],
    threads: Annotated[list[str] | None, typer.Argument(metavar="[THREAD]...", help="The threads to write.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Write all threads.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write lines of JSON, to be read and not imported.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write over a file that is there, if it is no store.")] = False,
) -> None:
    """Write threads with everything they have to one file, which `holdfast import` reads. The store is only read."""
    from holdfast.cli import stores
    from holdfast.cli import transfer_show as show
    from holdfast.transfer import places

    places.named(path)
    wanted = show.chosen(threads, every)
    if path.exists() and not yes:
        raise typer.BadParameter(f"{path} is there already; --yes writes over it", param_hint="PATH")
    with show.stoppable(), stores.opened(store) as opened, show.progress(quiet=False) as progress:
        done = opened.export(wanted, path, json=as_json, progress=progress)
    show.report(done, "wrote", as_json=False)
