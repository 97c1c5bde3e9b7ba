"""LangChain's messages, which load without being named in `types`: a fixed list, looked up in a fixed module."""

from __future__ import annotations

from typing import Any

_MODULES = {
    "ai": ("AIMessage", "AIMessageChunk"),
    "chat": ("ChatMessage", "ChatMessageChunk"),
    "function": ("FunctionMessage", "FunctionMessageChunk"),
    "human": ("HumanMessage", "HumanMessageChunk"),
    "modifier": ("RemoveMessage",),
    "system": ("SystemMessage", "SystemMessageChunk"),
    "tool": ("ToolMessage", "ToolMessageChunk"),
    "base": ("BaseMessage", "BaseMessageChunk"),
}
_NAMES = {f"langchain_core.messages.{module}.{name}": name for module, names in _MODULES.items() for name in names}


def message_class(name: str) -> Any:
    """The message class of this full name, or None if it is not one, or LangChain is not installed."""
    if name not in _NAMES:
        return None
    try:
        from langchain_core import messages
    except ImportError:
        return None
    return getattr(messages, _NAMES[name], None)
