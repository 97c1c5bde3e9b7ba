"""A state as channels and back: a mapping, or an instance of a record class whose fields are the channels."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from holdfast.codec.families.base_family import Family, PutTogether, family_of
from holdfast.errors import InvalidArgument


def channels_of(state: Any) -> dict[str, Any]:
    """The channels by name. The values are not copied."""
    if isinstance(state, Mapping):
        return _with_text_keys(state)
    family = _record_family(type(state))
    if family is None:
        raise InvalidArgument(
            "a state must be a mapping, or an instance of a dataclass or of a msgspec, pydantic or attrs class,"
            f" not {type(state).__name__}: wrap it, as in {{'value': ...}}"
        )
    return family.channels(state)


def state_from(cls: Any, channels: dict[str, Any]) -> Any:
    """An instance of `cls` with these channels; a dict for dict, a TypedDict or another mapping."""
    origin = typing.get_origin(cls) or cls
    if typing.is_typeddict(origin) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return channels
    put_together = _maker(origin) if isinstance(origin, type) else None
    if put_together is None:
        raise InvalidArgument(f"state={cls!r} is neither a mapping nor a dataclass, msgspec, pydantic or attrs class")
    return put_together(dict(channels))


@lru_cache(256)
def _maker(cls: type) -> PutTogether | None:
    family = _record_family(cls)
    return None if family is None else family.put_together(cls)


def _with_text_keys(state: Mapping[Any, Any]) -> dict[str, Any]:
    channels = dict(state)
    for key in channels:
        if not isinstance(key, str):
            raise InvalidArgument(f"the names of a state's channels must be strings, not {key!r}")
    return channels


def _record_family(cls: type) -> Family | None:
    family = family_of(cls)
    return family if family is not None and family.is_record and not issubclass(cls, tuple) else None
