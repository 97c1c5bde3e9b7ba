"""A thread among its forks: who started from whom, found by looking through the store's list of threads."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import holdfast

_PAGE: Final = 500

Key = tuple[str, str]
"""A checkpoint in several threads at once: its id and its digest, which all who share it agree on."""


class Node(NamedTuple):
    """A checkpoint in the graph of a tree."""

    info: holdfast.CheckpointInfo
    parent: Key | None


def every(store: holdfast.Store) -> Iterator[holdfast.ThreadInfo]:
    """All threads, read in pages."""
    page = store.threads(limit=_PAGE)
    while page:
        yield from page
        page = store.threads(limit=_PAGE, after=page[-1].id) if len(page) == _PAGE else []


def relatives(thread_id: str, known: Iterable[holdfast.ThreadInfo]) -> list[str]:
    """The thread and all that are its forks, its origin, or theirs."""
    near: dict[str, list[str]] = defaultdict(list)
    for info in known:
        if info.forked_from is not None:
            near[info.id].append(info.forked_from.thread_id)
            near[info.forked_from.thread_id].append(info.id)
    found, waiting = {thread_id: None}, [thread_id]
    while waiting:
        fresh = [one for one in near[waiting.pop()] if one not in found]
        found.update(dict.fromkeys(fresh))
        waiting += fresh
    return list(found)


def key_of(info: holdfast.CheckpointInfo) -> Key:
    return info.id, info.digest


def merged(histories: Iterable[Iterable[holdfast.CheckpointInfo]]) -> dict[Key, Node]:
    """The checkpoints of several threads, each once however many share it; the first that lists it decides."""
    listed = {(info.thread_id, info.id): info for history in histories for info in history}
    nodes: dict[Key, Node] = {}
    for info in listed.values():
        nodes.setdefault(key_of(info), Node(info, _parent(info, listed)))
    return nodes


def _parent(info: holdfast.CheckpointInfo, listed: dict[tuple[str, str], holdfast.CheckpointInfo]) -> Key | None:
    if info.parent_id is None:
        return None
    places = (info.thread_id, info.parent_thread_id or info.thread_id)
    found = next((listed[place, info.parent_id] for place in places if (place, info.parent_id) in listed), None)
    return (info.parent_id, "") if found is None else key_of(found)


def newest(nodes: dict[Key, Node], limit: int | None) -> dict[Key, Node]:
    keys = nodes.keys() if limit is None else heapq.nlargest(limit, nodes, key=lambda key: _age(nodes[key]))
    return {key: nodes[key] for key in keys}


def in_order(nodes: dict[Key, Node]) -> list[Key]:
    """Children before their parents, and each line in one piece as far as that goes; newer lines first."""
    children = Counter(node.parent for node in nodes.values() if node.parent in nodes)
    waiting = sorted((key for key in nodes if not children[key]), key=lambda key: _age(nodes[key]))
    found = []
    while waiting:
        key = waiting.pop()
        found.append(key)
        parent = nodes[key].parent
        if parent is not None and parent in nodes:
            children[parent] -= 1
            if not children[parent]:
                waiting.append(parent)
    return found


def _age(node: Node) -> tuple[object, int]:
    return node.info.created_at, node.info.seq
