"""`holdfast expire`: removes threads whose time to live has run out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated

import typer

from holdfast.cli.args.confirmation import YesOption, confirmed
from holdfast.cli.args.store_url import JsonOption, StoreArgument, open_existing
from holdfast.cli.ui.humanize import counted
from holdfast.cli.ui.output import console, note, write_json
from holdfast.cli.ui.progress import Update, progress
from holdfast.cli.ui.terminal_text import one_line
from holdfast.model import ExpireReport


def command(
    url: StoreArgument,
    limit: Annotated[int | None, typer.Option(metavar="N", min=0, help="Remove at most N threads.")] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove threads whose ttl has run out. They are invisible already. Shows which ones, and asks first."""
    with open_existing(url) as store:
        report = store.expire(limit, dry_run=True)
        if report.expired and confirmed(_preview(report), "remove them?", yes=yes, quiet=as_json):
            with progress("expiring", quiet=as_json) as update:
                report = store.expire(limit, progress=_with_count(update))
    if as_json:
        write_json(asdict(report))
    else:
        console().print(_summary(report))
    for reason in report.skipped:
        note(f"skipped: {reason}")


def _with_count(update: Update | None) -> Callable[[int, int], None] | None:
    """How many threads there are to look at is not known in advance."""
    if update is None:
        return None
    return lambda seen, expired: update(seen, seen, f"threads, {expired:,} removed")


def _preview(report: ExpireReport) -> str:
    names = [f"  {one_line(thread_id)}" for thread_id in report.thread_ids]
    more = report.expired - len(names)
    rest = [f"  and {more:,} more"] if more else []
    return "\n".join([f"{counted(report.expired, 'thread')} would be removed:", *names, *rest])


def _summary(report: ExpireReport) -> str:
    held = f"; {counted(report.held, 'thread')} kept because a worker holds the lease" if report.held else ""
    return _outcome(report) + held


def _outcome(report: ExpireReport) -> str:
    if not report.expired:
        return "nothing has expired"
    if report.dry_run:
        return "nothing was removed; --yes removes them"
    return f"removed {counted(report.expired, 'thread')}; holdfast collect frees what forks shared with them"
