"""`holdfast expire`: remove threads whose time is over."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from holdfast.cli.asking import YesOption, bar, may_go_on
from holdfast.cli.escapes import one_line
from holdfast.cli.output import console, note, write_json
from holdfast.cli.quantities import counted
from holdfast.cli.stores import JsonOption, StoreArgument, opened
from holdfast.model import ExpireReport


def command(
    store: StoreArgument,
    limit: Annotated[int | None, typer.Option(metavar="N", min=0, help="So many at most.")] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove threads whose ttl has run out: nobody sees them any more. Shows first which ones, and asks."""
    with opened(store) as there:
        report = there.expire(limit, dry_run=True)
        if report.expired and may_go_on(_listed(report), "remove them?", yes=yes, quiet=as_json):
            with bar("expiring", quiet=as_json) as progress:
                report = there.expire(limit, progress=lambda seen, _: progress(seen, seen))
    if as_json:
        write_json(asdict(report))
    else:
        console().print(_told(report))
    for one in report.skipped:
        note(f"left alone: {one}")


def _listed(report: ExpireReport) -> str:
    names = [f"  {one_line(one)}" for one in report.thread_ids]
    more = report.expired - len(names)
    return "\n".join(
        [f"{counted(report.expired, 'thread')} would go:", *names, *([f"  and {more:,} more"] if more else [])]
    )


def _told(report: ExpireReport) -> str:
    if not report.expired:
        told = "nothing has expired"
    elif report.dry_run:
        told = "nothing was removed; --yes removes them"
    else:
        told = f"removed {counted(report.expired, 'thread')}; holdfast collect frees what forks shared with them"
    return told + (f"; {counted(report.held, 'thread')} stay while a worker holds them" if report.held else "")
