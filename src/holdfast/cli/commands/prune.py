"""`holdfast prune`: removes old checkpoints, after it has shown which."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from holdfast.cli.escapes import one_line
from holdfast.cli.output import console, note, refuse, write_json
from holdfast.cli.quantities import counted, size
from holdfast.cli.spans import parse_every, parse_span
from holdfast.cli.stores import JsonOption, StoreArgument, find_thread, opened
from holdfast.engine.rules import is_empty
from holdfast.model import PruneReport, Retention

_SHOWN = 10


def command(
    store: StoreArgument,
    threads: Annotated[list[str] | None, typer.Argument(metavar="[THREAD]…", help="Only these threads.")] = None,
    keep_last: Annotated[int | None, typer.Option(help="Keep so many of the head's lineage.", min=0)] = None,
    keep_last_in: Annotated[list[str] | None, typer.Option(metavar="NS=N", help="The same for a namespace.")] = None,
    max_age: Annotated[str | None, typer.Option(metavar="SPAN", help="Keep what is younger: 30m, 12h, 7d.")] = None,
    keep_every: Annotated[
        list[str] | None, typer.Option(metavar="SPAN/SPAN", help="Keep the last of every so long, for so long: 1h/1d.")
    ] = None,
    keep_terminal: Annotated[bool, typer.Option("--keep-terminal", help="Keep where runs ended.")] = False,
    keep_lineage: Annotated[bool, typer.Option("--keep-lineage", help="Keep every ancestor of the head.")] = False,
    covered_before: Annotated[int | None, typer.Option(help="Keep what covers the journal so far.", min=0)] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Go ahead without asking.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove the checkpoints that no rule keeps. Shows first what would go, and asks."""
    retention = Retention(
        keep_last=keep_last,
        keep_last_in=dict(map(_window, keep_last_in)) if keep_last_in else None,
        max_age=None if max_age is None else parse_span(max_age),
        keep_every=[parse_every(one) for one in keep_every or ()],
        keep_terminal=keep_terminal,
        keep_lineage=keep_lineage,
        covered_before=covered_before,
    )
    if is_empty(retention):
        refuse("say what to keep: --keep-last 10, --max-age 7d, --keep-every 1h/1d, --keep-terminal, --keep-lineage")
    with opened(store) as there:
        if threads:
            pruned = _each([find_thread(there, one).prune for one in dict.fromkeys(threads)], retention)
        else:
            pruned = _bar(there.prune, retention, as_json)
        told = pruned(not yes)
        if told.dry_run and (told.removed or told.journal) and _agreed(told, as_json):
            told = pruned(False)
        _show(told, as_json)


Pruned = Callable[[bool], PruneReport]


def _each(prunes: Sequence[Callable[..., PruneReport]], retention: Retention) -> Pruned:
    return lambda dry_run: PruneReport.together(
        [prune(retention, dry_run=dry_run) for prune in prunes], dry_run=dry_run
    )


def _bar(prune: Callable[..., PruneReport], retention: Retention, quiet: bool) -> Pruned:
    """With a bar, where somebody watches."""

    def pruned(dry_run: bool) -> PruneReport:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True, disable=quiet) as bar:
            task = bar.add_task("looking" if dry_run else "pruning", total=None)
            return prune(
                retention, dry_run=dry_run, progress=lambda done, known: bar.update(task, completed=done, total=known)
            )

    return pruned


def _window(text: str) -> tuple[str, int]:
    name, equals, count = text.rpartition("=")
    if not equals or not count.isdecimal():
        refuse(f"--keep-last-in takes a namespace and a number, as in tools=5; {text!r} is none")
    return name, int(count)


def _agreed(told: PruneReport, quiet: bool) -> bool:
    """Without a person to ask, only --yes goes ahead."""
    if quiet or not sys.stdin.isatty():
        return False
    _tell(told)
    return typer.confirm("remove them?", err=True)


def _show(report: PruneReport, as_json: bool) -> None:
    if as_json:
        write_json(asdict(report))
        return
    _tell(report)
    if report.dry_run and report.removed:
        note("nothing was removed yet: --yes goes ahead")


def _tell(report: PruneReport) -> None:
    console().print(
        f"{'would remove' if report.dry_run else 'removed'} {counted(len(report.removed), 'checkpoint')}"
        f" of {counted(len(report.by_thread), 'thread')} and {_entries(report.journal)}; {report.kept:,} stay"
    )
    for thread, ids in list(report.by_thread.items())[:_SHOWN]:
        console().print(f"  {one_line(thread)}: {counted(len(ids), 'checkpoint')}")
    if len(report.by_thread) > _SHOWN:
        console().print(f"  and {counted(len(report.by_thread) - _SHOWN, 'more thread')}")
    for rule in sorted(report.kept_by):
        console().print(f"  kept by {rule}: {report.kept_by[rule]:,}")
    if report.bytes_to_free:
        console().print(f"  holdfast collect then frees about {size(report.bytes_to_free)}")
    for one in report.skipped:
        note(f"left alone: {one}")


def _entries(number: int) -> str:
    return f"{number:,} journal {'entry' if number == 1 else 'entries'}"
