"""`holdfast verify`: goes through everything that is stored and tells what is wrong with it."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store: a path or a URL.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Read everything in a store once and tell what is damaged. Exit code 0 if nothing is, 1 if something is."""
    from holdfast.cli import stores
    from holdfast.cli import verify_show as show

    with stores.opened(store) as opened, show.progress(quiet=as_json) as progress:
        report = opened.verify(progress)
    print(show.as_json(report) if as_json else show.verified(report))
    if not report.ok:
        raise typer.Exit(1)
