"""Spans of time as people write them: ``90s``, ``30m``, ``12h``, ``7d``, ``4w``."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from holdfast.cli.output import refuse

_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN: Final = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)([smhdw])")


def parse_span(text: str) -> timedelta:
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        refuse(f"{text!r} is no span of time: write 90s, 30m, 12h, 7d or 4w")
    try:
        return timedelta(**{_UNITS[found[2]]: float(found[1])})
    except OverflowError:
        refuse(f"{text!r} is longer than can be reckoned with")


def parse_every(text: str) -> tuple[timedelta, timedelta]:
    """``1h/1d``: one an hour, for a day."""
    every, slash, span = text.partition("/")
    if not slash:
        refuse(f"{text!r} says how often, and not for how long: write 1h/1d for one an hour, for a day")
    return parse_span(every), parse_span(span)
