"""`holdfast repair`: mends what `holdfast verify` finds, after it has shown what that would cost."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from holdfast.cli.asking import YesOption, may_go_on

_QUESTION: Final = "repair it? (a backup of the store first is never wrong)"


def command(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store: a path or a URL.")],
    yes: YesOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Set damaged rows aside and go on with what is sound. Shows first what would be lost, and asks."""
    from holdfast.cli import stores
    from holdfast.cli import verify_show as show

    with stores.opened(store) as opened:
        with show.progress(quiet=as_json) as progress:
            plan = opened.verify(progress)
        report = opened.repair(plan, dry_run=True)
        if not plan.faults or not may_go_on(show.repaired(report), _QUESTION, yes=yes, quiet=as_json):
            print(show.as_json(report) if as_json else "nothing to repair" if plan.ok else "nothing was changed")
            raise typer.Exit(0 if plan.ok else 1)
        report = opened.repair(plan)
    print(show.as_json(report) if as_json else show.repaired(report))
    if report.unrepaired:
        raise typer.Exit(1)
