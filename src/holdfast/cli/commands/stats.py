"""`holdfast stats`: how much a store holds, and where it grows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from holdfast.cli import stats_show as show
from holdfast.cli.output import console, write_json
from holdfast.cli.progress import bar
from holdfast.cli.stores import JsonOption, StoreArgument, opened
from holdfast.model import StoreStats


def command(store: StoreArgument, as_json: JsonOption = False) -> None:
    """Tell how much a store holds: threads, checkpoints and bytes, its largest threads, and what came day by day."""
    with opened(store) as there, bar("adding up", quiet=as_json) as progress:
        found = there.stats(progress)
    if as_json:
        write_json(_plain(found))
        return
    out = console()
    for line in show.lines(found):
        out.print(line)


def _plain(found: StoreStats) -> dict[str, Any]:
    days = [{**asdict(one), "day": one.day.isoformat()} for one in found.days]
    return {**asdict(found), "ratio": round(found.ratio, 3), "days": days}
