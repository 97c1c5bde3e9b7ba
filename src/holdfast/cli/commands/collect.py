"""`holdfast collect`: free what nobody reaches any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from holdfast.cli.output import console, note, write_json
from holdfast.cli.quantities import counted, size
from holdfast.cli.stores import JsonOption, StoreArgument, opened
from holdfast.model import CollectReport


def command(store: StoreArgument, as_json: JsonOption = False) -> None:
    """Free what no thread, fork or write reaches: removed checkpoints and their values."""
    with opened(store) as there:
        report = _collected(there.collect, as_json)
    if as_json:
        write_json(asdict(report))
        return
    console().print(_told(report))
    for one in report.skipped:
        note(f"left alone: {one}")


def _collected(collect: Callable[..., CollectReport], quiet: bool) -> CollectReport:
    """With a bar, where somebody watches."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task("collecting", total=None)
        return collect(lambda done, known: bar.update(task, completed=done, total=known))


def _told(report: CollectReport) -> str:
    freed = f"{counted(report.checkpoints, 'checkpoint')}, {counted(report.values, 'piece')} of values"
    freed += f" and {counted(report.writes, 'write')}"
    return f"freed {freed}; {size(report.bytes_before)} before, {size(report.bytes_after)} now"
