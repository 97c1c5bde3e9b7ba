"""What a LangGraph checkpoint says about the run: which nodes are next, which ran, and how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

TASKS: Final = "__pregel_tasks"
_START: Final = "__start__"
_BRANCH: Final = "branch:to:"
_JOIN: Final = "join:"

Versions = Mapping[str, Any]


def next_nodes(checkpoint: Mapping[str, Any]) -> tuple[str, ...]:
    """The nodes that a channel triggers which they have not seen, and those that something was sent to."""
    versions: Versions = checkpoint.get("channel_versions") or {}
    seen: Mapping[str, Versions] = checkpoint.get("versions_seen") or {}
    values: Mapping[str, Any] = checkpoint.get("channel_values") or {}
    nodes: list[str] = []
    for name, version in versions.items():
        nodes += _triggered(name, version, seen, values)
    nodes.sort()
    for send in (*(values.get(TASKS) or ()), *(checkpoint.get("pending_sends") or ())):
        nodes.append(str(getattr(send, "node", "")))
    return tuple(dict.fromkeys(nodes))


def _triggered(name: str, version: Any, seen: Mapping[str, Versions], values: Mapping[str, Any]) -> list[str]:
    if name == _START:
        waits = name in values and all(_is_newer(version, one, name) for one in seen.values())
        return [_START] if waits else []
    if name.startswith(_BRANCH):
        node, is_ready = name.removeprefix(_BRANCH), name in values
    elif name.startswith(_JOIN):
        starts, _, node = name.removeprefix(_JOIN).rpartition(":")
        is_ready = len(values.get(name) or ()) == starts.count("+") + 1
    else:
        return []
    return [node] if is_ready and _is_newer(version, seen.get(node), name) else []


def _is_newer(version: Any, seen: Versions | None, name: str) -> bool:
    if seen is None or name not in seen:
        return True
    try:
        return bool(version > seen[name])
    except TypeError:  # versions of two kinds, from before and after a change of the saver
        return bool(version != seen[name])


def nodes_run(checkpoint: Mapping[str, Any], before: Mapping[str, Any] | None) -> str:
    """The nodes that have seen more than at the checkpoint before."""
    if before is None:
        return ""
    seen = checkpoint.get("versions_seen") or {}
    known = before.get("versions_seen") or {}
    ran = [name for name in seen if seen[name] != known.get(name) and not name.startswith("__")]
    return ", ".join(sorted(ran))
