"""`holdfast import`: threads from a file that `holdfast export` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store to write to: a path or a URL.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The bundle to read.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Bring in what a bundle has and the store lacks. Everything is verified; no thread is ever replaced."""
    import holdfast
    from holdfast.cli import transfer_show as show
    from holdfast.errors import NotFound

    if not path.exists():  # first: a bundle that is not there should not leave an empty store behind
        raise NotFound(f"there is no file {str(path)!r}")
    with show.stoppable(), holdfast.open(store) as opened, show.progress(quiet=as_json) as progress:
        done = opened.import_(path, progress=progress)
    show.report(done, "imported", as_json=as_json)
