"""Values as JSON can hold them, with readable stand-ins for what it lacks.

=============================================  ==================================================
tuple, set, frozenset, deque                   a list; sets in the order of their texts
an object of a class                           its fields, and its class as ``"$class"``
a dict with keys that are not text             a list of [key, value]
bytes                                          ``"base64:…"``
datetime, date, time                           ISO 8601
NaN and infinities                             ``"nan"``, ``"inf"``, ``"-inf"``
an integer of more than 4,000 digits           its hexadecimal form as text
Decimal, UUID, path, IP address                their text
what nests deeper than 100 levels              ``"…"``
anything else                                  its repr
=============================================  ==================================================
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections import deque
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

from holdfast.cli.records import record_of, written

DEEPEST: Final = 100
_MANY_BITS: Final = 13_000  # about 4,000 digits: Python refuses to write out many more
_TEXTS: Final = (Decimal, UUID, PurePath, IPv4Address, IPv4Network, IPv6Address, IPv6Network)


def plain(value: Any, depth: int = 0) -> Any:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return _number(value)
    if depth >= DEEPEST:
        return "…"
    if isinstance(value, dict):
        return _dict(value, depth)
    if isinstance(value, list | tuple | deque):
        return [plain(one, depth + 1) for one in value]
    if isinstance(value, set | frozenset):
        return [plain(one, depth + 1) for one in sorted(value, key=written)]
    return _other(value, depth)


def _number(value: float) -> Any:
    if isinstance(value, int):
        return int(value) if value.bit_length() < _MANY_BITS else hex(value)
    return float(value) if math.isfinite(value) else repr(float(value))


def _dict(value: dict[Any, Any], depth: int) -> Any:
    if all(isinstance(key, str) for key in value):
        return {str(key): plain(one, depth + 1) for key, one in value.items()}
    return [[plain(key, depth + 1), plain(one, depth + 1)] for key, one in value.items()]


def _other(value: Any, depth: int) -> Any:
    if isinstance(value, bytes):
        return f"base64:{b64encode(value).decode('ascii')}"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, _TEXTS):
        return str(value)
    record = record_of(value)
    if record is not None:
        named = {"$class": record.name}
        return named | _dict(record.fields, depth) | named  # first in order, whatever fields there are
    return written(value)


def plain_fields(record: Any, cls: type[Any]) -> dict[str, Any]:
    """The fields of one of the library's own records, as those of `cls`."""
    return {field.name: _field(getattr(record, field.name)) for field in fields(cls)}


def _field(value: Any) -> Any:
    return plain_fields(value, type(value)) if is_dataclass(value) else plain(value)
