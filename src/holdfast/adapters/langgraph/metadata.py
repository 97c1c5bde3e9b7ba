"""A checkpoint's metadata: what LangGraph says about it, and what the config says about the call.

`source` and `step` have columns of their own, so they are not stored a second time; unless they are absent, or not what
a column can hold. Such metadata is stored as it is, with one more key that says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langgraph.checkpoint.base import EXCLUDED_METADATA_KEYS

from holdfast.codec import Codec
from holdfast.engine.port import CheckpointRow
from holdfast.ids import check_text
from holdfast.model import SOURCES

_AS_IT_IS: Final = ""
_MOST: Final = 1 << 62  # a step is below, so that the next ones fit into the column too


def metadata_of(config: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of the checkpoint, with the plain values that the config adds to it."""
    found = dict(metadata)
    for said in (config.get("metadata"), config.get("configurable")):
        for key, value in (said or {}).items():
            is_own = key in EXCLUDED_METADATA_KEYS or key.startswith("__")
            if key not in found and not is_own and isinstance(value, str | int | float):
                found[key] = value
    return found


def growing_in(metadata: Mapping[str, Any]) -> list[str]:
    """The delta channels that were written to since the last checkpoint that holds their value."""
    counts = metadata.get("counters_since_delta_snapshot")
    return [name for name in counts if isinstance(name, str)] if isinstance(counts, Mapping) else []


def run_id_of(config: Mapping[str, Any], metadata: Mapping[str, Any]) -> str | None:
    run_id = metadata.get("run_id") or config.get("run_id")
    return None if run_id is None else check_text(str(run_id), "run_id")


def step_of(metadata: Mapping[str, Any]) -> int | None:
    """The step, if the column can hold it."""
    step = metadata.get("step")
    return step if type(step) is int and abs(step) < _MOST else None


def packed(said: dict[str, Any], codec: Codec) -> bytes:
    if _AS_IT_IS not in said and said.get("source") in SOURCES and step_of(said) is not None:
        return codec.encode({key: value for key, value in said.items() if key not in ("source", "step")}, "metadata")
    return codec.encode({**said, _AS_IT_IS: [said[_AS_IT_IS]] if _AS_IT_IS in said else None}, "metadata")


def unpacked(row: CheckpointRow, codec: Codec) -> dict[str, Any]:
    found = codec.decode_dict(row.metadata)
    if _AS_IT_IS not in found:
        return {"source": row.source, "step": row.step, **found}
    own = found.pop(_AS_IT_IS)
    return found if own is None else {**found, _AS_IT_IS: own[0]}


# ------------------------------------------------------------------------------------------------ filters


def fits(metadata: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether metadata has what a list asks for. LangGraph's savers differ; what one of them finds, this does too."""
    return all(_has(_found(metadata, key), wanted) for key, wanted in where.items())


def _found(metadata: Mapping[str, Any], key: str) -> Any:
    """What is under a key; if there is nothing, what is under it as a path, as in ``user.name``."""
    if key in metadata or "." not in key:
        return metadata.get(key)
    found: Any = metadata
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _has(found: Any, wanted: Any) -> bool:
    """A mapping has what is asked for if it has these items, among others; a tuple is the same as a list."""
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(key in found and _has(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list | tuple) and isinstance(found, list | tuple):
        return len(found) == len(wanted) and all(map(_has, found, wanted))
    return bool(found == wanted)
