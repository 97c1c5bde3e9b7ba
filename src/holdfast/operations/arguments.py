"""The arguments of public calls: each check returns the argument, or raises an error that names it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from holdfast.codec import Codec
from holdfast.engine.checkpoints.save_fields import SaveFields
from holdfast.engine.maintenance import retention_rules
from holdfast.engine.policy import Policy
from holdfast.errors import InvalidArgument
from holdfast.ids import check_id, check_list, check_text, is_text
from holdfast.model import ROOT, SOURCES, Parent, Retention

Types = Iterable[type] | Mapping[str, type]
"""Classes that values may be rebuilt as: in a list, or by the names under which they were stored."""

DURABILITIES: Final = ("sync", "async", "exit")
_MAX_NUMBER: Final = 1 << 62
_LEAST_MAX_VALUE: Final = 1 << 10
_MOST_MAX_VALUE: Final = (1 << 32) - 1


# ------------------------------------------------------------------------------------------------ of stores and threads


def check_types(types: Any) -> Types:
    checked: Types = dict(types) if isinstance(types, Mapping) else check_list(types, "types")
    for cls in checked.values() if isinstance(checked, Mapping) else checked:
        if not isinstance(cls, type):
            raise InvalidArgument(f"types must contain classes (in a list, or by their old names), not {cls!r}")
    return checked


def check_durability(durability: str) -> str:
    if durability not in DURABILITIES:
        raise InvalidArgument(f"durability must be one of {', '.join(DURABILITIES)}, not {durability!r}")
    return durability


def requested_policy(ttl: timedelta | float | None, refresh: bool | None, retention: Retention | None) -> Policy:
    """The policy that a caller asks for, checked."""
    return Policy(
        None if ttl is None else _microseconds(ttl),
        refresh,
        None if retention is None else retention_rules.check(retention),
    )


def _microseconds(ttl: Any) -> int:
    seconds = ttl.total_seconds() if isinstance(ttl, timedelta) else ttl
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < 1 << 40:
        raise InvalidArgument(f"ttl must be a timedelta or a number of seconds above 0, not {ttl!r}")
    return int(seconds * 1_000_000)


# ------------------------------------------------------------------------------------------------ of saves


class SaveArguments(NamedTuple):
    """What a save is called with besides its state, as the caller gave it."""

    node: str = ""
    next: Sequence[str] | None = ()
    step: int | None = None
    source: str = "loop"
    run_id: str | None = None
    status: str | None = "running"
    label: str = ""
    metadata: Mapping[str, Any] | None = None
    origin: str | None = None
    journal_seq: int | None = None
    id: str | None = None
    parent: Parent = None
    expect_head: str | None = None


_OF_SAVE: Final = SaveArguments()
OF_UPDATE: Final = SaveArguments(next=None, status=None, source="update")
"""What an update is called with when nothing is given: `next` and `status` stay as the head has them."""


def save_fields(given: SaveArguments, codec: Codec, defaults: SaveArguments = _OF_SAVE) -> SaveFields:
    """The arguments, checked and encoded. Those that are at their defaults need no check."""
    fields = given._asdict()
    for name, value, default in zip(SaveArguments._fields, given, defaults, strict=True):
        if value is not default:
            fields[name] = _SAVE_CHECKS[name](value)
    metadata = fields["metadata"]
    fields["metadata"] = codec.encode(metadata, "metadata") if metadata else None
    return SaveFields(**fields)


def _check_source(source: Any) -> str:
    if source not in SOURCES:
        raise InvalidArgument(f"source must be one of {', '.join(SOURCES)}, not {source!r}")
    return str(source)


def _check_nodes(nodes: Any) -> tuple[str, ...]:
    return tuple([check_text(name, "next") for name in check_list(nodes, "next")])


def _check_parent(parent: Any) -> Parent:
    return ROOT if parent is ROOT else check_id(parent, "parent")


def check_number(value: Any, name: str, least: int | None = None) -> int | None:
    """A whole number, at least `least`; None is passed on."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidArgument(f"{name} must be a whole number, not {value!r}")
    if least is not None and value < least:
        raise InvalidArgument(f"{name} must be {least} or more, not {value}")
    if abs(value) >= _MAX_NUMBER:
        raise InvalidArgument(f"{name} must be below 2**62, not {value}")
    return int(value)


def check_max_value(value: Any) -> int:
    """From 1 KiB, since a checkpoint has values of Holdfast's own, to 4 GiB, which no row of a backend may exceed."""
    number = check_number(value, "max_value", least=_LEAST_MAX_VALUE)
    if number is None or number > _MOST_MAX_VALUE:
        raise InvalidArgument(f"max_value must be a number of bytes up to {_MOST_MAX_VALUE}, not {value!r}")
    return number


def check_limit(value: Any) -> int | None:
    return check_number(value, "limit", least=0)


def check_mapping(value: Mapping[str, Any] | None, name: str) -> dict[str, Any] | None:
    """A mapping whose keys are text; None is passed on."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidArgument(f"{name} must be a mapping, not {type(value).__name__}")
    for key in value:
        if not isinstance(key, str):
            raise InvalidArgument(f"the keys of {name} must be text, not {key!r}")
        check_text(key, f"a key of {name}")
    return dict(value)


_SAVE_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "node": partial(check_text, what="node"),
    "next": _check_nodes,
    "step": partial(check_number, name="step"),
    "source": _check_source,
    "run_id": partial(check_text, what="run_id"),
    "status": partial(check_text, what="status"),
    "label": partial(check_text, what="label"),
    "metadata": partial(check_mapping, name="metadata"),
    "origin": partial(check_id, what="origin"),
    "journal_seq": partial(check_number, name="journal_seq", least=0),
    "id": partial(check_id, what="a checkpoint id"),
    "parent": _check_parent,
    "expect_head": partial(check_id, what="expect_head", empty=True),
}


# ------------------------------------------------------------------------------------------------ of channels


def check_channels(names: Iterable[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise InvalidArgument(f"the name of a channel must be text, not {name!r}")
        if not (name.isascii() or is_text(name)):
            raise InvalidArgument(f"the channel name {name[:80]!r} contains half of a surrogate pair")


def check_channel_values(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidArgument(f"{name} must be a mapping of channels to values, not {type(value).__name__}")
    check_channels(value)
    return dict(value)


def check_channel_names(channels: Collection[str]) -> list[str]:
    names = check_list(channels, "channels")
    check_channels(names)
    return names


def check_reducers(reduce: Any, channels: Collection[str]) -> dict[str, Any]:
    reducers = check_mapping(reduce, "reduce") or {}
    for name, reducer in reducers.items():
        if name not in channels:
            raise InvalidArgument(f"reduce names the channel {name!r}, which is not among the updates")
        if not callable(reducer):
            raise InvalidArgument(f"reduce[{name!r}] must be a function of (old, new), not {reducer!r}")
    return reducers
