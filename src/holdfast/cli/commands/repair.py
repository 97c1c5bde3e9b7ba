"""`holdfast repair`: mends what `holdfast verify` finds, after it has shown what that would cost."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def command(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store: a path or a URL.")],
    yes: Annotated[bool, typer.Option("--yes", help="Go ahead without asking.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Set damaged rows aside and go on with what is sound. Shows first what would be lost, and asks."""
    import holdfast
    from holdfast.cli import verify_show as show

    with holdfast.open(store) as opened:
        with show.progress(quiet=as_json) as progress:
            plan = opened.verify(progress)
        report = opened.repair(plan, dry_run=True)
        if not plan.faults or not _may_go_on(show.repaired(report), yes, as_json):
            print(show.as_json(report) if as_json else "nothing to repair" if plan.ok else "nothing was changed")
            raise typer.Exit(0 if plan.ok else 1)
        report = opened.repair(plan)
    print(show.as_json(report) if as_json else show.repaired(report))
    if report.unrepaired:
        raise typer.Exit(1)


def _may_go_on(shown: str, yes: bool, quiet: bool) -> bool:
    """Without a person to ask, only --yes goes ahead."""
    if not quiet:
        print(shown, file=sys.stderr)
    if yes or quiet or not sys.stdin.isatty():
        return yes
    return typer.confirm("repair it? (a backup of the store first is never wrong)", err=True)
