"""`holdfast repair`: repairs what `holdfast verify` finds, after showing what would be lost."""

from __future__ import annotations

from typing import Final

import typer

from holdfast.cli.args.confirmation import YesOption, confirmed
from holdfast.cli.args.store_url import JsonReportOption, StoreArgument, open_existing
from holdfast.cli.ui.progress import progress

_QUESTION: Final = "repair it? (make a backup of the store first)"


def command(url: StoreArgument, yes: YesOption = False, as_json: JsonReportOption = False) -> None:
    """Set damaged rows aside and keep what is intact. Shows what would be lost, and asks first."""
    from holdfast.cli.ui import render_verify

    with open_existing(url) as store:
        with progress("verifying", quiet=as_json) as update:
            found = store.verify(update)
        report = store.repair(found, dry_run=True)
        if not found.faults or not confirmed(render_verify.repaired(report), _QUESTION, yes=yes, quiet=as_json):
            outcome = "nothing to repair" if found.ok else "nothing was changed"
            print(render_verify.as_json(report) if as_json else outcome)
            raise typer.Exit(0 if found.ok else 1)
        report = store.repair(found)
    print(render_verify.as_json(report) if as_json else render_verify.repaired(report))
    if report.unrepaired:
        raise typer.Exit(1)
