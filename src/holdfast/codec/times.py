"""Dates, times, durations and zones, with every microsecond, fold and zone name kept."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from holdfast.codec.registry import Build, Handler, Scalar, Unstorable, check_plain, install

if TYPE_CHECKING:
    from holdfast.codec.classes import Classes


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


def _pack_timedelta(value: timedelta) -> tuple[int, int, int]:
    return value.days, value.seconds, value.microseconds


def _pack_timezone(value: timezone) -> tuple[Any, ...]:
    if value is UTC:
        return ()
    # Pickle's own view of a timezone is the only one that tells whether it was given a name.
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

    def builder(self, record: list[Any], classes: Classes) -> Build | None:
        """The zone is looked up first: a machine without that zone's data still loads the rest."""
        check_plain(record)
        try:
            zone = ZoneInfo(record[1])
        except LookupError:
            return None
        return lambda parts: zone


class _MomentHandler(Handler):
    __slots__ = ()

    def builder(self, record: list[Any], classes: Classes) -> Build | None:
        check_plain(record[:3])  # the zone, which comes fourth, may be of any kind: it is not asked anything
        return self.build


install(_MomentHandler(7, (datetime,), _pack_moment, _build_datetime))
install(Scalar(8, (date,), lambda value: (value.isoformat(),), lambda parts: date.fromisoformat(parts[0])))
install(_MomentHandler(9, (time,), _pack_moment, _build_time))
install(Scalar(10, (timedelta,), _pack_timedelta, lambda parts: timedelta(*parts)))
install(Scalar(11, (timezone,), _pack_timezone, _build_timezone))
install(_ZoneHandler(12, (ZoneInfo,), _pack_zone, lambda parts: ZoneInfo(*parts)))
