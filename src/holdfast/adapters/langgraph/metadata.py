"""A checkpoint's metadata: what LangGraph says about it, and what the config says about the call.

`source` and `step` have columns of their own, so they are not stored a second time; unless they are absent, or not what
a column can hold. Such metadata is stored as it is, with one more key that says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langgraph.checkpoint.base import EXCLUDED_METADATA_KEYS

from holdfast.backends.rows import CheckpointRow
from holdfast.codec import Codec
from holdfast.model import SOURCES

_AS_IT_IS: Final = ""


def metadata_of(config: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What is told about the checkpoint, and whatever plain value the config has besides."""
    found = dict(metadata)
    for said in (config.get("metadata"), config.get("configurable")):
        for key, value in (said or {}).items():
            is_own = key in EXCLUDED_METADATA_KEYS or key.startswith("__")
            if key not in found and not is_own and isinstance(value, str | int | float):
                found[key] = value
    return found


def packed(said: dict[str, Any], codec: Codec) -> bytes:
    if _AS_IT_IS not in said and said.get("source") in SOURCES and type(said.get("step")) is int:
        return codec.encode({key: value for key, value in said.items() if key not in ("source", "step")}, "metadata")
    return codec.encode({**said, _AS_IT_IS: [said[_AS_IT_IS]] if _AS_IT_IS in said else None}, "metadata")


def unpacked(row: CheckpointRow, codec: Codec) -> dict[str, Any]:
    found: dict[str, Any] = codec.decode(row.metadata) if row.metadata else {}
    if _AS_IT_IS not in found:
        return {"source": row.source, "step": row.step, **found}
    own = found.pop(_AS_IT_IS)
    return found if own is None else {**found, _AS_IT_IS: own[0]}
