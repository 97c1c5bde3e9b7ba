"""Values as JSON: one spelling for `Diff.to_json`, `export(json=True)` and ``--json`` on the command line.

What JSON has is itself: None, booleans, integers, finite floats, text, lists, and dicts whose keys are text. Anything
else is an object whose keys start with ``$``, so that a program can tell it from a dict:

=============================================  =================================================================
bytes, bytearray                               ``{"$bytes": base64}``, ``{"$bytearray": base64}``
tuple, set, frozenset, deque                   ``{"$tuple": […]}`` and so on; sets in a fixed order
dict with a key that is not text,              ``{"$map": [[key, value], …]}``
or that starts with ``$``
OrderedDict, Counter, defaultdict              ``{"$OrderedDict": [[key, value], …]}`` and so on
datetime, date, time                           ``{"$datetime": ISO 8601}`` and so on
timedelta                                      ``{"$timedelta": [days, seconds, microseconds]}``
NaN and infinities                             ``{"$float": "nan"}``, ``"inf"`` or ``"-inf"``
an integer of about 4,000 digits or more       ``{"$int": "0x…"}``
text with half of a surrogate pair             ``{"$str": "\\\\ud800"}``: the text with the escapes of a JSON string
complex, range, slice                          ``{"$complex": [real, imag]}``, ``{"$range": [start, stop, step]}``
Decimal, Fraction, UUID, path, IP address      ``{"$Decimal": "9.90"}``: the name of the type and its text
an object of a class                           ``{"$class": "module.Class", field: value, …}``
an object with fields that start with ``$``    ``{"$class": "module.Class", "$map": [[field, value], …]}``
anything else                                  ``{"$class": "module.Class", "$repr": text}``
what nests deeper than 100 levels              ``{"$cut": "…"}``
=============================================  =================================================================

An object looks the same whether its class is known or it was loaded as `Opaque`. An enum member has the fields
``name`` and ``value``; an object of a subclass of a builtin type has its plain value under the name ``""``. Only
``$repr`` and ``$cut`` lose something; a program can rebuild all the others.
"""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from pathlib import PosixPath, PurePosixPath, PureWindowsPath, WindowsPath
from types import NoneType
from typing import Any, Final
from uuid import UUID

from holdfast.codec import Opaque
from holdfast.codec.families.base_family import family_of, fields_in
from holdfast.errors import Corrupt

MAX_DEPTH: Final = 100
_MANY_BITS: Final = 13_000  # about 4,000 digits: Python refuses to write out many more
_FIELDS_SET: Final = "+set"  # pydantic's record of which fields were given
_USER_VALUES: Final = frozenset({"metadata", "state", "value", "extra"})


def to_json(value: Any, depth: int = 0) -> Any:
    """The value as JSON can hold it; see the table of this module."""
    cls = type(value)
    if cls in _SCALARS:
        return _SCALARS[cls](value)
    if depth >= MAX_DEPTH:
        return {"$cut": "…"}
    form: Callable[[Any, int], Any] = _CONTAINERS.get(cls, _object)
    return form(value, depth + 1)


def record_to_json(record: Any, cls: type[Any] | None = None) -> dict[str, Any]:
    """One of the library's own records, with the fields of `cls`. Their types are known, so that times are ISO 8601
    text and tuples lists; values that a user stored are as `to_json` has them."""
    names = [field.name for field in fields(cls or type(record))]
    return fields_to_json({name: getattr(record, name) for name in names})


def fields_to_json(named: Mapping[str, Any]) -> dict[str, Any]:
    """The same for fields that are not a record yet."""
    return {name: _field(name, value) for name, value in named.items()}


