"""Dates, times, durations and zones, with every microsecond, fold and zone name kept."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any, Final
from zoneinfo import ZoneInfo

from holdfast.codec.handler import Build, ClassLookup, Handler, Scalar, Unstorable, check_plain, check_types, install

_ZONE: Final = re.compile(r"[A-Za-z0-9_+-]{1,32}(?:/[A-Za-z0-9_+-]{1,32}){0,3}")
"""Names of time zones. `ZoneInfo` makes the name of a file of it, and of a module of the package `tzdata`."""


def _pack_moment(value: datetime | time) -> list[Any]:
    if value.tzinfo is None and not value.fold:
        return [value.isoformat()]
    return [value.replace(tzinfo=None).isoformat(), value.fold, value.tzinfo]


def _build_datetime(parts: list[Any]) -> datetime:
    moment = datetime.fromisoformat(parts[0])
    return moment.replace(fold=parts[1], tzinfo=parts[2]) if parts[1:] else moment


def _build_time(parts: list[Any]) -> time:
    moment = time.fromisoformat(parts[0])
    return moment.replace(fold=parts[1], tzinfo=parts[2]) if parts[1:] else moment


def _build_date(parts: list[Any]) -> date:
    check_types(parts, str)
    return date.fromisoformat(parts[0])


def _build_timedelta(parts: list[Any]) -> timedelta:
    check_types(parts, int, int, int)
    return timedelta(*parts)


def _pack_timedelta(value: timedelta) -> tuple[int, int, int]:
    return value.days, value.seconds, value.microseconds


def _pack_timezone(value: timezone) -> tuple[Any, ...]:
    if value is UTC:
        return ()
    # Only pickle's view of a timezone shows whether it was created with a name.
    offset, *name = value.__getinitargs__()  # type: ignore[attr-defined]
    return (offset, *map(str.__str__, name))


def _build_timezone(parts: list[Any]) -> timezone:
    return timezone(*parts) if parts else UTC


def _pack_zone(value: ZoneInfo) -> list[Any]:
    if value.key is None:
        raise Unstorable("a ZoneInfo without a key can't be stored")
    return [str.__str__(value.key)]


class _ZoneHandler(Scalar):
    __slots__ = ()

    def builder(self, record: list[Any], classes: ClassLookup) -> Build | None:
        """Looks the zone up before the rest is built, so that a machine without its data loads it as `Opaque`."""
        check_types(record[1:], str)
        if not _ZONE.fullmatch(record[1]):
            return None
        try:
            zone = ZoneInfo(record[1])
        except (LookupError, OSError, ValueError):  # not on this machine, or a folder or another file of that name
            return None
        return lambda parts: zone


class _MomentHandler(Handler):
    __slots__ = ()

    def builder(self, record: list[Any], classes: ClassLookup) -> Build | None:
        check_plain(record[:3])  # the zone, the fourth part, may be of any type: building calls none of its methods
        return self.build


install(_MomentHandler(7, (datetime,), _pack_moment, _build_datetime))
install(Scalar(8, (date,), lambda value: (value.isoformat(),), _build_date))
install(_MomentHandler(9, (time,), _pack_moment, _build_time))
install(Scalar(10, (timedelta,), _pack_timedelta, _build_timedelta))
install(Scalar(11, (timezone,), _pack_timezone, _build_timezone))
install(_ZoneHandler(12, (ZoneInfo,), _pack_zone, lambda parts: ZoneInfo(*parts)))
