"""What the data of Holdfast's own entries must have: a person who may write a store may write any journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

OWN: Final = "holdfast."
INTENT, RESULT, ERROR, RETRY = (OWN + name for name in ("intent", "result", "error", "retry"))
TRIMMED: Final = OWN + "trimmed"  # replaces removed entries: those up to this one, and from which number
INTERRUPT, RESUME, START, FAILED = (OWN + name for name in ("interrupt", "resume", "start", "failed"))

_Types = type | tuple[type, ...]
_NUMBER_OR_NONE: Final = (int, type(None))
_WHERE: Final[dict[str, _Types]] = {"namespace": str, "nth": int, "at": int, "base": int, "unwritten": bool}
_WHAT: Final[dict[str, _Types]] = {"type": str, "text": str}
_FIELDS: Final[dict[str, Mapping[str, _Types]]] = {
    INTENT: {**_WHERE, "name": str, "key": (str, type(None)), "idempotent": bool, "again": _NUMBER_OR_NONE},
    RESULT: {"of": int, "value": object},
    ERROR: {"of": int, **_WHAT},
    RETRY: {"of": int},
    INTERRUPT: {**_WHERE, "name": str, "payload": object},
    RESUME: {"of": int, "value": object},
    START: {"run_id": str, "at": int, "unwritten": bool, "namespace": str},
    FAILED: {**_WHERE, **_WHAT, "effect": _NUMBER_OR_NONE},
}


def problem(kind: str, data: Any) -> str:
    """Why this can't be the data of an entry of this kind; empty if it can, and for kinds of the caller's own."""
    if kind == TRIMMED:
        return "" if type(data) is int else "it does not say which entries were trimmed"
    fields = _FIELDS.get(kind, {})
    if fields and not isinstance(data, dict):
        return "its data is not a dict"
    for name, types in fields.items():
        if name not in data or not isinstance(data[name], types):
            return f"{name!r} is missing, or of the wrong type"
    return ""
