"""What `holdfast stats` shows: the sums, the largest threads, and the last days."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.cli.output import cell, columns
from holdfast.cli.quantities import counted, size
from holdfast.model import DayStats, StoreStats, ThreadStats

if TYPE_CHECKING:
    from rich.text import Text

_DAYS: Final = 14
_BAR: Final = 30


def lines(found: StoreStats) -> list[Text]:
    shown = [
        cell(f"{counted(found.threads, 'thread')}, {counted(found.checkpoints, 'checkpoint')}"),
        cell(f"{size(found.logical_bytes)} of states in {size(found.stored_bytes)} stored, {found.ratio:.1f} to 1"),
    ]
    if found.largest:
        shown += [cell(""), *columns([_heads("largest threads", "checkpoints", "states", "stored"),
                                      *map(_thread, found.largest)], right=(1, 2, 3))]  # fmt: skip
    if found.days:
        most = max(one.bytes for one in found.days) or 1
        rows = [_day(one, most) for one in found.days[-_DAYS:]]
        shown += [cell(""), *columns([_heads("saved on", "checkpoints", "states", ""), *rows], right=(1, 2))]
    if len(found.days) > _DAYS:
        shown.append(cell(f"… and {counted(len(found.days) - _DAYS, 'earlier day')}; --json lists all"))
    return shown


def _heads(*names: str) -> list[Text]:
    return [cell(name, "bold") for name in names]


def _thread(one: ThreadStats) -> list[Text]:
    return [cell(one.id), cell(f"{one.checkpoints:,}"), cell(size(one.logical_bytes)), cell(size(one.stored_bytes))]


def _day(one: DayStats, most: int) -> list[Text]:
    grown = cell("▇" * max(1, round(_BAR * one.bytes / most)), "green")
    return [cell(one.day.isoformat()), cell(f"{one.checkpoints:,}"), cell(size(one.bytes)), grown]
