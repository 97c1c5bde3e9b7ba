"""The classes that LangGraph keeps in its checkpoints, and how they are taken apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from holdfast.codec import Codec, slots_class
from holdfast.codec.codec import MAX_VALUE
from holdfast.operations.arguments import Types

OWN: Final = frozenset(
    {
        "langchain_core.documents.base.Document",
        "langchain_core.messages.base.TextAccessor",
        "langgraph.checkpoint.serde.types._DeltaSnapshot",
        "langgraph.store.base.GetOp",
        "langgraph.store.base.Item",
        "langgraph.types.Command",
        "langgraph.types.Interrupt",
        "langgraph.types.Overwrite",
        "langgraph.types.PregelTask",
        "langgraph.types.Send",
        "langgraph.types.StateSnapshot",
        "langgraph.types.TimeoutPolicy",
    }
)

slots_class("langgraph.types.Send", ("node", "arg", "timeout"), defaults={"timeout": None})
slots_class("langgraph.store.base.Item", ("value", "key", "namespace", "created_at", "updated_at"))


def codec_for(types: Types | None, allowed: Iterable[str] = (), *, max_value: int = MAX_VALUE) -> Codec:
    """Without `types`, every class that the process has imported is known; with them, those and LangGraph's own."""
    imported = True if types is None else OWN.union(allowed)
    return Codec(types or (), imported=imported, mappings=True, max_value=max_value)


def storable(value: Any) -> Any:
    """A task's error is kept as its text, as LangGraph itself does it."""
    return repr(value) if isinstance(value, BaseException) else value
