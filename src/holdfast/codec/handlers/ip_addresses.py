"""IP addresses, networks and interfaces: the address as bytes, since its text depends on the Python version."""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from typing import Any

from holdfast.codec.handler import Scalar, check_types, install

_ADDRESSES = (IPv4Address, IPv6Address)
_WITH_PREFIX = (IPv4Network, IPv6Network, IPv4Interface, IPv6Interface)
_NAMED = {cls.__name__: cls for cls in (*_ADDRESSES, *_WITH_PREFIX)}


def _pack(value: Any) -> list[Any]:
    address = getattr(value, "network_address", value)
    prefix = [getattr(value, "network", value).prefixlen] if type(value) in _WITH_PREFIX else []
    scope = getattr(address, "scope_id", None)
    return [type(value).__name__, address.packed, *prefix, *([] if scope is None else [scope])]


def _build(parts: list[Any]) -> Any:
    name, packed, *more = parts
    check_types([name, packed], str, bytes)
    cls: Any = _NAMED[name]
    numbers = [int] if cls in _WITH_PREFIX else []
    check_types(more, *numbers, *[str for _ in more[len(numbers) :]])
    prefix = more.pop(0) if cls in _WITH_PREFIX else None
    address = ipaddress.ip_address(packed)
    text = f"{address}%{more[0]}" if more else str(address)
    return cls(text) if prefix is None else cls((text, prefix))


install(Scalar(27, (*_ADDRESSES, *_WITH_PREFIX), _pack, _build))
