"""What delta channels were given since the last checkpoint that holds their value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.checkpoint.base import DeltaChannelHistory

from holdfast.engine.port import Found, Port
from holdfast.model import PendingWrite


async def delta_history(port: Port, found: Found | None, channels: Sequence[str]) -> dict[str, DeltaChannelHistory]:
    """Removed ancestors count as well: the value is made of what was written there."""
    collected: dict[str, list[list[PendingWrite]]] = {name: [] for name in channels}
    seeds: dict[str, Any] = {}
    left = set(channels)
    if found is not None and left:
        async for ancestor, manifest, writes in port.ancestors(found):
            for name in left:
                collected[name].append([write for write in writes if write.channel == name])
            held = sorted(left & manifest.channels.keys())
            if held:
                seeds |= await port.channels(ancestor, held)
                left -= seeds.keys()
            if not left:
                break
    return {name: _history(collected[name], name, seeds) for name in channels}


def _history(steps: list[list[PendingWrite]], name: str, seeds: dict[str, Any]) -> DeltaChannelHistory:
    writes = [(write.task_id, write.channel, write.value) for step in reversed(steps) for write in step]
    history: DeltaChannelHistory = {"writes": writes}
    if name in seeds:
        history["seed"] = seeds[name]
    return history
