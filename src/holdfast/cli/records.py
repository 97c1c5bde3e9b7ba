"""Stored objects, whose classes a command does not have: by name and fields. Messages are recognised among them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import holdfast

_LANGCHAIN: Final = "langchain_core.messages."
_WHICH_WERE_SET: Final = "+set"  # pydantic's own book-keeping, which says nothing to a reader
_TOLD: Final = ("name", "tool_calls", "tool_call_id", "status")
_USUAL: Final[tuple[Any, ...]] = (None, "", [], {}, "success")


class Record(NamedTuple):
    """An object, taken apart."""

    name: str
    fields: dict[str, Any]


class Message(NamedTuple):
    """Who said what, and what else the message carries."""

    role: str
    text: str
    more: dict[str, Any]


def record_of(value: object) -> Record | None:
    """What an object is made of; None for a plain value."""
    if isinstance(value, holdfast.Opaque):
        return Record(value.name, {name: one for name, one in value.fields.items() if name != _WHICH_WERE_SET})
    if _class_name(value).startswith(_LANGCHAIN):
        return Record(_class_name(value), dict(vars(value)))
    return None


def _class_name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def message_of(value: object) -> Message | None:
    """A message of LangChain, or a dict of role and content as many agents keep it."""
    if type(value) is dict:
        if not isinstance(value.get("role"), str) or "content" not in value:
            return None
        more = {key: one for key, one in value.items() if key not in ("role", "content")}
        return Message(value["role"], _text(value["content"]), more)
    record = record_of(value)
    if record is None or not record.name.startswith(_LANGCHAIN) or "content" not in record.fields:
        return None
    fields = record.fields
    more = {name: fields[name] for name in _TOLD if fields.get(name) not in _USUAL}
    return Message(str(fields.get("role") or fields.get("type") or record.name), _text(fields["content"]), more)


def _text(content: Any) -> str:
    """The text of a message; of its other parts only what they are."""
    if isinstance(content, list):
        return " ".join(map(_block, content))
    return content if isinstance(content, str) else written(content)


def _block(part: Any) -> str:
    if not isinstance(part, dict):
        return part if isinstance(part, str) else written(part)
    return part["text"] if isinstance(part.get("text"), str) else f"[{written(part.get('type', 'part'))}]"


def written(value: Any) -> str:
    """The repr, or what stands for it where Python has none: very deep values, integers of very many digits."""
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return f"<{type(value).__name__}>"
