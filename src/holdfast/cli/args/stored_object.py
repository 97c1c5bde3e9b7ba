"""Stored objects by class name and fields, since commands do not have their classes. Recognises messages."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import holdfast
from holdfast._json import text_of

_LANGCHAIN: Final = "langchain_core.messages."
_WHICH_WERE_SET: Final = "+set"  # pydantic's record of which fields were set
_SHOWN: Final = ("name", "tool_calls", "tool_call_id", "status")
_USUAL: Final[tuple[Any, ...]] = (None, "", [], {}, "success")


class Record(NamedTuple):
    """An object, taken apart."""

    name: str
    fields: dict[str, Any]


class Message(NamedTuple):
    """The role, the text, and the other fields worth showing."""

    role: str
    text: str
    more: dict[str, Any]


def record_of(value: object) -> Record | None:
    """The class name and fields of an object; None for a plain value."""
    if isinstance(value, holdfast.Opaque):
        return Record(value.name, {name: field for name, field in value.fields.items() if name != _WHICH_WERE_SET})
    if _class_name(value).startswith(_LANGCHAIN):
        return Record(_class_name(value), dict(vars(value)))
    return None


def _class_name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def message_of(value: object) -> Message | None:
    """A message of LangChain, or a dict with role and content as many agents store it; None for other values."""
    if type(value) is dict:
        return _message_in_dict(value)
    record = record_of(value)
    return _langchain_message(record) if record is not None and record.name.startswith(_LANGCHAIN) else None


def _message_in_dict(value: dict[Any, Any]) -> Message | None:
    if not isinstance(value.get("role"), str) or "content" not in value:
        return None
    more = {key: field for key, field in value.items() if key not in ("role", "content")}
    return Message(value["role"], _text(value["content"]), more)


def _langchain_message(record: Record) -> Message | None:
    fields = record.fields
    if "content" not in fields:
        return None
    role = fields.get("role") or fields.get("type") or record.name
    more = {name: fields[name] for name in _SHOWN if fields.get(name) not in _USUAL}
    return Message(str(role), _text(fields["content"]), more)


def _text(content: Any) -> str:
    """The text of a message, with the types of its other parts in brackets."""
    if isinstance(content, list):
        return " ".join(map(_block, content))
    return content if isinstance(content, str) else text_of(content)


def _block(part: Any) -> str:
    if not isinstance(part, dict):
        return part if isinstance(part, str) else text_of(part)
    return part["text"] if isinstance(part.get("text"), str) else f"[{text_of(part.get('type', 'part'))}]"
