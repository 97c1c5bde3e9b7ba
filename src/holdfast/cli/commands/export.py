"""`holdfast export`: threads to one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.args.store_url import chosen_threads, open_existing


def command(
    url: Annotated[str, typer.Argument(metavar="STORE", help="The store to read: a path or a URL.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file to write.")],
    threads: Annotated[list[str] | None, typer.Argument(metavar="[THREAD]...", help="The threads to write.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Write all threads.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write lines of JSON, which are for reading and can't be imported.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Overwrite an existing file, unless it is a store.")] = False,
) -> None:
    """Write threads to one file, with all they have. `holdfast import` reads it. The store is only read."""
    from holdfast.cli.ui import render_transfer
    from holdfast.cli.ui.progress import interruptible
    from holdfast.transfer import paths

    paths.named(path)
    wanted = chosen_threads(threads, every)
    if path.exists() and not yes:
        raise typer.BadParameter(f"{path} already exists; --yes overwrites it", param_hint="PATH")
    with (
        interruptible(f"{path} was not written"),
        open_existing(url) as store,
        render_transfer.transfer_progress("exporting", quiet=False) as progress,
    ):
        done = store.export(wanted, path, json=as_json, progress=progress)
    render_transfer.report_transfer(done, "wrote", as_json=False)
