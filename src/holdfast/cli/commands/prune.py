"""`holdfast prune`: removes old checkpoints, after showing which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated

import typer

import holdfast
from holdfast.cli.args.confirmation import YesOption, ask, can_ask
from holdfast.cli.args.duration import parse_every, parse_span
from holdfast.cli.args.store_url import JsonOption, StoreArgument, find_thread, open_existing
from holdfast.cli.ui.humanize import counted, size
from holdfast.cli.ui.output import console, note, refuse, write_json
from holdfast.cli.ui.progress import progress
from holdfast.cli.ui.terminal_text import one_line
from holdfast.engine.maintenance.retention_rules import is_empty
from holdfast.model import PruneReport, Retention

_SHOWN = 10


def command(
    url: StoreArgument,
    threads: Annotated[list[str] | None, typer.Argument(metavar="[THREAD]…", help="Only these threads.")] = None,
    keep_last: Annotated[
        int | None, typer.Option(metavar="N", help="Keep the head and its ancestors, N checkpoints in all.", min=0)
    ] = None,
    keep_last_in: Annotated[
        list[str] | None, typer.Option(metavar="NS=N", help="The same for one namespace. May be repeated.")
    ] = None,
    max_age: Annotated[
        str | None, typer.Option(metavar="SPAN", help="Keep checkpoints younger than this: 30m, 12h, 7d.")
    ] = None,
    keep_every: Annotated[
        list[str] | None,
        typer.Option(metavar="SPAN/SPAN", help="Keep the last of each period, up to an age: 1h/1d. May be repeated."),
    ] = None,
    keep_terminal: Annotated[
        bool, typer.Option("--keep-terminal", help="Keep checkpoints at which runs ended.")
    ] = False,
    keep_lineage: Annotated[bool, typer.Option("--keep-lineage", help="Keep every ancestor of the head.")] = False,
    covered_before: Annotated[
        int | None, typer.Option(metavar="N", help="Keep checkpoints that cover the journal up to entry N.", min=0)
    ] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove the checkpoints that no rule keeps. Shows what would be removed, and asks first."""
    retention = Retention(
        keep_last=keep_last,
        keep_last_in=_windows(keep_last_in),
        max_age=_span(max_age),
        keep_every=list(map(parse_every, keep_every or ())),
        keep_terminal=keep_terminal,
        keep_lineage=keep_lineage,
        covered_before=covered_before,
    )
    if is_empty(retention):
        refuse("say what to keep: --keep-last 10, --max-age 7d, --keep-every 1h/1d, --keep-terminal, --keep-lineage")
    with open_existing(url) as store:
        prune = _pruner(store, threads, retention, quiet=as_json)
        report = prune(not yes)
        if _removes_something(report) and report.dry_run and can_ask(quiet=as_json):
            _print(report)
            if not ask("remove them?"):
                return
            report = prune(False)
    _show(report, as_json)


def _windows(given: list[str] | None) -> dict[str, int] | None:
    return dict(map(_window, given)) if given else None


def _window(text: str) -> tuple[str, int]:
    name, equals, count = text.rpartition("=")
    if not equals or not count.isdecimal():
        refuse(f"--keep-last-in takes NAMESPACE=NUMBER, as in tools=5, not {text!r}")
    return name, int(count)


def _span(text: str | None) -> timedelta | None:
    return None if text is None else parse_span(text)


# ------------------------------------------------------------------------------------------------ what is pruned

Prune = Callable[[bool], PruneReport]
"""Prunes, or with True only reports what would be removed."""


def _pruner(store: holdfast.Store, threads: Sequence[str] | None, retention: Retention, *, quiet: bool) -> Prune:
    """The named threads, or the whole store."""
    if not threads:
        return lambda dry_run: _prune_store(store, retention, dry_run=dry_run, quiet=quiet)
    chosen = [find_thread(store, thread_id) for thread_id in dict.fromkeys(threads)]

    def prune_threads(dry_run: bool) -> PruneReport:
        reports = [thread.prune(retention, dry_run=dry_run) for thread in chosen]
        return PruneReport.together(reports, dry_run=dry_run)

    return prune_threads


def _prune_store(store: holdfast.Store, retention: Retention, *, dry_run: bool, quiet: bool) -> PruneReport:
    with progress("searching" if dry_run else "pruning", quiet=quiet) as update:
        return store.prune(retention, dry_run=dry_run, progress=update)


def _removes_something(report: PruneReport) -> bool:
    return bool(report.removed or report.journal)


# ------------------------------------------------------------------------------------------------ what is shown


def _show(report: PruneReport, as_json: bool) -> None:
    if as_json:
        write_json(asdict(report))
        return
    _print(report)
    if report.dry_run and report.removed:
        note("nothing was removed; --yes removes them")


def _print(report: PruneReport) -> None:
    out = console()
    out.print(
        f"{'would remove' if report.dry_run else 'removed'} {counted(len(report.removed), 'checkpoint')}"
        f" of {counted(len(report.by_thread), 'thread')} and {counted(report.journal, 'journal entry')};"
        f" {report.kept:,} stay"
    )
    for thread_id, ids in list(report.by_thread.items())[:_SHOWN]:
        out.print(f"  {one_line(thread_id)}: {counted(len(ids), 'checkpoint')}")
    if len(report.by_thread) > _SHOWN:
        out.print(f"  and {counted(len(report.by_thread) - _SHOWN, 'more thread')}")
    for rule in sorted(report.kept_by):
        out.print(f"  kept by {rule}: {report.kept_by[rule]:,}")
    if report.bytes_to_free:
        out.print(f"  holdfast collect then frees about {size(report.bytes_to_free)}")
    for reason in report.skipped:
        note(f"skipped: {reason}")
