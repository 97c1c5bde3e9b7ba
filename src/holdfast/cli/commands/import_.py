"""`holdfast import`: threads from a file that `holdfast export` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.args.store_url import JsonReportOption


def command(
    url: Annotated[str, typer.Argument(metavar="STORE", help="The store to write to: a path or a URL.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The bundle to read.")],
    as_json: JsonReportOption = False,
) -> None:
    """Import what a bundle has and the store lacks. Everything is verified; no thread is ever replaced."""
    import holdfast
    from holdfast.cli.ui import render_transfer
    from holdfast.cli.ui.progress import interruptible
    from holdfast.errors import NotFound

    # Checked first: a missing bundle must not leave an empty store behind.
    if not path.exists():
        raise NotFound(f"the file {str(path)!r} does not exist")
    with (
        interruptible(render_transfer.RESUMABLE),
        holdfast.open(url) as store,
        render_transfer.transfer_progress("importing", quiet=as_json) as progress,
    ):
        done = store.import_(path, progress=progress)
    render_transfer.report_transfer(done, "imported", as_json=as_json)
