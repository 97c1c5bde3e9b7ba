"""Messages that were saved before, and have not changed since.

A conversation of a thousand messages is put once a step, and one message of it is new. Encoding all of them again to
find that out takes longer than the whole save. But that a message is the same object says nothing: messages are
mutable. So what its messages looked like is kept beside each saved list, and a list that continues it is compared with
that, in C. Only what differs, and what is new, is encoded.
"""

from __future__ import annotations

from operator import attrgetter, is_
from typing import Any, Final

from holdfast.codec import Codec

_FEWEST: Final = 16  # shorter lists are encoded before they are compared
_fields_of = attrgetter("__dict__")
_extra_of = attrgetter("__pydantic_extra__")
_PLAIN: Final = frozenset({str, type(None), bool, int, float})


class _Encoded:
    """Stands for the looks of a message that holds more than text: its encoding is what is compared."""

    __slots__ = ("message", "codec", "enc")

    def __init__(self, message: Any, codec: Codec) -> None:
        self.message = message
        self.codec = codec
        self.enc = codec.encode(message)

    def __eq__(self, fields: object) -> bool:
        return self.codec.encode(self.message) == self.enc

    __hash__ = None  # type: ignore[assignment]


class Kept:
    """The messages of one saved list, and what they looked like."""

    __slots__ = ("messages", "_fields", "_extras")

    def __init__(self, messages: list[Any], fields: list[Any], extras: list[Any]) -> None:
        self.messages = messages
        self._fields = fields
        self._extras = extras

    def starts(self, value: list[Any]) -> bool:
        """Whether a list starts with these messages, unchanged."""
        known = self.messages
        return (
            len(value) >= len(known)
            and all(map(is_, known, value))
            and [*map(_fields_of, known)] == self._fields
            and [*map(_extra_of, known)] == self._extras
        )

    def and_then(self, fresh: list[Any], codec: Codec) -> Kept | None:
        if not all(map(_is_message, fresh)):
            return None
        fields, extras = _looks(fresh, codec)
        return Kept(self.messages + fresh, self._fields + fields, self._extras + extras)


def keep(value: Any, codec: Codec) -> Kept | None:
    """What to compare with next time; None for a value that is not a list of messages."""
    if type(value) is not list or len(value) < _FEWEST or not all(map(_is_message, value)):
        return None
    return Kept(list(value), *_looks(value, codec))


def _is_message(value: Any) -> bool:
    return type(value).__module__.startswith("langchain_core.messages.") and hasattr(value, "__pydantic_extra__")


def _looks(messages: list[Any], codec: Codec) -> tuple[list[Any], list[Any]]:
    """Copies of the fields and of the extra fields of each message, if they are plain data: being equal to them then
    means being the same. (An old message's 1 that was made a 1.0 or True in place is taken for the 1 that it equals.)
    Extra fields that are not plain are compared with the rest of the message."""
    fields: list[Any] = []
    extras: list[Any] = []
    for message in messages:
        extra = message.__pydantic_extra__
        is_plain = extra is not None
        try:
            extra = _copied(extra)
        except _Rich:
            is_plain = False
        try:
            fields.append(_copied(message.__dict__) if is_plain else _Encoded(message, codec))
        except _Rich:
            fields.append(_Encoded(message, codec))
        extras.append(extra)
    return fields, extras


class _Rich(Exception):
    """Not plain data."""


def _copied(part: Any) -> Any:
    kind = type(part)
    if kind in _PLAIN:
        return part
    if kind is list:
        return [*map(_copied, part)]
    if kind is not dict:
        raise _Rich
    copy = part.copy()
    for name, inner in part.items():
        if type(inner) not in _PLAIN:
            copy[name] = _copied(inner)
    return copy
