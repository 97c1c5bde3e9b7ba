"""What `holdfast stats` shows: totals, the largest threads, and the last days."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from holdfast.cli.ui.humanize import counted, size
from holdfast.cli.ui.output import cell, columns
from holdfast.model import DayStats, StoreStats, ThreadStats

if TYPE_CHECKING:
    from rich.text import Text

_DAYS: Final = 14
_BAR: Final = 30


def lines(stats: StoreStats) -> list[Text]:
    totals = [
        cell(f"{counted(stats.threads, 'thread')}, {counted(stats.checkpoints, 'checkpoint')}"),
        cell(f"{size(stats.logical_bytes)} of states in {size(stats.stored_bytes)} stored, {stats.ratio:.1f} to 1"),
    ]
    return [*totals, *_largest(stats.largest), *_days(stats.days)]


def _largest(threads: Sequence[ThreadStats]) -> list[Text]:
    if not threads:
        return []
    rows = [_titles("largest threads", "checkpoints", "states", "stored"), *map(_thread, threads)]
    return [cell(""), *columns(rows, right=(1, 2, 3))]


def _days(days: Sequence[DayStats]) -> list[Text]:
    if not days:
        return []
    most = max(day.bytes for day in days) or 1
    rows = [_titles("saved on", "checkpoints", "states", ""), *(_day(day, most) for day in days[-_DAYS:])]
    earlier = len(days) - _DAYS
    more = [cell(f"… and {counted(earlier, 'earlier day')}; --json lists all")] if earlier > 0 else []
    return [cell(""), *columns(rows, right=(1, 2)), *more]


def _titles(*names: str) -> list[Text]:
    return [cell(name, "bold") for name in names]


def _thread(stats: ThreadStats) -> list[Text]:
    sizes = [cell(size(stats.logical_bytes)), cell(size(stats.stored_bytes))]
    return [cell(stats.id), cell(f"{stats.checkpoints:,}"), *sizes]


def _day(day: DayStats, most: int) -> list[Text]:
    bar = cell("▇" * max(1, round(_BAR * day.bytes / most)), "green")
    return [cell(day.day.isoformat()), cell(f"{day.checkpoints:,}"), cell(size(day.bytes)), bar]
