"""`holdfast collect`: frees what is no longer reachable."""

from __future__ import annotations

from dataclasses import asdict

from holdfast.cli.args.store_url import JsonOption, StoreArgument, open_existing
from holdfast.cli.ui.humanize import counted, size
from holdfast.cli.ui.output import console, note, write_json
from holdfast.cli.ui.progress import progress
from holdfast.model import CollectReport


def command(url: StoreArgument, as_json: JsonOption = False) -> None:
    """Free what no thread, fork or write reaches. These are removed checkpoints and their values."""
    with open_existing(url) as store, progress("collecting", quiet=as_json) as update:
        report = store.collect(update)
    if as_json:
        write_json(asdict(report))
        return
    console().print(_summary(report))
    for reason in report.skipped:
        note(f"skipped: {reason}")


def _summary(report: CollectReport) -> str:
    freed = f"{counted(report.checkpoints, 'checkpoint')}, {counted(report.values, 'piece')} of values"
    freed += f" and {counted(report.writes, 'write')}"
    return f"freed {freed}; {size(report.bytes_before)} before, {size(report.bytes_after)} now"
