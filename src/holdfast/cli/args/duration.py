"""Durations on the command line: ``90s``, ``30m``, ``12h``, ``7d``, ``4w``."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from holdfast.cli.ui.output import refuse

_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN: Final = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)([smhdw])")


def parse_span(text: str) -> timedelta:
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        refuse(f"{text!r} is not a duration: write it as 90s, 30m, 12h, 7d or 4w")
    try:
        return timedelta(**{_UNITS[match[2]]: float(match[1])})
    except OverflowError:
        refuse(f"{text!r} is too long a duration")


def parse_every(text: str) -> tuple[timedelta, timedelta]:
    """``1h/1d``: one for each hour, going back one day."""
    every, slash, span = text.partition("/")
    if not slash:
        refuse(f"{text!r} has only one duration: write 1h/1d to keep one for each hour, going back one day")
    return parse_span(every), parse_span(span)
