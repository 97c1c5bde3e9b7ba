"""Stored writes to the calls of `put_writes` that store them again, each under the index it had.

A saver gives a write its place in the list as its index, and four special channels an index below zero instead. Whoever
resumes a task writes again under the same indices, and what is there already stays. So a write that came to the target
with another index would be there twice after that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from langgraph.checkpoint.base import WRITES_IDX_MAP

from holdfast.adapters.langgraph.sources.assembling import Write

_LONGEST_GAP: Final = 1000


class Call(NamedTuple):
    """The arguments of `put_writes` after the first."""

    writes: list[tuple[str, Any]]
    task_id: str
    task_path: str


def calls(writes: Sequence[Write]) -> Iterator[Call]:
    for (path, task), group in groupby(writes, lambda write: (write.task_path, write.task_id)):
        found = list(group)
        special = [_pair(write) for write in found if WRITES_IDX_MAP.get(write.channel) == write.idx]
        ordinary = [write for write in found if WRITES_IDX_MAP.get(write.channel) != write.idx]
        if special:  # by themselves, since only then what is there already is replaced
            yield Call(special, task, path)
        if ordinary:
            yield Call(_placed(ordinary, special), task, path)


def _placed(ordinary: Sequence[Write], special: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Each write at its index. A gap is where a special one stood, which takes no index and may stand there again."""
    first, last = ordinary[0].idx, ordinary[-1].idx
    if first < 0 or not special or last - len(ordinary) > _LONGEST_GAP:
        return [_pair(write) for write in ordinary]
    places = [special[0]] * (last + 1)
    for write in ordinary:
        places[write.idx] = _pair(write)
    return places


def _pair(write: Write) -> tuple[str, Any]:
    return write.channel, write.value
