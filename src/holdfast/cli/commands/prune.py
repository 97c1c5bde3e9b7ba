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
            pruned = _each([find_thread(there, one).prune for one in threads], retention)
        else:
            pruned = _bar(there.prune, retention, as_json)
        told = pruned(True)
        if not any(report.removed or report.journal for report in told) or not _may_go_on(told, yes, as_json):
            _show(told, as_json)
            return
        _show(pruned(False), as_json)


Pruned = Callable[[bool], Sequence[PruneReport]]


def _each(prunes: Sequence[Callable[..., PruneReport]], retention: Retention) -> Pruned:
    return lambda dry_run: [prune(retention, dry_run=dry_run) for prune in prunes]


def _bar(prune: Callable[..., PruneReport], retention: Retention, quiet: bool) -> Pruned:
    """With a bar, where somebody watches."""

    def pruned(dry_run: bool) -> list[PruneReport]:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True, disable=quiet) as bar:
            task = bar.add_task("looking" if dry_run else "pruning", total=None)
            report = prune(
                retention, dry_run=dry_run, progress=lambda done, known: bar.update(task, completed=done, total=known)
            )
            return [report]

    return pruned


def _window(text: str) -> tuple[str, int]:
    name, equals, count = text.rpartition("=")
    if not equals or not count.isdecimal():
        refuse(f"--keep-last-in takes a namespace and a number, as in tools=5; {text!r} is none")
    return name, int(count)


def _may_go_on(told: Sequence[PruneReport], yes: bool, quiet: bool) -> bool:
    """Without a person to ask, only --yes goes ahead."""
    if yes or quiet or not sys.stdin.isatty():
        return yes
    _tell(told)
    return typer.confirm("remove them?", err=True)


def _show(reports: Sequence[PruneReport], as_json: bool) -> None:
    if as_json:
        write_json([asdict(report) for report in reports] if len(reports) != 1 else asdict(reports[0]))
        return
    _tell(reports)
    if any(report.dry_run and report.removed for report in reports):
        note("nothing was removed yet: --yes goes ahead")


def _tell(reports: Sequence[PruneReport]) -> None:
    by_thread = {thread: ids for report in reports for thread, ids in report.by_thread.items()}
    would = "would remove" if any(report.dry_run for report in reports) else "removed"
    removed = sum(len(report.removed) for report in reports)
    kept = sum(report.kept for report in reports)
    console().print(
        f"{would} {counted(removed, 'checkpoint')} of {counted(len(by_thread), 'thread')}"
        f" and {_entries(sum(report.journal for report in reports))}; {kept:,} stay"
    )
    for thread, ids in list(by_thread.items())[:_SHOWN]:
        console().print(f"  {one_line(thread)}: {counted(len(ids), 'checkpoint')}")
    if len(by_thread) > _SHOWN:
        console().print(f"  and {counted(len(by_thread) - _SHOWN, 'more thread')}")
    rules = {rule for report in reports for rule in report.kept_by}
    for rule in sorted(rules):
        console().print(f"  kept by {rule}: {sum(report.kept_by.get(rule, 0) for report in reports):,}")
    freed = sum(report.bytes_to_free for report in reports)
    if freed:
        console().print(f"  holdfast collect then frees about {size(freed)}")
    for report in reports:
        for one in report.skipped:
            note(f"left alone: {one}")


def _entries(number: int) -> str:
    return f"{number:,} journal {'entry' if number == 1 else 'entries'}"
