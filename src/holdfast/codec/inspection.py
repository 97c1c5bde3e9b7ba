"""Looks whether a stored value can be loaded, without the classes of any program: for `verify`.

Everything that a value has is built as a load builds it, but for instances of classes and values of handlers that users
registered: their fields are built, and they themselves are not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdfast._system.interrupts import is_interrupt
from holdfast.codec.decoder import revive
from holdfast.codec.families.pydantic_models import check_parts
from holdfast.codec.wire import unpack


class _NoClasses:
    """Takes the fields of any class, and makes nothing of them."""

    usual_messages = False
    own_handlers = False
    mappings = False

    def maker(self, record: list[Any]) -> Callable[[dict[str, Any]], Any]:
        _, kind, name, *_ = record
        if type(kind) is not str or type(name) is not str:
            raise ValueError("the name or the kind of a class is not a string")
        return check_parts if kind == "pydantic" else _nothing


def _nothing(fields: dict[str, Any]) -> None:
    return None


_NO_CLASSES = _NoClasses()


def without_classes(data: bytes) -> Any:
    """The value, with None in the place of what is built by classes and handlers of a program."""
    raw, is_loaded = unpack(data)
    return raw if is_loaded else revive(raw, _NO_CLASSES)


def problem_in(data: bytes) -> str:
    """Why no program can load this value; empty if one can."""
    try:
        without_classes(data)
    except (MemoryError, RecursionError):  # too deep for the stack as it is here
        return ""
    except Exception as error:
        if is_interrupt(error):
            raise
        return f"stored bytes do not decode: {type(error).__name__}: {error}"
    return ""
