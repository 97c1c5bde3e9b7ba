"""`holdfast verify`: reads everything that is stored and reports what is damaged."""

from __future__ import annotations

import typer

from holdfast.cli.args.store_url import JsonReportOption, StoreArgument, open_existing
from holdfast.cli.ui.progress import progress


def command(url: StoreArgument, as_json: JsonReportOption = False) -> None:
    """Read everything in a store once, and report damage. Exit code 0 if there is none, 1 if there is some."""
    from holdfast.cli.ui import render_verify

    with open_existing(url) as store, progress("verifying", quiet=as_json) as update:
        report = store.verify(update)
    print(render_verify.as_json(report) if as_json else render_verify.verified(report))
    if not report.ok:
        raise typer.Exit(1)
