"""The calls of `put_writes` that store writes again, each with the index it had.

A saver uses a write's position in the list as its index; four special channels have an index below zero instead. A task
that is resumed writes again with the same indices, and existing writes stay. So a write that was imported with another
index would then exist twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from langgraph.checkpoint.base import WRITES_IDX_MAP

from holdfast.adapters.langgraph.importer.sources.checkpoint_parts import Write

_LONGEST_GAP: Final = 1000


class Call(NamedTuple):
    """The arguments of `put_writes` after the first."""

    writes: list[tuple[str, Any]]
    task_id: str
    task_path: str


def calls(writes: Sequence[Write]) -> Iterator[Call]:
    for (path, task), group in groupby(writes, lambda write: (write.task_path, write.task_id)):
        of_task = list(group)
        special = [_pair(write) for write in of_task if WRITES_IDX_MAP.get(write.channel) == write.idx]
        ordinary = [write for write in of_task if WRITES_IDX_MAP.get(write.channel) != write.idx]
        # Alone in a call, special writes replace those that the target has.
        if special:
            yield Call(special, task, path)
        if ordinary:
            yield Call(_at_their_indices(ordinary, special), task, path)


def _at_their_indices(ordinary: Sequence[Write], special: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Each write at its index. Gaps, where special writes were, are filled with one: its index is not its position."""
    first, last = ordinary[0].idx, ordinary[-1].idx
    if first < 0 or not special or last - len(ordinary) > _LONGEST_GAP:
        return [_pair(write) for write in ordinary]
    pairs = [special[0]] * (last + 1)
    for write in ordinary:
        pairs[write.idx] = _pair(write)
    return pairs


def _pair(write: Write) -> tuple[str, Any]:
    return write.channel, write.value
