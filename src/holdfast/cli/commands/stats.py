"""`holdfast stats`: how much a store holds, and where it grows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from holdfast.cli.args.store_url import JsonOption, StoreArgument, open_existing
from holdfast.cli.ui import render_stats
from holdfast.cli.ui.output import console, write_json
from holdfast.cli.ui.progress import progress
from holdfast.model import StoreStats


def command(url: StoreArgument, as_json: JsonOption = False) -> None:
    """Show how much a store holds. Counts threads, checkpoints and bytes, lists the largest threads, and what each day
    added."""
    with open_existing(url) as store, progress("counting", quiet=as_json) as update:
        stats = store.stats(update)
    if as_json:
        write_json(_json_of(stats))
        return
    out = console()
    for line in render_stats.lines(stats):
        out.print(line)


def _json_of(stats: StoreStats) -> dict[str, Any]:
    days = [{**asdict(day), "day": day.day.isoformat()} for day in stats.days]
    return {**asdict(stats), "ratio": round(stats.ratio, 3), "days": days}