def channels_to_json(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state by channel: always an object, whatever the names of the channels."""
    return {name: to_json(value) for name, value in state.items()}


def text_of(value: Any) -> str:
    """The repr, or the name of the type for values that have none: very deep ones, very large integers."""
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return f"<{type(value).__name__}>"


def _field(name: str, value: Any) -> Any:
    if name == "state" and isinstance(value, Mapping):
        return channels_to_json(value)
    return to_json(value) if name in _USER_VALUES else _own(value)


def _own(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, tuple):
        return [_own(item) for item in value]
    return record_to_json(value) if is_dataclass(value) else to_json(value)


# ------------------------------------------------------------------------------------------------ scalars


def _itself(value: Any) -> Any:
    return value


def _int(value: int) -> Any:
    return value if value.bit_length() < _MANY_BITS else {"$int": hex(value)}


def _float(value: float) -> Any:
    return value if math.isfinite(value) else {"$float": repr(value)}


def _str(value: str) -> Any:
    return value if _is_unicode(value) else {"$str": json.dumps(value)[1:-1]}


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _base64(value: bytes | bytearray) -> Any:
    return {_tag(value): b64encode(value).decode("ascii")}


def _iso(value: datetime | date | time) -> Any:
    return {_tag(value): value.isoformat()}


def _timedelta(value: timedelta) -> Any:
    return {"$timedelta": [value.days, value.seconds, value.microseconds]}


def _complex(value: complex) -> Any:
    return {"$complex": [_float(value.real), _float(value.imag)]}


def _as_text(value: Any) -> Any:
    return {_tag(value): _str(str(value))}


def _tag(value: Any) -> str:
    return f"${type(value).__name__}"


# ------------------------------------------------------------------------------------------------ containers


def _list(values: Iterable[Any], depth: int) -> list[Any]:
    return [to_json(item, depth) for item in values]


def _pairs(mapping: Mapping[Any, Any], depth: int) -> list[Any]:
    return [_list(pair, depth) for pair in mapping.items()]


def _sequence(value: Iterable[Any], depth: int) -> Any:
    return {_tag(value): _list(value, depth)}


def _set(value: Iterable[Any], depth: int) -> Any:
    return {_tag(value): _list(sorted(value, key=text_of), depth)}


def _bounds(value: range | slice, depth: int) -> Any:
    return {_tag(value): _list((value.start, value.stop, value.step), depth)}


def _dict(value: dict[Any, Any], depth: int) -> dict[str, Any]:
    if _are_plain_names(value):
        return {key: to_json(item, depth) for key, item in value.items()}
    return {"$map": _pairs(value, depth)}


def _mapping(value: Mapping[Any, Any], depth: int) -> Any:
    return {_tag(value): _pairs(value, depth)}


def _are_plain_names(keys: Iterable[Any]) -> bool:
    return all(type(key) is str and not key.startswith("$") and _is_unicode(key) for key in keys)


# ------------------------------------------------------------------------------------------------ objects


def _object(value: Any, depth: int) -> dict[str, Any]:
    cls = type(value)
    name = value.name if isinstance(value, Opaque) else f"{cls.__module__}.{cls.__qualname__}"
    found = _fields_of(value)
    if found is None:
        return {"$class": name, "$repr": _str(text_of(value))}
    return {"$class": name, **_dict({key: item for key, item in found.items() if key != _FIELDS_SET}, depth)}


def _fields_of(value: Any) -> dict[str, Any] | None:
    """The fields as they are stored; None for a value that has no fields, or whose fields are damaged."""
    if isinstance(value, Opaque):
        with suppress(Corrupt):
            return value.fields
        return None
    cls = type(value)
    family = None if isinstance(value, BaseException) else family_of(cls)
    return None if family is None else fields_in([*family.take_apart(cls)(value)], 0)


_TEXTS: Final = (
    Decimal, Fraction, UUID, PurePosixPath, PureWindowsPath, PosixPath, WindowsPath,
    IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network,
)  # fmt: skip

_SCALARS: Final[dict[type, Callable[[Any], Any]]] = {
    NoneType: _itself, bool: _itself, int: _int, float: _float, complex: _complex, str: _str,
    bytes: _base64, bytearray: _base64,
    datetime: _iso, date: _iso, time: _iso, timedelta: _timedelta,
    **dict.fromkeys(_TEXTS, _as_text),
}  # fmt: skip

_CONTAINERS: Final[dict[type, Callable[[Any, int], Any]]] = {
    list: _list, tuple: _sequence, deque: _sequence, set: _set, frozenset: _set, range: _bounds, slice: _bounds,
    dict: _dict, OrderedDict: _mapping, Counter: _mapping, defaultdict: _mapping,
}  # fmt: skip
