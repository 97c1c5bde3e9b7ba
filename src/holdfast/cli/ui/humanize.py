"""Times, sizes and counts as people write them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

_UNITS: Final = ((60, "s", 1), (3600, "min", 60), (86400, "h", 3600), (30 * 86400, "d", 86400))
_CLOCKS_DIFFER: Final = 60  # seconds
_SIZES: Final = ("kB", "MB", "GB", "TB")


def ago(moment: datetime, now: datetime | None = None) -> str:
    """How long ago, up to a month; the day, if older; the exact time, if another clock put it in the future."""
    seconds = ((now or datetime.now(UTC)) - moment).total_seconds()
    if seconds < -_CLOCKS_DIFFER:
        return exactly(moment)
    for below, unit, size in _UNITS:
        if seconds < below:
            return f"{max(int(seconds) // size, 0)} {unit} ago"
    return f"{moment:%Y-%m-%d}"


def exactly(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def size(count: int) -> str:
    if count < 1000:
        return f"{count} B"
    power = next((power for power in range(1, len(_SIZES)) if count < 999.5 * 1000**power), len(_SIZES))
    number = count / 1000**power
    return f"{number:.1f} {_SIZES[power - 1]}" if number < 9.95 else f"{number:,.0f} {_SIZES[power - 1]}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {plural(number, noun)}"


def plural(number: int, noun: str) -> str:
    """The noun as it follows this number."""
    if number == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
